"""What a rater can be asked about a unit: a score, a preference, places. One file per kind of unit."""

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


def form_of_project(rating_session: RatingSession) -> Form:
    """Return the project's present form."""
    return FORMS[rating_session.form]


def form_of_unit(view: UnitView, rating_session: RatingSession, form_name: str = "") -> Form:
    """Return the form for this unit: the one named, else the project's, else the first that fits the unit.

    A screen that was opened before the project changed its form still sends values of the former one.
    """
    fitting = {form.name: form for form in FORMS_BY_UNIT_KIND[view.unit.kind]}
    return fitting.get(form_name) or fitting.get(rating_session.form) or FORMS_BY_UNIT_KIND[view.unit.kind][0]
