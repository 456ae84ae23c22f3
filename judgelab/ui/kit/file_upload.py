"""Uploading files: the formats and the limit in our words below the field, whose own line the theme hides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _


def choose_files(label: str, endings: Sequence[str], *, key: str, **settings: Any) -> list[Any]:
    """Draw a field for any number of files and return them."""
    files = st.file_uploader(label, endings, accept_multiple_files=True, key=key, **settings)
    st.caption(
        _(
            "{formats}; up to {size} MB per file.",
            formats=", ".join(ending.lstrip(".").upper() for ending in endings),
            size=st.get_option("server.maxUploadSize"),
        )
    )
    return list(files or ())
