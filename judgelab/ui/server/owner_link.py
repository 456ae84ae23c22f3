"""Printing the owner's link in the terminal after `streamlit run app.py`, as `judgelab up` does."""

from __future__ import annotations

import os

import streamlit as st

from judgelab.accounts import modes
from judgelab.accounts.signin import new_owner_link
from judgelab.config import address_of, settings
from judgelab.errors import UserError
from judgelab.runs.worker.child_processes import LAUNCHER
from judgelab.store.db.schema import shared_store


def announce() -> None:
    """Print a one-time owner link if the server is local and was not started by `judgelab up`."""
    host = st.get_option("server.address")
    if LAUNCHER in os.environ or not modes.is_local(host):
        return
    try:
        token_path = new_owner_link(shared_store(settings().database_url))
    except UserError as error:
        # Start the server anyway: its pages say what is wrong and what to do.
        print(f"\nNo owner sign-in link is available: {error}\n", flush=True)
        return
    link = address_of(host or "127.0.0.1", int(st.get_option("server.port"))) + token_path
    print(f"\nThis link signs you in as the owner. It works once:\n\n  {link}\n", flush=True)
    print("No worker runs with this server. Use `judgelab up` to start both.\n", flush=True)
