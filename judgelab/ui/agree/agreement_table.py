"""Draw the main table of *Agree*: one row per judge or metric, with the ceiling and the best baseline."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from judgelab.domain import BASELINE
from judgelab.languages import _, _n
from judgelab.metaeval.agreement.baselines import OWN_INTERVAL, WORDS
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.left_out import (
    left_out_of_rows,
    left_out_of_systems,
    of_rows,
    outside_its_interval,
)
from judgelab.metaeval.core.result import Estimate
from judgelab.store.judging.unscored_counts import NONE_MISSING
from judgelab.ui.agree.label_sets_view import draw_label_sets
from judgelab.ui.agree.view import CEILING, ORIGINS, AgreementRows, row_name
from judgelab.ui.kit import missing_values, text, viewport, widgets
from judgelab.ui.shared import findings
from judgelab.wording import mark

GROUPS = {"item": mark("Items used"), "sys": mark("Systems used"), "group": mark("Groups used")}
# By whether a group in which only the judge is constant counts as 0.
GROUPS_USED = {
    False: mark(
        "{column}: those with a coefficient, each counted once under each criterion. There is no coefficient "
        "where the raters' means are all equal, the scores of the judge or metric are all equal, or fewer "
        "than two responses have scores."
    ),
    True: mark(
        "{column}: those with a coefficient or counted as 0, each once under each criterion. There is no "
        "coefficient where the raters' means are all equal or fewer than two responses have scores."
    ),
}
KINDS = {
    "human": mark("rater"),
    "judge": mark("judge"),
    "metric": mark("metric"),
    BASELINE: mark("baseline"),
}
TEXT_COLUMNS = ("Rater", "Kind", "Beside the ceiling", "Best baseline")


def draw_agreement_table(
    agreement: AgreementRows, *, coefficient: str, level: str, constant_groups: str
) -> pd.DataFrame:
    """Draw one row per rater: value, interval, n, unscored, difference from the ceiling, groups.

    Returns the table with its columns' labels, in the same order at every width.
    """
    symbol = findings.SYMBOLS[coefficient]
    rows = [_row_cells(row, agreement, symbol, level) for row in agreement.rows]
    if agreement.comparable and agreement.ceiling is not None:
        missing = {name: text.MISSING for name in rows[0]}
        rows.insert(0, {**missing, **_ceiling_cells(agreement.ceiling, symbol)})
    frame = pd.DataFrame(rows)
    labels = _column_labels(symbol, findings.symbol_heading(coefficient))
    labels["n"] = findings.n_label(level, [row.estimate for row in agreement.rows])
    columns = {
        name: st.column_config.TextColumn(
            labels.get(name, name), alignment=None if name in TEXT_COLUMNS else "right"
        )
        for name in frame.columns
    }
    columns["Rater"] = st.column_config.TextColumn(_("Judge or metric"))
    shown_frame = kind_last_on_a_phone(frame)
    widgets.table(shown_frame, key="agree_table", columns=columns, strong=[symbol], height="content")
    missing_values.write_missing_reasons((row.rater, row.estimate.reason) for row in agreement.rows)
    _write_left_out_raters(agreement)
    if agreement.comparable:
        st.caption(_difference_note(agreement, coefficient))
    elif any(row.rater_kind == BASELINE and row.estimate.ci is not None for row in agreement.rows):
        st.caption(_(OWN_INTERVAL))
    shown = [each for row in agreement.rows for each in (row.estimate, row.raters, row.difference)]
    if any(map(outside_its_interval, shown)):
        st.caption(
            _(
                "A value or difference may lie outside its interval: resampled items make the means of "
                "systems less exact, which lowers their agreement."
            )
        )
    vs_all_raters = ((name, row.estimate) for name, row in agreement.vs_all_raters.items())
    if lines := _joined_notes(left_out_of_rows(vs_all_raters, level=level)):
        st.caption(
            _("In the comparison with all raters: {note}", note=lines) if agreement.comparable else lines
        )
    if lines := _joined_notes(_notes_on_systems(agreement)):
        st.caption(
            _(
                "With one rater left out (largest counts, responses with two or more ratings): {note}",
                note=lines,
            )
        )
    if agreement.raters_differ_from_ceiling:
        st.caption(
            _(
                "“Raters, same responses” is how well the raters agree on the responses that this judge or "
                "metric scored, in the same comparisons. {symbol} − raters is measured against it. The row "
                "“{row}” uses all responses with two or more ratings.",
                symbol=findings.symbol_heading(coefficient),
                row=_(CEILING),
            )
        )
    if agreement.sets is not None:
        draw_label_sets(agreement.sets)
    if (group_column := GROUPS.get(level, "")) in frame.columns:
        st.caption(_(GROUPS_USED[constant_groups == "zero"], column=_(group_column)))
    return frame.rename(columns={**labels, "Rater": _("Judge or metric")})


def kind_last_on_a_phone(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the column `Kind` at its end on a phone: figures are seen beside the names."""
    if "Kind" not in frame.columns or not viewport.is_narrow():
        return frame
    return frame[[*frame.columns.drop("Kind"), "Kind"]]


def _joined_notes(sentences: Sequence[str]) -> str:
    """Return what is left out of the rows, each sentence naming its rows, in the reader's language."""
    return " ".join(text.plain(_(sentence)) for sentence in sentences)


def _compares_with_baselines(agreement: AgreementRows) -> bool:
    return agreement.comparable and any(row.baseline is not None for row in agreement.rows)


def _difference_note(agreement: AgreementRows, coefficient: str) -> str:
    """Return how the differences are rounded, and why a baseline may have two values and intervals."""
    symbol = findings.symbol_heading(coefficient)
    rounding = _("Differences are between the rounded numbers shown; JSON downloads have unrounded ones.")
    if not _compares_with_baselines(agreement):
        return rounding
    baseline = _(
        "“Best baseline” and “{symbol} − baseline” use the responses scored by the row's judge or metric; "
        "the best baseline is chosen anew in each resample, as on the page “Trust”. A baseline's own row "
        "uses all responses with two or more ratings and gives the interval of that baseline alone.",
        symbol=symbol,
    )
    return f"{rounding} {baseline}"


def _notes_on_systems(agreement: AgreementRows) -> list[str]:
    """Return what the systems' means of each row leave out where raters are left out in turn."""
    if not agreement.comparable or agreement.ceiling is None:
        return []
    estimates = [(_(CEILING), agreement.ceiling), *((row_name(row), row.estimate) for row in agreement.rows)]
    return of_rows(((name, left_out_of_systems(estimate)) for name, estimate in estimates), quoted=True)


def _write_left_out_raters(agreement: AgreementRows) -> None:
    """Write which rows leave out fewer raters in turn, because there is no value without the others."""
    for row in agreement.rows:
        used, undefined = (row.estimate.params.get(f"raters_{part}", 0) for part in ("used", "undefined"))
        if used and undefined:
            line = _n(
                "{rater}: its figures average {used} of the {all} leave-one-out comparisons; {n} has no "
                "value.",
                "{rater}: its figures average {used} of the {all} leave-one-out comparisons; {n} have no "
                "value.",
                undefined,
                rater=row_name(row),
                used=used,
                all=used + undefined,
            )
            st.caption(text.plain(line))


def _row_cells(row: VsCeilingRow, agreement: AgreementRows, symbol: str, level: str) -> dict[str, str]:
    cells = {
        "Rater": row_name(row),
        "Kind": ", ".join(_kind_words(row, agreement)),
        symbol: text.number(row.estimate.value),
        "95 % interval": text.interval(row.estimate.ci),
        "n": text.count(row.estimate.n),
        **_missing_cells(agreement, row),
    }
    vs_all_raters = agreement.vs_all_raters.get(row.rater)
    if agreement.comparable:
        cells |= {
            **(
                {"Raters there": text.number(row.raters.value)}
                if agreement.raters_differ_from_ceiling
                else {}
            ),
            f"{symbol} − ceiling": text.signed(row.minus_raters(2), 2),
            "its interval": text.interval(row.difference.ci),
            "Beside the ceiling": text.MISSING if row.rater_kind == BASELINE else _(findings.verdict(row)),
            **_baseline_cells(row, symbol),
            f"{symbol}, all raters": text.number(vs_all_raters.estimate.value if vs_all_raters else None),
            "and its interval": text.interval(vs_all_raters.estimate.ci) if vs_all_raters else text.MISSING,
            "n of all raters": _responses(vs_all_raters.estimate) if vs_all_raters else text.MISSING,
        }
    if level in GROUPS:
        cells[GROUPS[level]] = findings.groups_used(vs_all_raters.estimate) if vs_all_raters else text.MISSING
    return cells


def _responses(estimate: Estimate) -> str:
    """Return the number of responses, and of systems if the coefficient is over systems' means."""
    by_system = estimate.params.get("n_by_system")
    if not by_system or estimate.value is None:
        return text.count(estimate.n)
    return _n(
        "{responses} of {n} system", "{responses} of {n} systems", estimate.n,
        responses=text.count(sum(by_system.values())),
    )  # fmt: skip


def _missing_cells(agreement: AgreementRows, row: VsCeilingRow) -> dict[str, str]:
    """Return how many replies had no score; how many said "cannot judge" or failed, if any judge's did."""
    missing = agreement.unscored.get(row.rater, NONE_MISSING)
    failed = any(scores.failed for scores in agreement.unscored.values())
    passed = any(scores.cannot_judge for scores in agreement.unscored.values())
    counts = {
        "Unscored": missing.unscored,
        **({"Cannot judge": missing.cannot_judge} if passed else {}),
        **({"Failed": missing.failed} if failed else {}),
    }
    is_judge = row.rater_kind == "judge"
    return {name: text.count(n) if is_judge else text.MISSING for name, n in counts.items()}


def _baseline_cells(row: VsCeilingRow, symbol: str) -> dict[str, str]:
    """Return the best baseline and the difference from it on the same responses."""
    best = row.baseline
    return {
        "Best baseline": text.MISSING
        if best is None
        else f"{_(WORDS[best.name])} {text.number(best.estimate.value)}",
        f"{symbol} − baseline": text.signed(row.minus_baseline(2), 2),
        "interval beside the baseline": text.MISSING if best is None else text.interval(best.difference.ci),
    }


def _kind_words(row: VsCeilingRow, agreement: AgreementRows) -> list[str]:
    """Return the kind of rater, and for a judge where its scores come from."""
    origin = agreement.origins.get(row.rater) if row.rater_kind == "judge" else None
    return [_(KINDS[row.rater_kind]), *([_(ORIGINS[origin])] if origin else [])]


def _column_labels(symbol: str, symbol_label: str) -> dict[str, str]:
    """Return the shown label of each column."""
    return {
        "Kind": _("Kind"),
        "95 % interval": _("95 % interval"),
        "Unscored": _("Unscored"),
        "Cannot judge": _("Cannot judge"),
        "Failed": _("Failed"),
        symbol: symbol_label,
        "Raters there": _("Raters, same responses"),
        f"{symbol} − ceiling": _("{symbol} − raters", symbol=symbol_label),
        "Best baseline": _("Best baseline"),
        f"{symbol} − baseline": _("{symbol} − baseline", symbol=symbol_label),
        "interval beside the baseline": _("95 % interval"),
        "its interval": _("95 % interval"),
        "Beside the ceiling": _("Compared with the raters"),
        f"{symbol}, all raters": _("{symbol}, all raters", symbol=symbol_label),
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
        "Beside the ceiling": _n("{n} rater", "{n} raters", raters) if raters else text.MISSING,
    }
