"""Draw *Means*: whether the rated items are a random sample, then the system means as chart and tables."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.comparison.measured_means import SystemMean, SystemMeans
from judgelab.analysis.comparison.random_sampling import record_random_sampling
from judgelab.analysis.comparison.rated_at_random import recorded_random_sampling
from judgelab.analysis.comparison.system_means import estimate_means
from judgelab.charts.means import MeanRow, means_chart
from judgelab.languages import _, _n
from judgelab.metaeval.core.result import undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided, means_words
from judgelab.ui.agree.export import number_files, without_markup
from judgelab.ui.agree.means_words import PAIRED_INTERVALS, estimate_cell, means_sentence, share_text
from judgelab.ui.cache import loaders, stale_results
from judgelab.ui.kit import missing_values, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import choices, downloads
from judgelab.wording import mark

ANSWERS = {
    "unsaid": mark("not specified yet"),
    "yes": mark("drawn at random"),
    "no": mark("selected in another way"),
}
KEY = "means_random"
MOST_ROWS = 20  # rows; a longer table scrolls by itself
NO_SYSTEM = mark("all responses")
NO_JUDGE = undefined(mark("no judge was chosen"))


@stale_results.kept(loaders.KEPT)
def _load_means(
    slug: str,
    version: str,
    judge: str | None,
    criterion: str,
    at_random: bool | None,
    comparisons: bool,
    decisions: bool,
) -> SystemMeans:
    return estimate_means(
        gate.store(),
        slug,
        judge,
        criterion=criterion,
        at_random=at_random,
        comparisons=comparisons,
        decisions=decisions,
    )


def load_means(
    project: ProjectInfo,
    version: str,
    judge: str | None,
    criterion: str,
    *,
    comparisons: bool = False,
    decisions: bool = False,
) -> SystemMeans:
    """Return the means, computed once per version of the data and answer to the question on sampling.

    With `comparisons`, they are win rates. With `decisions`, decided scores and pairs replace ratings.
    """
    at_random = recorded_random_sampling(project.settings, criterion)
    return _load_means(project.slug, version, judge, criterion, at_random, comparisons, decisions)


def choose_judge_of_pairs(project: ProjectInfo, version: str, criterion: str, key: str) -> str | None:
    """Draw the choice of a judge or metric that compared pairs, if there is any, and return its name."""
    names = loaders.judges_of_pairs(project.slug, version, criterion=criterion)
    return choices.one_of(_("Judge"), names, key, width=260) if names else None


def ask_whether_random(project: ProjectInfo, criterion: str) -> None:
    """Ask whether the rated items were drawn at random, and store the answer in the project."""
    at_random = recorded_random_sampling(project.settings, criterion)
    current = "unsaid" if at_random is None else "yes" if at_random else "no"
    key = f"{KEY}_{project.id}_{criterion}_{current}"  # shows an answer that somebody else gave meanwhile
    st.radio(
        _("How were the rated items selected?"),
        list(ANSWERS),
        index=list(ANSWERS).index(current),
        format_func=lambda choice: _(ANSWERS[choice]),
        horizontal=True,
        key=key,
        help=_(
            "With a judge's help, a mean is valid only if the rated items are a random sample of all items."
        ),
        disabled=gate.allowed("researcher", project) is None,
        on_change=_store_answer,
        args=(project, criterion, key),
    )


def _store_answer(project: ProjectInfo, criterion: str, key: str) -> None:
    gate.enter("researcher", project)
    if st.session_state[key] != "unsaid":
        record_random_sampling(
            gate.store(), project.slug, criterion, at_random=st.session_state[key] == "yes"
        )


def draw_system_means(system_means: SystemMeans, *, label: str) -> None:
    """Draw the means as a chart and as tables, with the differences between systems."""
    of_pairs = system_means.of_pairs
    rows = [
        MeanRow(
            _system_name(row),
            row.people,
            row.mean.powered if row.mean else NO_JUDGE,
            row.mean.judge if row.mean else NO_JUDGE,
        )
        for row in system_means.systems
        if row.people.value is not None or (row.mean and row.mean.judge.value is not None)
    ]
    if rows:
        legend = (_("raters alone"), _("raters and judge"), _("judge alone"))
        figure = means_chart(
            rows,
            title=_("{criterion}, win rate and 95 % interval", criterion=label)
            if system_means.of_pairs
            else _("{criterion}, mean and 95 % interval", criterion=label),
            labels=legend,
            theme=widgets.theme(),
            rates=of_pairs,
        )
        widgets.chart(figure, key="means_chart", alt=means_sentence(system_means).replace("\\", ""))
    widgets.heading(_("By system"))
    _draw_means_table(
        [
            {
                "System": _system_name(row),
                "Rated": text.count(row.rated_responses),
                "Raters": estimate_cell(row.people, rate=of_pairs),
                **(
                    {}
                    if row.mean is None
                    else _powered_cells(row.scored_by_both, row.scored_by_judge_only, row.mean, rate=of_pairs)
                ),
            }
            for row in system_means.systems
        ],
        "means",
        of=_("System"),
        rated=_("Rated pairs") if system_means.of_pairs else _("Rated responses"),
        of_pairs=of_pairs,
    )
    if system_means.differences:
        widgets.heading(
            _("Differences"), _n("{n} pair of systems", "{n} pairs of systems", len(system_means.differences))
        )
        _draw_means_table(
            [
                {
                    "System": f"{difference.first} − {difference.second}",
                    "Rated": text.count(difference.people.n),
                    "Raters": estimate_cell(difference.people, sign=True, rate=of_pairs),
                    **(
                        {}
                        if difference.difference is None
                        else _powered_cells(
                            difference.labelled,
                            difference.unlabelled,
                            difference.difference,
                            sign=True,
                            rate=of_pairs,
                        )
                    ),
                }
                for difference in system_means.differences
            ],
            "differences",
            of=_("Pair of systems"),
            rated=_("Rated items"),
            of_pairs=of_pairs,
        )
    every = [(_system_name(row), row.people, row.mean) for row in system_means.systems]
    every += [(f"{one.first} − {one.second}", one.people, one.difference) for one in system_means.differences]
    both = [mean for _name, _people, mean in every if mean is not None]
    columns = means_words.cells_by_column(every, of_pairs=of_pairs)
    for note in means_words.missing_intervals(cell for cells in columns.values() for _name, cell in cells):
        st.caption(text.plain(note))
    for column, cells in columns.items():
        missing_values.write_missing_reasons(means_words.missing_reasons(cells), column=_(column))
    if system_means.share is not None:
        st.caption(text.plain(share_text(system_means.share)))
    st.caption(
        _(
            "A win counts 1, a tie 0.5 and a loss 0, averaged over a pair's raters, then over an item's "
            "pairs, then over items. The wins on the page “Agreement” count every comparison once. Each "
            "difference uses only the pairs of its two systems. Differences are in percentage points. The "
            "table “By system” counts pairs, the table “Differences” items."
        )
        + f" {_(PAIRED_INTERVALS)}"
        if system_means.of_pairs
        else _(
            "“Raters alone” uses {ratings}, as in the report. Several responses of one system to one item "
            "are averaged. Differences use only items for which both systems have a rated response or, for "
            "the judge's mean, a scored one. The tables give the number of these items.",
            ratings=_("all ratings") if system_means.policy is None else _("all ratings kept by the filter"),
        )
        + f" {_(PAIRED_INTERVALS)}"
    )
    if system_means.judge is None:
        return
    if system_means.policy is not None:
        st.caption(_("“Judged only” includes responses whose ratings the filter removes."))
    st.caption(
        _(
            "“Raters, judged pairs” uses only pairs that the judge also judged, so that both are measured on "
            "the same pairs. A judge's choices in both orders count once."
        )
        if system_means.of_pairs
        else _(
            "“Raters, judged responses” uses only responses that the judge also scored, so that both are "
            "measured on the same responses."
        )
    )
    if any(mean.shift.ci for mean in both):
        st.caption(_(means_words.SHIFT_MEANING[system_means.of_pairs]))
    st.caption(
        _(
            "“Raters and judge” is the prediction-powered mean (PPI++). Its interval is valid if the rated "
            "items are a random sample of all items. The interval of the judge alone ignores the judge's "
            "errors, so it need not contain the raters' mean. Gain in effective n is relative to “{there}”. "
            "If the judge did not score some rated items, the interval of raters and judge can be wider than "
            "that of the raters alone.",
            there=_(means_words.THERE[system_means.of_pairs]),
        )
    )


def draw_means_download(project: ProjectInfo, system_means: SystemMeans) -> None:
    """Offer every number with the recipe as CSV and JSON, and the answer as text."""
    shared = {
        "judge": system_means.judge or "",
        "criterion_of_means": system_means.criterion,
        "rated_items": _(
            ANSWERS["unsaid" if system_means.at_random is None else "yes" if system_means.at_random else "no"]
        ),
        "ratings": "all ratings" if system_means.policy is None else system_means.policy.description,
        "decided": "" if system_means.n_decided is None else system_means.n_decided,
        "version": code_version(),
    }
    decisions = decided.in_recipe(system_means.n_decided, comparisons=system_means.of_pairs)
    answer = "\n\n".join(filter(None, [without_markup(means_sentence(system_means)), decisions])) + "\n"
    files = number_files(system_means.to_json, shared, answer=answer)
    name = "-".join(["means", *([system_means.judge] if system_means.judge else []), system_means.criterion])
    downloads.draw_downloads(project, files, name=name, key="means_export")


def _system_name(row: SystemMean) -> str:
    return row.system or _(NO_SYSTEM)


def _powered_cells(
    labelled: int, unlabelled: int, mean: PoweredMean, *, sign: bool = False, rate: bool = False
) -> dict[str, str]:
    return {
        "Both rated": text.count(labelled),
        "Raters there": estimate_cell(mean.human, sign=sign, rate=rate),
        "Judged only": text.count(unlabelled),
        "Both": estimate_cell(mean.powered, sign=sign, rate=rate),
        "Judge": estimate_cell(mean.judge, sign=sign, rate=rate),
        "Shift": estimate_cell(mean.shift, sign=True, rate=rate),
        "Worth": text.MISSING if mean.gain is None else f"× {text.number(mean.gain, 1)}",
    }


def _draw_means_table(rows: list[dict[str, str]], key: str, *, of: str, rated: str, of_pairs: bool) -> None:
    column = st.column_config.TextColumn
    columns = {
        "System": column(of),
        "Rated": column(rated, alignment="right"),
        "Judged only": column(_("Judged only"), alignment="right"),
        "Raters": column(_(means_words.RATERS_ALONE), alignment="right"),
        "Both rated": column(_("Rated and judged"), alignment="right"),
        "Raters there": column(_(means_words.THERE[of_pairs]), alignment="right"),
        "Both": column(_(means_words.BOTH), alignment="right"),
        "Judge": column(_(means_words.JUDGE_ALONE), alignment="right"),
        "Shift": column(_(means_words.SHIFT), alignment="right"),
        "Worth": column(_("Gain in effective n"), alignment="right"),
    }
    frame = pd.DataFrame(rows)
    strong = ["Both" if "Both" in frame.columns else "Raters"]
    if len(rows) <= MOST_ROWS:
        widgets.table(frame, key=f"means_{key}", columns=columns, height="content", strong=strong)
    else:
        widgets.table(frame, key=f"means_{key}", columns=columns, strong=strong)
