"""Draw the table below the forest plot: one row per rater, with the raters and the best baseline."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.baselines import WORDS
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.metaeval.core.result import Estimate
from judgelab.store.judging.no_scores import NONE_MISSING
from judgelab.ui.agree.view import CEILING, SORTS, AgreementRows, row_name
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import findings
from judgelab.wording import mark

GROUPS = {"item": mark("Items used"), "sys": mark("Systems used"), "group": mark("Groups used")}
KINDS = {
    "human": mark("human"),
    "judge": mark("judge"),
    "metric": mark("metric"),
    BASELINE: mark("baseline"),
}
TEXT_COLUMNS = ("Rater", "Kind", "Beside the ceiling", "Best baseline")


def draw_agreement_table(shown: AgreementRows, *, coefficient: str, level: str) -> None:
    """Draw one row a rater: value, interval, n, unscored, the distance from the ceiling, groups."""
    symbol = findings.SYMBOLS[coefficient]
    rows = [_cells(row, shown, symbol, level) for row in shown.beside]
    if shown.comparable and shown.ceiling is not None:
        missing = {name: text.MISSING for name in rows[0]}
        rows.insert(0, {**missing, **_ceiling_cells(shown.ceiling, symbol)})
    frame = pd.DataFrame(rows)
    heads = _column_labels(symbol, findings.symbol(coefficient))
    columns = {
        name: st.column_config.TextColumn(
            heads.get(name, name), alignment=None if name in TEXT_COLUMNS else "right"
        )
        for name in frame.columns
    }
    columns["Rater"] = st.column_config.TextColumn(_("Rater"))
    widgets.table(frame, key="agree_table", columns=columns, strong=[symbol], height="content")
    widgets.write_missing_reasons((row.rater, row.estimate.reason) for row in shown.beside)
    for said in left_out_of_rows((name, row.estimate) for name, row in shown.whole.items()):
        st.caption(text.plain(_(said)))
    if shown.elsewhere:
        st.caption(
            _(
                "Raters there: the raters’ own agreement on the responses that this judge or metric scored, "
                "from which {symbol} − raters is taken; the ceiling stands on all that they rated.",
                symbol=findings.symbol(coefficient),
            )
        )
    if (used := GROUPS.get(level, "")) in frame.columns:
        st.caption(
            _(
                "{column}: those with a coefficient, each counted once under each criterion. It has none "
                "where all means of the raters are equal or fewer than two responses are scored.",
                column=_(used),
            )
        )


def _cells(row: VsCeilingRow, shown: AgreementRows, symbol: str, level: str) -> dict[str, str]:
    cells = {
        "Rater": row_name(row),
        "Kind": ", ".join(_description(row, shown)),
        symbol: text.number(row.estimate.value),
        "95 % interval": text.interval(row.estimate.ci),
        "n": text.count(row.estimate.n),
        **_without_score(shown, row),
    }
    whole = shown.whole.get(row.rater)
    if shown.comparable:
        cells |= {
            **({"Raters there": text.number(row.raters.value)} if shown.elsewhere else {}),
            f"{symbol} − ceiling": text.signed(row.minus_raters(2), 2),
            "its interval": text.interval(row.difference.ci),
            "Beside the ceiling": _(findings.verdict(row)),
            **_baseline_cells(row, symbol),
            f"{symbol}, all raters": text.number(whole.estimate.value if whole else None),
            "and its interval": text.interval(whole.estimate.ci) if whole else text.MISSING,
            "n of all raters": text.count(whole.estimate.n) if whole else text.MISSING,
        }
    if level in GROUPS:
        cells[GROUPS[level]] = findings.groups_used(whole.estimate) if whole else text.MISSING
    return cells


def _without_score(shown: AgreementRows, row: VsCeilingRow) -> dict[str, str]:
    """Return how many replies held no score and, in a column of their own, how many calls failed."""
    lost = shown.unscored.get(row.rater, NONE_MISSING)
    failed = any(one.failed for one in shown.unscored.values())
    counts = {"Unscored": lost.unscored, **({"Failed": lost.failed} if failed else {})}
    judged = row.rater_kind == "judge"
    return {name: text.count(n) if judged else text.MISSING for name, n in counts.items()}


def _baseline_cells(row: VsCeilingRow, symbol: str) -> dict[str, str]:
    """Return the distance from the best trivial baseline on the same responses."""
    best = row.baseline
    return {
        "Best baseline": text.MISSING
        if best is None
        else f"{_(WORDS[best.name])} {text.number(best.estimate.value)}",
        f"{symbol} − baseline": text.signed(row.minus_baseline(2), 2),
        "interval beside the baseline": text.MISSING if best is None else text.interval(best.difference.ci),
    }


def _description(row: VsCeilingRow, shown: AgreementRows) -> list[str]:
    """Return what kind of rater it is, and where a judge's scores come from."""
    sort = shown.sorts.get(row.rater) if row.rater_kind == "judge" else None
    return [_(KINDS[row.rater_kind]), *([_(SORTS[sort])] if sort else [])]


def _column_labels(symbol: str, shown: str) -> dict[str, str]:
    """Return the heads of the columns, which have names of their own."""
    return {
        "Kind": _("Kind"),
        "95 % interval": _("95 % interval"),
        "n": _("n"),
        "Unscored": _("Unscored"),
        "Failed": _("Failed"),
        symbol: shown,
        "Raters there": _("Raters there"),
        f"{symbol} − ceiling": _("{symbol} − raters", symbol=shown),
        "Best baseline": _("Best baseline"),
        f"{symbol} − baseline": _("{symbol} − baseline", symbol=shown),
        "interval beside the baseline": _("95 % interval"),
        "its interval": _("95 % interval"),
        "Beside the ceiling": _("Beside the ceiling"),
        f"{symbol}, all raters": _("{symbol}, all raters", symbol=shown),
        "and its interval": _("95 % interval"),
        "n of all raters": _("n, all raters"),
        **{name: _(name) for name in GROUPS.values()},
    }


def _ceiling_cells(ceiling: Estimate, symbol: str) -> dict[str, str]:
    raters = ceiling.params.get("raters_used")
    return {
        "Rater": _(CEILING),
        "Kind": _(KINDS["human"]),
        symbol: text.number(ceiling.value),
        "95 % interval": text.interval(ceiling.ci),
        "n": text.count(ceiling.n),
        "Beside the ceiling": _n("ceiling, {n} rater", "ceiling, {n} raters", raters)
        if raters
        else _("ceiling"),
    }
