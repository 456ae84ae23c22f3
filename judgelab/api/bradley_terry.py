"""Strengths of systems from choices between two responses."""

from __future__ import annotations

from typing import Any

from judgelab.analysis.comparison.measured_strengths import PEOPLE, StrengthRow, strength_rows
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.scores import scores_of
from judgelab.api.tables import Row, Table, intervals_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.metaeval.judges.bradley_terry import PRIOR

KEYS = ("rater", "kind", "criterion", "system")


class StrengthTable(Table):
    """Strengths of systems, one row a system, by the raters together and by each judge."""


def bradley_terry(
    data: Any,
    /,
    *,
    criterion: str | None = None,
    filter: FilterPolicy | None = None,
    n_resamples: int = 200,
    seed: int = 0,
) -> StrengthTable:
    """Return how strong each system is, from choices between the responses of two systems.

    Args:
        data: the choices, or a frame with the columns item, rater, system_a, system_b and choice ("a", "b",
            "tie").
        criterion: this criterion only.
        filter: a quality filter of the raters' choices, applied first.
        n_resamples: resamples of the items for the 95 % intervals, 0 for none; 200 are those of the app.
        seed: seed of the resampling.

    Returns:
        A table with one row a system, the strongest first, by the raters together ("raters") and by each
        judge. Strengths are log-odds with mean 0: the odds that i is chosen over j are
        exp(strength_i - strength_j). A tie is half a win for each. n and games count the system's
        comparisons, wins its wins. If some systems never won or never lost against the rest, every two
        compared systems get a hundredth of a win each way, which a note says. Undefined, with a reason, if
        systems fall into groups that were never compared. Comparisons within one system are left out, and so
        are missing choices.

    Raises:
        InvalidInput: these are scores of single responses, or no two systems were compared.
        NotFound: no such criterion.

    Sources: Bradley and Terry 1952, Biometrika 39; steps of Hunter 2004, Annals of Statistics 32.

    Example:
        >>> import judgelab as jl, pandas as pd
        >>> choices = pd.DataFrame({"item": range(4), "rater": "ann", "choice": ["a", "a", "a", "b"]})
        >>> table = jl.bradley_terry(choices.assign(system_a="gpt", system_b="mini"), n_resamples=0)
        >>> round(table["gpt"].value - table["mini"].value, 3)  # odds of 3 to 1: log 3
        1.099
    """
    given = scores_of(data, filter)
    compared = given._data.compared
    if compared is None:
        raise InvalidInput(
            "these are scores of single responses; strengths need choices between two: columns system_a, "
            "system_b and choice. For means of systems call jl.systems(s)."
        )
    preferences = compared.preferences
    if criterion is not None:
        given._data.project.criterion(criterion)
        preferences = preferences[preferences["criterion"] == criterion]
    found = strength_rows(preferences, compared.responses, resamples=n_resamples, seed=seed)
    if not found:
        raise InvalidInput("no choice is between two systems; name them in columns system_a and system_b.")
    found = tuple(sorted(found, key=lambda row: row.rater_kind != "human"))
    filtered = ", after the filter" if given._data.policy is not None else ""
    rows = tuple(one for row in found for one in _rows(row))
    intervals = intervals_of(rows)
    return StrengthTable(
        KEYS,
        rows,
        f"Strengths of systems (Bradley-Terry, log-odds){filtered}",
        (f"{intervals[:1].upper()}{intervals[1:]}.", *_notes(found)),
    )


def _rows(row: StrengthRow) -> list[Row]:
    strengths = row.strengths
    ordered = sorted(strengths.strength.items(), key=lambda named: -(named[1].value or 0.0))
    return [
        Row(
            (row.rater, row.rater_kind, row.criterion, system),
            estimate,
            {"games": strengths.games[system], "wins": strengths.wins[system]},
        )
        for system, estimate in ordered
    ]


def _notes(found: tuple[StrengthRow, ...]) -> list[str]:
    several = len({row.criterion for row in found}) > 1
    weak = [
        ("the raters" if row.rater == PEOPLE else row.rater) + (f" ({row.criterion})" if several else "")
        for row in found
        if row.strengths.prior
    ]
    without = {
        f"{row.rater}, {system}": estimate
        for row in found
        for system, estimate in row.strengths.strength.items()
    }
    notes = [
        f"By {', '.join(weak)}, some systems never won or never lost against the rest, so every two compared "
        f"systems get {PRIOR:g} wins each way."
    ]
    return (notes if weak else []) + list(map(str, left_out_of_rows(without.items())))
