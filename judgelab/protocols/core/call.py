"""One call to a model: what is sent, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import Message


class Call(NamedTuple):
    """One of the calls that a unit of work takes: its prompt, and a word that tells it from the others.

    `data` is what reading the reply needs to know of it: which text stood first, whose vote is asked for.
    `after` is the key of a call of the same draw that must be answered first, where this one is a further
    turn of the same talk: `messages` are then those of the new turn alone (`in_turn`).
    `shown` holds the texts that it compares, as "text_1" and "text_2", and `candidates` those that it ranks,
    in the order shown: a project's own prompt puts them where it wants them.
    """

    messages: Sequence[Message]
    key: str = ""
    data: Mapping[str, Any] = {}
    after: str = ""
    shown: Mapping[str, str] = {}
    candidates: Sequence[str] = ()


def in_turn(first: Call, said: str, then: Call) -> Call:
    """Return the second of two calls with the whole talk: the first one, the reply to it, the new turn."""
    return then._replace(messages=[*first.messages, Message("assistant", said), *then.messages])
