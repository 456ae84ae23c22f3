"""The questions of a form on pages without scripts: drawn as HTML, and read from what was submitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from judgelab.annotation.links.questions import LONGEST_ANSWER, FormQuestion
from judgelab.languages import _

FIELD = "field_"


def submitted_answers(
    questions: Sequence[FormQuestion], values: Mapping[str, Sequence[str]]
) -> dict[int, list[str]]:
    """Return the submitted values by the question's position."""
    return {place: list(values.get(f"{FIELD}{place}", ())) for place in range(len(questions))}


def draw_questions(
    questions: Sequence[FormQuestion],
    answers: Mapping[int, Sequence[str]],
    problems: Mapping[int, str],
) -> str:
    """Return the questions as HTML.

    Args:
        questions: the questions.
        answers: what was submitted before, by the question's position.
        problems: what is wrong with it.
    """
    fields = "".join(
        _field(place, question, answers.get(place, ()), problems.get(place, ""))
        for place, question in enumerate(questions)
    )
    alert = f'<p role="alert">{escape(_("Some answers are missing or invalid; nothing is stored yet."))}</p>'
    return (alert if problems else "") + fields


def _field(place: int, question: FormQuestion, given: Sequence[str], problem_text: str) -> str:
    name = f"{FIELD}{place}"
    optional = "" if question.required else f' <span class="muted">{escape(_("(optional)"))}</span>'
    label = f'<span dir="auto">{escape(question.label)}</span>{optional}'
    described = f' aria-describedby="{name}_wrong" aria-invalid="true"' if problem_text else ""
    problem = f'<div id="{name}_wrong" role="alert">{escape(_(problem_text))}</div>' if problem_text else ""
    if question.kind in ("choice", "choices"):
        options = "".join(
            _option(name, question, choice, chosen=choice in given) for choice in question.choices
        )
        return f"<fieldset{described}><legend>{label}</legend>{options}</fieldset>{problem}"
    value, needed = escape(given[0]) if given else "", " required" if question.required else ""
    if question.kind == "number":
        entry = (
            f'<input name="{name}" type="number" step="any" inputmode="decimal" value="{value}"{needed}'
            f"{described}>"
        )
    elif question.kind == "paragraph":
        # The browser drops the first line break of a text area.
        entry = (
            f'<textarea name="{name}" dir="auto" rows="4" maxlength="{LONGEST_ANSWER["paragraph"]}"{needed}'
            f"{described}>\n{value}</textarea>"
        )
    else:
        entry = (
            f'<input name="{name}" dir="auto" maxlength="{LONGEST_ANSWER["text"]}" value="{value}"{needed}'
            f"{described}>"
        )
    return f"<label>{label}{entry}</label>{problem}"


def _option(name: str, question: FormQuestion, choice: str, *, chosen: bool) -> str:
    # No browser can require one of several boxes; the server does.
    one = question.kind == "choice"
    kind, needed = ("radio", " required" if question.required else "") if one else ("checkbox", "")
    checked = " checked" if chosen else ""
    return (
        f'<label><input type="{kind}" name="{name}" value="{escape(choice)}"{checked}{needed}>'
        f'<span dir="auto">{escape(choice)}</span></label>'
    )
