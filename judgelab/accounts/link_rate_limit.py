"""A limit on opening links that do not exist, so that links cannot be found by guessing."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from judgelab.errors import NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models import now
from judgelab.store.people import login_attempts
from judgelab.wording import counted, sentence

WINDOW = timedelta(minutes=15)
MAX_TRIES_PER_ADDRESS = 60  # many people may share one address, and some copy only half a link


class TooManyLinks(NotAllowed):
    """The address has to wait; `seconds` is how long."""

    def __init__(self, seconds: int) -> None:
        wait = counted("a minute", "{n} minutes", max(1, math.ceil(seconds / 60)))
        super().__init__(
            sentence(
                "Too many invalid links were opened from this address. Wait {wait}, then open yours again.",
                wait=wait,
            )
        )
        self.seconds = seconds


def check(store: Store, address: str) -> None:
    """Raise `TooManyLinks` while the address has to wait."""
    with store.reading() as session:
        tries = login_attempts.recent_bad_links(session, since=now() - WINDOW, address=address)
    if len(tries) >= MAX_TRIES_PER_ADDRESS:
        raise TooManyLinks(_seconds_left(tries[-MAX_TRIES_PER_ADDRESS]))


def record_bad_link(store: Store, address: str) -> None:
    """Store that the address opened a link that does not exist."""
    with store.writing() as session:
        login_attempts.forget_bad_links(session, before=now() - WINDOW)
        login_attempts.record_bad_link(session, address=address)


def _seconds_left(oldest: datetime) -> int:
    return max(1, math.ceil((oldest + WINDOW - now()).total_seconds()))
