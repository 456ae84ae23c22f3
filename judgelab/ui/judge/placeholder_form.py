"""What each placeholder of a prompt of others means: chosen once by hand, one field for each."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.protocols.core.placeholders import ALL_FIELDS
from judgelab.protocols.core.whole_templates import (
    LITERAL,
    count_placeholder,
    format_mapping,
    messages_of,
    placeholders_in,
    read_mapping,
)
from judgelab.ui.kit import text


def draw_placeholder_form(prompt: str, known: str, parts: Sequence[str], key: str) -> str:
    """Draw a field for each placeholder and return the mapping; `known` is the one kept with the project."""
    if not prompt:
        return ""
    try:
        mapped, found = read_mapping(known), placeholders_in(prompt)
        content = "\n".join(message.content for message in messages_of(prompt))
    except UserError as error:
        st.warning(text.plain(_(error.args[0])))
        return ""
    tokens = list(dict.fromkeys([*found, *(token for token in mapped if token in content)]))
    chosen: dict[str, list[str]] = {}
    for start in range(0, len(tokens), 2):
        for column, token in zip(st.columns(2), tokens[start : start + 2], strict=False):
            with column:
                chosen[token] = _draw_meaning(
                    token, mapped.get(token, []), count_placeholder(token, content), parts, key
                )
    return format_mapping({token: fields for token, fields in chosen.items() if all(fields)})


def _draw_meaning(token: str, known: Sequence[str], places: int, parts: Sequence[str], key: str) -> list[str]:
    """Return what a placeholder means: one field, or one for each of its places for a bare sign (%s)."""
    bare = token in ("%s", "%d", "{}")
    said: list[str] = []
    for place in range(places if bare else 1):
        now = known[place] if place < len(known) else ""
        options = list(dict.fromkeys(["", *([now] if now else []), *ALL_FIELDS, *parts, LITERAL]))
        name = f"{token} ({place + 1})" if bare and places > 1 else token
        said.append(
            st.selectbox(
                text.plain(name),
                options,
                index=options.index(now),
                format_func=lambda word: word or _("choose what it means"),
                key=f"{key}_{token}_{place}",
            )
            or ""
        )
    return said if len(set(said)) > 1 else said[:1]
