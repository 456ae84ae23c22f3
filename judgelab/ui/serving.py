"""What has to be true before this process serves anybody."""

from __future__ import annotations

import streamlit as st

from judgelab.accounts import modes
from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.store.schema import shared_store


def check() -> None:
    """End the process with a sentence when it would serve other machines and no owner could sign in.

    `judgelab up` looks before it starts anything; this holds for `streamlit run app.py` as well.
    """
    address = st.get_option("server.address")
    if modes.is_local(address):
        return
    try:
        modes.check_address(shared_store(settings().database_url), address)
    except UserError as error:
        raise SystemExit(f"JudgeLab does not start: {error}") from None
