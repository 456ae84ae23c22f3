"""Pairs of responses on which raters chose differently, and adjudicators' decisions about them.

Only choices by raters that the filter in use keeps can conflict. A decision changes no rater's choice; it is
stored next to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

import pandas as pd

from judgelab.analysis.data.compared_pairs import ComparedPairs, compared_pairs
from judgelab.analysis.data.scores import IN_USE, NO_FILTER
from judgelab.analysis.disagreement.conflicts import check_reason
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.store.db.engine import Store
from judgelab.store.frames.comparison_details import GivenChoice
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import pair_decisions as stored
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.rating.decisions import ANY
from judgelab.store.rating.pair_decisions import PairDecisionInfo, PairOfCriterion
from judgelab.wording import sentence


@dataclass(frozen=True)
class PairConflict:
    """Two responses of an item between which raters chose differently under one criterion.

    Attributes:
        first: row id of the response whose system (or id) comes first by name.
        second: row id of the other one.
        item: the item's name.
        system_first: the name of the first response's system.
        system_second: the name of the second response's system.
        criterion: key of the criterion.
        n_first: raters who prefer the first response.
        n_tie: raters who chose a tie.
        n_second: raters who prefer the second response.
        decision: the decision; None while the conflict is open.
        left_out: raters that the filter removes under this criterion.
        removed: whether the filter removes the whole pair.
    """

    first: int
    second: int
    item: str
    system_first: str
    system_second: str
    criterion: str
    n_first: int
    n_tie: int
    n_second: int
    decision: PairDecisionInfo | None
    left_out: frozenset[str] = frozenset()
    removed: bool = False

    @property
    def pair(self) -> tuple[int, int]:
        """Return the row ids of the two responses, the lower one first."""
        return min(self.first, self.second), max(self.first, self.second)

    @property
    def key(self) -> tuple[int, int]:
        """Return what is in conflict: the pair."""
        return self.pair

    @property
    def is_opposite(self) -> bool:
        """Return whether raters chose opposite winners."""
        return min(self.n_first, self.n_second) > 0

    @property
    def minority(self) -> float:
        """Return the share of the raters whose choice is not the most frequent one."""
        votes = (self.n_first, self.n_tie, self.n_second)
        return 1 - max(votes) / sum(votes)

    @property
    def sort_key(self) -> tuple[bool, float, int, str, int, int]:
        """Return the key that sorts conflicts: opposite winners, the most evenly split, most raters first."""
        votes = self.n_first + self.n_tie + self.n_second
        return not self.is_opposite, -round(self.minority, 9), -votes, self.item, *self.pair


@dataclass(frozen=True)
class PairVoice:
    """One rater's choice in a conflict, under their name or a number; `chosen` is None for a tie."""

    name: str
    chosen: int | None
    comment: str
    counts: bool


def find_pair_conflicts(
    store: Store, slug: str, *, criterion: str | None = None, ties: bool = False, policy: str = IN_USE
) -> list[PairConflict]:
    """Return the pairs with opposite winners, the most evenly split first.

    With `ties`, pairs on which some raters chose a winner and others a tie are included, after the others.

    Raises:
        NotFound: no such project, criterion or filter.
        InvalidInput: nobody compared responses, or a criterion must be chosen.
    """
    compared = kept = compared_pairs(store, slug, criterion=criterion, policy=policy)
    left_out = _left_out(kept)
    if kept.outcome is not None:  # a pair that the filter removes can be decided
        compared = compared_pairs(store, slug, criterion=criterion, policy=NO_FILTER)
    decided = project_pair_decisions(store, slug)
    people = _people(compared)
    people = people[~people["rater"].isin(left_out)]
    still_counted = frozenset(_people(kept)["response"])
    votes = people.groupby(["response", "score"]).size().unstack(fill_value=0)
    votes = votes.reindex(columns=[FIRST, TIE, SECOND], fill_value=0)
    apart = (votes > 0).sum(axis=1) > 1 if ties else (votes[FIRST] > 0) & (votes[SECOND] > 0)
    named = compared.found.pairs.set_index("pair").loc[votes.index[apart]]
    found = [
        PairConflict(
            first=int(pair["first"]),
            second=int(pair["second"]),
            item=str(pair["item"]),
            system_first=str(pair["system_first"]),
            system_second=str(pair["system_second"]),
            criterion=compared.criterion,
            n_first=int(first),
            n_tie=int(tie),
            n_second=int(second),
            decision=None,
            left_out=left_out,
            removed=number not in still_counted,
        )
        for number, pair, (first, tie, second) in zip(
            named.index, named.to_dict("records"), votes[apart].to_numpy(), strict=True
        )
    ]
    return sorted(with_decisions(found, decided), key=lambda conflict: conflict.sort_key)


def _people(pairs: ComparedPairs) -> pd.DataFrame:
    return pairs.found.scores[pairs.found.scores["rater_kind"] == "human"]


def _left_out(pairs: ComparedPairs) -> frozenset[str]:
    if pairs.outcome is None:
        return frozenset()
    return frozenset(
        verdict.rater
        for verdict in pairs.outcome.raters
        if verdict.criterion == pairs.criterion and not verdict.kept
    )


def with_decisions(
    conflicts: Iterable[PairConflict], decided: Mapping[PairOfCriterion, PairDecisionInfo]
) -> list[PairConflict]:
    """Return the conflicts with these decisions about them."""
    return [
        replace(conflict, decision=decided.get((*conflict.pair, conflict.criterion)))
        for conflict in conflicts
    ]


def pair_voices(
    choices: Iterable[GivenChoice], conflict: PairConflict, *, hidden: bool
) -> tuple[PairVoice, ...]:
    """Return the raters' choices in a conflict; with `hidden`, numbered in place of names.

    Those for the response shown left come first, then ties, then those for the right one; within a choice
    the order is pseudo-random, so that it reveals no name.
    """
    people = [choice for choice in choices if choice.kind == "human"]
    shuffled = sorted(people, key=lambda choice: _hash(conflict, choice.name))
    left, right = sides(conflict)
    order = (left, None, right)
    return tuple(
        PairVoice(
            sentence("Choice {number}", number=place + 1) if hidden else choice.name,
            choice.chosen,
            choice.reason,
            choice.name not in conflict.left_out,
        )
        for place, choice in enumerate(sorted(shuffled, key=lambda choice: order.index(choice.chosen)))
    )


def sides(conflict: PairConflict) -> tuple[int, int]:
    """Return the row ids of the responses to show left and right; chance decides, and always the same way.

    If one system were always left, its name would not be hidden for long.
    """
    turned = _hash(conflict, "")[0] % 2
    return (conflict.second, conflict.first) if turned else (conflict.first, conflict.second)


def _hash(conflict: PairConflict, name: str) -> bytes:
    return sha256(f"{conflict.pair}/{conflict.criterion}/{name}".encode()).digest()


def project_pair_decisions(store: Store, slug: str) -> dict[PairOfCriterion, PairDecisionInfo]:
    """Return adjudicators' decisions about pairs, by the two responses and the criterion."""
    with store.reading() as session:
        return stored.pair_decisions(session, find_project(session, slug).id)


def decide_pair(
    store: Store,
    slug: str,
    *,
    pair: tuple[int, int],
    criterion: str,
    winner: int | None,
    person_id: int,
    tie: bool = False,
    reason: str = "",
    names_hidden: bool = True,
    seen: datetime | object | None = ANY,
) -> None:
    """Store an adjudicator's decision; neither a winner nor a tie means that it cannot be decided.

    `seen` is the time of the decision that they saw, None if they saw none.

    Raises:
        InvalidInput: the winner is neither response, the reason is too long, or the decision has changed
            since `seen`.
        NotFound: no such project, criterion or pair.
    """
    check_reason(reason)
    responses = (min(pair), max(pair))
    if winner is not None and (tie or winner not in responses):
        raise InvalidInput(sentence("the winner must be one of the two responses."))
    choice = "tie" if tie else {None: "", responses[0]: "a", responses[1]: "b"}[winner]
    with store.writing() as session:
        project = find_project(session, slug)
        stored.save_pair_decision(
            session,
            project.id,
            responses=responses,
            criterion_id=criterion_ids(session, project.id)[project.criterion(criterion).key],
            person_id=person_id,
            choice=choice,
            reason=reason.strip(),
            names_hidden=names_hidden,
            seen=seen,
        )


def reopen_pair(store: Store, slug: str, *, pair: tuple[int, int], criterion: str, person_id: int) -> None:
    """Withdraw a decision, so that the conflict is open again."""
    with store.writing() as session:
        project = find_project(session, slug)
        stored.withdraw_pair_decision(
            session,
            project.id,
            responses=(min(pair), max(pair)),
            criterion_id=criterion_ids(session, project.id)[project.criterion(criterion).key],
            person_id=person_id,
        )
