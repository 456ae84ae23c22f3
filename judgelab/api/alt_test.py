"""The alternative annotator test: may a judge stand in for a human rater?"""

from __future__ import annotations

from typing import Any

from judgelab.analysis.trust.alternative_test import (
    FAILS,
    NOT_POSSIBLE,
    PASSES,
    alternative_test,
    scoring_on,
)
from judgelab.analysis.trust.judge_units import units_by_judge
from judgelab.analysis.trust.statements import quoted_labels
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each, whole_numbers
from judgelab.api.judges import check_epsilon, criteria_of, judges_of
from judgelab.api.scores import Scores, scores_of, words_of
from judgelab.api.tables import Row, Table
from judgelab.api.words import of_judge
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.resampling import item_draws
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.inference.alternative_annotator import (
    LEAST,
    SCORINGS,
    AgainstHuman,
    AlternativeAnnotator,
)
from judgelab.wording import sentence

KEYS = ("judge", "criterion", "measure")
RATER_KEYS = ("judge", "criterion", "rater")
NOTHING_SHARED = "judge and raters scored no response in common"


class AltTestTable(Table):
    """Winning rate and advantage of each judge; `table["gpt"]` is the winning rate.

    `passed` says whether the judge may stand in for a rater: its winning rate is 0.5 or more.
    """

    @property
    def raters(self) -> Table:
        """Return the comparison with each rater, one row a judge, criterion and rater.

        The estimate is the share of responses on which the judge is at least as close to the other raters as
        this rater is; `rater_as_good` the share on which the rater is. `p` tests that the rater's lead is
        below epsilon (one-sided; t-test), `p_corrected` is Benjamini and Yekutieli's over the raters, and
        `wins` whether it is below .05. Raters with fewer than 30 responses have no value.
        """
        found: dict[tuple[str, str], AlternativeAnnotator] = self._source["results"]
        rows = []
        for place, result in found.items():
            rows += [_against(place, row) for row in result.humans]
            rows += [
                Row((*place, rater), undefined(_too_few(n), n=n), {"wins": None})
                for rater, n in result.too_few.items()
            ]
        return Table(RATER_KEYS, tuple(rows), "The judge against each rater", self.notes[:1])

    def explain(self, language: str = "en") -> str:
        """Return for each judge whether it passes, in "en" or "de"."""
        from judgelab.languages import _
        from judgelab.languages.translate import in_language

        labels: dict[str, str] = self._source["labels"]
        said = []
        with in_language(language):
            for (judge, criterion), result in self._source["results"].items():
                label = quoted_labels([labels[criterion]])
                if result.passed is None:
                    text = sentence(NOT_POSSIBLE, criteria=label, why=result.winning_rate.reason)
                else:
                    template = PASSES if result.passed else FAILS
                    text = sentence(template, epsilon=f"{result.epsilon:g}", criteria=label)
                said.append(of_judge(judge, _(text)))
        return "\n".join(said)


def alt_test(
    data: Any,
    /,
    judge: str | None = None,
    *,
    epsilon: float = 0.2,
    criterion: str | None = None,
    scoring: str | None = None,
    filter: FilterPolicy | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> AltTestTable:
    """Return the alternative annotator test of each judge: may it stand in for a human rater?

    Each rater is left out in turn, and on every response the judge and this rater are compared with the
    others. The judge wins against the rater if the rater's lead is significantly below epsilon.

    Args:
        data: the scores, or a frame or dictionaries that `judgelab.scores` understands.
        judge: this judge only; all if not given.
        epsilon: the lead that a rater may have, 0 to 1, because a judge is cheaper: 0.2 for experts, 0.15 for
            skilled raters, 0.1 for crowd workers.
        criterion: this criterion only.
        scoring: closeness to the other raters: "accuracy" (share of them who gave the same score) or
            "neg_rmse" (minus the root of the mean squared distance). The default is "accuracy" for labels and
            choices between two responses, "neg_rmse" for scores.
        filter: a quality filter, applied first.
        n_resamples: resamples of the items, for the intervals of shares; 0 for none.
        seed: seed of the resampling.

    Returns:
        A table with two rows a judge and criterion: `winning_rate`, the share of raters that the judge wins
        against, and `advantage`, the mean share of responses on which it is at least as close to the others
        as a rater is; both from 0 to 1. `passed` is whether the winning rate is 0.5 or more. `raters` has the
        p-values. A tie counts for both sides. A response counts if the judge and at least two raters scored
        it; a rater with fewer than 30 such responses is left out. Undefined if none is left, and for metrics,
        whose values are on no scale.

    Raises:
        InvalidInput: no judge, no rater, an unknown scoring or one that needs an order which labels lack, or
            an epsilon outside 0 to 1.
        NotFound: no such judge or criterion.

    Source: Calderon, Reichart and Dror 2025.

    Example:
        >>> import judgelab as jl
        >>> raters = {name: {n: n % 5 + 1 for n in range(40)} for name in ("ann", "bob", "cem")}
        >>> t = jl.alt_test(jl.scores(raters, judges={"gpt": {n: n % 5 + 1 for n in range(40)}}))
        >>> t["gpt"].value, t["gpt", "advantage"].value, t.raters["gpt", "ann"].n
        (1.0, 1.0, 40)
    """
    given = scores_of(data, filter)
    one_each(judge=judge)
    names = judges_of(given, judge)
    check_epsilon(epsilon)
    whole_numbers(n_resamples=n_resamples, seed=seed)
    one_each(criterion=criterion, scoring=scoring)
    if scoring not in (None, *SCORINGS):
        raise InvalidInput(f"scoring is '{scoring}', but must be {' or '.join(SCORINGS)}.")
    results: dict[tuple[str, str], AlternativeAnnotator] = {}
    for key in criteria_of(given, criterion):
        if scoring == "neg_rmse" and scoring_on(given.scales[key]) == "accuracy":
            raise InvalidInput(f"the labels of '{key}' have no order; call jl.alt_test(s) without scoring.")
        results |= _under(given, names, key, epsilon, scoring, n_resamples, seed)
    ordered = {
        (name, key): results[name, key] for name in names for key in given.criteria if (name, key) in results
    }
    rows = [
        Row((*place, measure), estimate, {"passed": result.passed})
        for place, result in ordered.items()
        for measure, estimate in (("winning_rate", result.winning_rate), ("advantage", result.advantage))
    ]
    labels = {one.key: one.label for one in given._data.project.criteria}
    source = {"results": ordered, "labels": labels}
    return AltTestTable(
        KEYS, tuple(rows), f"Alternative annotator test, epsilon {epsilon:g}", _notes(ordered), source
    )


def _under(
    given: Scores,
    names: tuple[str, ...],
    criterion: str,
    epsilon: float,
    scoring: str | None,
    n_resamples: int,
    seed: int,
) -> dict[tuple[str, str], AlternativeAnnotator]:
    data = given._data
    kinds = given.raters.set_index("rater")["kind"]
    same_scale = {name: kinds[name] == "judge" and name not in data.own_scale for name in names}
    units = units_by_judge(data, words_of(given), same_scale, criterion)
    results = {}
    for name in names:
        if name in units:
            draws = item_draws(units[name].table.items, n_resamples, seed)
            results[name, criterion] = alternative_test(
                units[name], draws, epsilon=epsilon, scoring=scoring, of_pairs=data.compared is not None
            )
        else:
            none = undefined(NOTHING_SHARED)
            used = scoring or scoring_on(given.scales[criterion])
            results[name, criterion] = AlternativeAnnotator(none, none, None, (), {}, used, epsilon)
    return results


def _against(place: tuple[str, str], row: AgainstHuman) -> Row:
    more: dict[str, Estimate | float | bool | None] = {
        "rater_as_good": row.human_as_good,
        "p": row.test.p,
        "p_corrected": row.test.adjusted,
        "wins": row.beaten,
    }
    return Row((*place, row.rater), row.judge_as_good, more)


def _too_few(n: int) -> str:
    return f"fewer than {LEAST} responses shared with the judge and another rater ({n})"


def _notes(results: dict[tuple[str, str], AlternativeAnnotator]) -> tuple[str, ...]:
    scorings = ", ".join(dict.fromkeys(result.scoring for result in results.values()))
    notes = [
        f"Closeness to the other raters is {scorings}; p is corrected over raters (Benjamini–Yekutieli)."
    ]
    left_out = {rater for result in results.values() for rater in result.too_few}
    if left_out:
        notes.append(f"Left out for some judge, too few responses shared: {', '.join(sorted(left_out))}.")
    return tuple(notes)
