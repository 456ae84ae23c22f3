"""Forms for all responses of an item at once: places with ties, or the best and the worst of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, ClassVar

from judgelab.annotation.forms.base import Submission, SubmissionContext, known_criteria, response_letter
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.rating import rankings
from judgelab.store.rating.rankings import ItemRanking, NewRanking
from judgelab.wording import sentence

BEST, BETWEEN, WORST = 1, 2, 3


class Ranking:
    """A place for each response, 1 for the best; equal places are ties, and only the order counts."""

    name: ClassVar[str] = "ranking"
    field: ClassVar[str] = "places"

    def check(self, rating_session: RatingSession, view: UnitView, operation: Operation) -> None:
        """Raise `InvalidInput` when places are not 1 to the number of responses."""
        count = len(view.responses)
        for places in operation.places.values():
            if len(places) != count or any(place and place > count for place in places):
                raise InvalidInput(sentence("ranks of {count} answers go from 1 to {count}.", count=count))

    def incomplete_reason(self, places: Sequence[int | None]) -> str:
        """Return why these places cannot be stored as a judgment, or nothing when they can."""
        return sentence("give every answer a rank.") if None in places else ""

    def save(self, context: SubmissionContext) -> None:
        """Store the place of each response, with the order in which the responses were shown."""
        view, operation = context.view, context.operation
        places = known_criteria(operation.places, context.ids)
        for reason in filter(None, map(self.incomplete_reason, places.values())):
            raise InvalidInput(reason)
        rankings.save_rankings(
            context.session,
            [
                NewRanking(
                    criterion_id=context.ids[key],
                    ranking=ItemRanking(
                        self.name,
                        dict(zip(view.responses, order, strict=True)),
                        operation.comments.get(key, ""),
                    ),
                    surplus=context.surplus,
                    blind=context.blind,
                    seconds=operation.seconds,
                )
                for key, order in places.items()
            ],
            key=(view.unit.item_id, view.assignment.occasion),
            shown=view.responses,
            person_id=context.rating_session.person_id,
            project_id=context.rating_session.project_id,
            at=context.at,
        )

    def submissions(
        self, session: Session, views: Sequence[UnitView], person_id: int
    ) -> dict[int, Submission]:
        """Return places in the order shown, and comments, by assignment, without those of another form."""
        stored = rankings.rankings(session, [view.unit.item_id for view in views], person_id)
        by_assignment = {}
        for view in views:
            ranked = stored.get((view.unit.item_id, view.assignment.occasion), {})
            rankings_of_form = {key: ranking for key, ranking in ranked.items() if ranking.form == self.name}
            by_assignment[view.assignment.id] = Submission(
                {
                    key: [ranking.places.get(response) for response in view.responses]
                    for key, ranking in rankings_of_form.items()
                },
                {key: ranking.comment for key, ranking in rankings_of_form.items() if ranking.comment},
            )
        return by_assignment

    def in_words(self, rating_session: RatingSession, key: str, value: Any) -> str:
        """Return the order, such as `B > A = C`."""
        placed = sorted(
            (place, response_letter(position)) for position, place in enumerate(value) if place is not None
        )
        return " > ".join(
            " = ".join(letter for _, letter in ties) for _, ties in groupby(placed, key=lambda pair: pair[0])
        )


class BestWorst(Ranking):
    """One best and one worst response; all others are between."""

    name: ClassVar[str] = "best_worst"

    def check(self, rating_session: RatingSession, view: UnitView, operation: Operation) -> None:
        """Raise `InvalidInput` when a place is not best, worst or between."""
        for places in operation.places.values():
            if len(places) != len(view.responses) or any(place and place > WORST for place in places):
                raise InvalidInput(
                    sentence(
                        "each of the {count} answers is best, worst or in between.", count=len(view.responses)
                    )
                )

    def incomplete_reason(self, places: Sequence[int | None]) -> str:
        """Return why these places cannot be stored as a judgment, or nothing when they can."""
        whole = places.count(BEST) == places.count(WORST) == 1 and None not in places
        return "" if whole else sentence("choose different answers as the best and the worst.")

    def in_words(self, rating_session: RatingSession, key: str, value: Any) -> str:
        """Return both, such as `best B, worst A`."""
        best, worst = (response_letter(value.index(end)) if end in value else "" for end in (BEST, WORST))
        if best and worst:
            return sentence("best {best}, worst {worst}", best=best, worst=worst)
        if best:
            return sentence("best {best}", best=best)
        return sentence("worst {worst}", worst=worst) if worst else ""


RANKING = Ranking()
BEST_WORST = BestWorst()
