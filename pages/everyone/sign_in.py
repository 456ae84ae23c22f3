"""Signing in by name where our own routes are missing: the sign-in lasts as long as this tab."""

import streamlit as st

from judgelab.accounts import by_password
from judgelab.errors import NotAllowed
from judgelab.languages import _
from judgelab.ui import failures, gate, language, navigation, text, widgets

person = gate.visitor()
if person is not None:
    st.switch_page(navigation.first_page(person, gate.in_hand()))

widgets.header(_("Sign in"))
st.write(_("For owners and researchers. A rater opens the link they were sent."))
with st.form("sign_in", width=360, border=False):
    name = st.text_input(_("Name"), key="sign_in_name", autocomplete="username")
    password = st.text_input(
        _("Password"), type="password", key="sign_in_password", autocomplete="current-password"
    )
    sent = st.form_submit_button(f":violet[{_('Sign in')}]", type="primary", key="sign_in_send")
if sent:
    try:
        cookie = by_password.sign_in(gate.store(), name, password, address=str(st.context.ip_address or ""))
    except NotAllowed as error:
        st.error(text.plain(failures.said(error)))
    else:
        st.session_state[gate.COOKIE_KEY] = cookie
        st.rerun()
language.offer()
