"""`conflicts`: responses and pairs on which raters are in conflict, and what adjudicators decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from judgelab.analysis.data.compared_pairs import compared_criteria
from judgelab.analysis.data.filter_info import FilterInfo, ratings_text
from judgelab.analysis.data.scored_raters import rated_criteria
from judgelab.analysis.data.scores import IN_USE, chosen_filter
from judgelab.analysis.disagreement.conflicts import Conflict, find_conflicts
from judgelab.analysis.disagreement.pair_conflicts import PairConflict, find_pair_conflicts
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.store.db.engine import Store
from judgelab.store.rating.decisions import DecisionInfo
from judgelab.store.rating.pair_decisions import PairDecisionInfo

Outcome = float | str | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("conflicts")(conflicts)


def conflicts(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[str | None, typer.Option(help="Only this criterion.")] = None,
    distance: Annotated[
        float | None,
        typer.Option(help="Points between two ratings from which they conflict; half the scale by default."),
    ] = None,
    ties: Annotated[
        bool, typer.Option("--ties", help="In comparisons, a winner and a tie conflict too.")
    ] = False,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    as_json: Json = False,
) -> None:
    """List the responses and pairs on which raters conflict, the widest first, with the decisions."""
    store = shared.store()
    of_ratings, of_pairs = _chosen(store, project, criterion)
    ratings = {
        key: find_conflicts(store, project, criterion=key, distance=distance, policy=policy)
        for key in of_ratings
    }
    pairs = {
        key: find_pair_conflicts(store, project, criterion=key, ties=ties, policy=policy) for key in of_pairs
    }
    data = {
        "project": project,
        "responses": [_of_response(conflict) for found in ratings.values() for conflict in found],
        "pairs": [_of_pair(conflict) for found in pairs.values() for conflict in found],
    }
    used = chosen_filter(store, project, policy)
    lines = [
        *(line for key, found in ratings.items() for line in _rating_lines(key, found)),
        *(line for key, found in pairs.items() for line in _pair_lines(key, found)),
        *([_rule_of_ratings(distance)] if ratings else []),
        *(
            [f"Comparisons conflict if raters chose {'different answers' if ties else 'opposite winners'}."]
            if pairs
            else []
        ),
        *([_filter_line(used)] if used and (ratings or pairs) else []),
    ]
    shared.emit(data, as_json=as_json, text="\n".join(lines) or "Nobody has rated or compared responses yet.")


def _filter_line(used: FilterInfo) -> str:
    return f"Filter: {ratings_text(used)}; raters whom it removes do not count."


def _chosen(store: Store, project: str, criterion: str | None) -> tuple[Sequence[str], Sequence[str]]:
    """Return the criteria with ratings, and those with comparisons."""
    rated, compared = rated_criteria(store, project), compared_criteria(store, project)
    if criterion is None:
        return rated, compared
    if criterion not in compared:
        return [criterion], []  # an unknown one is refused
    return [key for key in rated if key == criterion], [criterion]


def _rule_of_ratings(distance: float | None) -> str:
    """Return from which distance ratings conflict."""
    apart = "half the scale" if distance is None else f"{distance:g} {'point' if distance == 1 else 'points'}"
    return f"Ratings conflict if they are {apart} or more apart; labels without an order, if they differ."


def _of_response(conflict: Conflict) -> dict[str, Any]:
    return {
        "item": conflict.item,
        "system": conflict.system,
        "criterion": conflict.criterion,
        "scores": list(conflict.scores),
        **_decided(conflict.decision, None if conflict.decision is None else conflict.decision.score),
    }


def _of_pair(conflict: PairConflict) -> dict[str, Any]:
    return {
        "item": conflict.item,
        "first": conflict.system_first,
        "second": conflict.system_second,
        "criterion": conflict.criterion,
        "votes": {"first": conflict.n_first, "tie": conflict.n_tie, "second": conflict.n_second},
        **_decided(conflict.decision, _outcome(conflict)),
    }


def _outcome(conflict: PairConflict) -> str | None:
    """Return the decision: first, tie or second; None if the pair is undecided or cannot be decided."""
    decision = conflict.decision
    if decision is None or not decision.choice:
        return None
    return {None: "tie", conflict.first: "first", conflict.second: "second"}[decision.chosen]


def _decided(decision: DecisionInfo | PairDecisionInfo | None, outcome: Outcome) -> dict[str, Any]:
    if decision is None:
        return {"decision": None}
    return {
        "decision": {
            "outcome": outcome,
            "person": decision.person,
            "reason": decision.reason,
            "names_hidden": decision.names_hidden,
            "saw_judges": decision.saw_judges,
            "decided_at": decision.decided_at.isoformat(),
        }
    }


def _rating_lines(key: str, found: Sequence[Conflict]) -> Iterator[str]:
    yield _heading(key, found, "response", "responses")
    for conflict in found:
        scores = ", ".join(f"{score:g}" for score in conflict.scores)
        outcome = None if conflict.decision is None else conflict.decision.score
        shown = None if outcome is None else f"{outcome:g}"
        yield _line(conflict.item, conflict.system, scores, conflict.decision, shown)


def _pair_lines(key: str, found: Sequence[PairConflict]) -> Iterator[str]:
    yield f"{_heading(key, found, 'pair', 'pairs')} (first : tie : second)"
    for conflict in found:
        votes = f"{conflict.n_first} : {conflict.n_tie} : {conflict.n_second}"
        both = f"{conflict.system_first} - {conflict.system_second}"
        yield _line(conflict.item, both, votes, conflict.decision, _outcome(conflict))


def _heading(key: str, found: Sequence[Conflict] | Sequence[PairConflict], one: str, many: str) -> str:
    done = sum(conflict.decision is not None for conflict in found)
    return f"{key}: {shared.counted(len(found), one, many)} in conflict, {done:,} decided"


def _line(
    item: str,
    system: str,
    given: str,
    decision: DecisionInfo | PairDecisionInfo | None,
    outcome: str | None,
) -> str:
    decided = "" if decision is None else f"decided: {outcome or 'cannot be decided'}"
    return f"  {item:<16} {system:<32} {given:<20} {decided}".rstrip()
