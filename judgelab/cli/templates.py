"""`judgelab template`: a project's own texts of a prompt, part by part or a whole file of others."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.cli import shared
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
        str, typer.Argument(help="A protocol, or a preparation's prompt: steps, tags, roles.coarse …")
    ],
    part: Annotated[
        str, typer.Option(help="The part: task, output …; with --file alone the whole prompt.")
    ] = "",
    file: Annotated[str, typer.Option(help="Your own text of it; - reads from standard input.")] = "",
    placeholder: Annotated[
        list[str] | None,
        typer.Option(help='What a placeholder of a whole prompt means, as "{{Document}}=context".'),
    ] = None,
    note: Annotated[str, typer.Option(help="What is new in it.")] = "",
    reset: Annotated[
        bool, typer.Option("--reset", help="Back to JudgeLab's text: of the part, or of all parts.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the parts of a prompt, or put your own text in place of one; judges made from then on use it."""
    store, subject_ = shared.store(), subject(protocol)
    if reset and (file or placeholder):
        raise InvalidInput("give one of --reset and --file.")
    if reset:
        reset_parts = template_editing.reset(store, project, subject_, [part] if part else [])
        said = (
            f"In JudgeLab's words again: {', '.join(reset_parts)}."
            if reset_parts
            else "It was in JudgeLab's words."
        )
        shared.emit({"reset": reset_parts}, as_json=as_json, text=said)
        return
    if file or placeholder:
        _save(store, project, subject_, _texts(part, file, placeholder or []), note, as_json=as_json)
        return
    parts = template_editing.template_parts(store, project, subject_)
    chosen = (
        [shown_part for shown_part in parts if part in (shown_part.name, shown_part.option)]
        if part
        else parts
    )
    if part and not chosen:
        raise InvalidInput(
            f"{protocol} has no part '{part}'; known: {', '.join(known_part.name for known_part in parts)}."
        )
    text = "\n\n".join("\n".join(_whole(shown_part) if part else _short(shown_part)) for shown_part in chosen)
    shared.emit([_json(shown_part) for shown_part in chosen], as_json=as_json, text=text)


def _texts(part: str, file: str, placeholders: Sequence[str]) -> dict[str, str]:
    texts = {part or WHOLE: _read(file)} if file else {}
    if placeholders:
        if part not in ("", WHOLE):
            raise InvalidInput(f"--placeholder goes with a whole prompt, not with --part {part}.")
        texts[PLACEHOLDERS] = "\n".join(placeholders)
    return texts


def _read(file: str) -> str:
    try:
        text = sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise InvalidInput(f"{file} cannot be read: {why}.") from None
    if not text.strip():
        raise InvalidInput(f"{file} is empty; --reset goes back to JudgeLab's text.")
    return text


def _save(
    store: Store, project: str, subject: TemplateSubject, texts: dict[str, str], note: str, *, as_json: bool
) -> None:
    saved = template_editing.save(store, project, subject, texts, note=note)
    if saved.forgotten:
        shared.say(_warning(saved.forgotten))
    shared.emit(
        {
            "kept": [{"part": saved_part.part, "version": saved_part.version} for saved_part in saved.kept],
            "not_asked_for": list(saved.forgotten),
        },
        as_json=as_json,
        text="\n".join(
            f"{saved_part.part}: version {saved_part.version}, used from now on" for saved_part in saved.kept
        ),
    )


def _warning(forgotten: Sequence[str]) -> str:
    return (
        f"Warning: your text does not mention {', '.join(forgotten)}, and replies are read by it; replies "
        "without it stay unscored."
    )


def _short(part: TemplatePart) -> Iterator[str]:
    used = part.used
    whose = f"yours, version {used.version}" if used else "JudgeLab's" if part.ours else "none"
    yield f"{part.name}  ({whose})"
    text = used.text if used else "" if part.name == WHOLE else part.ours
    yield from (f"    {line}" for line in text.splitlines())


def _whole(part: TemplatePart) -> Iterator[str]:
    yield from _short(part)
    if part.used and part.ours and part.name not in (WHOLE, PLACEHOLDERS):
        yield "Against JudgeLab's:"
        yield prompt_templates.describe_difference(part.ours, part.used.text)
    for version in part.versions:
        author = f", by {version.by}" if version.by else ""
        note = f", {version.note}" if version.note else ""
        used = ", used" if version.in_force else ""
        yield f"version {version.version}, {version.created_at:%Y-%m-%d}{author}{note}{used}"


def _json(part: TemplatePart) -> dict[str, Any]:
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
    return {"part": part.name, "option": part.option, "shipped": part.ours, "versions": versions}
