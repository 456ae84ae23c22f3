"""The meaning of each placeholder in an imported prompt, chosen by hand in one field each."""

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


def draw_placeholder_form(prompt: str, stored: str, parts: Sequence[str], key: str) -> str:
    """Draw a field for each placeholder and return the mapping; `stored` is the project's present one."""
    if not prompt:
        return ""
    try:
        mapping, placeholders = read_mapping(stored), placeholders_in(prompt)
        content = "\n".join(message.content for message in messages_of(prompt))
    except UserError as error:
        st.warning(text.plain(_(error.args[0])))
        return ""
    tokens = list(dict.fromkeys([*placeholders, *(token for token in mapping if token in content)]))
    chosen: dict[str, list[str]] = {}
    for start in range(0, len(tokens), 2):
        for column, token in zip(st.columns(2), tokens[start : start + 2], strict=False):
            with column:
                chosen[token] = _draw_meaning(
                    token, mapping.get(token, []), count_placeholder(token, content), parts, key
                )
    return format_mapping({token: fields for token, fields in chosen.items() if all(fields)})


def _draw_meaning(
    token: str, meanings: Sequence[str], places: int, parts: Sequence[str], key: str
) -> list[str]:
    """Return a placeholder's meanings: one, or one per occurrence of an unnamed one such as %s."""
    bare = token in ("%s", "%d", "{}")
    chosen: list[str] = []
    for place in range(places if bare else 1):
        current = meanings[place] if place < len(meanings) else ""
        options = list(dict.fromkeys(["", *([current] if current else []), *ALL_FIELDS, *parts, LITERAL]))
        name = f"{token} ({place + 1})" if bare and places > 1 else token
        chosen.append(
            st.selectbox(
                text.plain(name),
                options,
                index=options.index(current),
                format_func=lambda word: word or _("choose its meaning"),
                key=f"{key}_{token}_{place}",
            )
            or ""
        )
    return chosen if len(set(chosen)) > 1 else chosen[:1]
