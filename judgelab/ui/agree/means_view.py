"""System means with a cheap judge and few raters: the question that must be asked first, chart and tables."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.system_means import (
    ASK,
    NOT_RANDOM,
    Means,
    SystemMean,
    means,
    record_random,
    recorded_random,
)
from judgelab.analysis.data.number_table import as_csv, number_rows
from judgelab.charts.means import MeanRow, means_chart
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import downloads
from judgelab.wording import mark

ANSWERS = {"unsaid": mark("not said yet"), "yes": mark("drawn at random"), "no": mark("chosen otherwise")}
KEY = "means_random"
MOST_ROWS = 20  # rows; a longer table scrolls by itself
NO_SYSTEM = mark("all responses")
NO_JUDGE = undefined(mark("no judge was chosen"))


@stale_results.kept(loaders.KEPT)
def _load_means(slug: str, version: str, judge: str | None, criterion: str, said: bool | None) -> Means:
    return means(gate.store(), slug, judge, criterion=criterion, at_random=said)


def load_means(project: ProjectInfo, version: str, judge: str | None, criterion: str) -> Means:
    """Return the means, computed once for each version of the data and answer to the question."""
    said = recorded_random(project.settings, criterion)
    return _load_means(project.slug, version, judge, criterion, said)


def ask_whether_random(project: ProjectInfo, criterion: str) -> None:
    """Ask whether the rated items were drawn at random; the answer is kept with the project."""
    said = recorded_random(project.settings, criterion)
    known = "unsaid" if said is None else "yes" if said else "no"
    key = f"{KEY}_{project.id}_{criterion}_{known}"  # what somebody else said meanwhile is shown
    st.radio(
        _("How were the items that people rated chosen?"),
        list(ANSWERS),
        index=list(ANSWERS).index(known),
        format_func=lambda one: _(ANSWERS[one]),
        horizontal=True,
        key=key,
        help=_("With a judge's help a mean is right only if the rated items are a random part of all."),
        disabled=gate.allowed("researcher", project) is None,
        on_change=_stored_answer,
        args=(project, criterion, key),
    )


def _stored_answer(project: ProjectInfo, criterion: str, key: str) -> None:
    gate.enter("researcher", project)
    if st.session_state[key] != "unsaid":
        record_random(gate.store(), project.slug, criterion, at_random=st.session_state[key] == "yes")


def answer(shown: Means) -> str:
    """Return what a judge adds to the people's figures, as one sentence."""
    rated = sum(row.rated for row in shown.systems)
    both = sum(row.both for row in shown.systems)
    unlabelled = sum(row.judged_only for row in shown.systems)
    made = [row.mean for row in shown.systems if row.mean is not None]
    if not made:
        return _n(
            "{n} rated response stands behind these means.",
            "{n} rated responses stand behind these means.",
            rated,
        )
    first = next((one for one in made if one.powered.value is not None), None)
    if not unlabelled:
        return _(
            "People rated all {n} responses that the judge scored: its scores add nothing to the means.",
            n=text.count(both),
        )
    if first is None:
        why = next((one.powered.reason for one in made if one.powered.reason), "")
        return _("No mean can be given with the judge's help: {why}.", why=text.plain(_(why)))
    gains = [one.gain for one in made if one.gain is not None]
    labelled = (
        text.count(rated)
        if rated == both
        else _("{rated} ({both} of them judged, too)", rated=text.count(rated), both=text.count(both))
    )
    if not gains:
        return _("{labelled} rated, {unlabelled} judged only.", labelled=labelled, unlabelled=unlabelled)
    least, most = text.number(min(gains), 1), text.number(max(gains), 1)
    if least == most:
        return _(
            "{labelled} responses rated and {unlabelled} judged only: with the judge the ratings are worth "
            "{least} times as many.",
            labelled=labelled,
            unlabelled=text.count(unlabelled),
            least=least,
        )
    return _(
        "{labelled} responses rated and {unlabelled} judged only: with the judge the ratings are worth "
        "{least} to {most} times as many.",
        labelled=labelled,
        unlabelled=text.count(unlabelled),
        least=least,
        most=most,
    )


def draw_system_means(shown: Means, *, label: str) -> None:
    """Draw chart and tables."""
    rows = [
        MeanRow(
            _name(row),
            row.people,
            row.mean.powered if row.mean else NO_JUDGE,
            row.mean.judge if row.mean else NO_JUDGE,
        )
        for row in shown.systems
        if row.people.value is not None or (row.mean and row.mean.judge.value is not None)
    ]
    if rows:
        words = (_("raters alone"), _("raters and judge"), _("judge alone"))
        drawn = means_chart(
            rows,
            title=_("{criterion}, mean and 95 % interval", criterion=label),
            words=words,
            theme=widgets.theme(),
        )
        widgets.chart(drawn, key="means_chart", alt=answer(shown).replace("\\", ""))
    widgets.heading(_("Means"))
    _draw_means_table(
        [
            {
                "System": _name(row),
                "Rated": text.count(row.rated),
                "Raters": _estimate(row.people),
                **({} if row.mean is None else _cells(row.both, row.judged_only, row.mean)),
            }
            for row in shown.systems
        ],
        "means",
    )
    if shown.differences:
        widgets.heading(
            _("Differences"), _n("{n} pair of systems", "{n} pairs of systems", len(shown.differences))
        )
        _draw_means_table(
            [
                {
                    "System": f"{difference.first} − {difference.second}",
                    "Rated": text.count(difference.people.n),
                    "Raters": _estimate(difference.people, sign=True),
                    **(
                        {}
                        if difference.difference is None
                        else _cells(
                            difference.labelled, difference.unlabelled, difference.difference, sign=True
                        )
                    ),
                }
                for difference in shown.differences
            ],
            "differences",
        )
    if shown.share is not None:
        said = _(
            "Share of right answers by Rogan and Gladen, from the judge's hits and false alarms: {share}.",
            share=_estimate(shown.share),
        )
        if shown.share.params.get("held_within_0_and_1"):
            raw = text.number(shown.share.params["raw"])
            said += " " + _(
                "It comes out as {raw}, which no share can be, and is held within 0 and 1.", raw=raw
            )
        st.caption(text.plain(said))
    st.caption(
        _(
            "Raters alone: all their ratings, as in a report. Several responses of a system to one item "
            "count as their mean. Differences stand on the items of both systems, counted."
        )
    )
    if shown.judge is None:
        return
    st.caption(
        _(
            "Raters, judged ones: the same on what the judge scored as well, which is what the judge is laid "
            "beside."
        )
    )
    st.caption(
        _(
            "Raters and judge: prediction-powered mean (PPI++); its interval holds when the rated items are "
            "a random part of all. The judge alone knows nothing of its own errors: its interval is too "
            "narrow."
        )
    )


def draw_download(project: ProjectInfo, shown: Means) -> None:
    """Offer every number with its recipe as a table, all as JSON, and the answer as text."""
    shared = {
        "judge": shown.judge or "",
        "criterion_of_means": shown.criterion,
        "rated_items": _(
            ANSWERS["unsaid" if shown.at_random is None else "yes" if shown.at_random else "no"]
        ),
        "ratings": "all ratings" if shown.policy is None else shown.policy.words,
        "version": code_version(),
    }
    said = answer(shown).replace("**", "").replace("\\", "")
    files = [
        downloads.File(
            _("Every number (CSV)"), "csv", lambda: as_csv(number_rows(shown.to_json()), **shared)
        ),
        downloads.File(_("Every number (JSON)"), "json", lambda: json.dumps(shown.to_json(), indent=1)),
        downloads.File(_("The answer (text)"), "txt", lambda: f"{said}\n"),
    ]
    name = "-".join(["means", *([shown.judge] if shown.judge else []), shown.criterion])
    downloads.draw_downloads(project, files, name=name, key="means_export")


def _name(row: SystemMean) -> str:
    return row.system or _(NO_SYSTEM)


def _cells(labelled: int, unlabelled: int, mean: PoweredMean, *, sign: bool = False) -> dict[str, str]:
    return {
        "Both rated": text.count(labelled),
        "Raters there": _estimate(mean.human, sign=sign),
        "Judged only": text.count(unlabelled),
        "Both": _estimate(mean.powered, sign=sign),
        "Judge": _estimate(mean.judge, sign=sign),
        "Shift": _estimate(mean.shift, sign=True),
        "Worth": text.MISSING if mean.gain is None else f"× {text.number(mean.gain, 1)}",
    }


def _estimate(found: Estimate, *, sign: bool = False) -> str:
    if found.value is None:
        # Why it is not known how the items were drawn is the answer above, and no matter of one row.
        known = found.reason in ("", None, ASK, NOT_RANDOM)
        return text.MISSING if known else f"{text.MISSING} ({_(found.reason or '')})"
    value = text.signed(found.value, 2) if sign else text.number(found.value)
    return value if found.ci is None else f"{value} {text.interval(found.ci)}"


def _draw_means_table(rows: list[dict[str, str]], key: str) -> None:
    column = st.column_config.TextColumn
    columns = {
        "System": column(_("System")),
        "Rated": column(_("Rated"), alignment="right"),
        "Judged only": column(_("Judged only"), alignment="right"),
        "Raters": column(_("Raters alone"), alignment="right"),
        "Both rated": column(_("Rated and judged"), alignment="right"),
        "Raters there": column(_("Raters, judged ones"), alignment="right"),
        "Both": column(_("Raters and judge"), alignment="right"),
        "Judge": column(_("Judge alone"), alignment="right"),
        "Shift": column(_("Judge, rated − others"), alignment="right"),
        "Worth": column(_("Ratings are worth"), alignment="right"),
    }
    frame = pd.DataFrame(rows)
    strong = ["Both" if "Both" in frame.columns else "Raters"]
    if len(rows) <= MOST_ROWS:
        widgets.table(frame, key=f"means_{key}", columns=columns, height="content", strong=strong)
    else:
        widgets.table(frame, key=f"means_{key}", columns=columns, strong=strong)
