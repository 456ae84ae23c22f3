"""The start page: signed-in visitors are redirected, the others read how to sign in."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui.kit import text
from judgelab.ui.project import guided_steps
from judgelab.ui.session import gate, language, navigation, oidc

person = gate.visitor()
if demo := guided_steps.offered_project(person):
    st.switch_page(guided_steps.VISIT, query_params={**st.query_params, "project": demo.slug})
if person is not None:
    st.switch_page(navigation.first_page(person, gate.current_project()), query_params=dict(st.query_params))

st.title("JudgeLab", anchor=False)
st.markdown(f"##### {_('Can this LLM judge be trusted in place of my human raters?')}")
if refusal := oidc.no_access_reason(gate.store()):
    st.warning(text.plain(_(refusal)))
if gate.local():
    st.write(
        _(
            "You are not signed in on this browser. Open the link that `judgelab up` (or `make demo`) "
            "printed in the terminal: it signs this browser in as the owner, just as a notebook server would."
        )
    )
else:
    st.write(_("You are not signed in on this browser."))
with st.container(horizontal=True):
    st.link_button(_("Sign in by name"), "/sign-in")
    oidc.draw_sign_in_buttons()
st.caption(_("Raters use the link they received."))
language.draw_visit_choice()
