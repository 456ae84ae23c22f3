"""The adjudicator's desk: one conflict at a time, decided by one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.disagreement import conflicts as adjudication
from judgelab.analysis.disagreement.conflicts import Conflict, Voice
from judgelab.domain import Criterion
from judgelab.languages import _, _n
from judgelab.scales import Scale
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders, page_run
from judgelab.ui.explain import decision_form, response_scores
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

CRITERION, OPEN_ONLY, HIDDEN, DISTANCE = (
    f"adjudicate_{name}" for name in ("criterion", "open_only", "hidden", "distance")
)
RESPONSE = "adjudicate_response"
_HELD, _FOLLOWING = "adjudicate_held", "adjudicate_following"


def draw_link(project: ProjectInfo) -> None:
    """Draw the way to the page of conflicts, for those who have it."""
    if gate.allowed("researcher", project) is not None:
        st.page_link(
            "pages/researcher/adjudicate.py",
            label=_("Settle conflicts"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug},
        )


def choose_conflicts(project: ProjectInfo) -> tuple[Criterion, float]:
    """Draw what to look at; return the criterion and from which distance on ratings conflict."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        keys = [criterion.key for criterion in project.criteria]
        labels = {criterion.key: criterion.label for criterion in project.criteria}
        key = keys[0]
        if len(keys) > 1:
            key = st.selectbox(
                _("Criterion"),
                keys,
                format_func=labels.__getitem__,
                key=CRITERION,
                persist_state="session",
                width=260,
            )
        scale = project.scale(key)
        steps = _distances(scale)
        distance = st.selectbox(
            _("Ratings apart by at least"),
            steps,
            index=steps.index(adjudication.default_distance(scale)),
            format_func=text.points,
            key=f"{DISTANCE}_{key}",
            persist_state="session",
            width=200,
        )
        st.toggle(_("Open ones only"), key=OPEN_ONLY, persist_state="session")
        st.toggle(_("Hide names"), value=True, key=HIDDEN, persist_state="session")
    return project.criterion(key), float(distance)


def names_hidden() -> bool:
    """Return whether raters and systems go without their names."""
    return bool(st.session_state.get(HIDDEN))


def forget_last_visit(found: Sequence[Conflict]) -> None:
    """Forget, where the page is just being opened, what stands there from the last visit and is done."""
    if not page_run.being_opened():
        return
    st.session_state.pop(_HELD, None)
    open_ones = {one.response for one in found if one.decision is None}
    if st.session_state[OPEN_ONLY] and st.session_state.get(RESPONSE) not in open_ones:
        st.session_state.pop(RESPONSE, None)


def current_conflict(
    project: ProjectInfo, version: str, criterion: Criterion, distance: float, found: Sequence[Conflict]
) -> Conflict | None:
    """Return the conflict that was shown last, unless something else is asked for now.

    It may have ended meanwhile; whose ratings count and what was decided are those of now.
    """
    held: Conflict | None
    asked, held = st.session_state.get(_HELD, (None, None))
    if held is None or asked != (project.id, criterion.key, distance):
        return None
    if st.session_state.get(RESPONSE, held.response) != held.response:
        return None
    if held.response not in set(loaders.responses(project.slug, version)["response"]):
        return None
    decided = loaders.decisions(project.slug, version).get((held.response, criterion.key))
    left_out = found[0].left_out if found else held.left_out
    return replace(held, decision=decided, left_out=left_out)


def conflicts_to_review(found: Sequence[Conflict], held: Conflict | None) -> list[Conflict]:
    """Return what to go through: all or the open ones, and what is in hand even where it is neither."""
    kept = {st.session_state.get(RESPONSE), held.response if held else None}
    shown = [
        one
        for one in found
        if one.decision is None or one.response in kept or not st.session_state[OPEN_ONLY]
    ]
    return sorted([*shown, held], key=lambda one: one.place) if held and has_ended(found, held) else shown


def has_ended(found: Sequence[Conflict], conflict: Conflict) -> bool:
    """Return whether what is in hand is no conflict any more."""
    return all(one.response != conflict.response for one in found)


def conflict_shown(listed: Sequence[Conflict], held: Conflict | None) -> Conflict | None:
    """Return the conflict in hand: the one chosen, else that shown last, else the first open one."""
    by_response = {one.response: one for one in listed}
    for response in (st.session_state.get(RESPONSE), held.response if held else None):
        if response in by_response:
            return by_response[response]
    return next((one for one in listed if one.decision is None), next(iter(listed), None))


def write_ended_note(found: Sequence[Conflict], conflict: Conflict) -> None:
    """Say that what is in hand is no conflict any more, with the way on."""
    if not has_ended(found, conflict):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            _("No conflict any more: the ratings that count lie closer together now."), width="content"
        )
        st.button(_("Go on"), key="adjudicate_let_go", on_click=_forget)


def draw_navigation(listed: Sequence[Conflict], conflict: Conflict) -> None:
    """Draw the place in the list with the ways to the neighbours, which the arrow keys take too."""
    at = [one.response for one in listed].index(conflict.response)
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        st.caption(_("{place} of {n}", place=at + 1, n=len(listed)), width="content")
        ways = (("previous", _("Previous"), at - 1, "Left"), ("next", _("Next"), at + 1, "Right"))
        for way, word, to, key in ways:
            possible = 0 <= to < len(listed)
            st.button(
                word,
                key=f"adjudicate_{way}",
                disabled=not possible,
                shortcut=key,
                on_click=_open_conflict,
                args=(listed[to].response if possible else conflict.response,),
            )


def write_ratings(said: Sequence[Voice]) -> None:
    """Write who gave what, with comments; a score that the rule leaves out is marked."""
    frame = pd.DataFrame(
        {
            "Rater": [text.plain(_(voice.name) if names_hidden() else voice.name) for voice in said],
            "Score": [f"**{response_scores.score_text(voice.score)}**" for voice in said],
            "Comment": [_comment(voice) for voice in said],
        }
    )
    st.table(frame, border="horizontal", hide_index=True, hide_header=True)


def draw_decision(
    project: ProjectInfo, person: PersonInfo, conflict: Conflict, criterion: Criterion, scale: Scale
) -> None:
    """Draw the reason, one button a point with its key, and the way to leave a conflict undecided."""
    widgets.heading(_("Your decision"), _decided(conflict))
    asked = decision_form.DecisionForm(
        project,
        person,
        conflict.response,
        criterion,
        conflict.decision,
        names_hidden=names_hidden(),
        prefix="adjudicate",
        keys=True,
        after=_draw_next,
    )
    decision_form.draw_decision_form(asked, scale)


def summary_sentence(listed: Sequence[Conflict], distance: float) -> str:
    """Return how far the adjudicator is, and what counts as a conflict here."""
    done = sum(one.decision is not None for one in listed)
    decided = _n("{done} of {n} conflict decided", "{done} of {n} conflicts decided", len(listed), done=done)
    return _("{decided}; ratings {points} or more apart", decided=decided, points=text.points(distance))


def write_rule_note(project: ProjectInfo, found: Sequence[Conflict], scale: Scale) -> None:
    """Write what the quality rule in use calls a conflict, and how many of these it takes out."""
    rule = saved_filters.in_use(gate.store(), project.slug)
    if rule is None:
        return
    apart = rule.policy.conflict_distance(scale)
    if apart is None:
        st.caption(_("The quality rule in use takes out no response for ratings that are far apart."))
        return
    out = adjudication.taken_out(found, rule.policy, scale)
    st.caption(
        _n(
            "The quality rule in use takes out responses with ratings {points} or more apart: {n} of these.",
            "The quality rule in use takes out responses with ratings {points} or more apart: {n} of these.",
            out,
            points=text.points(apart),
        )
    )


def keep_conflict(
    project: ProjectInfo, distance: float, found: Sequence[Conflict], shown: Sequence[Conflict], now: Conflict
) -> None:
    """Hold what is in hand, whatever new ratings make of it, and note what comes after it is decided.

    That is the next open one, else itself, read as decided. A page that draws itself anew must not put
    another response under the keys.
    """
    st.session_state[_HELD] = ((project.id, now.criterion, distance), now)
    at = [one.response for one in shown].index(now.response)
    later = [*shown[at + 1 :], *shown[:at]]
    following = next((one.response for one in later if one.decision is None), None)
    if following is None and not has_ended(found, now):
        following = now.response
    st.session_state[_FOLLOWING] = following


def _draw_next(decided: bool) -> None:
    if not decided:
        return
    following = st.session_state.get(_FOLLOWING)
    if following is None:
        _forget()
    else:
        st.session_state[RESPONSE] = following


def _forget() -> None:
    for name in (RESPONSE, _HELD):
        st.session_state.pop(name, None)


def _decided(conflict: Conflict) -> str:
    made = conflict.decision
    if made is None:
        return _("not decided yet")
    what = _("cannot be decided") if made.score is None else response_scores.score_text(made.score)
    return f"{what}, {text.plain(made.person or _('somebody'))}, {text.when(made.decided_at)}"


def _comment(voice: Voice) -> str:
    out = "" if voice.counts else f":red[{_('left out by the quality rule')}]"
    return " ".join(part for part in (text.plain(voice.comment), out) if part)


def _distances(scale: Scale) -> list[float]:
    points = [float(point.value) for point in scale.points()]
    found = sorted({high - low for low in points for high in points if high > low})
    if found:
        return found
    whole = scale.high - scale.low
    return [whole * share / 4 for share in (1, 2, 3, 4)]


def _open_conflict(response: int) -> None:
    st.session_state[RESPONSE] = response
