"""Draw *Trust*: the answer in sentences, each part with its table, the cost, the recipe and downloads."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.trust.answer import Statement
from judgelab.analysis.trust.judge_trust import JudgeTrust
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.agree import raters_target, trust_bias_tables, trust_tables
from judgelab.ui.agree.export import number_files
from judgelab.ui.agree.trust_overview import sentence_with_n, with_count, write_statement
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import downloads
from judgelab.wording import mark

NO_RULE = "all ratings"  # not translated: files are in English
PARTS = {
    "agreement": mark("Agreement with the raters"),
    "stand_in": mark("Can it replace a rater?"),
    "systems": mark("Which systems does it rank wrongly?"),
    "ties": mark("Which of two responses does it prefer?"),
    "habits": mark("Level and spread of its scores"),
    "length": mark("Length of the responses"),
    "family": mark("Responses of its own model family"),
    "parts": mark("Where it differs from the raters"),
    "repeats": mark("Repeated questions"),
    "confidence": mark("Is its confidence calibrated?"),
    "use": mark("How it uses the scale"),
}


def write_trust_answer(statements: Sequence[Statement]) -> None:
    """Write the agreement of all criteria as the page's answer, and what concerns none of them below it."""
    leading, *others = statements
    widgets.answer(sentence_with_n(leading))
    for statement in others:
        if statement.about == "agreement" or not statement.criteria:
            write_statement(statement)


def draw_trust_parts(trust: JudgeTrust, statements: Sequence[Statement]) -> None:
    """Draw each part of the answer in an expander, open where it speaks against the judge."""
    against = {statement.about for statement in statements if statement.good is False}
    tables: dict[str, Callable[[JudgeTrust], pd.DataFrame]] = {
        "agreement": trust_tables.vs_raters_table,
        "stand_in": trust_tables.alt_test_table,
        "systems": trust_tables.system_pair_table,
        "ties": trust_tables.ties_table,
        "habits": trust_bias_tables.scale_use_table,
        "length": trust_bias_tables.length_table,
        "family": trust_bias_tables.family_table,
        "parts": trust_tables.part_table,
        "repeats": trust_tables.repeat_table,
        "confidence": trust_tables.calibration_table,
        "use": trust_tables.scale_points_table,
    }
    if all(criterion.no_order for criterion in trust.criteria.values()):
        del tables["habits"], tables["length"]  # of means and slopes, which labels do not have
    for name, make_table in tables.items():
        frame = make_table(trust)
        if frame.empty:
            continue
        with st.expander(_(PARTS[name]), expanded=name in against or name == "agreement"):
            _draw_table(frame, key=f"trust_{name}")
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
        "{units} judged; {read} input tokens, {written} output tokens.",
        units=_n("{n} response", "{n} responses", cost.units),
        read=text.count(cost.prompt_tokens),
        written=text.count(cost.completion_tokens),
    )
    st.markdown(text.plain(f"{price} {tokens}"), width=widgets.ANSWER_WIDTH)


def write_trust_recipe(trust: JudgeTrust) -> None:
    """Write the recipe: coefficient, level, ratings, seed and ε."""
    st.caption(text.plain(_recipe_text(trust)))


def draw_trust_download(project: ProjectInfo, trust: JudgeTrust, statements: Sequence[Statement]) -> None:
    """Offer every number with the recipe as CSV and JSON, and the answer as text."""
    lines = [*map(_file_sentence, statements), _recipe_text(trust), _command(trust)]
    answer = "\n\n".join(lines) + "\n"
    shared = {
        "judge": trust.judge,
        "level": trust.level,
        "coefficient": trust.coefficient,
        "ratings": NO_RULE if trust.policy is None else trust.policy.description,
        "version": code_version(),
    }
    files = number_files(trust.to_json, shared, answer=answer)
    downloads.draw_downloads(project, files, name=f"trust-{trust.judge}", key="trust_export")


def _file_sentence(statement: Statement) -> str:
    return with_count(_(statement.text), _(statement.count_text))


def _recipe_text(trust: JudgeTrust) -> str:
    ratings = _("all ratings") if trust.policy is None else _(trust.policy.description)
    return _(
        "{coefficient}, {level}; ratings: {rule}; 95 % intervals by resampling items, seed {seed}; "
        "alternative annotator test with ε = {epsilon}.",
        coefficient=text.coefficient(trust.coefficient),
        level=text.level(trust.level),
        rule=ratings,
        seed=trust.seed,
        epsilon=f"{trust.epsilon:g}",
    )


def _command(trust: JudgeTrust) -> str:
    """Return the command line that computes the same figures."""
    options = f"--level {trust.level} --coefficient {trust.coefficient} --epsilon {trust.epsilon:g}"
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
        _("Group"),
        _("Split by"),
        _("Systems"),
    }
    columns: dict[str, Any] = {
        str(name): st.column_config.TextColumn(alignment=None if name in text_columns else "right")
        for name in frame.columns
    }
    widgets.table(frame, key=key, columns=columns, height="content" if len(frame) <= 30 else "auto")


def _agreement_note(trust: JudgeTrust) -> str:
    without_order = {criterion.no_order for criterion in trust.criteria.values()}
    if without_order == {True}:
        return _(
            "Judge: agreement with the label of most raters but one, ties left out. Raters: agreement of the "
            "rater left out with the same label, on the same n responses, which have ratings by two or more "
            "raters and a score by the judge. Baseline: a score made without reading, measured in the same "
            "way; the best one in each resample. “As well as a rater” means: not significantly less, "
            "significantly within 0.1, and significantly better than the best baseline. Differences are of "
            "the numbers shown."
        )
    note = _(
        "Judge: agreement with the mean of all raters but one. Raters: agreement of the rater left out "
        "with the same mean, on the same n responses, which have ratings by two or more raters and a "
        "score by the judge. Baseline: a score made without judging the content (word count counts words), "
        "measured in the same way; the best one in each resample. “As well as a rater” means: not "
        "significantly less, significantly no more than 0.1 below, and significantly better than the best "
        "baseline. “Better than a rater”: the interval of Judge − raters is above 0. Differences are "
        "between the numbers shown."
    )
    return f"{note} {raters_target.majority_note()}" if True in without_order else note


def _stand_in_note(trust: JudgeTrust) -> str:
    return _(
        "Each rater is left out in turn; judge and rater are compared by how close they come to the other "
        "raters. The judge beats a rater if the rater's advantage is significantly below ε, and passes "
        "the test if it beats at least half of them (ω). p: one-sided t test (Wilcoxon’s below 30 "
        "responses), corrected over the raters of each criterion (Benjamini–Yekutieli), as in the original "
        "test."
    )


SHOWN_DIFFERENCES = mark("Differences are between the numbers shown.")


def _habits_note(trust: JudgeTrust) -> str:
    lead = _(
        "Mean and standard deviation (sd) on the n responses that judge and raters both scored. The raters’ "
        "mean is that of the responses, each with the mean of its ratings. A rater’s sd is taken around that "
        "rater’s own mean."
    )
    notes = [_p_note(trust, "leniency"), _p_note(trust, "spread", of_sd=True)]
    return " ".join([lead, _(SHOWN_DIFFERENCES), *notes])


def _use_note(trust: JudgeTrust) -> str:
    return _(
        "On the responses that judge and raters both scored: the judge's scores, one per response, and every "
        "single rating (n). “{level}” has the mean of each response's ratings, and the sd around each "
        "rater's own mean; here the sd is that of all ratings together. So its numbers differ from these.",
        level=_(PARTS["habits"]),
    )


def _parts_note(trust: JudgeTrust) -> str:
    return text.plain(" ".join([_p_note(trust, "parts"), *trust_tables.parts_without_interval(trust)]))


def _p_note(trust: JudgeTrust, about: str, *, of_sd: bool = False) -> str:
    """Return how a table's p-values were computed and over which tests they are corrected."""
    family = trust.families.get(about)
    if family is None:
        return ""
    made = _(family.description)
    return _("p, sd: {made}.", made=made) if of_sd else _("p: {made}.", made=made)


def _systems_note(trust: JudgeTrust) -> str:
    sentences = [
        _(
            "All pairs of systems are compared on the items that both answered. The raters' order is "
            "significant if p, two-sided, is below 0.05."
        ),
        _p_note(trust, "systems"),
    ]
    left_out = sum(
        criterion.systems.lost for criterion in trust.criteria.values() if criterion.systems is not None
    )
    if left_out:
        sentences.append(
            _n(
                "{n} pair of systems is excluded because they share fewer than two items.",
                "{n} pairs of systems are excluded because they share fewer than two items.",
                left_out,
            )
        )
    return " ".join(sentences)


def _ties_note(trust: JudgeTrust) -> str:
    return _(
        "All pairs of answers to one question. A pair is right if the judge prefers the answer that the "
        "raters prefer, or ties what they tie (accuracy with ties). Scores no further apart than the "
        "threshold count as tied. The best tie threshold is the best one for these data, so compare judges "
        "by the figure on held-out items."
    )


def _confidence_note(trust: JudgeTrust) -> str:
    return _(
        "Calibration error: the gap between stated confidence and the share of verdicts that match the "
        "raters' point. Even a perfectly calibrated judge has some; the table gives its expected value "
        "and 95 % limit."
    )


NOTES: dict[str, Callable[[JudgeTrust], str]] = {
    "agreement": _agreement_note,
    "stand_in": _stand_in_note,
    "systems": _systems_note,
    "habits": _habits_note,
    "length": lambda trust: " ".join([_(SHOWN_DIFFERENCES), _p_note(trust, "length")]),
    "use": _use_note,
    "family": lambda trust: " ".join([_(SHOWN_DIFFERENCES), _p_note(trust, "family")]),
    "parts": _parts_note,
    "ties": _ties_note,
    "confidence": _confidence_note,
}
