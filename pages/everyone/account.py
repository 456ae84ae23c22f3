"""The visitor's account: roles, language, password, and signing out."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import widgets
from judgelab.ui.session import account, gate, language

person = gate.visitor()
if person is None:
    st.switch_page("pages/everyone/welcome.py")

widgets.header(_("Account"))
account.write_roles(person)
language.draw_account_choice(person)
st.button(_("Sign out"), key="account_sign_out", icon=":material/logout:", on_click=gate.sign_out)
if account.may_have_password(person):
    account.draw_password_form(person)
