"""Links to this app under the address that people use, and a note if they work locally only."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from judgelab.accounts.modes import LOOPBACK
from judgelab.config import settings
from judgelab.languages import _
from judgelab.ui.kit import help_link


def address() -> str:
    """Return the base URL under which people reach this app."""
    current = urlsplit(st.context.url or "")
    return settings().public_url.rstrip("/") or (
        f"{current.scheme}://{current.netloc}" if current.netloc else settings().address
    )


def show_link(path: str) -> None:
    """Show the link to a path of this app, for copying."""
    st.code(address() + path, language=None, wrap_lines=True)


def write_reach_note() -> None:
    """Say that links work on this computer only, if that is so."""
    if urlsplit(address()).hostname in LOOPBACK:
        st.caption(_("This address works on this computer only."))
        help_link.draw_help_link(help_link.DEPLOY)
