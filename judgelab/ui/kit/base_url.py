"""Links to this app as people reach it, and how far they reach."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from judgelab.accounts.modes import LOOPBACK
from judgelab.config import settings
from judgelab.languages import _
from judgelab.ui.kit import help_link


def address() -> str:
    """Return the address of this app as people reach it."""
    current = urlsplit(st.context.url or "")
    return settings().public_url.rstrip("/") or (
        f"{current.scheme}://{current.netloc}" if current.netloc else settings().address
    )


def show_link(path: str) -> None:
    """Show the link to a path of this app, to be copied."""
    st.code(address() + path, language=None, wrap_lines=True)


def write_reach_note() -> None:
    """Say how far links reach where that is this computer alone."""
    if urlsplit(address()).hostname in LOOPBACK:
        st.caption(_("This address works on this computer only."))
        help_link.draw_help_link(help_link.DEPLOY)
