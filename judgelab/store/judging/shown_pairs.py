"""Read judges' choices between two texts shown side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, ItemRow, JudgeRow, Judgment, ResponseRow, Run

Choice = Literal["first", "second", "tie"]
CANDIDATE = "candidate"
FIRST_REPLIES = 20


class ShownPair(NamedTuple):
    """Two texts in the order shown, and the choice between them.

    `first` and `second` are indexes of an item's responses, or words ("candidate", "reference 1").
    `voice` names the panel role that chose, if a reply has several.
    """

    first: str
    second: str
    choice: Choice
    voice: str = ""


class ChosenPair(NamedTuple):
    """A choice between two responses of an item, given by row ids, under these criteria."""

    item: str
    first: int
    second: int
    choice: Choice
    criteria: tuple[str, ...]
    judge: str
    run: int
    sample: int
    rationale: str


def is_pairwise_run(session: Session, run_id: int) -> bool:
    """Return whether the run's judge compares two texts side by side, judging by its first replies."""
    query = (
        select(Completion.reading)
        .join(Judgment, Judgment.id == Completion.judgment_id)
        .where(Judgment.run_id == run_id, Judgment.state != "waiting", Completion.cause == "")
        .order_by(Judgment.position)
        .limit(FIRST_REPLIES)
    )
    return any(any(True for _ in pairs_in_reply(reading or {})) for reading in session.scalars(query))


def shown_pairs(session: Session, run_id: int) -> Iterator[tuple[int, ShownPair]]:
    """Yield every choice in the replies of a run, with its judgment's row id, in order."""
    query = (
        select(Judgment.id, Completion.reading)
        .join(Completion, Completion.judgment_id == Judgment.id)
        .where(Judgment.run_id == run_id, Completion.cause == "")
        .order_by(Judgment.id, Completion.sample)
    )
    for judgment_id, reading in session.execute(query):
        for shown in pairs_in_reply(reading or {}):
            yield judgment_id, shown


def chosen_pairs(
    session: Session, project_id: int, *, run_id: int | None = None, item: str | None = None
) -> Iterator[ChosenPair]:
    """Yield judges' choices between two responses of an item, in the project, in one run or of one item."""
    query = _readings(project_id)
    if item is not None:
        query = query.where(ItemRow.external_id == item)
    if run_id is not None:
        query = query.where(Run.id == run_id)
    for of_item, judgment, reading, sample, judge in session.execute(query):
        members = judgment.members
        criteria = (judgment.criteria,)
        if judgment.criteria == "*":
            criteria = tuple(next(iter((reading.get("by_response") or {}).values()), {}))
        for shown in pairs_in_reply(reading):
            places = [int(name) for name in (shown.first, shown.second) if name.isdigit()]
            if len(places) == 2:
                first, second = (members[place] for place in places)
                yield ChosenPair(
                    *(of_item, first, second, shown.choice, criteria, judge, judgment.run_id, sample),
                    str(reading.get("rationale") or ""),
                )


def _readings(project_id: int) -> Select[Any]:
    return (
        select(ItemRow.external_id, Judgment, Completion.reading, Completion.sample, JudgeRow.name)
        .join(Run, Run.id == Judgment.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .join(Completion, Completion.judgment_id == Judgment.id)
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Run.project_id == project_id, Completion.cause == "", JudgeRow.own_scale)
        .where(ItemRow.purpose == "data")
        .order_by(Judgment.id, Completion.sample)
    )


def pairs_in_reply(reading: Mapping[str, Any]) -> Iterator[ShownPair]:
    """Yield the choices in the reading of one reply; none if it compared no two texts."""
    detail: Mapping[str, Any] = reading.get("detail") or {}
    if reading.get("reason"):
        return
    if "choice" in detail:
        yield ShownPair(str(detail["first"]), str(detail["second"]), detail["choice"])
    elif "outcome" in detail and "order" in detail:
        outcome = {"win": CANDIDATE, "loss": "other", "tie": "tie"}[detail["outcome"]]
        yield _against(f"reference {detail.get('reference', 1)}", detail["order"], outcome)
    elif "votes" in detail and "sitting" in detail:
        sitting = detail["sitting"]
        for vote in detail["votes"]:
            outcome = "tie" if vote["for"] is None else vote["for"]
            voice = f"{sitting.get('variant', 0)} {vote['role']}"
            other = f"reference {sitting.get('reference', 0)}"
            yield _against(other, sitting["order"], outcome)._replace(voice=voice)
    elif "ranks" in detail and "shown" in detail:
        yield from _ranked(detail["shown"], detail["ranks"])


def _against(other: str, order: str, chosen: str) -> ShownPair:
    first, second = (CANDIDATE, other) if order == "candidate_first" else (other, CANDIDATE)
    if chosen == "tie":
        return ShownPair(first, second, "tie")
    return ShownPair(first, second, "first" if (chosen == CANDIDATE) == (first == CANDIDATE) else "second")


def _ranked(shown: Sequence[int], ranks: Sequence[int]) -> Iterator[ShownPair]:
    for first, second in combinations(shown, 2):
        first_rank, second_rank = ranks[first], ranks[second]
        choice: Choice = (
            "tie" if first_rank == second_rank else "first" if first_rank < second_rank else "second"
        )
        yield ShownPair(str(first), str(second), choice)
