"""*Conflicts* for comparisons: one pair at a time on which raters chose differently, decided with one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement import pair_conflicts
from judgelab.analysis.disagreement.choice_differences import PairDetail, pair_detail
from judgelab.analysis.disagreement.pair_conflicts import PairConflict, PairVoice
from judgelab.languages import _, _n
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_review, conflict_words, pair_decision_form, pair_texts
from judgelab.ui.explain.review_queue import ReviewQueue
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, response_view

TIES_KEY = "adjudicate_pair_ties"
LETTERS = ("A", "B")
QUEUE: ReviewQueue[PairConflict] = ReviewQueue(
    "adjudicate_pair",
    chosen_key="adjudicate_pair_current",
    open_only_key=conflict_review.OPEN_ONLY_KEY,
    parameter="pair",
    word=lambda conflict: compared.pair_word(*conflict.pair),
)


@dataclass(frozen=True)
class Shown:
    """A conflict on the screen: its responses by letter, in the order in which they are shown."""

    conflict: PairConflict
    detail: PairDetail
    responses: tuple[ResponseDetail, ResponseDetail]

    @property
    def letters(self) -> dict[int | None, str]:
        """Return what each choice is called."""
        by_response = zip(self.responses, LETTERS, strict=True)
        return {None: _("tie"), **{response.response: letter for response, letter in by_response}}


def draw_pair_conflicts(project: ProjectInfo, version: str, person: PersonInfo) -> None:
    """Draw the whole page for a project's comparisons."""
    heading = st.container(gap="xsmall")
    QUEUE.follows_link()
    criterion, ties = _choose(project, version)
    request = (project.id, criterion, ties)
    conflicts = loaders.pair_conflicts(project.slug, version, criterion=criterion, ties=ties)
    QUEUE.forget_last_visit(conflicts)
    QUEUE.open_linked(conflicts)
    last_shown = _still_there(project, version, QUEUE.last_shown(request))
    to_review = QUEUE.to_review(conflicts, last_shown)
    conflict = QUEUE.to_show(to_review, last_shown)
    QUEUE.write_link(conflict)
    with heading:
        with widgets.header_row():
            sentence = conflict_words.pair_conflicts_sentence(project, conflicts, ties=ties)
            widgets.header(_("Conflicts"), sentence, guide=help_link.CONFLICTS)
            if conflict is not None:
                QUEUE.draw_navigation(to_review, conflict)
        widgets.demo_notice(project)
        _write_filter_note(conflicts)
    if conflict is None:
        st.write(_nothing(conflicts, ties))
    else:
        QUEUE.keep(request, conflicts, to_review, conflict)
        _draw_conflict(project, person, conflicts, conflict)
    compared.write_form_link()


def _choose(project: ProjectInfo, version: str) -> tuple[str, bool]:
    """Draw the controls; return the criterion and whether a winner against a tie is a conflict too."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        criterion = compared.choose_criterion(project, version)
        ties = st.toggle(
            _("Also list pairs where one rater chose a winner and another a tie"),
            help=_("Pairs for which one rater chose a winner and another a tie."),
            key=TIES_KEY,
            persist_state="session",
        )
        conflict_review.draw_toggles()
    return criterion, ties


def _still_there(project: ProjectInfo, version: str, conflict: PairConflict | None) -> PairConflict | None:
    """Return a conflict with its decision of now; None if one of its responses was removed."""
    if conflict is None or not {*conflict.pair} <= set(loaders.responses(project.slug, version)["response"]):
        return None
    decided = loaders.pair_decisions(project.slug, version)
    return pair_conflicts.with_decisions([conflict], decided)[0]


def _write_filter_note(conflicts: Sequence[PairConflict]) -> None:
    """Write how many of the pairs the filter in use removes."""
    removed = sum(conflict.removed for conflict in conflicts)
    if removed:
        st.caption(
            _n(
                "The quality filter in use removes {removed} of this {n} pair.",
                "The quality filter in use removes {removed} of these {n} pairs.",
                len(conflicts),
                removed=removed,
            )
        )


def _nothing(conflicts: Sequence[PairConflict], ties: bool) -> str:
    if conflicts:
        return _("All conflicts are decided.")
    if ties:
        return _("No two raters chose differently, so there is nothing to decide.")
    return _("No two raters chose opposite winners, so there is nothing to decide.")


def _draw_conflict(
    project: ProjectInfo, person: PersonInfo, conflicts: Sequence[PairConflict], conflict: PairConflict
) -> None:
    detail = pair_detail(
        *(gate.store(), project.slug),
        criterion=conflict.criterion,
        first=conflict.first,
        second=conflict.second,
    )
    by_id = {response.response: response for response in (detail.first, detail.second)}
    left, right = pair_conflicts.sides(conflict)
    shown = Shown(conflict, detail, (by_id[left], by_id[right]))
    hidden = conflict_review.names_hidden()
    texts, people = st.columns([7, 4], gap="large")
    with texts:
        response_view.draw_title(detail.first, blind=True)
        _draw_texts(shown, hidden=hidden)
        response_view.draw_material(detail.first)
    with people:
        widgets.heading(_("Choices"), text.plain(project.criterion(conflict.criterion).label))
        QUEUE.write_ended_note(
            conflicts, conflict, _("No longer a conflict: the raters' choices have changed.")
        )
        _write_voices(shown, pair_conflicts.pair_voices(detail.choices, conflict, hidden=hidden))
        widgets.heading(_("Your decision"), _decision_summary(shown))
        form = pair_decision_form.PairDecisionForm(
            project,
            person,
            conflict,
            (left, right),
            names_hidden=hidden,
            prefix="adjudicate_pair",
            on_decision=QUEUE.go_to_next,
        )
        pair_decision_form.draw_pair_decision_form(form)


def _draw_texts(shown: Shown, *, hidden: bool) -> None:
    marked = pair_texts.ask_for_marks(*(response.text for response in shown.responses))
    parts = zip(st.columns(2, gap="medium"), LETTERS, shown.responses, marked, strict=True)
    for place, letter, response, html in parts:
        with place:
            widgets.heading(
                _("Response {letter}", letter=letter), "" if hidden else text.plain(response.system)
            )
            pair_texts.draw_text(response.text, html, response=response.response)


def _write_voices(shown: Shown, voices: Sequence[PairVoice]) -> None:
    """Write each rater's choice and comment."""
    names = [voice.name for voice in voices]
    if conflict_review.names_hidden():
        names = [_(name).replace(" ", text.NO_BREAK) for name in names]
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(name) for name in names],
            "Choice": [f"**{shown.letters[voice.chosen]}**" for voice in voices],
            "Comment": [conflict_review.comment_text(voice.comment, counts=voice.counts) for voice in voices],
        }
    )
    st.table(frame, border="horizontal", hide_index=True, hide_header=True)


def _decision_summary(shown: Shown) -> str:
    decision = shown.conflict.decision
    if decision is None:
        return _("undecided")
    outcome = _("cannot be decided")
    if decision.choice == "tie":
        outcome = _("tie")
    elif decision.chosen is not None:
        outcome = _("{letter} is better", letter=shown.letters[decision.chosen])
    return conflict_review.decided_by(outcome, decision.person, decision.decided_at)
