"""What a rater can be asked to say about a unit: a score, a preference, places. One file per kind of unit."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.annotation.forms.base import Form, SubmissionContext
from judgelab.annotation.forms.listwise import BEST_WORST, RANKING
from judgelab.annotation.forms.pairwise import PAIRWISE
from judgelab.annotation.forms.pointwise import POINTWISE
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView

__all__ = ["FORMS", "Form", "SubmissionContext", "form_of_project", "form_of_unit"]

FORMS: dict[str, Form] = {form.name: form for form in (POINTWISE, PAIRWISE, RANKING, BEST_WORST)}
FORMS_BY_UNIT_KIND: dict[str, Sequence[Form]] = {
    "response": (POINTWISE,),
    "pair": (PAIRWISE,),
    "list": (RANKING, BEST_WORST),
}


def form_of_project(round_: RatingSession) -> Form:
    """Return the form in which the project's raters judge now."""
    return FORMS[round_.form]


def form_of_unit(laid: UnitView, round_: RatingSession, said: str = "") -> Form:
    """Return the form in which this unit is judged: what the screen said, else the project's, if they fit.

    A screen that was opened before the project changed its form still sends what it asked for.
    """
    fitting = {form.name: form for form in FORMS_BY_UNIT_KIND[laid.unit.kind]}
    return fitting.get(said) or fitting.get(round_.form) or FORMS_BY_UNIT_KIND[laid.unit.kind][0]
