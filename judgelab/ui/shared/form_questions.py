"""The field in which a researcher writes the questions of a form, one per line."""

from __future__ import annotations

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from judgelab.annotation.links.own_forms import written_form
from judgelab.annotation.links.questions import FormQuestion
from judgelab.languages import _
from judgelab.wording import mark

ENTRY_EXAMPLE = mark("Age: number\nJob: text, optional\nHand: choice=left|right")
EXIT_EXAMPLE = mark("Difficulty: choice=easy|hard\nComments: paragraph, optional")


def draw_form_questions(
    column: DeltaGenerator,
    label: str,
    questions: Sequence[FormQuestion],
    *,
    key: str,
    when: str,
    example: str,
) -> str:
    """Draw the field and return its lines; `when` says in the help when the form is asked.

    `example` is what the empty field shows, `ENTRY_EXAMPLE` or `EXIT_EXAMPLE`.
    """
    described = _(
        "After the colon, write number, text (one line), paragraph (longer text), or choice= (one) or "
        "choices= (several) and the options, separated by |. Add “, optional” if no answer is required."
    )
    return column.text_area(
        label,
        written_form(questions),
        key=key,
        height=120,
        placeholder=_(example),
        help=f"{described} {when}",
    )
