"""Draw *Conflicts*: one conflict at a time, decided with a single key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.disagreement import conflicts as conflict_analysis
from judgelab.analysis.disagreement.conflicts import Conflict, ConflictRating
from judgelab.domain import Criterion
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders, page_run
from judgelab.ui.explain import decision_form, response_scores
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

CRITERION_KEY, OPEN_ONLY_KEY, HIDDEN_KEY, DISTANCE_KEY = (
    f"adjudicate_{name}" for name in ("criterion", "open_only", "hidden", "distance")
)
RESPONSE_KEY = "adjudicate_response"
_SHOWN_KEY, _NEXT_KEY = "adjudicate_held", "adjudicate_following"


def draw_conflicts_link(project: ProjectInfo) -> None:
    """Draw a link to *Conflicts* for those who may open it."""
    if gate.allowed("researcher", project) is not None:
        st.page_link(
            "pages/researcher/adjudicate.py",
            label=_("Resolve conflicts"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )


def choose_conflicts(project: ProjectInfo) -> tuple[Criterion, float]:
    """Draw the controls; return the criterion and the least distance between ratings in conflict."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        keys = [criterion.key for criterion in project.criteria]
        labels = {criterion.key: criterion.label for criterion in project.criteria}
        key = keys[0]
        if len(keys) > 1:
            key = st.selectbox(
                _("Criterion"),
                keys,
                format_func=labels.__getitem__,
                key=CRITERION_KEY,
                persist_state="session",
                width=260,
            )
        scale = project.scale(key)
        distance = conflict_analysis.default_distance(scale)
        if scale.ordered:
            steps = _distances(scale)
            distance = st.selectbox(
                _("Minimum difference between ratings"),
                steps,
                index=steps.index(distance),
                format_func=text.points,
                key=f"{DISTANCE_KEY}_{key}",
                persist_state="session",
                width=240,
            )
        st.toggle(_("Open conflicts only"), key=OPEN_ONLY_KEY, persist_state="session")
        st.toggle(_("Hide names"), value=True, key=HIDDEN_KEY, persist_state="session")
    return project.criterion(key), float(distance)


def names_hidden() -> bool:
    """Return whether the names of raters and systems are hidden."""
    return bool(st.session_state.get(HIDDEN_KEY))


def forget_last_visit(conflicts: Sequence[Conflict]) -> None:
    """Forget the conflict of the last visit if the page is just being opened."""
    if not page_run.being_opened():
        return
    st.session_state.pop(_SHOWN_KEY, None)
    open_responses = {conflict.response for conflict in conflicts if conflict.decision is None}
    if st.session_state[OPEN_ONLY_KEY] and st.session_state.get(RESPONSE_KEY) not in open_responses:
        st.session_state.pop(RESPONSE_KEY, None)


def current_conflict(
    project: ProjectInfo, version: str, criterion: Criterion, distance: float, conflicts: Sequence[Conflict]
) -> Conflict | None:
    """Return the conflict that was shown last, unless another one is requested.

    It may have ended since; its decision and the raters left out are brought up to date.
    """
    last_shown: Conflict | None
    request, last_shown = st.session_state.get(_SHOWN_KEY, (None, None))
    if last_shown is None or request != (project.id, criterion.key, distance):
        return None
    if st.session_state.get(RESPONSE_KEY, last_shown.response) != last_shown.response:
        return None
    if last_shown.response not in set(loaders.responses(project.slug, version)["response"]):
        return None
    decided = loaders.decisions(project.slug, version).get((last_shown.response, criterion.key))
    left_out = conflicts[0].left_out if conflicts else last_shown.left_out
    return replace(last_shown, decision=decided, left_out=left_out)


def conflicts_to_review(conflicts: Sequence[Conflict], last_shown: Conflict | None) -> list[Conflict]:
    """Return all or the open conflicts, with the one shown last even if it is decided or has ended."""
    kept_responses = {st.session_state.get(RESPONSE_KEY), last_shown.response if last_shown else None}
    to_review = [
        conflict
        for conflict in conflicts
        if conflict.decision is None
        or conflict.response in kept_responses
        or not st.session_state[OPEN_ONLY_KEY]
    ]
    if last_shown is None or not has_ended(conflicts, last_shown):
        return to_review
    return sorted([*to_review, last_shown], key=lambda conflict: conflict.sort_key)


def has_ended(conflicts: Sequence[Conflict], conflict: Conflict) -> bool:
    """Return whether the conflict is none any more."""
    return all(other.response != conflict.response for other in conflicts)


def conflict_to_show(to_review: Sequence[Conflict], last_shown: Conflict | None) -> Conflict | None:
    """Return the conflict to show: the chosen one, else the last shown, else the first open one."""
    by_response = {conflict.response: conflict for conflict in to_review}
    for response in (st.session_state.get(RESPONSE_KEY), last_shown.response if last_shown else None):
        if response in by_response:
            return by_response[response]
    return next(
        (conflict for conflict in to_review if conflict.decision is None), next(iter(to_review), None)
    )


def write_ended_note(conflicts: Sequence[Conflict], conflict: Conflict) -> None:
    """If the conflict is none any more, say so and offer to go on."""
    if not has_ended(conflicts, conflict):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(_("No longer a conflict: the counted ratings are closer together now."), width="content")
        st.button(_("Continue"), key="adjudicate_let_go", on_click=_forget)


def draw_conflict_navigation(to_review: Sequence[Conflict], conflict: Conflict) -> None:
    """Draw the position in the list and buttons to the neighbours, which the arrow keys press too."""
    place = [other.response for other in to_review].index(conflict.response)
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        st.caption(_("{place} of {n}", place=place + 1, n=len(to_review)), width="content")
        buttons = (("previous", _("Previous"), place - 1, "Left"), ("next", _("Next"), place + 1, "Right"))
        for direction, label, target, key in buttons:
            exists = 0 <= target < len(to_review)
            st.button(
                label,
                key=f"adjudicate_{direction}",
                disabled=not exists,
                shortcut=key,
                on_click=_open_conflict,
                args=(to_review[target].response if exists else conflict.response,),
            )


def write_conflict_ratings(voices: Sequence[ConflictRating], scale: Scale) -> None:
    """Write each rater's score and comment; scores left out by the filter are marked."""
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(_(voice.name) if names_hidden() else voice.name) for voice in voices],
            "Score": [f"**{response_scores.score_text(voice.score, scale)}**" for voice in voices],
            "Comment": [_comment_text(voice) for voice in voices],
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
        on_decision=_go_to_next,
    )
    decision_form.draw_decision_form(form, scale)


def conflicts_sentence(conflicts: Sequence[Conflict], distance: float, scale: Scale) -> str:
    """Return how many conflicts are decided, and from which distance ratings are in conflict."""
    done = sum(conflict.decision is not None for conflict in conflicts)
    decided = _n(
        "{done} of {n} conflict decided", "{done} of {n} conflicts decided", len(conflicts), done=done
    )
    if not scale.ordered:
        return _("{decided}; ratings with different labels", decided=decided)
    return _("{decided}; ratings {points} or more apart", decided=decided, points=text.points(distance))


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


def keep_conflict(
    project: ProjectInfo,
    distance: float,
    conflicts: Sequence[Conflict],
    to_review: Sequence[Conflict],
    current: Conflict,
) -> None:
    """Keep showing the current conflict even if new ratings end it, and store what to show after it.

    Next is the following open conflict, else the current one again, now decided. A rerun of the page must
    not put another response under the keys.
    """
    st.session_state[_SHOWN_KEY] = ((project.id, current.criterion, distance), current)
    place = [conflict.response for conflict in to_review].index(current.response)
    later = [*to_review[place + 1 :], *to_review[:place]]
    next_response = next((conflict.response for conflict in later if conflict.decision is None), None)
    if next_response is None and not has_ended(conflicts, current):
        next_response = current.response
    st.session_state[_NEXT_KEY] = next_response


def _go_to_next(decided: bool) -> None:
    if not decided:
        return
    next_response = st.session_state.get(_NEXT_KEY)
    if next_response is None:
        _forget()
    else:
        st.session_state[RESPONSE_KEY] = next_response


def _forget() -> None:
    for key in (RESPONSE_KEY, _SHOWN_KEY):
        st.session_state.pop(key, None)


def _decision_summary(conflict: Conflict, scale: Scale) -> str:
    decision = conflict.decision
    if decision is None:
        return _("undecided")
    outcome = _("cannot be decided")
    if decision.score is not None:
        outcome = response_scores.score_text(decision.score, scale)
    return f"{outcome}, {text.plain(decision.person or _('someone'))}, {text.when(decision.decided_at)}"


def _comment_text(voice: ConflictRating) -> str:
    left_out = "" if voice.counts else f":red[{_('Removed by the quality filter')}]"
    return " · ".join(part for part in (text.plain(voice.comment), left_out) if part)


def _distances(scale: Scale) -> list[float]:
    points = [float(point.value) for point in scale.points()]
    steps = sorted({high - low for low in points for high in points if high > low})
    if steps:
        return steps
    length = scale.high - scale.low
    return [length * share / 4 for share in (1, 2, 3, 4)]


def _open_conflict(response: int) -> None:
    st.session_state[RESPONSE_KEY] = response
