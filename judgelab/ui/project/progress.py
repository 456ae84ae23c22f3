"""A project's results so far: its best judges and metrics compared with the raters, in a few rows."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.analysis.agreement.measured_agreement import AgreementAndCeiling, AgreementTable
from judgelab.analysis.data.scores import IN_USE, fingerprint
from judgelab.analysis.trust.agreement_statements import baseline_row_phrase
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.domain import BASELINE, RaterKind
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.baselines import BREVITY, SEVERAL, baseline_label
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.metaeval.core.statistic_defaults import LENGTH, LONGER, ONE_ANSWER, PREVALENCE
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, widgets
from judgelab.ui.project import choice_progress
from judgelab.ui.session import gate
from judgelab.ui.shared import findings
from judgelab.wording import mark

ROWS = 4
AVERAGE = "average"
LEARNED = "learned"
HEIGHT = 210
REACHED_BY = {  # what the best trivial baseline has
    LENGTH: mark("Word count alone reaches {value} on the same responses."),
    BREVITY: mark("Brevity alone reaches {value} on the same responses."),
    ONE_ANSWER: mark("Always giving the same answer reaches {value} on the same responses."),
    PREVALENCE: mark("Answering at random with the raters' shares reaches {value} on the same responses."),
    LONGER: mark("Always choosing the longer one reaches {value} on the same responses."),
    SEVERAL: mark("The best trivial baseline of each criterion reaches {value} on the same responses."),
}


def draw_progress(project: ProjectInfo) -> None:
    """Draw the small forest plot with one sentence under it, or say what is missing."""
    widgets.heading(_("Results so far"))
    version = fingerprint(gate.store(), project.slug)
    agreement = _load_agreement(project.slug, version)
    table = agreement.table
    rated = list(dict.fromkeys(row.criterion for row in table.ceiling if row.criterion != AVERAGE))
    criterion = AVERAGE if len(rated) > 1 else None
    ceiling = _ceiling(table, criterion)
    # With a ceiling, judges are measured as the raters are: the same figures as on the agreement page.
    has_ceiling = ceiling is not None and ceiling.value is not None
    all_rows: Sequence[AnyAgreementRow] = agreement.vs_ceiling if has_ceiling else table.rows
    rows = _best_rows(all_rows, criterion)
    if not rows and not rated and loaders.compared_criteria(project.slug, version):
        choice_progress.draw_choice_progress(project, version)
        return
    if not rows:
        st.caption(_reason_without(table.rows, criterion))
        return
    st.caption(_scope(project, table, rated, symbol=findings.symbol(rows[0].coefficient)))
    title = _("{coefficient}, 95 % interval", coefficient=text.coefficient(rows[0].coefficient))
    marks = [ForestRow(row.rater, _kind(row), row.estimate, row.rater == LEARNED) for row in rows]
    baseline = _baseline(all_rows, criterion)
    if baseline is not None:
        baseline_name = _("baseline: {name}", name=_(baseline_label(baseline.rater)))
        marks.append(ForestRow(baseline_name, "metric", baseline.estimate))
    sentence = _progress_sentence(rows[0], ceiling, baseline)
    widgets.chart(
        forest_plot(marks, ceiling=ceiling, title=title, theme=widgets.theme(), height=HEIGHT),
        key="projects_standing",
        alt=sentence,
    )
    st.markdown(f":small[{text.plain(sentence)}]")


def _load_agreement(slug: str, version: str) -> AgreementAndCeiling:
    """Return the figures that the agreement page opens with, identical to the last digit."""
    defaults = loaders.agreement_defaults(slug, version)
    return loaders.agreement_and_ceiling(
        slug,
        version,
        level=defaults.level,
        coefficient=defaults.coefficient,
        policy=IN_USE,
        decisions=False,
        constant_groups="zero",
    )


def _baseline(rows: Sequence[AnyAgreementRow], criterion: str | None) -> AnyAgreementRow | None:
    """Return the trivial baseline with the highest value."""
    baselines = [
        row
        for row in rows
        if row.rater_kind == BASELINE
        and row.estimate.value is not None
        and (criterion is None or row.criterion == criterion)
    ]
    return max(baselines, key=lambda row: row.estimate.value or 0.0, default=None)


def _best_rows(rows: Sequence[AnyAgreementRow], criterion: str | None) -> list[AnyAgreementRow]:
    defined = [
        row
        for row in rows
        if row.estimate.value is not None
        and row.rater_kind != BASELINE
        and (criterion is None or row.criterion == criterion)
    ]
    return sorted(defined, key=lambda row: -(row.estimate.value or 0.0))[:ROWS]


def _reason_without(rows: tuple[AgreementRow, ...], criterion: str | None) -> str:
    undefined = [
        row
        for row in rows
        if row.rater_kind != BASELINE and (criterion is None or row.criterion == criterion)
    ]
    if not undefined:
        return _(
            "No judge or metric has scored the rated responses yet. Score with a metric on Data, or run a "
            "judge."
        )
    reason = undefined[0].estimate.reason
    names = text.listing([row.rater for row in undefined], limit=1)
    return text.plain(
        _(
            "No judge or metric can be compared with the raters yet. {names}: {why}.",
            names=names,
            why=_(reason) if reason else "",
        )
    )


def _kind(row: AnyAgreementRow) -> RaterKind:
    return "judge" if row.rater_kind == "judge" else "metric"


def _ceiling(table: AgreementTable, criterion: str | None) -> Estimate | None:
    estimates = [row.estimate for row in table.ceiling if criterion is None or row.criterion == criterion]
    return estimates[0] if estimates else None


def _scope(project: ProjectInfo, table: AgreementTable, rated: list[str], *, symbol: str) -> str:
    if len(rated) == 1:
        criteria = _("Criterion “{criterion}”", criterion=text.plain(project.criterion(rated[0]).label))
    else:
        criteria = _n(
            "Mean {symbol} over {n} criterion", "Mean {symbol} over {n} criteria", len(rated), symbol=symbol
        )
    if table.policy:
        rule = _("quality filter {rule}", rule=text.plain(_(table.policy.description)))
    else:
        rule = _("all ratings, no quality filter")
    return f"{criteria}, {text.level(table.rows[0].level)}, {rule}."


def _progress_sentence(
    best: AnyAgreementRow, ceiling: Estimate | None, baseline: AnyAgreementRow | None
) -> str:
    """Return a sentence comparing the best row with the raters and the best baseline, claiming no winner.

    The baseline is measured on the responses that the best row scored, as in the answer of *Agreement*.
    """
    sentence = _compared_with_raters(best, ceiling)
    if isinstance(best, VsCeilingRow) and best.baseline is not None:
        shared, reached = best.baseline, best.baseline.estimate.value
        if reached is None:
            return sentence
        return f"{sentence} {_(REACHED_BY[shared.name], value=text.number(reached))}"
    if baseline is None:
        return sentence
    own = baseline_row_phrase(baseline.rater, baseline.estimate)
    return f"{sentence} {_('The best trivial baseline is {baseline}.', baseline=_(own))}"


def _compared_with_raters(best: AnyAgreementRow, ceiling: Estimate | None) -> str:
    estimate = best.estimate
    value, n = text.with_interval(estimate.value, estimate.ci), findings.n_with_unit(best.level, estimate)
    symbol = findings.symbol(best.coefficient)
    if ceiling is None or ceiling.value is None:
        return _(
            "{rater} reaches {coefficient} {value}, n = {n}; agreement among the raters can't be computed "
            "yet.",
            rater=best.rater,
            coefficient=symbol,
            value=value,
            n=n,
        )
    words = {
        "rater": best.rater,
        "coefficient": symbol,
        "value": value,
        "n": n,
        "ceiling": text.with_interval(ceiling.value, ceiling.ci),
    }
    if isinstance(best, VsCeilingRow) and findings.raters_elsewhere(best, ceiling):
        there = text.with_interval(best.raters.value, best.raters.ci)
        if best.on_fewer_responses(ceiling):
            return _(
                "{rater} reaches {coefficient} {value}, n = {n}; the raters agree with one another at "
                "{there} on the same responses and at {ceiling} on all responses.",
                there=there,
                **words,
            )
        return _(
            "{rater} reaches {coefficient} {value}, n = {n}; without raters whose comparison is undefined, "
            "the raters agree with one another at {there} (at {ceiling} with all).",
            there=there,
            **words,
        )
    return _(
        "{rater} reaches {coefficient} {value}, n = {n}; the raters agree with one another at {ceiling}.",
        **words,
    )
