"""The visitor's own account: roles and password."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import password_sign_in, permissions
from judgelab.domain import holds
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.store.people.people import PersonInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate

DONE = "account_changed"


def write_roles(person: PersonInfo) -> None:
    """Write the person's roles, in every project or in each."""
    if person.role:
        st.write(
            _(
                "Signed in as {name}: **{role}** of every project.",
                name=text.plain(person.name),
                role=text.role(person.role),
            )
        )
        return
    roles_by_slug = permissions.roles_by_slug(gate.store(), person.id)
    if not roles_by_slug:
        st.write(_("You belong to no project yet; ask the person who invited you."))
    for slug, role in roles_by_slug.items():
        st.write(_("**{role}** in {project}", role=text.role(role).capitalize(), project=text.plain(slug)))


def may_have_password(person: PersonInfo) -> bool:
    """Return whether the person can have a password: raters and readers sign in by link only."""
    return holds(gate.roles_anywhere(person), "researcher")


def draw_password_form(person: PersonInfo) -> None:
    """Draw the form for a new password."""
    has_password = password_sign_in.has_password(gate.store(), person.id)
    widgets.heading(_("Password"), _("to sign in by name") if has_password else _("not set"))
    if st.session_state.pop(DONE, False):
        st.success(_("Password changed. Your other browsers are signed out."))
    with st.form("account_password", width=360, border=False, clear_on_submit=True):
        current = ""
        if has_password:
            current = st.text_input(
                _("Current password"),
                type="password",
                key="account_present",
                autocomplete="current-password",
            )
        new = st.text_input(
            _("New password"), type="password", key="account_new", autocomplete="new-password"
        )
        repeated = st.text_input(
            _("Repeat the new password"), type="password", key="account_again", autocomplete="new-password"
        )
        if st.form_submit_button(
            _("Change the password") if has_password else _("Set a password"), key="account_change"
        ):
            _change(current, new, repeated)


def _change(current: str, new: str, repeated: str) -> None:
    person = gate.visitor()
    if person is None or not may_have_password(person):
        st.rerun()
    if new != repeated:
        st.error(_("The two new passwords differ; enter the same one twice."))
        return
    try:
        password_sign_in.change(gate.store(), person.id, present=current, new=new, cookie=gate.sign_in_name())
    except UserError as error:
        failures.show(error)
        return
    st.session_state[DONE] = True
    st.rerun()
