"""Checks before this process serves any request."""

from __future__ import annotations

import streamlit as st

from judgelab import logs
from judgelab.accounts import modes
from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.monitoring.serving import serve_app
from judgelab.store.db.schema import shared_store


def check() -> None:
    """Set up logging and metrics; exit if the address is public and no owner could sign in.

    `judgelab up` checks this before it starts anything; here it is checked for `streamlit run app.py`, too.
    """
    logs.set_up()
    _tell_figures()
    address = st.get_option("server.address")
    if modes.is_local(address):
        return
    try:
        modes.check_address(shared_store(settings().database_url), address)
    except UserError as error:
        raise SystemExit(f"JudgeLab does not start: {error}") from None


def _tell_figures() -> None:
    address = settings().metrics_address
    if not address:
        return
    try:
        serve_app(address, shared_store(settings().database_url))
    except UserError as error:
        raise SystemExit(f"JudgeLab does not start: {error}") from None
