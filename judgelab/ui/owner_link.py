"""The owner link for `streamlit run app.py`, where the routes of `asgi.py` and `judgelab up` are missing."""

from __future__ import annotations

from threading import Lock

import streamlit as st

from judgelab.accounts import signin
from judgelab.ui import gate

_lock = Lock()
_needed = True
_served = False


def routes_are_served() -> None:
    """Say that this process has the invite route: whoever started it prints the link."""
    global _needed, _served
    _needed, _served = False, True


def served() -> bool:
    """Return whether this process has routes of ours."""
    return _served


def announce() -> None:
    """Print a one-time owner link in the terminal, once a process, when nobody else does."""
    global _needed
    with _lock:
        if not _needed or not gate.local():
            return
        _needed = False
    token = signin.new_owner_token(gate.store())
    address = st.get_option("server.address") or "127.0.0.1"
    port = st.get_option("server.port")
    print(
        f"\nThis link makes a tab the owner, once:\n\n  http://{address}:{port}/?owner={token}\n", flush=True
    )
    print("No worker is running beside this server: start everything with `judgelab up`.\n", flush=True)
