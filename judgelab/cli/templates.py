"""`template`: a project's own texts for the parts of a prompt, or for the whole of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.preparation.generation.prompts import subject
from judgelab.protocols.core.whole_templates import PLACEHOLDERS, WHOLE
from judgelab.runs import template_editing
from judgelab.runs.plan import prompt_templates
from judgelab.runs.template_editing import TemplatePart, TemplateSubject
from judgelab.store.db.engine import Store

STDIN = "-"


def register(app: typer.Typer) -> None:
    """Add `template`."""
    app.command("template")(template)


def template(
    project: str,
    protocol: Annotated[
        str, typer.Argument(help="A protocol, or the prompt of a preparation: steps, tags, roles.coarse …")
    ],
    part: Annotated[
        str, typer.Option(help="The part: task, output …; with only --file, the whole prompt.")
    ] = "",
    file: Annotated[str, typer.Option(help="File with your own text; - reads from standard input.")] = "",
    placeholder: Annotated[
        list[str] | None,
        typer.Option(help='What a placeholder of a whole prompt means, as "{{Document}}=context".'),
    ] = None,
    note: Annotated[str, typer.Option(help="What changed.")] = "",
    reset: Annotated[
        bool, typer.Option("--reset", help="Restore JudgeLab's text of the part, or of all parts.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the parts of a prompt, or replace a part with your own text, which new judges then use."""
    store, edited = shared.store(), subject(protocol)
    if reset and (file or placeholder):
        raise InvalidInput("give either --reset or --file.")
    if reset:
        names = template_editing.reset(store, project, edited, [part] if part else [])
        text = (
            f"Restored JudgeLab's text: {', '.join(names)}."
            if names
            else "JudgeLab's text was already in use."
        )
        shared.emit({"reset": names}, as_json=as_json, text=text)
        return
    if file or placeholder:
        texts = _new_texts(part, file, placeholder or [])
        _save_texts(store, project, edited, texts, note, as_json=as_json)
        return
    parts = template_editing.template_parts(store, project, edited)
    shown = [info for info in parts if part in (info.name, info.option)] if part else parts
    if part and not shown:
        raise InvalidInput(
            f"{protocol} has no part '{part}'; known: {', '.join(info.name for info in parts)}."
        )
    lines = _part_history_lines if part else _part_lines
    text = "\n\n".join("\n".join(lines(info)) for info in shown)
    shared.emit([_part_json(info) for info in shown], as_json=as_json, text=text)


def _new_texts(part: str, file: str, placeholders: Sequence[str]) -> dict[str, str]:
    texts = {part or WHOLE: _read_text(file)} if file else {}
    if placeholders:
        if part not in ("", WHOLE):
            raise InvalidInput(f"--placeholder applies to a whole prompt, not to --part {part}.")
        texts[PLACEHOLDERS] = "\n".join(placeholders)
    return texts


def _read_text(file: str) -> str:
    try:
        text = sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidInput(f"{file} cannot be read: {reason}.") from None
    if not text.strip():
        raise InvalidInput(f"{file} is empty; to restore JudgeLab's text, use --reset.")
    return text


def _save_texts(
    store: Store, project: str, edited: TemplateSubject, texts: dict[str, str], note: str, *, as_json: bool
) -> None:
    saved = template_editing.save(store, project, edited, texts, note=note)
    if saved.forgotten:
        shared.say(_unmentioned_warning(saved.forgotten))
    shared.emit(
        {
            "kept": [{"part": text.part, "version": text.version} for text in saved.versions],
            "not_asked_for": list(saved.forgotten),
        },
        as_json=as_json,
        text="\n".join(f"{text.part}: version {text.version}, used from now on" for text in saved.versions),
    )


def _unmentioned_warning(forgotten: Sequence[str]) -> str:
    return (
        f"Warning: your text does not mention {', '.join(forgotten)}, which JudgeLab needs to read replies; "
        "replies without it stay unscored."
    )


def _part_lines(part: TemplatePart) -> Iterator[str]:
    used = part.used
    source = f"yours, version {used.version}" if used else "JudgeLab's" if part.built_in_text else "none"
    yield f"{part.name}  ({source})"
    text = used.text if used else "" if part.name == WHOLE else part.built_in_text
    yield from (f"    {line}" for line in text.splitlines())


def _part_history_lines(part: TemplatePart) -> Iterator[str]:
    yield from _part_lines(part)
    if part.used and part.built_in_text and part.name not in (WHOLE, PLACEHOLDERS):
        yield "Compared with JudgeLab's text:"
        yield prompt_templates.describe_difference(part.built_in_text, part.used.text)
    for version in part.versions:
        author = f", by {version.by}" if version.by else ""
        note = f", {version.note}" if version.note else ""
        used = ", used" if version.in_force else ""
        yield f"version {version.version}, {version.created_at:%Y-%m-%d}{author}{note}{used}"


def _part_json(part: TemplatePart) -> dict[str, Any]:
    versions = [
        {
            **{
                "version": version.version,
                "text": version.text,
                "note": version.note,
                "by": version.by,
                "used": version.in_force,
            },
            "created_at": version.created_at.isoformat(),
        }
        for version in part.versions
    ]
    return {"part": part.name, "option": part.option, "shipped": part.built_in_text, "versions": versions}
