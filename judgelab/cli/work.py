"""`project set` and `project mark`: how work is given out, and which scores are known beforehand."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.annotation.links import own_forms
from judgelab.annotation.rating.question_rows import completed_questions
from judgelab.annotation.rating.settings import SETTING_READERS, read_settings
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.imports.files.sources import Source, name_of_file
from judgelab.imports.known_scores import import_known_scores
from judgelab.languages import LANGUAGES
from judgelab.runs.plan.budgeting import read_budget
from judgelab.store.db import audit
from judgelab.store.judging.budgets import BUDGET
from judgelab.store.projects.projects import find_project, update_project

QUESTIONS = "questions"  # a JSON file, as they are too long for a command
LANGUAGE = (
    "language"  # of the rating pages; read here, since `annotation` does not know which languages there are
)

ELSEWHERE = (QUESTIONS, *own_forms.SETTINGS, LANGUAGE, BUDGET)


def register(projects: typer.Typer) -> None:
    """Add the commands to those of `project`."""
    projects.command("set")(set_command)
    projects.command("mark")(mark_command)


def set_command(
    project: str,
    settings: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE]...",
            help=f"Keys: {', '.join((*SETTING_READERS, *ELSEWHERE))}.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Change how work is assigned; without KEY=VALUE, show the settings."""
    store = shared.store()
    given = dict(_parse_setting(text) for text in settings or ())
    if given:
        with store.writing() as session:
            info = find_project(session, project)
            language = given.pop(LANGUAGE, None)
            budget = given.pop(BUDGET, None)
            asked = given.pop(QUESTIONS, None)
            forms = {name: given.pop(name) for name in own_forms.SETTINGS if name in given}
            changed = read_settings(given, info.settings, elsewhere=ELSEWHERE)
            changed |= {name: _form_of_file(name, file.strip()) for name, file in forms.items()}
            if asked is not None:
                changed[QUESTIONS] = _questions_of_file(asked.strip())
            if {QUESTIONS, "form"} & changed.keys():
                form = changed.get("form", info.settings.get("form", "pointwise"))
                stored = info.settings.get(QUESTIONS) or []
                rows = changed.get(QUESTIONS, stored)
                completed = completed_questions(rows, info.criteria, form=form, earlier=stored)
                if asked is not None:
                    changed[QUESTIONS] = completed
            if budget is not None:
                changed[BUDGET] = read_budget(budget)
            if language is not None:
                changed[LANGUAGE] = _parse_language(language.strip())
            update_project(session, info.id, settings=changed)
            audit.record(session, "changed_settings", project_id=info.id, detail=changed)
    with store.reading() as session:
        info = find_project(session, project)
    now = dict(info.settings)
    lines = [f"{key} = {value}" for key, value in sorted(now.items())]
    shared.emit({"slug": info.slug, "settings": now}, as_json=as_json, text="\n".join(lines))


def mark_command(
    project: str,
    file: Annotated[
        Path, typer.Argument(help="File with the columns item_id, criterion, score, purpose and more.")
    ],
    as_json: Json = False,
) -> None:
    """Import known scores (gold items, attention checks, training), and reserve items for rater groups."""
    if not file.is_file():
        raise InvalidInput(f"there is no file {file}; check the path.")
    marked = import_known_scores(shared.store(), project, Source(name_of_file(file), file))
    shared.emit(
        asdict(marked),
        as_json=as_json,
        text=f"stored known scores of {shared.counted(marked.units, marked.kind)}; "
        f"reserved {shared.counted(marked.reserved, 'item')}",
    )


def _questions_of_file(name: str) -> object:
    """Return the questions that a JSON file holds; `none` for no questions."""
    if name in ("", "none"):
        return []
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"questions: can't read {name} as JSON ({error}).") from None


def _form_of_file(name: str, file: str) -> list[dict[str, Any]]:
    """Return the form whose questions are the lines of a text file; `none` for no questions."""
    if file in ("", "none"):
        return []
    try:
        lines = Path(file).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{name}: can't read {file} ({error}).") from None
    return own_forms.read_form(lines)


def _parse_language(text: str) -> str:
    if text in ("", "none"):
        return ""
    if text not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InvalidInput(
            f"language '{text}' is not valid; use one of {known}, or 'none' for the browser's language."
        )
    return text


def _parse_setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InvalidInput(f"{text}: write KEY=VALUE, for example attention_every=20.")
    return key.strip(), value
