"""Search judges' rationales and raters' comments on comparisons of two responses for words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from judgelab.domain import RaterKind
from judgelab.store.judging.rationales import MOST_HITS, holding
from judgelab.store.judging.shown_pairs import chosen_pairs
from judgelab.store.models import (
    CriterionRow,
    ItemRow,
    JudgedPair,
    JudgeRow,
    Person,
    Preference,
    ResponseRow,
    Run,
)

_A, _B = aliased(ResponseRow), aliased(ResponseRow)


@dataclass(frozen=True)
class PairReason:
    """A rationale or comment on two responses.

    Attributes:
        responses: their row ids.
        names: their systems, or their ids if the systems do not tell them apart.
        chosen: the name of the preferred one; "" for a tie.
    """

    responses: tuple[int, int]
    names: tuple[str, str]
    chosen: str
    item: str
    criterion: str
    rater: str
    kind: RaterKind
    text: str


def search_pair_reasons(session: Session, project_id: int, words: str) -> list[PairReason]:
    """Return the rationales, then the comments, that contain all words in any order and case.

    At most `MOST_HITS` of each. Comments on rankings, which are not on one pair, are left out.
    """
    search_words = words.split()
    if not search_words:
        return []
    judged = _columns(JudgedPair, JudgeRow.name, JudgedPair.rationale)
    judges = (
        judged.join(Run, Run.id == JudgedPair.run_id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgedPair.choice != "")
        .where(*holding(JudgedPair.rationale, search_words))
        .order_by(JudgedPair.id)
        .limit(MOST_HITS)
    )
    commented = _columns(Preference, Person.name, Preference.comment)
    people = (
        commented.join(Person, Person.id == Preference.person_id)
        .where(Preference.project_id == project_id, Preference.occasion == 0)
        .where(*holding(Preference.comment, search_words))
        .order_by(Preference.id)
        .limit(MOST_HITS)
    )
    from_files = [_reason(row, "judge") for row in session.execute(judges)]
    of_runs = islice(_of_runs(session, project_id, search_words), MOST_HITS - len(from_files))
    return [*from_files, *of_runs, *(_reason(row, "human") for row in session.execute(people))]


def _columns(table: type[JudgedPair] | type[Preference], name: Any, text: InstrumentedAttribute[str]) -> Any:
    return (
        select(
            *(table.response_a, table.response_b, _A.system, _B.system, _A.external_id, _B.external_id),
            *(table.choice, ItemRow.external_id, CriterionRow.key, name, text),
        )
        .select_from(table)
        .join(ItemRow, ItemRow.id == table.item_id)
        .join(CriterionRow, CriterionRow.id == table.criterion_id)
        .join(_A, _A.id == table.response_a)
        .join(_B, _B.id == table.response_b)
        .where(ItemRow.purpose == "data")
    )


def _reason(row: Any, kind: RaterKind) -> PairReason:
    a, b, system_a, system_b, id_a, id_b, choice, item, criterion, rater, text = row
    names = _names((system_a, system_b), (id_a, id_b))
    chosen = {"a": names[0], "b": names[1]}.get(choice, "")
    return PairReason((a, b), names, chosen, item, criterion, rater, kind, text)


def _names(systems: tuple[str, str], ids: tuple[str, str]) -> tuple[str, str]:
    return systems if all(systems) and systems[0] != systems[1] else ids


def _of_runs(session: Session, project_id: int, words: list[str]) -> Iterator[PairReason]:
    """Yield the rationales in judges' replies, which are not searched in the database."""
    named: dict[int, tuple[str, str]] = {}
    for pair in chosen_pairs(session, project_id):
        text = pair.rationale.lower()
        if not all(word.lower() in text for word in words):
            continue
        if not named:
            query = select(ResponseRow.id, ResponseRow.system, ResponseRow.external_id)
            rows = session.execute(query.where(ResponseRow.project_id == project_id))
            named = {row_id: (system, external_id) for row_id, system, external_id in rows}
        (system_1, id_1), (system_2, id_2) = named[pair.first], named[pair.second]
        names = _names((system_1, system_2), (id_1, id_2))
        chosen = {"first": names[0], "second": names[1], "tie": ""}[pair.choice]
        for criterion in pair.criteria:
            of = (pair.item, criterion, pair.judge)
            yield PairReason((pair.first, pair.second), names, chosen, *of, "judge", pair.rationale)
