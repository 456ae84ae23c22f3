"""The answer of *Agree*: the best judge compared with the raters' own agreement and a trivial baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.analysis.trust.agreement_statements import baseline_phrase, baseline_row_phrase
from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.metaeval.agreement import vs_ceiling_rows
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import Estimate
from judgelab.ui.kit import text
from judgelab.ui.shared import findings
from judgelab.wording import mark

# By kind and by whether the rater agrees significantly less (-1) or more (1) than the raters, or neither.
COMPARED = {
    ("judge", 0): mark("{first}; the judge's difference from them, {difference}, is not significant."),
    ("judge", -1): mark("{first}; the judge agrees significantly less, by {difference}."),
    ("judge", 1): mark("{first}; the judge agrees significantly more, by {difference}."),
    ("metric", 0): mark("{first}; the metric's difference from them, {difference}, is not significant."),
    ("metric", -1): mark("{first}; the metric agrees significantly less, by {difference}."),
    ("metric", 1): mark("{first}; the metric agrees significantly more, by {difference}."),
}
# Whether the rater agrees significantly better than the best trivial baseline; and, if it matches the
# raters, whether a baseline matches them as well.
BASELINES = {
    "better": mark("{judge} is significantly better than {baseline} on the same responses, by {difference}."),
    "as_good": mark(
        "However, {baseline} agrees with the raters as well as they agree with one another on the same "
        "responses: difference {difference}."
    ),
    "no_better": mark(
        "{judge} is not significantly better than {baseline} on the same responses: difference {difference}."
    ),
}
ONLY = {
    ("judge", True): mark("the only judge"),
    ("judge", False): mark("the only judge that can be compared"),
    ("metric", True): mark("the only metric"),
    ("metric", False): mark("the only metric that can be compared"),
}

TESTED = mark("Whether one judge agrees better than another is tested by {call}.")


def agreement_answer(
    rows: Sequence[VsCeilingRow], ceiling: Estimate | None, *, marks: Mapping[str, str] | None = None
) -> str:
    """Return the page's answer as markdown: the best judge compared with the raters' own agreement.

    Args:
        rows: judges and metrics under one criterion, or on average, compared with the ceiling; if the raters
            cannot be compared with one another, the estimates against the mean of all raters.
        ceiling: the agreement among the raters.
        marks: "scripted" or "imported" by name, for judges that were not run here with a model.
    """
    kind = "judge" if any(row.rater_kind == "judge" for row in rows) else "metric"
    candidates = [row for row in rows if row.rater_kind == kind]
    if not candidates:
        return _("No judge or metric has scored the responses that raters rated.")
    order = findings.rank_order(candidates)
    best = candidates[order[0]]
    if best.estimate.value is None:
        reason = text.plain(_(best.estimate.reason or mark("no value")))
        if kind == "judge":
            return _("The judges' agreement with the raters can't be computed: {why}.", why=reason)
        return _("The metrics' agreement with the raters can't be computed: {why}.", why=reason)
    opening = _opening(candidates, order, _name(best, marks))
    return f"{opening} {_compared_with_raters(best, ceiling, rows)}"


def answer_about(
    rater: str | None,
    rows: Sequence[VsCeilingRow],
    ceiling: Estimate | None,
    *,
    marks: Mapping[str, str] | None = None,
) -> str:
    """Return the same comparison for a judge or metric that was asked for, as markdown.

    Empty if nobody was asked for, if `agreement_answer` is about this one, or if it has no value. Arguments
    as in `agreement_answer`.
    """
    row = next((row for row in rows if row.rater == rater and row.rater_kind in ("judge", "metric")), None)
    if row is None or row.estimate.value is None:
        return ""
    kind = "judge" if any(other.rater_kind == "judge" for other in rows) else "metric"
    candidates = [other for other in rows if other.rater_kind == kind]
    if row is candidates[findings.rank_order(candidates)[0]]:
        return ""
    words = _words_of(row, _name(row, marks))
    opening = _("{name} agrees with the raters at **{value}** {interval}, n = {n}.", **words)
    return f"{opening} {_compared_with_raters(row, ceiling, rows)}"


def _name(row: VsCeilingRow, marks: Mapping[str, str] | None) -> str:
    """Return the name in bold and, in parentheses, that it is scripted or imported."""
    judge_mark = (marks or {}).get(row.rater)
    name = f"**{text.plain(row.rater)}**"
    return f"{name} ({_(judge_mark)})" if judge_mark else name


def _words_of(row: VsCeilingRow, name: str) -> dict[str, str]:
    return {
        "name": name,
        "value": f"{findings.symbol(row.coefficient)} {text.number(row.estimate.value)}",
        "interval": text.interval_in_words(row.estimate.ci),
        "n": findings.n_with_unit(row.level, row.estimate),
    }


def _opening(rows: Sequence[VsCeilingRow], order: Sequence[int], name: str) -> str:
    """Return the best rater's agreement, and which of its kind have overlapping intervals."""
    best = rows[order[0]]
    comparable = [rows[place] for place in order if rows[place].estimate.value is not None]
    words = {
        **_words_of(best, name),
        "among": _among(best.rater_kind, len(comparable), every=len(comparable) == len(rows)),
    }
    if len(comparable) == 1:
        return _("{name}, {among}, **agrees with the raters at {value}** {interval}, n = {n}.", **words)
    tied = [row.rater for row in comparable[1:] if findings.tied(row.estimate, best.estimate)]
    if tied:
        names = text.plain(text.quoted_names(tied, limit=2))
        words["n"] = _("{n}, tied with {names}", n=words["n"], names=names)
    overlapping = [
        row.rater for row in comparable[1 + len(tied) :] if _overlap(best.estimate.ci, row.estimate.ci)
    ]
    if not overlapping:
        return _("Of {among}, {name} **agrees best with the raters: {value}** {interval}, n = {n}.", **words)
    return _n(
        "Of {among}, {name} **agrees best with the raters: {value}** {interval}, n = {count}; its interval "
        "overlaps that of {names}.",
        "Of {among}, {name} **agrees best with the raters: {value}** {interval}, n = {count}; its interval "
        "overlaps those of {names}.",
        len(overlapping),
        **{key: word for key, word in words.items() if key != "n"},
        count=words["n"],
        names=text.plain(text.quoted_names(overlapping, limit=2)),
    )


def _among(kind: str, count: int, *, every: bool) -> str:
    """Return how many raters can be compared, `3 judges`, or that there is only one."""
    if count == 1:
        return _(ONLY[kind, every])
    if kind == "judge":
        if every:
            return _n("{n} judge", "{n} judges", count)
        return _n("{n} judge that can be compared", "{n} judges that can be compared", count)
    if every:
        return _n("{n} metric", "{n} metrics", count)
    return _n("{n} metric that can be compared", "{n} metrics that can be compared", count)


def _overlap(first: tuple[float, float] | None, second: tuple[float, float] | None) -> bool:
    return first is not None and second is not None and first[0] <= second[1] and second[0] <= first[1]


def _compared_with_raters(best: VsCeilingRow, ceiling: Estimate | None, rows: Sequence[VsCeilingRow]) -> str:
    """Return the comparison of the best rater with the raters' own agreement and with the best baseline."""
    if ceiling is None or ceiling.value is None:
        reason = ceiling.reason if ceiling and ceiling.reason else mark("no response has two raters")
        return _(
            "The raters' own agreement can't be computed: {why}.", why=text.plain(_(reason))
        ) + _baseline_against_all(rows)
    words = {"ceiling": text.number(ceiling.value), "interval": text.interval(ceiling.ci)}
    raters = (
        _("The raters agree with one another at **{ceiling}** {interval}", **words)
        if ceiling.ci is not None
        else _("The raters agree with one another at **{ceiling}**", **words)
    )
    there = best.raters
    if findings.raters_elsewhere(best, ceiling):
        interval = f" {text.interval(there.ci)}" if there.ci else ""
        words["there"] = f"**{text.number(there.value)}**{interval}"
        raters = (
            _(
                "The raters agree with one another at {there} on the same responses (at {ceiling} {interval} "
                "on all)",
                **words,
            )
            if best.on_fewer_responses(ceiling)
            else _(
                "The raters agree with one another at {there} without those whose comparison is "
                "undefined (at {ceiling} {interval} with all)",
                **words,
            )
        )
    difference = best.difference
    if difference.value is None or difference.ci is None:
        return f"{raters}."
    side = _side(best)
    gap = _written(best.minus_raters(2), difference, size=side != 0)
    compared = _(COMPARED[best.rater_kind, side], first=raters, difference=gap)
    return f"{compared}{_compared_with_baseline(best)}"


def _side(row: VsCeilingRow) -> int:
    """Return 1 if a rater is significantly above the raters, -1 if below, 0 if neither."""
    if row.difference.ci is None:
        return 0
    sign = -1 if row.coefficient in ERRORS else 1
    return sign * (int(row.difference.ci[0] > 0) - int(row.difference.ci[1] < 0))


def _compared_with_baseline(best: VsCeilingRow) -> str:
    """Return the comparison with the best trivial baseline after a space; empty without one."""
    baseline = best.baseline
    name = None if baseline is None else baseline_phrase(baseline)
    if baseline is None or name is None or baseline.difference.value is None:
        return ""
    if vs_ceiling_rows.beats_baseline(best):
        comparison = "better"
    else:
        matches_raters = vs_ceiling_rows.verdict(
            best
        ) == vs_ceiling_rows.NO_BETTER and vs_ceiling_rows.baseline_matches_raters(best)
        comparison = "as_good" if matches_raters else "no_better"
    difference = _written(best.minus_baseline(2), baseline.difference, size=comparison == "better")
    words = {"judge": text.plain(best.rater), "baseline": _(name), "difference": difference}
    return f" {_(BASELINES[comparison], **words)}"


def _baseline_against_all(rows: Sequence[VsCeilingRow]) -> str:
    """Return the best trivial baseline's agreement with the mean of all raters, after a space."""
    baselines = [row for row in rows if row.rater_kind == BASELINE and row.estimate.value is not None]
    if not baselines:
        return ""
    best = baselines[findings.rank_order(baselines)[0]]
    phrase = _(baseline_row_phrase(best.rater, best.estimate))
    return " " + _("The best trivial baseline is {baseline}.", baseline=phrase)


def _written(printed: float | None, difference: Estimate, *, size: bool) -> str:
    """Return a difference with its interval; without its sign if only its `size` is asked for."""
    if not size:
        return f"{text.signed(printed, 2)} {text.interval(difference.ci)}"
    ci = difference.ci
    if ci is not None and (difference.value or 0.0) < 0:
        ci = (-ci[1], -ci[0])
    return f"{text.number(None if printed is None else abs(printed))} {text.interval(ci)}"
