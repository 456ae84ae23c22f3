"""Where a browser arrives: those who are signed in go on, the others read how to get in."""

import streamlit as st

from judgelab.ui import gate, navigation, owner_link

person = gate.visitor()
if person is not None:
    st.switch_page(navigation.first_page(person))

owner_link.announce()
st.title("JudgeLab", anchor=False)
st.markdown("##### Can this LLM judge be trusted in place of my human raters?")
st.write(
    "Nobody is signed in on this browser. Open the link that `judgelab up` (or `make demo`) printed in the "
    "terminal: it makes this browser the owner, as a notebook server does."
)
st.caption("A rater uses the link they were sent.")
