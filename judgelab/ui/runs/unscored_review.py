"""Reviewing replies without a score: enter the score by hand, ask again, or parse all again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.protocols import protocols
from judgelab.runs.execute import manual_scores, review
from judgelab.runs.execute.reparse import reparse
from judgelab.runs.plan.planning import ALL
from judgelab.runs.service import RunStatus
from judgelab.scales import Scale
from judgelab.store.judging.run_units import JudgedUnit
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.runs import panel, unit_list
from judgelab.ui.session import gate
from judgelab.ui.shared import label_set_field
from judgelab.wording import mark

POSITION_KEY = "runs_unscored_at"
DONE_KEY = "runs_unscored_done"
REFUSED_KEY = "runs_refusal"
OPENED_KEY = "runs_unscored_opened_{}"  # whether a run's replies were unfolded when the page was first drawn
SHOWN_REPLIES = 3
SCORE_LABEL = mark("Your score")
TITLES = {  # by whether the run is imported
    False: mark("Unscored: there is a reply, but no valid score in it"),
    True: mark("Unscored judgments"),
}


def draw_unscored_review(project: ProjectInfo, status: RunStatus) -> None:
    """Draw the replies of a run without a score, and how many scores were entered by hand."""
    _write_entered(status)
    if message := st.session_state.pop(DONE_KEY, None):
        st.caption(f":material/check: {text.plain(message)}")
    if not status.unscored:
        return
    units = review.unscored_units(gate.store(), status.run, state="unscored", limit=panel.MOST_LISTED)
    if not units:
        return
    # The expander closes if its title or `expanded` changes, so both must stay fixed during the review.
    expanded = st.session_state.setdefault(OPENED_KEY.format(status.run), status.unscored <= 3)
    title = _(TITLES[status.origin == "imported"])
    with st.expander(title, expanded=expanded, key=f"runs_unscored_{status.run}"):
        position = min(int(st.session_state.get(POSITION_KEY, 0)), len(units) - 1)
        _draw_pager(position, len(units), status.unscored)
        unit = units[position]
        unit_list.write_unit(project, unit)
        for reply in unit.replies[:SHOWN_REPLIES]:
            st.code(reply or _("(an empty reply)"), language=None, wrap_lines=True)
        if len(unit.replies) > SHOWN_REPLIES:
            st.caption(_("3 of {all} replies; *Disagreements* shows all of them.", all=len(unit.replies)))
        _draw_prompt(status.run, unit)
        if status.origin not in ("imported", "jury"):
            _draw_entry(project, status, unit)
            _draw_ask_again(project, status)


def _write_entered(status: RunStatus) -> None:
    count = manual_scores.count_manual_scores(gate.store(), status.run)
    if count:
        st.caption(
            _n(
                ":material/edit: {n} score of this run was entered by hand.",
                ":material/edit: {n} scores of this run were entered by hand.",
                count,
            )
        )


def _draw_pager(position: int, unit_count: int, count: int) -> None:
    if unit_count == 1:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _draw_step(_("Previous"), position - 1, unit_count, key="runs_unscored_previous")
        _draw_step(_("Next"), position + 1, unit_count, key="runs_unscored_next")
        st.caption(_("{place} of {all}, latest first", place=position + 1, all=count))


def _draw_step(label: str, position: int, count: int, *, key: str) -> None:
    def go() -> None:
        st.session_state[POSITION_KEY] = position

    st.button(label, key=key, disabled=not 0 <= position < count, on_click=go)


def _draw_prompt(run_id: int, unit: JudgedUnit) -> None:
    if not st.toggle(_("Show the prompt"), key=f"runs_unscored_prompt_{unit.judgment}"):
        return
    prompts = review.prompts_of(gate.store(), unit.judgment)
    if not prompts:
        st.caption(_("The import did not include the prompt."))
        return
    chosen = next(iter(prompts))
    if len(prompts) > 1:
        key = f"runs_unscored_call_{unit.judgment}"
        chosen = st.selectbox(_("Call"), list(prompts), key=key, width=360)
    for message in prompts[chosen]:
        st.caption(message.role)
        st.code(message.content, language=None, wrap_lines=True)


def _draw_entry(project: ProjectInfo, status: RunStatus, unit: JudgedUnit) -> None:
    """Draw the fields for a score that a person has read in the reply."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        run_id, criterion, response = status.run, unit.criteria, unit.response
        if unit.members:
            systems = dict(unit.members)
            response = st.selectbox(
                _("Response"),
                list(systems),
                format_func=systems.__getitem__,
                key=f"runs_unscored_response_{unit.judgment}",
            )
        if criterion == ALL:
            keys = [item.key for item in project.criteria]
            criterion = st.selectbox(
                _("Criterion"),
                keys,
                format_func=lambda key: project.criterion(key).label,
                key=f"runs_unscored_criterion_{unit.judgment}",
            )
        key = f"runs_unscored_score_{unit.judgment}_{response}_{criterion}"
        own_scale = status.protocol in protocols.names() and protocols.get(status.protocol).own_scale
        score = (
            st.number_input(_(SCORE_LABEL), value=None, key=key)
            if own_scale
            else _score_field(project.scale(criterion), key=key)
        )
        reason = st.text_input(
            _("Why"),
            key=f"runs_unscored_why_{unit.judgment}",
            placeholder=_("the words in the reply that state it"),
            max_chars=1000,
        )
        st.button(
            _("Enter the score"),
            key="runs_unscored_enter",
            disabled=score is None,
            on_click=_run_action,
            args=(
                project,
                lambda person: _store_score(run_id, unit, response, criterion, score, reason, person),
            ),
        )
        st.button(
            _("Ask this one again"),
            key="runs_unscored_ask",
            on_click=_run_action,
            args=(project, lambda person: _ask_again(run_id, [unit.response], person)),
        )


def _score_field(scale: Scale, *, key: str) -> float | None:
    label = _(SCORE_LABEL)
    if scale.several:
        return label_set_field.choose_labels(label, scale, None, key=key)
    points = {point.value: point for point in scale.points()}
    if not points or len(points) > 11:
        return st.number_input(label, scale.low, scale.high, value=None, key=key)
    return st.segmented_control(
        label,
        list(points),
        format_func=lambda value: " ".join(
            word for word in (f"{value:g}", text.plain(points[value].label)) if word
        ),
        wrap=True,
        key=key,
    )


def _draw_ask_again(project: ProjectInfo, status: RunStatus) -> None:
    with st.container(horizontal=True, gap="small"):
        st.button(
            _n("Ask {n} again", "Ask all {n} again", status.unscored),
            key="runs_unscored_ask_all",
            on_click=_run_action,
            args=(project, lambda person: _ask_again(status.run, [], person)),
            help=_("The model is called again; earlier replies are kept, and their cost still counts."),
        )
        st.button(
            _("Read all replies again"),
            key="runs_unscored_reparse",
            on_click=_run_action,
            args=(project, lambda person: _read_again(status.run)),
            help=_("Uses the current parser and makes no calls. Scores entered by hand are kept."),
        )


def _run_action(project: ProjectInfo, action: Callable[[int], str]) -> None:
    person = gate.enter("researcher", project)
    try:
        st.session_state[DONE_KEY] = action(person.id)
    except UserError as error:
        st.session_state[REFUSED_KEY] = error.args[0]


def _store_score(
    run_id: int,
    unit: JudgedUnit,
    response: int,
    criterion: str,
    score: float | None,
    reason: str | None,
    person: int,
) -> str:
    assert score is not None
    manual_scores.enter_score(
        gate.store(),
        run_id,
        response,
        float(score),
        criterion=criterion,
        person_id=person,
        reason=reason or "",
    )
    return _("Entered {score} for {item}.", score=f"{score:g}", item=unit.item)


def _ask_again(run_id: int, responses: list[int], person: int) -> str:
    count = manual_scores.ask_again(gate.store(), run_id, responses, person_id=person)
    return _n("{n} judgment will be made again.", "{n} judgments will be made again.", count)


def _read_again(run_id: int) -> str:
    result = reparse(gate.store(), run_id)
    return _(
        "All replies read again. Judgments with a score: {before} before, {after} now.",
        before=result.scored_before,
        after=result.scored_after,
    )
