"""Draw *Trust*: the answer in sentences, each part with its table, the cost, the recipe and downloads."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from judgelab.analysis.trust.answer import Statement
from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.repeats import without_repeats
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import decided, trust_bias_tables, trust_pair_tables, trust_tables
from judgelab.ui.agree.export import number_files
from judgelab.ui.agree.trust_notes import NOTES, PARTS
from judgelab.ui.agree.trust_overview import sentence_with_n, with_count, write_statement
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import downloads, filter_note

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NO_RULE = "all ratings"  # not translated: files are in English


def write_trust_answer(statements: Sequence[Statement]) -> list[Statement]:
    """Write the agreement of all criteria as the page's answer, and what concerns none of them below it.

    Return what was written.
    """
    leading, *others = statements
    widgets.answer(sentence_with_n(leading))
    written = [each for each in others if each.about == "agreement" or not each.criteria]
    for statement in without_repeats([leading, *written])[1:]:
        write_statement(statement)
    return [leading, *written]


def draw_trust_parts(trust: JudgeTrust, statements: Sequence[Statement]) -> None:
    """Draw each part of the answer in an expander, open where it speaks against the judge."""
    against = {statement.about for statement in statements if statement.good is False}
    against |= {"longer"} if trust.of_pairs and "length" in against else set()
    tables: dict[str, Callable[[JudgeTrust], pd.DataFrame]] = {
        "agreement": trust_tables.vs_raters_table,
        "stand_in": trust_tables.alt_test_table,
        "systems": trust_tables.system_pair_table,
        "ties": trust_pair_tables.ties_table,
        "order": trust_pair_tables.order_table,
        "longer": trust_pair_tables.longer_table,
        "habits": trust_bias_tables.scale_use_table,
        "length": trust_bias_tables.length_table,
        "family": trust_bias_tables.family_table,
        "parts": trust_tables.part_table,
        "repeats": trust_tables.repeat_table,
        "confidence": trust_tables.calibration_table,
        "use": trust_bias_tables.scale_points_table,
    }
    if all(criterion.no_order for criterion in trust.criteria.values()):
        del tables["habits"], tables["length"]  # of means and slopes, which labels do not have
    if trust.of_pairs:
        del tables["use"]  # which of two responses is the first one says nothing
    for name, make_table in tables.items():
        frame = make_table(trust)
        if frame.empty:
            continue
        with st.expander(_(PARTS[name]), expanded=name in against or name == "agreement"):
            _draw_table(frame, key=f"trust_{name}")
            if name == "confidence" and not (bins := trust_tables.calibration_bins_table(trust)).empty:
                _draw_table(bins, key="trust_bins")
            criteria = trust.criteria.values() if name == "length" else ()
            for notice in left_out_of_rows(
                (criterion.label, criterion.verbosity.partial) for criterion in criteria
            ):
                st.caption(text.plain(_(notice)))
            note = NOTES.get(name)
            if note is not None:
                st.caption(note(trust))


def write_trust_cost(trust: JudgeTrust) -> None:
    """Write what the judge cost: per thousand judgments if every price is known."""
    cost = trust.cost
    if cost is None and trust.kind == "metric":
        return
    widgets.heading(_("Cost"))
    if cost is None:
        st.caption(_("This judge was not run here, so its cost is unknown."))
        return
    per_thousand = cost.per_thousand
    if per_thousand is not None:
        price = _("{money} per 1,000 judgments, including failed calls.", money=text.money(per_thousand))
    else:
        price = _(
            "The price per 1,000 judgments is unknown: {unpriced}, and {cached} of {replies} replies came "
            "from the cache.",
            unpriced=_n("{n} call has no price", "{n} calls have no price", cost.unpriced),
            replies=cost.replies,
            cached=cost.cached,
        )
    tokens = _(
        "{units}, {read} input tokens and {written} output tokens.",
        units=_n("{n} judgment", "{n} judgments", cost.units),
        read=text.count(cost.prompt_tokens),
        written=text.count(cost.completion_tokens),
    )
    st.markdown(text.plain(f"{price} {tokens}"), width=widgets.ANSWER_WIDTH)


def write_trust_recipe(project: ProjectInfo, version: str, trust: JudgeTrust) -> None:
    """Write how many decisions are used, then the recipe: coefficient, level, ratings, seed and ε."""
    decided.write_note(project, version, trust.n_decided, comparisons=trust.of_pairs)
    st.caption(text.plain(_recipe_text(trust)))


def draw_trust_download(
    project: ProjectInfo, trust: JudgeTrust, statements: Sequence[Statement], place: DeltaGenerator
) -> None:
    """Offer, below the button at `place`, every number with the recipe as CSV and JSON, and the answer."""
    decisions = decided.in_recipe(trust.n_decided, comparisons=trust.of_pairs)
    lines = [*map(_file_sentence, statements), decisions, _recipe_text(trust), _command(trust)]
    answer = "\n\n".join(filter(None, lines)) + "\n"
    shared = {
        "judge": trust.judge,
        "level": trust.level,
        "coefficient": trust.coefficient,
        "ratings": NO_RULE if trust.policy is None else trust.policy.description,
        "decided": "" if trust.n_decided is None else trust.n_decided,
        "version": code_version(),
    }
    files = number_files(trust.to_json, shared, answer=answer)
    downloads.draw_downloads(project, files, name=f"trust-{trust.judge}", key="trust_export", place=place)


def _file_sentence(statement: Statement) -> str:
    return with_count(_(statement.text), _(statement.count_text))


def _recipe_text(trust: JudgeTrust) -> str:
    counted = filter_note.counted_ratings(trust.policy, comparisons=trust.of_pairs)
    if trust.of_pairs:
        return _(
            "{coefficient} of choices; a tie counts as a third choice. A judge's choices in both orders "
            "count once. {counted} 95 % intervals by resampling items, seed {seed}, unless a note "
            "names another method. Alternative annotator test with ε = {epsilon}.",
            coefficient=text.coefficient(trust.coefficient),
            counted=counted,
            seed=trust.seed,
            epsilon=f"{trust.epsilon:g}",
        )
    return _(
        "{coefficient}, {level}. {counted} 95 % intervals by resampling items, seed {seed}, unless a "
        "note names another method. Alternative annotator test with ε = {epsilon}.",
        coefficient=text.coefficient(trust.coefficient),
        level=text.level(trust.level),
        counted=counted,
        seed=trust.seed,
        epsilon=f"{trust.epsilon:g}",
    )


def _command(trust: JudgeTrust) -> str:
    """Return the command line that computes the same figures."""
    what = "--comparisons" if trust.of_pairs else f"--level {trust.level}"
    options = f"{what} --coefficient {trust.coefficient} --epsilon {trust.epsilon:g}"
    if trust.n_decided is not None:
        options += " --decisions"
    families = [
        criterion.family.systems for criterion in trust.criteria.values() if criterion.family is not None
    ]
    own_systems = [
        f"--own-system={name}" for name in dict.fromkeys(name for systems in families for name in systems)
    ]
    command = shlex.join(["judgelab", "trust", trust.project, trust.judge, *own_systems])
    return f"{command} {options}  # JudgeLab {code_version()}"


def _draw_table(frame: pd.DataFrame, *, key: str) -> None:
    text_columns = {
        _("Criterion"),
        _("Rater left out"),
        _("Raters' order"),
        _("Subset"),
        _("Split by"),
        _("Systems"),
    }
    columns: dict[str, Any] = {
        str(name): st.column_config.TextColumn(alignment=None if name in text_columns else "right")
        for name in frame.columns
    }
    widgets.table(frame, key=key, columns=columns, height="content" if len(frame) <= 30 else "auto")
