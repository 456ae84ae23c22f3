"""One call to a model: its messages and what is needed to read the reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import Message


class Call(NamedTuple):
    """One of the calls for a task: its messages and a key that distinguishes it from the others.

    `data` is what is needed to read the reply: which text was shown first, whose vote is asked for.
    `after` is the key of a call of the same sample that must be answered first, if this call is a later turn
    of the same conversation; `messages` are then only those of the new turn (`continue_conversation`).
    `placeholder_texts` has texts by placeholder, the compared ones as "text_1" and "text_2";
    `candidates` has the ranked ones in the order shown. A custom prompt can place them where it likes.
    """

    messages: Sequence[Message]
    key: str = ""
    data: Mapping[str, Any] = {}
    after: str = ""
    placeholder_texts: Mapping[str, str] = {}
    candidates: Sequence[str] = ()


def continue_conversation(first: Call, reply: str, following: Call) -> Call:
    """Return the following call with the whole conversation: the first call, its reply, the new turn."""
    return following._replace(messages=[*first.messages, Message("assistant", reply), *following.messages])
