"""Judges compared with one another on the responses that all of them scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from judgelab.analysis.comparison.measured_comparison import Comparison, measure_comparison
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import names_listed, one_each, whole_numbers
from judgelab.api.confidence import only_at_95, with_confidence
from judgelab.api.judges import check_sides, unrated_note
from judgelab.api.scores import scores_of
from judgelab.api.tables import Row, Table, names_of
from judgelab.api.words import axis_heading, default_level, heading
from judgelab.domain import RaterKind
from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.contrasts import Contrast, Contrasts

if TYPE_CHECKING:
    import plotly.graph_objects as go

KEYS = ("first", "second", "criterion", "level", "coefficient")
RANKING_KEYS = ("rater", "kind", "criterion", "level", "coefficient")


class ComparisonTable(Table):
    """Differences of judges, one row a pair of judges and criterion: first minus second.

    `table["gpt", "mini"]` is the difference gpt minus mini, `table["mini", "gpt"]` the other way round. Of
    two judges, `table["mini"]` is mini minus gpt.
    """

    @property
    def ranking(self) -> Table:
        """Return each judge's own value on the same responses, best first, with its cluster.

        A judge starts a new cluster if every judge above it is significantly better; with a baseline there
        are no clusters. `n_own` counts all responses that the raters and this judge scored.
        """
        found = self._comparison
        rows = [
            Row(
                (row.rater, row.rater_kind, part.criterion, part.level, part.coefficient),
                row.estimate,
                {"cluster": row.cluster, "n_own": row.n_own},
            )
            for part in found.criteria.values()
            for row in part.ranked
        ]
        notes = ("A judge starts a new cluster if every one above it is significantly better.",)
        clusters = any(row.more["cluster"] is not None for row in rows)
        title = f"{heading(found.coefficient, found.level)}, best first"
        return Table(RANKING_KEYS, tuple(rows), title, notes if clusters else ())

    def __getitem__(self, names: str | tuple[str, ...]) -> Estimate:
        """Return the difference of two judges, the first named minus the second, or minus the only other.

        Raises:
            InvalidInput: no pair has these names, or several have.
        """
        estimate = super().__getitem__(names)
        wanted = names_of(names)
        row = next(row for row in self._rows if row.estimate is estimate)
        first, second = row.names[:2]
        turned = second in wanted and (first not in wanted or wanted.index(second) < wanted.index(first))
        if not turned or estimate.value is None:
            return estimate
        ends = None if estimate.ci is None else (-estimate.ci[1], -estimate.ci[0])
        return replace(estimate, value=-estimate.value, ci=ends)

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return the app's forest plot of the judges, best first, under one criterion, the first by default.

        Each has its own value; the differences, of which one is tested, are in the table.

        Raises:
            InvalidInput: no such criterion, or another coefficient than the one that was compared.
        """
        from judgelab.charts.forest import ForestRow, forest_plot
        from judgelab.charts.tokens import palette

        found = self._comparison
        chosen = next(iter(found.criteria), "") if criterion is None else criterion
        if chosen not in found.criteria:
            raise InvalidInput(f"there is no criterion '{chosen}'; there is {', '.join(found.criteria)}.")
        if coefficient not in (None, found.coefficient):
            raise InvalidInput(f"the judges were compared by {found.coefficient}, not by {coefficient}.")
        rows = [
            ForestRow(row.rater, cast(RaterKind, row.rater_kind), row.estimate)
            for row in found.criteria[chosen].ranked
        ]
        return forest_plot(
            rows,
            ceiling=None,
            title=axis_heading(found.coefficient, found.level, self._source.get("confidence", 0.95)),
            theme=palette("dark" if dark else None),
            errors=found.coefficient in ERRORS,
        )

    def explain(self, language: str = "en") -> str:
        """Return what the page *Compare* says of each criterion, in "en" or "de"."""
        from judgelab.languages.translate import in_language
        from judgelab.ui.shared.comparison_answer import difference_sentences, ranking_sentence

        only_at_95(self._source)
        found = self._comparison
        with in_language(language):
            said = {
                name: " ".join(
                    [
                        ranking_sentence(part, coefficient=found.coefficient, of_pairs=found.of_pairs),
                        *difference_sentences(part),
                    ]
                )
                for name, part in found.criteria.items()
            }
        plain = {name: text.replace("**", "").replace("\\", "") for name, text in said.items()}
        return "\n".join(text if len(plain) == 1 else f"{name}: {text}" for name, text in plain.items())

    @property
    def _comparison(self) -> Comparison:
        found: Comparison = self._source["comparison"]
        return found


@with_confidence
def compare(
    data: Any,
    /,
    raters: Sequence[str] | None = None,
    *,
    baseline: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    criterion: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    constant_groups: str = "zero",
    filter: FilterPolicy | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 1000,
    seed: int = 0,
) -> ComparisonTable:
    """Compare judges and metrics with one another on the responses that all of them scored.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        raters: the judges and metrics to compare; all if not given.
        baseline: compare all others with this one only; every pair if not given.
        level: level of agreement, as in `judgelab.agreement`.
        coefficient: one coefficient, as in `judgelab.agreement`.
        criterion: this criterion only; p-values are then corrected over its pairs alone.
        test: "permutation" (PERM-BOTH where each system has one number, and for Pearson within items; else
            PERM-INPUTS; a bootstrap test where scores cannot be swapped), "perm_both", "perm_inputs",
            "perm_systems", "perm_cell", "williams", "steiger" or "meng" (of pooled Pearson).
        correction: of the p-values, over all pairs under all criteria: "holm", "bh", "by", "bonferroni" or
            "none".
        constant_groups: "zero" counts a group in which only the judge is constant as 0, "drop" leaves it out.
        filter: a quality filter, applied first.
        confidence: level of the intervals, 0.95 for 95 %.
        n_resamples: resamples of the items for the intervals; 0 for none.
        n_permutations: permutations of the test; at least 40 a pair are made.
        seed: seed of both.

    Returns:
        A table with one row a pair of judges and criterion: the difference of their agreement with the
        aggregate of all raters, first minus second, with its interval, `p`, `p_corrected` and `better`, the
        name of the better one if the corrected p is below .05. `ranking` has each judge's own value and
        cluster. Responses that not all of them scored are left out and counted in `notes`; intervals are not
        corrected. A difference of undefined values is undefined, with the reason.

    Raises:
        InvalidInput: fewer than two judges, no rater, or an unknown test, correction or level.
        NotFound: no such judge, criterion or coefficient.

    Source: Deutsch, Dror and Roth 2021 (permutation tests of metrics); Graham and Baldwin 2014 (Williams).

    Example:
        >>> import judgelab as jl
        >>> human = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
        >>> s = jl.scores(human=human, judge={"good": human, "bad": [3, 1, 4, 1, 5, 5, 2, 1, 4, 3]})
        >>> t = jl.compare(s, coefficient="pearson", n_resamples=200)
        >>> round(t["good", "bad"].value, 3), t.to_frame()["better"].tolist()
        (0.907, ['good'])
    """
    given = scores_of(data, filter)
    check_sides(given)
    whole_numbers(n_resamples=n_resamples, n_permutations=n_permutations, seed=seed)
    one_each(
        baseline=baseline,
        level=level,
        coefficient=coefficient,
        criterion=criterion,
        test=test,
        correction=correction,
    )
    raters = None if raters is None else names_listed(raters, "raters")
    names = given.judges if raters is None else dict.fromkeys([*raters, *([baseline] if baseline else [])])
    if len(names) < 2:
        call = f'jl.compare(s, ["{next(iter(names), "gpt")}", "…"])'
        raise InvalidInput(f"there is one judge to compare; name two or more: {call}.")
    found = measure_comparison(
        given._data,
        raters=raters,
        baseline=baseline,
        level=level,
        coefficient=coefficient,
        criterion=criterion,
        test=test,
        correction=correction,
        constant_groups=constant_groups,
        resamples=n_resamples,
        permutations=n_permutations,
        seed=seed,
    )
    rows = [_row(part, pair) for part in found.criteria.values() for pair in part.contrasts]
    title = f"First minus second: {heading(found.coefficient, found.level)}"
    notes = (*_notes(found, unrated_note(given, criterion)), *default_level(level, found.level))
    return ComparisonTable(KEYS, tuple(rows), title, notes, {"comparison": found})


def _row(part: Contrasts, pair: Contrast) -> Row:
    more = {"p": pair.test.p, "p_corrected": pair.test.adjusted, "better": pair.better}
    names = (pair.first, pair.second, part.criterion, part.level, part.coefficient)
    return Row(names, pair.difference, more)


def _notes(found: Comparison, unrated: Sequence[str]) -> tuple[str, ...]:
    notes = [f"Agreement is with the {found.target}.", *unrated]
    if found.tests_description:
        described = str(found.tests_description)
        several_tests = sum(len(part.contrasts) for part in found.criteria.values()) > 1
        uncorrected = "; the intervals are not corrected" if several_tests else ""
        notes.append(f"{described[:1].upper()}{described[1:]}{uncorrected}.")
    several = len(found.criteria) > 1
    units = "pairs" if found.of_pairs else "responses"
    for name, part in found.criteria.items():
        of = f" of {name}" if several else ""
        if part.lost:
            notes.append(f"Rated {units}{of} left out, not scored by all these judges: {part.lost:,}.")
        notes += [f"Left out{of}: {judge}: {reason}." for judge, reason in part.left_out.items()]
        untested = {str(pair.test.reason) for pair in part.contrasts if pair.test.reason}
        notes += [f"Not tested{of}: {reason}." for reason in sorted(untested)]
    return tuple(notes)
