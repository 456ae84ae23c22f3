"""One rater: what is worth a look, scores beside the others', pace and drift, where they differ most."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.rater_profile import RaterProfile
from judgelab.analysis.raters import RaterLine, RaterTable
from judgelab.annotation.rater_flags import Flag
from judgelab.charts.quality import score_distribution
from judgelab.charts.raters import MeasureRow, Moment, measure_forest, over_time
from judgelab.metaeval.result import Estimate
from judgelab.metaeval.sequences import running_mean
from judgelab.store.projects import ProjectInfo
from judgelab.ui import text, widgets

SMOOTH = 9  # screens in a running mean
LONGEST = 400  # characters of a response shown with a difference
PAGE = "pages/researcher/disagreements.py"


def flags(line: RaterLine, project: ProjectInfo, criterion: str) -> None:
    """Write what is worth a look, each with the numbers behind it, under the criterion shown first."""
    if not line.flags:
        st.caption("Nothing about this rater is worth a look.")
        return
    by_key: dict[str, list[Flag]] = {}
    for flag in sorted(line.flags, key=lambda one: one.criterion not in (None, criterion)):
        by_key.setdefault(f"{flag.key} {flag.word}", []).append(flag)
    for first, *more in by_key.values():
        where = "" if first.criterion in (None, criterion) else f" ({_label(project, first)})"
        also = f" Also under {text.listing([_label(project, flag) for flag in more], 4)}." if more else ""
        said = f"**{text.plain(first.word)}**{where}: {text.plain(first.reason)}.{also}"
        st.markdown(f":orange[:material/flag:] {said}")
    st.caption("Flags are reasons to look. Nobody is removed by them.")


def facts(line: RaterLine, criterion: str) -> None:
    """Write what was done and how it agrees, each with the reason where there is no value."""
    report, found, given = line.report, line.report.criteria.get(criterion), line.given
    counts = [
        (given.on_screen, "on their screen"),
        (given.skipped, "skipped"),
        (given.flagged, "flagged"),
        (found.cannot if found else 0, "cannot be judged"),
    ]
    sittings = f" in {text.counted(report.pace.sittings, 'sitting')}" if report.pace.sittings else ""
    said = [f"{text.counted(report.screens, 'screen')} rated{sittings}"]
    said += [f"{count:,} {word}" for count, word in counts if count]
    if found is not None:
        name = {"qwk": "quadratic κ", "icc": "ICC"}[found.repeats.coefficient]
        said += [
            f"spread {text.number(found.spread)}, of the others {text.number(found.others_spread)}",
            f"r with each other rater: {_value(found.pairwise)}",
            f"{name} with themself: {_value(found.repeats.reliability)}",
        ]
        if found.repeats.exact.value is not None:
            said.append(f"same score again: {_share(found.repeats.exact)} of {found.repeats.exact.n:,}")
    said += [
        f"{name}: {_share(check)} of {check.n:,}" if check.value is not None else f"{name}: {check.reason}"
        for name, check in (("gold", report.gold), ("attention checks", report.attention))
    ]
    st.caption("; ".join(said) + ".")


def distribution(profile: RaterProfile, name: str) -> None:
    """Draw how often each score was given: the others outlined, this rater filled."""
    widgets.heading("Scores")
    found = profile.distribution
    figure = score_distribution(
        found.scores,
        before=found.before,
        after=found.after,
        title="Score, % of ratings; outline the others, filled this rater",
        theme=widgets.theme(),
    )
    parts = [
        f"{s}: {a:.0f} % against {b:.0f} %"
        for s, b, a in zip(found.scores, found.before, found.after, strict=True)
    ]
    widgets.chart(
        figure, key="raters_scores", alt=f"Scores of {name} against the others: {'; '.join(parts)}."
    )


def offsets(line: RaterLine, project: ProjectInfo, table: RaterTable) -> None:
    """Draw the offset from the others under each criterion, as a share of the scale."""
    if len(line.report.criteria) < 2:
        return
    widgets.heading("Offset by criterion")
    rows = []
    for key, found in line.report.criteria.items():
        scale = table.scales[key]
        rows.append(MeasureRow(project.criterion(key).label, _scaled(found.offset, scale.high - scale.low)))
    figure = measure_forest(
        rows,
        title="Own score minus the others' mean, % of the scale, 95 % interval",
        theme=widgets.theme(),
        low=-20.0,
        high=20.0,
        mark=0.0,
        mark_name="as the others",
    )
    said = "; ".join(f"{row.rater} {text.signed(row.estimate.value, 0)} %" for row in rows)
    widgets.chart(figure, key="raters_offsets", alt=f"Offset by criterion: {said}.")


def pace(profile: RaterProfile, line: RaterLine) -> None:
    """Draw seconds a screen in the order of work."""
    widgets.heading("Pace")
    shown = profile.screens[profile.screens["seconds"].notna() & profile.screens["place"].notna()]
    found = line.report.pace
    if len(shown) < 2:
        st.caption(f"{_reason(found.median)}.")
        return
    moments = [
        Moment(float(place), float(seconds), bool(seconds < limit))
        for place, seconds, limit in shown[["place", "seconds", "limit"]].to_numpy(dtype=float)
    ]
    figure = over_time(
        moments,
        line=list(running_mean(shown["seconds"].to_numpy(dtype=float), width=SMOOTH)),
        breaks=_breaks(profile),
        title="seconds",
        theme=widgets.theme(),
    )
    said = (
        f"Median {text.number(found.median.value, 0)} s {text.interval(found.median.ci, 0)}, "
        f"n = {found.median.n:,}; {_share(found.fast)} implausibly fast (✕); "
        f"from the first screen to the last {_change(found.drift)}."
    )
    widgets.chart(figure, key="raters_pace", alt=said)
    st.caption(said)


def drift(profile: RaterProfile, line: RaterLine) -> None:
    """Draw the distance to the others in the order of work, and by part of the day."""
    widgets.heading("Drift")
    shown = profile.screens[profile.screens["apart"].notna() & profile.screens["place"].notna()]
    found = line.report.score_drift
    if len(shown) < 2:
        st.caption(f"{_reason(found)}.")
        return
    values = 100 * shown["apart"].to_numpy(dtype=float)
    figure = over_time(
        [Moment(float(p), float(v)) for p, v in zip(shown["place"], values, strict=True)],
        line=list(running_mean(values, width=SMOOTH)),
        breaks=_breaks(profile),
        title="% of the scale",
        theme=widgets.theme(),
        zero=True,
    )
    said = (
        f"Own score minus the others' mean: from the first screen to the last {_change(found)}; "
        f"from the beginning of a sitting to its usual end {_change(line.report.sitting_drift)}."
    )
    widgets.chart(figure, key="raters_drift", alt=said)
    st.caption(said)
    if len(profile.parts) > 1:
        parts = [
            f"{part.name} {text.signed(None if part.apart is None else 100 * part.apart, 0)} %, "
            f"{text.number(part.seconds, 0)} s (n = {part.screens:,})"
            for part in profile.parts
        ]
        st.caption(f"By the clock of this machine: {'; '.join(parts)}.")


def differences(profile: RaterProfile, project: ProjectInfo) -> None:
    """List the responses on which the rater differs most; a chosen one is shown with a way to Explain."""
    rows = profile.differences
    widgets.heading("Differs most on", f"{len(rows):,} of {text.counted(profile.differing, 'rating')}")
    if rows.empty:
        st.caption("No response has a score by this rater and one by somebody else that differs.")
        return
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    frame = pd.DataFrame(
        {
            "Item": rows["item"],
            "System": rows["system"],
            "Criterion": rows["criterion"].map(labels),
            "Score": [f"{score:g}" for score in rows["score"]],
            "Others": [
                f"{text.number(mean, 1)} ({n:.0f})"
                for mean, n in zip(rows["others"], rows["raters"], strict=True)
            ],
            "Diff.": [text.signed(value, 1) for value in rows["difference"]],
            "Comment": rows["comment"],
        }
    )
    empty = [name for name in ("System", "Comment") if (frame[name] == "").all()]
    if len(labels) == 1:
        empty.append("Criterion")
    chosen = widgets.table(
        frame.drop(columns=empty),
        key="raters_differences",
        select=True,
        columns={name: st.column_config.Column(alignment="right") for name in ("Score", "Others", "Diff.")},
        height=28 * 9,
    )
    if chosen is None:
        st.caption("Choose a row to read the response.")
        return
    row = rows.iloc[chosen]
    words = "" if pd.isna(row["text"]) else str(row["text"])
    st.text(words if len(words) <= LONGEST else f"{words[:LONGEST]}…")
    st.page_link(
        PAGE,
        label="Open in Explain",
        icon=":material/arrow_forward:",
        query_params={
            "project": project.slug,
            "criterion": str(row["criterion"]),
            "response": str(int(row["response"])),
        },
    )


def _breaks(profile: RaterProfile) -> list[float]:
    first = profile.screens.groupby("sitting")["place"].min().iloc[1:]
    return [float(place) for place in first]


def _scaled(found: Estimate, width: float) -> Estimate:
    if found.value is None:
        return found
    ends = None if found.ci is None else (100 * found.ci[0] / width, 100 * found.ci[1] / width)
    return Estimate(100 * found.value / width, ci=ends, ci_method=found.ci_method, n=found.n)


def _label(project: ProjectInfo, flag: Flag) -> str:
    return text.plain(project.criterion(flag.criterion or "").label)


def _value(found: Estimate) -> str:
    if found.value is None:
        return text.plain(found.reason or "")
    return text.with_interval(found.value, found.ci).replace(" ", widgets.NO_BREAK)


def _share(found: Estimate) -> str:
    return text.MISSING if found.value is None else f"{100 * found.value:.0f} %"


def _change(found: Estimate) -> str:
    if found.value is None:
        return f"{text.MISSING} ({text.plain(found.reason or '')})"
    low, high = found.ci or (found.value, found.value)
    ends = f"[{text.signed(100 * low, 0)}, {text.signed(100 * high, 0)}]"
    return f"{text.signed(100 * found.value, 0)} % {ends}".replace(" ", widgets.NO_BREAK)


def _reason(found: Estimate) -> str:
    said = found.reason or "fewer than two screens are timed"
    return text.plain(said[:1].upper() + said[1:])
