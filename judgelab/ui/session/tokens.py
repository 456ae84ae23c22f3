"""Passes for our routes: words that stand for a sign-in which no cookie of ours carries.

Whoever signed in with a provider is known to the page alone. The page hands the rating screen a pass, which
the screen sends along; it stands for the same sign-in and ends with it, or after a while without the page.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict

HEADER = "X-JudgeLab-Pass"
LIFETIME_SECONDS = 3600.0
MOST = 5000

_lock = threading.Lock()
_given: OrderedDict[str, tuple[str, float]] = OrderedDict()


def issue(sign_in_name: str, *, held: str = "") -> str:
    """Return a pass for a sign-in: the one that is `held` with its time renewed, or a new one."""
    with _lock:
        stored = _given.pop(held, None)
        token = held if stored and stored[0] == sign_in_name else secrets.token_urlsafe(24)
        _given[token] = sign_in_name, time.monotonic() + LIFETIME_SECONDS
        while len(_given) > MOST:
            _given.popitem(last=False)
        return token


def sign_in_of(token: str | None) -> str | None:
    """Return the sign-in that a pass stands for; None for an unknown one and one whose time is over."""
    with _lock:
        name, until = _given.get(token or "", ("", 0.0))
    return name if name and time.monotonic() < until else None
