"""The results so far of a project with comparisons alone: how often judges choose as most raters do."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.comparison.choice_agreement import ACCURACY, ChoiceAgreement, JudgeOfPairs
from judgelab.charts.forest import forest_plot
from judgelab.languages import _
from judgelab.metaeval.core.result import Estimate
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared.choice_rows import forest_rows

ROWS = 4
HEIGHT = 210


def draw_choice_progress(project: ProjectInfo, version: str) -> None:
    """Draw the best judges and one sentence under them, with the figures that *Agree* opens with."""
    criterion = loaders.compared_criteria(project.slug, version)[0]
    found = loaders.choice_agreement(project.slug, version, criterion=criterion, decisions=False)
    named = [judge for judge in found.judges if found.accuracy(judge).value is not None]
    if not named:
        st.caption(_("No judge or metric compared responses that raters compared."))
        return
    label = text.plain(project.criterion(criterion).label)
    st.caption(_("Criterion “{criterion}”", criterion=label) + ".")
    sentence = _progress_sentence(found, named[0])
    widgets.chart(
        forest_plot(
            forest_rows(found, named[:ROWS]),
            ceiling=found.ceiling[ACCURACY] if found.comparable else None,
            title=_("{coefficient}, 95 % interval", coefficient=text.coefficient("exact")),
            theme=widgets.theme(),
            shares=True,
            height=HEIGHT,
        ),
        key="projects_standing",
        alt=sentence,
    )
    st.markdown(f":small[{text.plain(sentence)}]")


def _progress_sentence(found: ChoiceAgreement, best: JudgeOfPairs) -> str:
    accuracy, row = found.accuracy(best), best.vs_raters.get(ACCURACY)
    values = {"judge": best.name, "share": _share(accuracy), "n": text.count(accuracy.n)}
    if row is None or not found.comparable:
        return _("{judge} makes the raters' majority choice in {share} of {n} pairs.", **values)
    return _(
        "Leaving out one rater at a time, {judge} agrees with the majority of the other raters in {share} "
        "of {n} pairs; the rater left out, in {raters}.",
        **values,
        raters=_share(row.raters),
    )


def _share(estimate: Estimate) -> str:
    return text.share_with_interval(estimate.value, estimate.ci)
