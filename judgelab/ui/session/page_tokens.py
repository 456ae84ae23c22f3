"""The tokens that a page holds for a browser without our cookie (`tokens`)."""

from __future__ import annotations

import streamlit as st

from judgelab.ui.session import gate, tokens


def page_token(key: str, *, use: str = tokens.WORK) -> str:
    """Return the token held under this key for the visitor's sign-in; empty if the browser has our cookie."""
    name = gate.sign_in_name()
    if name is None or name == gate.own_cookie():
        return ""
    token = tokens.issue(name, held=st.session_state.get(key, ""), use=use)
    st.session_state[key] = token
    return token


def image_token() -> str:
    """Return the token that addresses of images carry; empty if the browser has our cookie."""
    return page_token("image_pass", use=tokens.IMAGES)


def questions_token() -> str:
    """Return the token for the questions before and after the work; empty if the browser has our cookie."""
    return page_token("questions_pass", use=tokens.QUESTIONS)
