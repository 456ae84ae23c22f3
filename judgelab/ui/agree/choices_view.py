"""*Agree* for comparisons: how often judges make the raters' majority choice of two responses."""

from __future__ import annotations

import streamlit as st

from judgelab import __version__
from judgelab.analysis.comparison.choice_agreement import ACCURACY, ChoiceAgreement, JudgeOfPairs
from judgelab.analysis.trust.bias_statements import significant_sign
from judgelab.charts.forest import forest_plot
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL, baseline_label
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.pair_scores import MAJORITY_MEANING
from judgelab.metaeval.core.result import Estimate
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import choices_tables, decided
from judgelab.ui.agree.export import number_files, without_markup
from judgelab.ui.cache import loaders, page_run
from judgelab.ui.kit import help_link, missing_values, text, widgets
from judgelab.ui.shared import choice_rows, compared, downloads, filter_note
from judgelab.wording import mark

HEIGHT = 380
BESIDE = {
    0: mark("The difference is not significant."),
    -1: mark("The judge is significantly below the raters, by {difference} points."),
    1: mark("The judge is significantly above the raters, by {difference} points."),
}


def draw_choices(project: ProjectInfo, version: str) -> None:
    """Draw the whole page for a project's comparisons."""
    top = st.container(gap="xsmall")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        key = compared.choose_criterion(project, version)
        decisions = decided.choose(project, version, comparisons=True, criterion=key)
    found = loaders.choice_agreement(project.slug, version, criterion=key, decisions=decisions)
    answer = answer_sentence(found)
    with top:
        with widgets.header_row():
            widgets.header(_("Agreement"), text.plain(_scope(project, found)), guide=help_link.AGREE)
            download_place = st.container(width="content")
        widgets.demo_notice(project)
        widgets.answer(answer)
    if not found.judges:
        page_run.finish_page()
    chart_column, strength_column = st.columns([55, 45], gap="large")
    with chart_column:
        widgets.heading(_("Exact agreement with the raters, by judge and metric"))
        _draw_forest(found, answer)
    with strength_column:
        choices_tables.draw_strengths(found)
    table = choices_tables.draw_table(found)
    _write_notes(found)
    note = decided.note(project, version, found.n_decided, comparisons=True, criterion=key)
    caption = " ".join(part for part in (note, _recipe(found)) if part)
    st.caption(text.plain(caption))
    with download_place:
        files = number_files(
            lambda: {"criteria": [found.to_json()]},
            {"project": project.slug, "version": code_version()},
            answer=f"{without_markup(answer).replace(text.NO_BREAK, ' ')}\n\n{caption}\n",
            shown=table,
        )
        downloads.draw_downloads(project, files, name="choices", key="choices_export")
    compared.write_form_link()


def answer_sentence(found: ChoiceAgreement) -> str:
    """Return how often the best judge chooses as most raters do, beside the raters and a baseline."""
    best = next((judge for judge in found.judges if found.accuracy(judge).value is not None), None)
    ceiling = found.ceiling[ACCURACY] if found.comparable else None
    if best is None:
        sentences = [_("No judge or metric compared responses that raters compared.")]
        if ceiling is not None:
            among = _(
                "A rater picks the same as the majority of the others in {share} of {n} pairs.",
                share=_share(ceiling),
                n=text.count(ceiling.n),
            )
            sentences.append(among)
        return " ".join(sentences)
    accuracy, row = found.accuracy(best), best.vs_raters.get(ACCURACY)
    values = {"judge": text.plain(best.name), "share": _share(accuracy), "n": text.count(accuracy.n)}
    if ceiling is None or row is None:
        sentences = [_("**{judge}** makes the raters' majority choice in {share} of {n} pairs.", **values)]
    else:
        sentences = [
            _(
                "Leaving out one rater at a time, **{judge}** agrees with the majority of the other raters "
                "in {share} of {n} pairs; the rater left out, in {raters}.",
                **values,
                raters=_share(row.raters),
            ),
            _(BESIDE[significant_sign(row.difference)], difference=_points(row)),
        ]
    return " ".join([*sentences, *_order_sentences(best), *_baseline_sentences(found)])


def _order_sentences(judge: JudgeOfPairs) -> list[str]:
    """Return what changing the order of the two responses changes in the judge's choices, if it is known."""
    order, sentences = judge.order, list[str]()
    if order is not None and order.first_rate.value is not None:
        first = _(
            "It prefers the response shown first in {share} of its choices with a winner.",
            share=_share(order.first_rate),
        )
        sentences.append(first)
    if order is not None and order.consistency.value is not None:
        same = _("It chooses the same in both orders in {share} of pairs.", share=_share(order.consistency))
        sentences.append(same)
    if order is not None and None not in (order.winner_first.value, order.winner_second.value):
        sentences.append(
            _(
                "It makes the raters' majority choice in {first} of pairs where that response was shown "
                "first, and in {second} where it was shown second.",
                first=_share(order.winner_first),
                second=_share(order.winner_second),
            )
        )
    return sentences


def _points(row: VsCeilingRow) -> str:
    """Return the difference of the two shares as printed, with its interval, without its sign."""
    difference = row.difference
    value, ends = abs(100 * (row.minus_raters(2) or 0.0)), sorted(100 * end for end in difference.ci or ())
    if significant_sign(difference) < 0:
        ends = sorted(-end for end in ends)
    return f"{value:.0f}" + (f" [{ends[0]:.0f}, {ends[1]:.0f}]" if ends else "")


def _baseline_sentences(found: ChoiceAgreement) -> list[str]:
    best = found.best_baseline
    if best is None:
        return []
    return [
        _(
            "The best trivial baseline, “{name}”, makes the raters' majority choice in {share}.",
            name=_(baseline_label(best.name)),
            share=_share(found.accuracy(best)),
        )
    ]


def _scope(project: ProjectInfo, found: ChoiceAgreement) -> str:
    counts = [
        _n("{n} comparison", "{n} comparisons", found.choices),
        _n("{n} pair", "{n} pairs", found.pairs),
        _n("{n} rater", "{n} raters", len(found.raters)),
    ]
    first = filter_note.decided_first(found.n_decided is not None, comparisons=True)
    filtered = [] if found.policy is None else [filter_note.after_filter(found.policy)]
    return ", ".join([project.name, found.label, *counts, *filtered, *first])


def _share(estimate: Estimate) -> str:
    return text.share_with_interval(estimate.value, estimate.ci)


def _draw_forest(found: ChoiceAgreement, answer: str) -> None:
    rows = choice_rows.forest_rows(found, found.judges)
    figure = forest_plot(
        rows,
        ceiling=found.ceiling[ACCURACY] if found.comparable else None,
        title=_("{coefficient}, 95 % interval", coefficient=text.coefficient("exact")),
        theme=widgets.theme(),
        shares=True,
        height=HEIGHT,
        long_reason=mark("no value (see the note)"),
    )
    widgets.chart(figure, key="choices_forest", alt=without_markup(answer))


def _write_notes(found: ChoiceAgreement) -> None:
    if found.undecided:
        st.caption(
            _n(
                "“All raters” leaves out {n} pair without a majority.",
                "“All raters” leaves out {n} pairs without a majority.",
                found.undecided,
            )
        )
    if any(judge.implied for judge in found.judges):
        st.caption(
            _(
                "“By its scores”: the judge scored single responses, and the higher score counts as its "
                "choice."
            )
        )
    for note in found.margin_notes:
        st.caption(text.plain(_(note)))
    if any(judge.order is not None for judge in found.judges):
        st.caption(
            _(
                "A judge's choices for a pair in both orders count once, as a tie if they differ. “First "
                "response preferred” is the share of a judge's individual choices (each order counted "
                "separately, ties left out) that pick the response shown first."
            )
        )
    if any(found.accuracy(baseline).ci is not None for baseline in found.baselines):
        st.caption(_(OWN_INTERVAL))
    missing_values.write_missing_reasons((judge.name, found.accuracy(judge).reason) for judge in found.judges)


def _recipe(found: ChoiceAgreement) -> str:
    return _(
        "Exact agreement is the share of pairs with the same choice; a tie counts as a third choice. Each "
        "rater is left out in turn, and judges and that rater are compared with the majority of the others. "
        "“All raters”: compared with the majority of all. {majority} κ is Cohen's unweighted κ with the "
        "majority of all raters. Intervals: bootstrap over items, 1,000 resamples. {choices} JudgeLab "
        "{version}.",
        majority=_(MAJORITY_MEANING),
        choices=_("All comparisons are used (no filter).")
        if found.policy is None
        else _("Raters' choices: {ratings}.", ratings=filter_note.after_filter(found.policy)),
        version=__version__,
    )
