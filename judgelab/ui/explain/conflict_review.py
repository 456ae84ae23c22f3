"""Draw *Conflicts*: one conflict at a time, decided with a single key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import pandas as pd
import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.disagreement import conflicts as conflict_analysis
from judgelab.analysis.disagreement.conflicts import Conflict, ConflictRating
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.domain import Criterion
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain import conflict_words, decision_form, response_scores
from judgelab.ui.explain.review_queue import ReviewQueue
from judgelab.ui.kit import help_link, text, view_state, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step, response_view

CRITERION_KEY, OPEN_ONLY_KEY, HIDDEN_KEY, DISTANCE_KEY = (
    f"adjudicate_{name}" for name in ("criterion", "open_only", "hidden", "distance")
)
QUEUE: ReviewQueue[Conflict] = ReviewQueue(
    "adjudicate",
    chosen_key="adjudicate_response",
    open_only_key=OPEN_ONLY_KEY,
    parameter="response",
    word=lambda conflict: str(conflict.response),
)


def draw_conflicts_link(project: ProjectInfo) -> None:
    """Draw a link to *Conflicts* for those who may open it."""
    if gate.allowed("researcher", project) is not None:
        st.page_link(
            "pages/researcher/adjudicate.py",
            label=_("Decide conflicts"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )


def draw_conflicts(project: ProjectInfo, version: str, person: PersonInfo) -> None:
    """Draw the whole page for a project's ratings of single responses."""
    if not loaders.rated_criteria(project.slug, version):
        widgets.header(_("Conflicts"), text.plain(project.name), guide=help_link.CONFLICTS)
        widgets.empty(
            _("On this page you decide between conflicting ratings. There are no ratings yet."),
            **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate")),
        )
        return
    heading = st.container(gap="xsmall")
    criterion, distance = choose_conflicts(project)
    conflicts = loaders.conflicts(project.slug, version, criterion=criterion.key, distance=distance)
    QUEUE.forget_last_visit(conflicts)
    QUEUE.open_linked(conflicts)
    last_shown = current_conflict(project, version, criterion, distance, conflicts)
    to_review = QUEUE.to_review(conflicts, last_shown)
    conflict = QUEUE.to_show(to_review, last_shown)
    QUEUE.write_link(conflict)
    scale = project.scale(criterion.key)
    with heading:
        with widgets.header_row():
            sentence = conflict_words.conflicts_sentence(project, conflicts, distance, scale)
            widgets.header(_("Conflicts"), sentence, guide=help_link.CONFLICTS)
            if conflict is not None:
                QUEUE.draw_navigation(to_review, conflict)
        widgets.demo_notice(project)
        write_filter_note(project, conflicts, scale)
    if conflict is None:
        st.write(_nothing_to_decide(conflicts, scale))
        return
    QUEUE.keep(request_of(project, criterion, distance), conflicts, to_review, conflict)
    detail = response_detail(gate.store(), project.slug, conflict.response)
    texts, people = st.columns([5, 4], gap="large")
    with texts:
        response_view.draw_title(detail, blind=names_hidden())
        response_view.draw_body(detail)
    with people:
        widgets.heading(_("Ratings"), text.plain(criterion.label))
        write_ended_note(conflicts, conflict)
        voices = conflict_analysis.conflict_ratings(detail.ratings, conflict, hidden=names_hidden())
        write_conflict_ratings(voices, scale)
        if conflict in conflicts:
            write_removal(project, conflict, scale, all_count=all(voice.counts for voice in voices))
        draw_decision(project, person, conflict, criterion, scale)


def _nothing_to_decide(conflicts: Sequence[Conflict], scale: Scale) -> str:
    if conflicts:
        return _("All conflicts are decided.")
    if not scale.ordered:
        return _("All counted ratings of a response have the same label, so there is nothing to decide.")
    return _("No two counted ratings are this far apart, so there is nothing to decide.")


def choose_conflicts(project: ProjectInfo) -> tuple[Criterion, float]:
    """Draw the controls; return the criterion and the least distance between ratings in conflict."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        keys = [criterion.key for criterion in project.criteria]
        labels = {criterion.key: criterion.label for criterion in project.criteria}
        key, linked = keys[0], QUEUE.follows_link()
        if len(keys) > 1:
            view_state.follow_link("adjudicate_of", {"criterion": CRITERION_KEY})
            view_state.drop_unavailable(CRITERION_KEY, keys)
            key = st.selectbox(
                _("Criterion"),
                keys,
                format_func=labels.__getitem__,
                key=CRITERION_KEY,
                persist_state="session",
                width=260,
            )
            view_state.write_link("adjudicate_of", {"criterion": key})
        scale = project.scale(key)
        distance = conflict_analysis.default_distance(scale)
        if scale.ordered:
            steps, distance_key = _distances(scale), f"{DISTANCE_KEY}_{key}"
            if linked or distance_key not in st.session_state:  # links are to conflicts at the default
                st.session_state[distance_key] = distance
            distance = st.selectbox(
                _("Minimum difference between ratings"),
                steps,
                format_func=text.points,
                key=distance_key,
                persist_state="session",
                width=240,
            )
        draw_toggles()
    return project.criterion(key), float(distance)


def draw_toggles() -> None:
    """Ask whether only open conflicts are shown, and whether names are hidden."""
    st.toggle(_("Undecided only"), key=OPEN_ONLY_KEY, persist_state="session")
    st.toggle(_("Hide names"), value=True, key=HIDDEN_KEY, persist_state="session")


def names_hidden() -> bool:
    """Return whether the names of raters and systems are hidden."""
    return bool(st.session_state.get(HIDDEN_KEY))


def current_conflict(
    project: ProjectInfo, version: str, criterion: Criterion, distance: float, conflicts: Sequence[Conflict]
) -> Conflict | None:
    """Return the conflict that was shown last, unless another one is requested.

    It may have ended since; its decision and the raters left out are brought up to date.
    """
    last_shown = QUEUE.last_shown(request_of(project, criterion, distance))
    if last_shown is None or last_shown.response not in set(
        loaders.responses(project.slug, version)["response"]
    ):
        return None
    decided = loaders.decisions(project.slug, version).get((last_shown.response, criterion.key))
    left_out = conflicts[0].left_out if conflicts else last_shown.left_out
    return replace(last_shown, decision=decided, left_out=left_out)


def request_of(project: ProjectInfo, criterion: Criterion, distance: float) -> tuple[int, str, float]:
    """Return what the conflicts were asked for by."""
    return project.id, criterion.key, distance


def write_ended_note(conflicts: Sequence[Conflict], conflict: Conflict) -> None:
    """If the conflict is none any more, say so and offer to go on."""
    note = _("No longer a conflict: the counted ratings are closer together now.")
    QUEUE.write_ended_note(conflicts, conflict, note)


def write_conflict_ratings(voices: Sequence[ConflictRating], scale: Scale) -> None:
    """Write each rater's score and comment; scores left out by the filter are marked."""
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(_(voice.name) if names_hidden() else voice.name) for voice in voices],
            "Score": [f"**{response_scores.score_text(voice.score, scale)}**" for voice in voices],
            "Comment": [comment_text(voice.comment, counts=voice.counts) for voice in voices],
        }
    )
    st.table(frame, border="horizontal", hide_index=True, hide_header=True)


def draw_decision(
    project: ProjectInfo, person: PersonInfo, conflict: Conflict, criterion: Criterion, scale: Scale
) -> None:
    """Draw the form for the decision: reason, one button per point with its key, or undecidable."""
    widgets.heading(_("Your decision"), _decision_summary(conflict, scale))
    form = decision_form.DecisionForm(
        project,
        person,
        conflict.response,
        criterion,
        conflict.decision,
        names_hidden=names_hidden(),
        prefix="adjudicate",
        shortcuts=True,
        on_decision=QUEUE.go_to_next,
    )
    decision_form.draw_decision_form(form, scale)


def write_filter_note(project: ProjectInfo, conflicts: Sequence[Conflict], scale: Scale) -> None:
    """Write what the filter in use counts as a conflict, and how many of these it leaves out."""
    saved_filter = saved_filters.filter_in_use(gate.store(), project.slug)
    if saved_filter is None:
        return
    distance = saved_filter.policy.conflict_distance(scale)
    if distance is None:
        st.caption(_("The quality filter in use removes no responses for conflicting ratings."))
        return
    taken_out = conflict_analysis.count_filtered(conflicts, saved_filter.policy, scale)
    if not taken_out:
        st.caption(
            _n(
                "The quality filter in use removes responses with ratings {points} or more apart; it does "
                "not remove this one.",
                "The quality filter in use removes responses with ratings {points} or more apart; it removes "
                "none of these {n}.",
                len(conflicts),
                points=text.points(distance),
            )
        )
        return
    st.caption(
        _n(
            "The quality filter in use removes responses with ratings {points} or more apart; it removes "
            "{taken_out} of this {n}.",
            "The quality filter in use removes responses with ratings {points} or more apart; it removes "
            "{taken_out} of these {n}.",
            len(conflicts),
            taken_out=taken_out,
            points=text.points(distance),
        )
    )


def write_removal(project: ProjectInfo, conflict: Conflict, scale: Scale, *, all_count: bool) -> None:
    """Write that the filter in use removes the response for its ratings, if it does."""
    saved_filter = saved_filters.filter_in_use(gate.store(), project.slug)
    if saved_filter is None or not conflict_analysis.count_filtered([conflict], saved_filter.policy, scale):
        return
    if not scale.ordered:
        note = _("The quality filter removes this response: its ratings by the raters kept differ.")
    elif all_count:
        note = _(
            "The quality filter removes this response: its ratings are {points} apart.",
            points=text.points(conflict.spread),
        )
    else:
        note = _(
            "The filter removes this response, too: its remaining ratings are {points} apart.",
            points=text.points(conflict.spread),
        )
    st.caption(note)


def _decision_summary(conflict: Conflict, scale: Scale) -> str:
    decision = conflict.decision
    if decision is None:
        return _("undecided")
    outcome = _("cannot be decided")
    if decision.score is not None:
        outcome = response_scores.score_text(decision.score, scale)
    return decided_by(outcome, decision.person, decision.decided_at)


def decided_by(outcome: str, person: str | None, at: datetime) -> str:
    """Return what was decided, by whom and when."""
    return f"{outcome}, {text.plain(person or _('someone'))}, {text.when(at)}"


def comment_text(comment: str, *, counts: bool) -> str:
    """Return a rater's comment, and whether the filter removes the rater."""
    left_out = "" if counts else f":red[{_('Rater removed by the quality filter')}]"
    return " · ".join(part for part in (text.plain(comment), left_out) if part)


def _distances(scale: Scale) -> list[float]:
    points = [float(point.value) for point in scale.points()]
    steps = sorted({high - low for low in points for high in points if high > low})
    if steps:
        return steps
    length = scale.high - scale.low
    return [length * share / 4 for share in (1, 2, 3, 4)]
