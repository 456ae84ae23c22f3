"""The public demo: every guest gets a copy of the sample project for a day, within limits."""

from __future__ import annotations

import secrets
import threading
import time
from collections import defaultdict, deque
from datetime import timedelta
from typing import NamedTuple

from judgelab.errors import NotAllowed
from judgelab.store.db.engine import Store
from judgelab.store.models.base import now
from judgelab.store.people import invites
from judgelab.store.projects import sandboxes
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence

TEMPLATE = "demo-kitchen"
LIFETIME = timedelta(days=1)
MAX_SANDBOXES = 300  # sandboxes at a time
MAX_RATED = 40  # responses a guest may rate
MAX_PER_ADDRESS = 6  # sandboxes from one address within WINDOW
WINDOW = 3600.0  # seconds


class Sandbox(NamedTuple):
    """A guest's copy of the project: its slug, and the cookie that signs the guest in."""

    project: str
    cookie: str


class GuestAdmission:
    """Limits how many sandboxes an address may open within an hour, counted per process.

    Args:
        most: sandboxes an address may open.
        window: seconds in which they count.
    """

    def __init__(self, *, most: int = MAX_PER_ADDRESS, window: float = WINDOW) -> None:
        self._most, self._window = most, window
        self._opened: defaultdict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def admit(self, address: str, *, at: float | None = None) -> None:
        """Count one sandbox for the address; raises `NotAllowed` if it has reached the limit."""
        moment = time.monotonic() if at is None else at
        with self._lock:
            for idle in [key for key, opened in self._opened.items() if opened[-1] <= moment - self._window]:
                del self._opened[idle]
            opened = self._opened[address]
            while opened and opened[0] <= moment - self._window:
                opened.popleft()
            if len(opened) >= self._most:
                raise NotAllowed(
                    sentence("the demo was opened too often from your address; try again in an hour.")
                )
            opened.append(moment)


def open_sandbox(store: Store, *, most: int = MAX_SANDBOXES) -> Sandbox:
    """Copy the sample project for a new guest and sign them in.

    Raises:
        NotAllowed: there are as many sandboxes as the demo allows.
        NotFound: the sample project is missing.
    """
    token = secrets.token_hex(6)
    with store.writing() as session:
        if sandboxes.count_guests(session) >= most:
            raise NotAllowed(sentence("the demo is full; try again later today."))
        template = find_project(session, TEMPLATE)
        slug = f"visit-{token}"
        project_id = sandboxes.copy_project(session, template.id, slug=slug)
        guest = sandboxes.add_guest(session, project_id, name=f"Guest {token}", most_responses=MAX_RATED)
        link = invites.new_invite(session, guest, lifetime=LIFETIME)
        cookie = invites.redeem_invite(session, link, lifetime=LIFETIME)
    if cookie is None:
        raise AssertionError("a link that was made just now is open")
    return Sandbox(slug, cookie)


def delete_expired(store: Store, *, lifetime: timedelta = LIFETIME) -> int:
    """Delete sandboxes older than `lifetime`, each in its own transaction; return how many."""
    with store.reading() as session:
        expired = sandboxes.sandboxes_before(session, now() - lifetime)
    for slug in expired:
        with store.writing() as session:
            sandboxes.delete_sandbox(session, slug)
    return len(expired)
