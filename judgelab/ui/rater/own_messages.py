"""A rater's messages to the study team and the answers: for the rating screen, and on *My ratings*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from judgelab.languages import _
from judgelab.store.rating.messages import LONGEST, Thread
from judgelab.ui.kit import text, widgets

LABEL_CHARACTERS = 100
MOST_THREADS = 20  # on the rating screen, which gets them with every answer of the server


def messages_data(threads: Sequence[Thread], *, may_write: bool) -> dict[str, Any]:
    """Return the messages as the rating screen shows them, those of the latest items."""
    return {
        "may_write": may_write,
        "most": LONGEST,
        "threads": [
            {
                "item": thread.assignment,
                "label": item_label(thread),
                "messages": [
                    {
                        "id": said.id,
                        "answer": said.answer,
                        "text": said.text,
                        "at": said.at.isoformat(),
                        "read": said.read,
                    }
                    for said in thread.messages
                ],
            }
            for thread in threads[:MOST_THREADS]
        ],
    }


def item_label(thread: Thread) -> str:
    """Return the item's first words on one line: its name in the files may say what raters must not know."""
    words = " ".join(thread.question.split())
    return words if len(words) <= LABEL_CHARACTERS else f"{words[:LABEL_CHARACTERS].rstrip()}…"


def draw_messages(threads: Sequence[Thread]) -> None:
    """Draw the messages below a rater's own ratings, if there are any."""
    if not threads:
        return
    widgets.heading(_("Messages"), _("your questions to the study team and its replies"))
    for thread in threads:
        with st.container(border=True, gap="xsmall"):
            st.markdown(f"**{text.plain(item_label(thread))}**")
            for said in thread.messages:
                who = _("Study team") if said.answer else _("You")
                st.caption(text.plain(_("{rater}, {when}", rater=who, when=text.when(said.at))))
                st.markdown(text.plain(said.text))
