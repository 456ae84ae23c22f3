"""All responses of an item at once: places with ties, or the best and the worst of them."""

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
    """A place for each response, 1 the best; equal places are ties, and only their order means anything."""

    name: ClassVar[str] = "ranking"
    field: ClassVar[str] = "places"

    def check(self, round_: RatingSession, laid: UnitView, op: Operation) -> None:
        """Raise `InvalidInput` when places are not 1 to the number of responses."""
        count = len(laid.responses)
        for places in op.places.values():
            if len(places) != count or any(place and place > count for place in places):
                raise InvalidInput(sentence("{count} answers take places from 1 to {count}.", count=count))

    def finished(self, places: Sequence[int | None]) -> str:
        """Return why these places cannot be stored as a judgment, or nothing when they can."""
        return sentence("every answer needs a place.") if None in places else ""

    def put(self, saying: SubmissionContext) -> None:
        """Store the places by response, with the order in which these were shown."""
        laid, op = saying.laid, saying.op
        places = known_criteria(op.places, saying.ids)
        for reason in filter(None, map(self.finished, places.values())):
            raise InvalidInput(reason)
        rankings.save_rankings(
            saying.session,
            [
                NewRanking(
                    criterion_id=saying.ids[key],
                    ranking=ItemRanking(
                        self.name, dict(zip(laid.responses, given, strict=True)), op.comments.get(key, "")
                    ),
                    surplus=saying.surplus,
                    blind=saying.blind,
                    seconds=op.seconds,
                )
                for key, given in places.items()
            ],
            key=(laid.unit.item_id, laid.given.occasion),
            shown=laid.responses,
            person_id=saying.round.person_id,
            project_id=saying.round.project.id,
            at=saying.at,
        )

    def said(self, session: Session, laid: Sequence[UnitView], person_id: int) -> dict[int, Submission]:
        """Return places in the order shown, and comments, by assignment; another form's are left out."""
        stored = rankings.rankings(session, [one.unit.item_id for one in laid], person_id)
        found = {}
        for one in laid:
            ranked = stored.get((one.unit.item_id, one.given.occasion), {})
            own = {key: said for key, said in ranked.items() if said.form == self.name}
            found[one.given.id] = Submission(
                {key: [said.places.get(response) for response in one.responses] for key, said in own.items()},
                {key: said.comment for key, said in own.items() if said.comment},
            )
        return found

    def in_words(self, round_: RatingSession, key: str, value: Any) -> str:
        """Return the order: `B > A = C`."""
        placed = sorted((place, response_letter(at)) for at, place in enumerate(value) if place is not None)
        return " > ".join(
            " = ".join(name for _, name in tied) for _, tied in groupby(placed, key=lambda one: one[0])
        )


class BestWorst(Ranking):
    """One best and one worst response; all others lie between."""

    name: ClassVar[str] = "best_worst"

    def check(self, round_: RatingSession, laid: UnitView, op: Operation) -> None:
        """Raise `InvalidInput` when a place is not best, worst or between."""
        for places in op.places.values():
            if len(places) != len(laid.responses) or any(place and place > WORST for place in places):
                raise InvalidInput(
                    sentence("each of {count} answers is best, worst or between.", count=len(laid.responses))
                )

    def finished(self, places: Sequence[int | None]) -> str:
        """Return why these places cannot be stored as a judgment, or nothing when they can."""
        whole = places.count(BEST) == places.count(WORST) == 1 and None not in places
        return "" if whole else sentence("one answer is the best and another the worst.")

    def in_words(self, round_: RatingSession, key: str, value: Any) -> str:
        """Return the two: `best B, worst A`."""
        best, worst = (response_letter(value.index(end)) if end in value else "" for end in (BEST, WORST))
        if best and worst:
            return sentence("best {best}, worst {worst}", best=best, worst=worst)
        if best:
            return sentence("best {best}", best=best)
        return sentence("worst {worst}", worst=worst) if worst else ""


RANKING = Ranking()
BEST_WORST = BestWorst()
