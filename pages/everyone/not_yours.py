"""A page that is there, for others: says so, and leads to one's own."""

import streamlit as st

from judgelab.languages import _
from judgelab.ui import gate, navigation

person = gate.turn_away()
with st.container(horizontal=True):
    st.page_link(
        navigation.first_page(person, gate.in_hand()),
        label=_("To your pages"),
        icon=":material/arrow_forward:",
        query_params=dict(st.query_params),
    )
