"""Draw one rater: warnings, facts, distribution of scores, offsets, pace, drift, and largest differences."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.raters.rater_profile import RaterProfile
from judgelab.analysis.raters.rater_table import RaterRow, RaterTable
from judgelab.annotation.raters.rater_flags import Flag
from judgelab.annotation.raters.rater_report import NO_CHECKS
from judgelab.charts.quality import scores_before_after
from judgelab.charts.raters import MeasureRow, ScreenMark, measure_forest, screens_over_time
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.raters.intra_rater import NO_REPEATS
from judgelab.metaeval.raters.sequences import running_mean
from judgelab.metaeval.raters.spamming import NO_LABELS
from judgelab.scales import Scale
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

SMOOTHING_WIDTH = 9  # screens in a running mean
REPEAT_TEXTS = {
    "qwk": mark("self-agreement on repeats: quadratic-weighted κ {value}"),
    "kappa": mark("self-agreement on repeats: κ {value}"),
    "icc": mark("self-agreement on repeats: ICC {value}"),
}

WITHOUT_REPEATS = mark("self-agreement: {value}")
CHOICES = {
    "1": mark("system first in the alphabet"),
    "0": mark("tie"),
    "-1": mark("system second in the alphabet"),
}


def write_flags(row: RaterRow, project: ProjectInfo, criterion: str) -> None:
    """Write a rater's warnings, each with its reason; those of the shown criterion come first."""
    if not row.flags:
        st.caption(_("This rater shows nothing unusual."))
        return
    by_key: dict[str, list[Flag]] = {}
    for flag in sorted(row.flags, key=lambda flag: flag.criterion not in (None, criterion)):
        by_key.setdefault(f"{flag.key} {flag.word}", []).append(flag)
    for first, *more in by_key.values():
        where = "" if first.criterion in (None, criterion) else f" ({_criterion_label(project, first)})"
        sentence = f"**{text.plain(_(first.word))}**{where}: {text.plain(_(first.reason))}."
        if more:
            criteria = text.listing([_criterion_label(project, flag) for flag in more], 4)
            sentence = f"{sentence} {_('The same warning applies to {criteria}.', criteria=criteria)}"
        st.markdown(f":orange[:material/warning:] {sentence}")
    st.caption(_("Warnings suggest a closer look. They never remove a rater."))


def write_facts(row: RaterRow, criterion: str, scale: Scale, *, compared: bool = False) -> None:
    """Write counts of a rater's work and figures of agreement; a missing value is replaced by its reason.

    Spread and r are left out on a scale without an order. `compared`: the rater compared responses.
    """
    report, criterion_report, assigned = row.report, row.report.criteria.get(criterion), row.assigned
    counts = [
        (assigned.on_screen, mark("{n} in progress")),
        (assigned.skipped, mark("{n} skipped")),
        (assigned.flagged, mark("{n} flagged")),
        (criterion_report.cannot if criterion_report else 0, mark("{n} “cannot judge”")),
    ]
    # From a file, perhaps without screens; of this criterion, as the figures beside it.
    n_rated = report.screens if criterion_report is None else criterion_report.ratings
    rated = (
        _n("{n} pair compared", "{n} pairs compared", n_rated)
        if compared
        else _n("{n} rated", "{n} rated", n_rated)
    )
    if report.pace.sittings:
        rated = _n("{n} screen rated", "{n} screens rated", report.screens)
        sittings = _n("{n} session", "{n} sessions", report.pace.sittings)
        rated = _("{screens} in {sittings}", screens=rated, sittings=sittings)
    parts = [rated, *(_(words, n=count) for count, words in counts if count)]
    if criterion_report is not None:
        spread, others = text.number(criterion_report.spread), text.number(criterion_report.others_spread)
        if scale.ordered:
            parts += [
                _("SD {own} (others: {others})", own=spread, others=others),
                _("mean r with the other raters: {value}", value=_estimate_text(criterion_report.pairwise)),
                _(
                    "r with the mean of the others: {value}",
                    value=_estimate_text(criterion_report.leave_one_out),
                ),
            ]
        if criterion_report.spamming.reason != NO_LABELS:
            parts.append(_("P(spam): {value}", value=_spam_text(criterion_report.spamming)))
        repeats_text = REPEAT_TEXTS[criterion_report.repeats.coefficient]
        if criterion_report.repeats.reliability.value is None:
            repeats_text = WITHOUT_REPEATS
        parts.append(_(repeats_text, value=_estimate_text(criterion_report.repeats.reliability)))
        if criterion_report.repeats.exact.value is not None:
            parts.append(
                _("same score on repeats: {share}", share=_share_text(criterion_report.repeats.exact))
            )
    if report.gold.reason != NO_CHECKS:
        parts.append(_("agreement with known scores: {share}", share=_share_text(report.gold)))
    if report.attention.reason != NO_CHECKS:
        parts.append(_("attention checks passed: {share}", share=_share_text(report.attention)))
    if assigned.changed_checks:
        parts.append(_n("a check changed {n} time", "checks changed {n} times", assigned.changed_checks))
    st.caption("; ".join(parts) + ".")


def draw_distribution(profile: RaterProfile, name: str) -> None:
    """Draw the distribution of the rater's scores over that of the others."""
    compared, shares = profile.form == "pairwise", profile.distribution
    widgets.heading(_("Choices") if compared else _("Scores"))
    scores, before, after = list(shares.scores), list(shares.before), list(shares.after)
    if compared:  # from the first response to the second, as on *Quality*
        scores = [_(CHOICES[score]) for score in reversed(scores)]
        before, after = before[::-1], after[::-1]
    figure = scores_before_after(
        scores,
        before=before,
        after=after,
        title=_("Choice, % of comparisons; outline: the others, filled: this rater")
        if compared
        else _("Score, % of ratings; outline: the others, filled: this rater"),
        theme=widgets.theme(),
    )
    parts = [
        _("{score}: {own} % against {others} %", score=score, own=f"{own:z.0f}", others=f"{others:z.0f}")
        for score, others, own in zip(scores, before, after, strict=True)
    ]
    words = (
        mark("Choices of {name} against the others: {shares}.")
        if compared
        else mark("Scores of {name} against the others: {shares}.")
    )
    alt_text = _(words, name=name, shares="; ".join(parts))
    widgets.chart(figure, key="raters_scores", alt=alt_text)


def draw_offsets(rater_row: RaterRow, project: ProjectInfo, table: RaterTable) -> None:
    """Draw the rater's offset under each criterion in percent of the scale, if there are several criteria."""
    with_order = {
        key: report for key, report in rater_row.report.criteria.items() if table.scales[key].ordered
    }
    if len(rater_row.report.criteria) < 2 or not with_order:
        return
    widgets.heading(_("Offset by criterion"))
    rows = []
    for key, criterion_report in with_order.items():
        offset = _percent_of_scale(criterion_report.offset, table.scales[key])
        rows.append(MeasureRow(project.criterion(key).label, offset))
    figure = measure_forest(
        rows,
        title=_("Own − others' mean, % of scale, 95 % interval"),
        theme=widgets.theme(),
        low=-20.0,
        high=20.0,
        reference=0.0,
        reference_name=_("as the others"),
    )
    alt_text = "; ".join(f"{row.rater} {text.signed(row.estimate.value, 0)} %" for row in rows)
    widgets.chart(figure, key="raters_offsets", alt=_("Offset by criterion: {offsets}.", offsets=alt_text))


def draw_pace(profile: RaterProfile, row: RaterRow) -> None:
    """Draw the seconds spent on each screen in order of work."""
    widgets.heading(_("Pace"))
    timed = profile.screens[profile.screens["seconds"].notna() & profile.screens["place"].notna()]
    pace = row.report.pace
    if len(timed) < 2:
        st.caption(f"{_missing_reason(pace.median)}.")
        return
    marks = [
        ScreenMark(float(place), float(seconds), bool(seconds < limit))
        for place, seconds, limit in timed[["place", "seconds", "limit"]].to_numpy(dtype=float)
    ]
    figure = screens_over_time(
        marks,
        running_mean=list(running_mean(timed["seconds"].to_numpy(dtype=float), width=SMOOTHING_WIDTH)),
        breaks=_session_starts(profile),
        title=_("seconds"),
        theme=widgets.theme(),
    )
    caption = _(
        "Median time {median} s {interval}, n = {n} screens. Implausibly fast (✕): {share}. Change in time "
        "per screen from the first to the last: {change}.",
        median=text.number(pace.median.value, 0),
        interval=text.interval(pace.median.ci, 0),
        n=pace.median.n,
        share=text.per_cent(pace.fast.value),
        change=_change_text(pace.drift),
    )
    widgets.chart(figure, key="raters_pace", alt=caption)
    st.caption(text.keep_together(caption))


def draw_drift(profile: RaterProfile, row: RaterRow) -> None:
    """Draw the differences from the others' mean in order of work, and write them by part of the day."""
    widgets.heading(_("Drift"))
    compared = profile.screens[profile.screens["apart"].notna() & profile.screens["place"].notna()]
    drift = row.report.score_drift
    if len(compared) < 2:
        st.caption(f"{_missing_reason(drift)}.")
        return
    values = 100 * compared["apart"].to_numpy(dtype=float)
    figure = screens_over_time(
        [ScreenMark(float(x), float(y)) for x, y in zip(compared["place"], values, strict=True)],
        running_mean=list(running_mean(values, width=SMOOTHING_WIDTH)),
        breaks=_session_starts(profile),
        title=_("% of the scale"),
        theme=widgets.theme(),
        zero=True,
    )
    change, sitting = _change_text(drift), _change_text(row.report.sitting_drift)
    caption = _(
        "Drift is the change in the difference from the others' mean, in % of the scale because criteria can "
        "have different scales. From the first screen to the last: {change}.",
        change=change,
    )
    if sitting != change:
        caption += " " + _("Over a session of usual length: {sitting}.", sitting=sitting)
    widgets.chart(figure, key="raters_drift", alt=caption)
    st.caption(text.keep_together(caption))
    if len(profile.parts_of_day) > 1:
        parts = [
            _(
                "{part} (n = {n}), offset {offset} % of the scale, median {seconds} s",
                part=_(part.name),
                offset=text.signed(None if part.mean_difference is None else 100 * part.mean_difference, 0),
                seconds=text.number(part.seconds, 0),
                n=part.screens,
            )
            for part in profile.parts_of_day
        ]
        st.caption(_("By time of day (server time): {parts}.", parts="; ".join(parts)))


def _session_starts(profile: RaterProfile) -> list[float]:
    starts = profile.screens.groupby("sitting")["place"].min().iloc[1:]
    return [float(place) for place in starts]


def _percent_of_scale(estimate: Estimate, scale: Scale) -> Estimate:
    width = scale.high - scale.low
    if estimate.value is None:
        return estimate
    ends = None if estimate.ci is None else (100 * estimate.ci[0] / width, 100 * estimate.ci[1] / width)
    return Estimate(100 * estimate.value / width, ci=ends, ci_method=estimate.ci_method, n=estimate.n)


def _criterion_label(project: ProjectInfo, flag: Flag) -> str:
    return text.plain(project.criterion(flag.criterion or "").label)


def _estimate_text(estimate: Estimate) -> str:
    if estimate.reason == NO_REPEATS:
        return _("no repeats yet")
    if estimate.value is None:
        return text.plain(_reason_text(estimate))
    return text.with_interval(estimate.value, estimate.ci).replace(" ", text.NO_BREAK)


def _spam_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return text.plain(_reason_text(estimate))
    return f"{text.number(estimate.value)} (n {text.count(estimate.n)})"


def _share_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return _reason_text(estimate)
    return _("{share} of {n}", share=text.per_cent(estimate.value), n=estimate.n)


def _reason_text(estimate: Estimate) -> str:
    return _(estimate.reason) if estimate.reason else ""


def _change_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{text.MISSING} ({text.plain(_reason_text(estimate))})"
    low, high = estimate.ci or (estimate.value, estimate.value)
    ends = f"[{text.signed(100 * low, 0)}, {text.signed(100 * high, 0)}]"
    return f"{text.signed(100 * estimate.value, 0)} % {ends}".replace(" ", text.NO_BREAK)


def _missing_reason(estimate: Estimate) -> str:
    reason = _reason_text(estimate) or _("fewer than two screens are timed")
    return text.plain(reason[:1].upper() + reason[1:])
