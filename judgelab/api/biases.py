"""Biases of judges beside the raters' own: leniency, spread and length; of choices, the place shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from judgelab.analysis.trust.bias_statements import NO_BIAS, bias_statements, shows_differences
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_biases import JudgeBiases, biases_by_judge
from judgelab.analysis.trust.length_statements import length_statements
from judgelab.analysis.trust.measured_trust import trust_in_scores
from judgelab.analysis.trust.pair_statements import longer_statements, order_statements
from judgelab.analysis.trust.statements import Statement, quoted_labels
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each, whole_numbers
from judgelab.api.judges import NO_TEXTS, criteria_of, judges_of, texts_missing
from judgelab.api.scores import Scores, scores_of, words_of
from judgelab.api.tables import Row, Table
from judgelab.api.words import of_judge
from judgelab.metaeval.core.result import ROUNDED_DIFFERENCES, Estimate, undefined
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.wording import joined, sentence

KEYS = ("judge", "criterion", "bias")
WORDS = {  # of the app, which translates them
    "leniency": "mean score",
    "spread": "spread",
    "length": "length",
    "longer": "the longer response",
    "first": "the response shown first",
}


class BiasTable(Table):
    """Biases, one row a judge, criterion and bias: `table["gpt", "leniency"]` is judge minus raters."""

    def explain(self, language: str = "en") -> str:
        """Return what the page *Trust* says of each judge's biases, in "en" or "de"."""
        from judgelab.languages import _
        from judgelab.languages.translate import in_language

        found: dict[str, dict[str, JudgeBiases]] = self._source["found"]
        with in_language(language):
            said = [
                of_judge(judge, _(statement.text))
                for judge, by_criterion in found.items()
                for statement in _statements(judge, list(by_criterion.values()))
            ]
            if any(shows_differences(list(by_criterion.values())) for by_criterion in found.values()):
                said.append(_(ROUNDED_DIFFERENCES))
            return "\n".join(said)


def biases(
    data: Any,
    /,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    filter: FilterPolicy | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> BiasTable:
    """Return the biases of each judge, compared with the raters on the same responses.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands; length needs the texts of responses.
        judge: this judge only; all if not given.
        criterion: this criterion only; p-values are still corrected over all.
        filter: a quality filter, applied first.
        n_resamples: resamples of the items, for the intervals of spread; 0 for none.
        seed: seed of the resampling.

    Returns:
        A table with one row a judge, criterion and bias. The estimate is the judge's value minus the raters',
        `own` and `raters` are the two values, `p` tests that they are equal, and `p_corrected` is corrected
        over the judge's criteria (Holm). Of scores, "leniency" compares means (above 0: the judge is more
        lenient), in points of the scale; "spread" standard deviations, of the judge and of a single rater;
        "length" the rise of the score, in points, by a standard deviation of log length. Of choices between
        two responses, "longer" is the share of choices for the longer one, and "first" the judge's share of
        choices for the response shown first, minus one half. Undefined, with the reason, for labels without
        an order, for values that are on no scale, without texts, and with too few responses: fewer than five,
        of length fewer than ten.

    Raises:
        InvalidInput: no judge or no rater.
        NotFound: no such judge or criterion.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human=[1, 2, 3, 4, 2, 3], judge=[2, 3, 4, 5, 3, 4])
        >>> jl.biases(s)["leniency"].value
        1.0
    """
    given = scores_of(data, filter)
    one_each(judge=judge, criterion=criterion)
    names = judges_of(given, judge)
    whole_numbers(n_resamples=n_resamples, seed=seed)
    keys = criteria_of(given, criterion)
    found = {
        name: {key: one for key, one in of_judge.items() if key in keys}
        for name, of_judge in _measured(given, names, n_resamples, seed).items()
    }
    rows = [
        Row((name, key, bias), difference, {"own": own, "raters": raters, **_p(test)})
        for name, of_judge in found.items()
        for key, one in of_judge.items()
        for bias, own, raters, difference, test in _parts(one)
    ]
    notes = ["The judge's value minus the raters', on the responses that both scored; p corrected by Holm."]
    notes += [
        f"{name} scored no response that has a rating." for name, of_judge in found.items() if not of_judge
    ]
    notes += [NO_TEXTS] if texts_missing(given) else []
    return BiasTable(KEYS, tuple(rows), "Biases", tuple(notes), {"found": found})


def _measured(
    given: Scores, names: tuple[str, ...], n_resamples: int, seed: int
) -> dict[str, dict[str, JudgeBiases]]:
    data = given._data
    if data.compared is None:
        return biases_by_judge(data, words_of(given), names, resamples=n_resamples, seed=seed)
    found: dict[str, dict[str, JudgeBiases]] = {}
    for name in names:
        trust = trust_in_scores(
            data,
            name,
            make_tables=given._unit_tables,
            words=words_of(given),
            resamples=n_resamples,
            seed=seed,
        )
        found[name] = dict(trust.criteria)
    return found


def _parts(one: JudgeBiases) -> Iterator[tuple[str, Estimate, Estimate, Estimate, Test]]:
    """Yield each bias: its name, the judge's value, the raters', the difference and its test."""
    pairs = one.of_pairs if isinstance(one, CriterionTrust) else None
    if pairs is None:
        length = one.verbosity
        yield "leniency", *_values(one.leniency)
        yield "spread", *_values(one.spread)
        yield "length", length.own, length.raters, length.slope, length.test
        return
    yield "longer", *_values(pairs.longer)
    if pairs.order is None:
        why = "its choices are the order of its scores" if pairs.implied else "the order shown is not known"
        none = undefined(why)
        yield "first", none, none, none, Test("binomial", None, reason=why)
    else:
        rate = pairs.order.first_rate
        yield "first", rate, undefined("raters are not compared"), _minus_half(rate), pairs.order.first_test


def _values(bias: BiasEstimate) -> tuple[Estimate, Estimate, Estimate, Test]:
    return bias.own, bias.raters, bias.difference, bias.test


def _minus_half(rate: Estimate) -> Estimate:
    if rate.value is None:
        return rate
    ends = None if rate.ci is None else (rate.ci[0] - 0.5, rate.ci[1] - 0.5)
    return replace(rate, value=rate.value - 0.5, ci=ends)


def _p(test: Test) -> dict[str, float | None]:
    return {"p": test.p, "p_corrected": test.adjusted}


def _statements(judge: str, criteria: list[JudgeBiases]) -> list[Statement]:
    """Return the app's statements on biases; of criteria without one, that none is significant or why."""
    if not criteria:
        text = sentence("{judge} has scored no response that has a rating.", judge=judge)
        return [Statement("habits", text, None, (), 0)]
    of_pairs = [one for one in criteria if isinstance(one, CriterionTrust)]
    statements = [
        *bias_statements(criteria),
        *length_statements(criteria),
        *longer_statements(of_pairs),
        *order_statements(of_pairs),
    ]
    named = {key for statement in statements for key in statement.criteria}
    for one in criteria:
        if one.criterion in named:
            continue
        tests = {name: test for name, *_estimates, test in _parts(one)}
        tested = [sentence(WORDS[name]) for name, test in tests.items() if test.p is not None]
        label = quoted_labels([one.label])
        if tested:
            text = sentence(NO_BIAS, criterion=label, tested=joined(tested))
        else:
            why = next(test.reason for test in tests.values())
            text = sentence("On {criterion}, its biases can't be measured: {why}.", criterion=label, why=why)
        statements.append(Statement("habits", text, True if tested else None, (one.criterion,), one.n))
    return statements
