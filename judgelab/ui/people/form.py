"""Forms that add people to a project and change a member's role, link and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from judgelab.accounts import members
from judgelab.accounts.invitations import links_csv
from judgelab.accounts.members import Member, NewLink
from judgelab.domain import ROLES, Role
from judgelab.errors import UserError
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import base_url, failures, text, widgets
from judgelab.ui.people import erase_form
from judgelab.ui.session import gate
from judgelab.ui.shared import limit_field
from judgelab.wording import counted, mark, sentence

MOST_SHOWN = 3  # links one below the other; more are a file
LINK_KEY = "people_link"
MESSAGE_KEY = "people_said"
ADDED_KEY = "people_added"
ROLE_MEANINGS = {
    "owner": mark("owner: everything, including who has access"),
    "researcher": mark("researcher: everything in this project"),
    "annotator": mark("rater: sees only their own ratings"),
    "reader": mark("reader: sees results, changes nothing"),
}


def draw_new_links() -> None:
    """Draw the links just created; only their hashes are stored, so they cannot be shown again later."""
    if message := st.session_state.pop(MESSAGE_KEY, None):
        st.caption(f":material/check: {text.plain(_(message))}")
    links: list[NewLink] = st.session_state.get(LINK_KEY, [])
    if not links:
        return
    with st.container(border=True, width=widgets.ANSWER_WIDTH):
        if len(links) > MOST_SHOWN:
            _draw_many_links(links)
        else:
            for link in links:
                st.markdown(_link_note(link))
                base_url.show_link(link.path)
            if len(links) > 1:
                _draw_download(links)
        base_url.write_reach_note()
        label = _n("Hide the link", "Hide the links", len(links))
        st.button(label, key="people_hide", on_click=lambda: st.session_state.pop(LINK_KEY, None))


def _draw_many_links(links: Sequence[NewLink]) -> None:
    days = _n("{n} day", "{n} days", links[0].days)
    st.markdown(
        _(
            "**{n} links**, one for each person, for {days}. They are shown only once: download them.",
            n=text.count(len(links)),
            days=days,
        )
    )
    _draw_download(links)
    with st.expander(_("Show the links")):
        for link in links:
            st.caption(text.plain(link.person.name))
            base_url.show_link(link.path)


def _draw_download(links: Sequence[NewLink]) -> None:
    st.download_button(
        _("Links (CSV)"),
        links_csv(links, base_url.address()),
        "links.csv",
        "text/csv",
        icon=":material/download:",
        key="people_links_csv",
        on_click="ignore",
    )


def draw_add_form(project: ProjectInfo) -> None:
    """Draw the form that adds a person and creates their link."""
    widgets.heading(_("Add a person"))
    # A new key after each person added empties the form.
    added = len(st.session_state.setdefault(ADDED_KEY, []))
    with st.form(f"people_add_{added}", border=False):
        name = st.text_input(
            _("Name"), key=f"people_name_{added}", placeholder=_("a name, or a code that only you can decode")
        )
        role = st.selectbox(
            _("Role"), grantable_roles(project), key=f"people_role_{added}", format_func=role_meaning
        )
        left, right = st.columns(2)
        cohort = left.text_input(_("Cohort"), key=f"people_cohort_{added}", placeholder=_("none"))
        most_responses = limit_field.draw_limit_field(right, project, None, key=f"people_most_{added}")
        submitted = st.form_submit_button(
            f":violet[{_('Add and create a link')}]", type="primary", key="people_send", width="content"
        )
    if submitted:
        _run_action(project, _add, name=name, role=role, cohort=cohort, most_responses=most_responses)


def grantable_roles(project: ProjectInfo) -> list[Role]:
    """Return the roles that the visitor may grant in the project, raters first."""
    roles = ROLES if gate.allowed("owner", project) else ("annotator", "reader")
    return sorted(roles, key=("annotator", "reader", "researcher", "owner").index)


def draw_member(project: ProjectInfo, member: Member) -> None:
    """Draw the form and buttons for one member."""
    membership = member.membership
    if member.browsers:
        sign_ins = _n("signed in on {n} browser", "signed in on {n} browsers", member.browsers)
    else:
        sign_ins = _("not signed in")
    widgets.heading(text.plain(membership.name), sign_ins)
    choices = grantable_roles(project)
    if membership.role not in choices:
        st.caption(
            _(
                "{name} is {role} here; only an owner of the project can change that.",
                name=text.plain(membership.name),
                role=text.role(membership.role),
            )
        )
        return
    key = f"people_{membership.person_id}"
    with st.form(f"{key}_form", border=False):
        index = next(i for i, role in enumerate(choices) if role == membership.role)
        role = st.selectbox(_("Role"), choices, index, key=f"{key}_role", format_func=role_meaning)
        left, right = st.columns(2)
        cohort = left.text_input(_("Cohort"), membership.cohort, key=f"{key}_cohort", placeholder=_("none"))
        most_responses = limit_field.draw_limit_field(
            right, project, membership.most_responses, key=f"{key}_most"
        )
        if st.form_submit_button(_("Save"), key=f"{key}_save"):
            _run_action(
                project, _change_role, member=member, role=role, cohort=cohort, most_responses=most_responses
            )
    with st.container(horizontal=True):
        if st.button(_("New link"), key=f"{key}_link", icon=":material/link:"):
            _run_action(project, _make_link, member=member)
        if member.link is not None and member.link.state == "open":
            if st.button(_("Revoke link"), key=f"{key}_revoke", icon=":material/link_off:"):
                _run_action(project, _revoke_link, member=member)
        if member.browsers and st.button(
            _("Sign out everywhere"), key=f"{key}_end", icon=":material/logout:"
        ):
            _run_action(project, _end_sign_ins, member=member)
        if st.button(_("Remove from project"), key=f"{key}_remove", icon=":material/person_remove:"):
            st.dialog(_("Remove from the project?"))(_draw_removal_dialog)(project, member)
        if (visitor := gate.visitor()) is not None:
            erase_form.draw_erase_button(project, member, actor=visitor.id, message_key=MESSAGE_KEY)


def _link_note(link: NewLink) -> str:
    """Return a note on whose link this is, and how often and how long it works."""
    name, days = text.plain(link.person.name), _n("{n} day", "{n} days", link.days)
    if link.once:
        return _(
            "**Link for {name}**. It signs them in once, for {days}. It is shown only once.",
            name=name,
            days=days,
        )
    return _(
        "**Link for {name}**. It signs them in on any of their devices, as often as they like, for "
        "{days}. It is shown only once.",
        name=name,
        days=days,
    )


def _draw_removal_dialog(project: ProjectInfo, member: Member) -> None:
    gate.enter("researcher", project)
    st.write(
        _n(
            "{name} can no longer open the project. Their {n} rated answer is kept, and they can be added "
            "again.",
            "{name} can no longer open the project. Their {n} rated answers are kept, and they can be "
            "added again.",
            member.rated_units,
            name=text.plain(member.membership.name),
        )
    )
    if st.button(_("Remove"), key="people_remove_sure"):
        _run_action(project, _remove, member=member)


def _run_action(project: ProjectInfo, action: Callable[..., None], **fields: Any) -> None:
    """Call `action` as the signed-in person, then redraw the page; a refusal is shown."""
    person = gate.enter("researcher", project)
    try:
        action(person.id, project.id, **fields)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _add(actor: int, project_id: int, *, name: str, **fields: Any) -> None:
    person = members.add(gate.store(), actor, project_id, name, **fields)
    _add_new_link(members.new_link(gate.store(), actor, project_id, person.id))
    st.session_state[MESSAGE_KEY] = sentence("{name} was added to the project.", name=person.name)
    st.session_state[ADDED_KEY].append(person.id)


def _add_new_link(link: NewLink) -> None:
    """Add the link to the new ones shown; an earlier link of the same person no longer works."""
    earlier: list[NewLink] = st.session_state.get(LINK_KEY, [])
    st.session_state[LINK_KEY] = [
        link,
        *(kept_link for kept_link in earlier if kept_link.person.id != link.person.id),
    ]


def _make_link(actor: int, project_id: int, *, member: Member) -> None:
    link = members.new_link(gate.store(), actor, project_id, member.membership.person_id)
    _add_new_link(link)
    st.session_state[MESSAGE_KEY] = sentence(
        "{name} has a new link; the previous one no longer works.", name=link.person.name
    )


def _revoke_link(actor: int, project_id: int, *, member: Member) -> None:
    members.revoke_link(gate.store(), actor, project_id, member.membership.person_id)
    _set_message(
        sentence(
            "The link of {name} no longer works, and browsers signed in with it are signed out.",
            name=member.membership.name,
        )
    )


def _end_sign_ins(actor: int, project_id: int, *, member: Member) -> None:
    ended = members.end_sign_ins(gate.store(), actor, project_id, member.membership.person_id)
    name = member.membership.name
    _set_message(
        counted(
            "{name} is signed out on {n} browser.", "{name} is signed out on {n} browsers.", ended, name=name
        )
    )


def _remove(actor: int, project_id: int, *, member: Member) -> None:
    members.remove(gate.store(), actor, project_id, member.membership.person_id)
    _set_message(
        sentence("{name} was removed from the project; their ratings are kept.", name=member.membership.name)
    )


def _change_role(actor: int, project_id: int, *, member: Member, **fields: Any) -> None:
    members.change(gate.store(), actor, project_id, member.membership.person_id, **fields)
    _set_message(sentence("{name} was changed.", name=member.membership.name))


def _set_message(message: str) -> None:
    st.session_state.pop(LINK_KEY, None)
    st.session_state[MESSAGE_KEY] = message


def role_meaning(role: str) -> str:
    """Return what a role may do, in the reader's language."""
    return _(ROLE_MEANINGS[role])
