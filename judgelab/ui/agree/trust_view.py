"""Can I trust this judge, on the screen: the answer in sentences, each part opened to what it stands on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.data.number_table import as_csv, number_rows
from judgelab.analysis.trust.answer import Statement
from judgelab.analysis.trust.judge_trust import Trust
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import left_out_of_rows
from judgelab.runs.plan.code_version import code_version
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.agree import trust_bias_tables, trust_tables
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import downloads
from judgelab.wording import mark

NO_RULE = "all ratings"  # in a file, which speaks English like its columns
ICONS = {True: ":material/check:", False: ":material/priority_high:", None: ":material/remove:"}
PARTS = {
    "agreement": mark("Agreement beside the raters"),
    "stand_in": mark("Could it stand in for a rater"),
    "systems": mark("Which systems it would rank wrongly"),
    "ties": mark("Which of two responses it puts ahead"),
    "habits": mark("How high it scores and how much of the scale it uses"),
    "length": mark("Length of the responses"),
    "family": mark("Responses of its own family"),
    "parts": mark("Where it is off"),
    "repeats": mark("The same question asked again"),
    "confidence": mark("Whether its confidence means what it says"),
    "use": mark("How it uses the scale"),
}


def write_answer(said: Sequence[Statement]) -> None:
    """Write the first sentence as the page's answer and the others below it, each with its n."""
    first, *others = said
    widgets.answer(_sentence_with_n(first))
    for other in others:
        shown = f"{ICONS[other.good]} {_sentence_with_n(other)}"
        shown = widgets.keep_together(shown)
        st.markdown(f":orange[{shown}]" if other.good is False else shown, width=widgets.ANSWER_WIDTH)


def draw_parts(found: Trust, said: Sequence[Statement]) -> None:
    """Draw each part of the answer as a fold; those that speak against the judge stand open."""
    against = {one.about for one in said if one.good is False}
    drawn: dict[str, Callable[[Trust], pd.DataFrame]] = {
        "agreement": trust_tables.agreement_table,
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
    for name, rows in drawn.items():
        frame = rows(found)
        if frame.empty:
            continue
        with st.expander(_(PARTS[name]), expanded=name in against or name == "agreement"):
            _draw_table(frame, key=f"trust_{name}")
            of_length = found.criteria.values() if name == "length" else ()
            for lost in left_out_of_rows((one.label, one.verbosity.partial) for one in of_length):
                st.caption(text.plain(_(lost)))
            note = NOTES.get(name)
            if note is not None:
                st.caption(note(found))


def write_cost(found: Trust) -> None:
    """Write what the judge cost, for a thousand judgments where every price is known."""
    spent = found.cost
    if spent is None and found.kind == "metric":
        return
    widgets.heading(_("Cost"))
    if spent is None:
        st.caption(_("This judge did not run here, so nothing is known of its cost."))
        return
    per = spent.per_thousand
    if per is not None:
        said = _("{money} for a thousand judgments, failed calls included.", money=text.money(per))
    else:
        said = _(
            "The price of a thousand judgments is unknown: {unpriced} calls have no price, and {cached} of "
            "{replies} replies came from the cache.",
            unpriced=spent.unpriced,
            replies=spent.replies,
            cached=spent.cached,
        )
    tokens = _(
        "{units} judged; {read} tokens read, {written} written.",
        units=_n("{n} response", "{n} responses", spent.units),
        read=text.count(spent.prompt_tokens),
        written=text.count(spent.completion_tokens),
    )
    st.markdown(text.plain(f"{said} {tokens}"), width=widgets.ANSWER_WIDTH)


def write_recipe(found: Trust) -> None:
    """Write what the figures are made with."""
    st.caption(text.plain(_recipe_text(found)))


def draw_download(project: ProjectInfo, found: Trust, said: Sequence[Statement]) -> None:
    """Offer every number with its recipe as a table, all as JSON, and the answer as text."""
    answer = (
        "\n\n".join([*(_file_sentence(one) for one in said), _recipe_text(found), _command(found)]) + "\n"
    )
    shared = {
        "judge": found.judge,
        "level": found.level,
        "coefficient": found.coefficient,
        "ratings": NO_RULE if found.policy is None else found.policy.words,
        "version": code_version(),
    }
    files = [
        downloads.File(
            _("Every number (CSV)"), "csv", lambda: as_csv(number_rows(found.to_json()), **shared)
        ),
        downloads.File(_("Every number (JSON)"), "json", lambda: json.dumps(found.to_json(), indent=1)),
        downloads.File(_("The answer (text)"), "txt", lambda: answer),
    ]
    downloads.draw_downloads(project, files, name=f"trust-{found.judge}", key="trust_export")


def _file_sentence(one: Statement) -> str:
    return f"{_(one.text)} {_(one.stands_on)}".strip()


def _recipe_text(found: Trust) -> str:
    rule = _("all ratings") if found.policy is None else _(found.policy.words)
    return _(
        "{coefficient}, {level}; ratings: {rule}; 95 % intervals by resampling items, seed {seed}; "
        "alternative annotator test with ε = {epsilon}.",
        coefficient=text.coefficient(found.coefficient),
        level=text.level(found.level),
        rule=rule,
        seed=found.seed,
        epsilon=f"{found.epsilon:g}",
    )


def _command(found: Trust) -> str:
    """Return the command that measures the same again."""
    asked = f"--level {found.level} --coefficient {found.coefficient} --epsilon {found.epsilon:g}"
    families = [
        criterion.family.systems for criterion in found.criteria.values() if criterion.family is not None
    ]
    own = [f"--own-system={name}" for name in dict.fromkeys(name for named in families for name in named)]
    command = shlex.join(["judgelab", "trust", found.project, found.judge, *own])
    return f"{command} {asked}  # JudgeLab {code_version()}"


def _sentence_with_n(one: Statement) -> str:
    return f"{text.plain(_(one.text))} {_(one.stands_on)}".strip()


def _draw_table(frame: pd.DataFrame, *, key: str) -> None:
    words = {_("Criterion"), _("Rater left out"), _("Raters' order"), _("Part"), _("Cut by"), _("Systems")}
    columns: dict[str, Any] = {
        str(name): st.column_config.TextColumn(alignment=None if name in words else "right")
        for name in frame.columns
    }
    widgets.table(frame, key=key, columns=columns, height="content" if len(frame) <= 30 else "auto")


def _agreement_note(found: Trust) -> str:
    return _(
        "Judge: agreement with the mean of all raters but one. Raters: the one left out with the same mean, "
        "on the same n responses, which two or more rated and the judge scored. Baseline: reads nothing, is "
        "measured likewise; the best one in each resample. “As well” means: not measurably less, surely not "
        "more than 0.1 less, and measurably better than the best baseline. Differences are those of the "
        "numbers shown."
    )


def _stand_in_note(found: Trust) -> str:
    return _(
        "Each rater is left out in turn; judge and rater are compared by how close they come to the others. "
        "A rater is beaten when their lead is surely below ε; the test is passed when half of them are (ω). "
        "p: one-sided t test (Wilcoxon’s below 30 responses), corrected over the raters under a criterion "
        "(Benjamini–Yekutieli), as its authors do."
    )


def _habits_note(found: Trust) -> str:
    lead = _(
        "Mean and standard deviation (sd) on the responses that both scored; a rater’s sd is taken around "
        "that rater’s own mean."
    )
    return " ".join([lead, _p_note(found, "leniency"), _p_note(found, "spread")])


def _length_note(found: Trust) -> str:
    return _p_note(found, "length")


def _parts_note(found: Trust) -> str:
    return _p_note(found, "parts")


def _p_note(found: Trust, about: str) -> str:
    """Return how the p-values of a table were made, and over which tests they are corrected."""
    family = found.families.get(about)
    return "" if family is None else _("p: {made}.", made=_(family.said))


def _systems_note(found: Trust) -> str:
    said = [
        _(
            "Every two systems are compared on the items that both answered. The raters are sure of an order "
            "where p, two-sided, is below 0.05."
        ),
        _p_note(found, "systems"),
    ]
    lost = sum(
        criterion.systems.lost for criterion in found.criteria.values() if criterion.systems is not None
    )
    if lost:
        said.append(
            _n(
                "{n} pair is left out: the two systems share fewer than two items.",
                "{n} pairs are left out: their systems share fewer than two items.",
                lost,
            )
        )
    return " ".join(said)


def _ties_note(found: Trust) -> str:
    return _(
        "Every two answers to one question: right where the judge puts the one ahead that the raters put "
        "ahead, or ties what they tie (accuracy with ties). Scores that lie no further apart than the "
        "distance count as tied; it is the best one for these data, so the figure on items held out is the "
        "one to compare judges by."
    )


def _confidence_note(found: Trust) -> str:
    return _(
        "Calibration error: how far confidence and the share of verdicts equal to the raters’ point lie "
        "apart. Even perfectly calibrated judges have some; beside it stands how much, and what 95 % of them "
        "stay below."
    )


NOTES: dict[str, Callable[[Trust], str]] = {
    "agreement": _agreement_note,
    "stand_in": _stand_in_note,
    "systems": _systems_note,
    "habits": _habits_note,
    "length": _length_note,
    "family": lambda found: _p_note(found, "family"),
    "parts": _parts_note,
    "ties": _ties_note,
    "confidence": _confidence_note,
}
