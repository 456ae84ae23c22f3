"""The Streamlit script: who is here, and which pages they have."""

from pathlib import Path

import streamlit as st

from judgelab.ui import failures, gate, language, look, navigation, widgets

STATIC = Path(__file__).parent / "static"

st.set_page_config(page_title="JudgeLab", page_icon=str(STATIC / "mark.svg"), layout="wide")

with failures.explained():
    gate.sign_in_by_link()
    person = gate.visitor()
    language.settle(person, gate.in_hand())
    look.draw(widgets.theme())
    gate.note_seen()
    wordmark = "wordmark-dark.svg" if widgets.theme().is_dark else "wordmark-light.svg"
    st.logo(str(STATIC / wordmark), size="medium")
    page = st.navigation(navigation.pages_for(person, gate.in_hand()), position="top")
    if page.url_path in navigation.RATING:
        language.settle_rating(person, gate.in_hand())
    page.run()
