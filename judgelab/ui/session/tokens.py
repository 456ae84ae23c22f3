"""Tokens for our routes that stand for a sign-in without a cookie of ours.

A sign-in through a provider is known to Streamlit's page only. The page gives the rating screen a token that
the screen sends with its requests; it is valid for the same sign-in until that ends or the page has been
closed for a while. A token in the address of an image, or of the questions before and after the work, opens
these only, as addresses are copied and logged.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict

HEADER = "X-JudgeLab-Pass"
PARAMETER = "pass"
WORK, IMAGES, QUESTIONS = "work", "images", "questions"
LIFETIME_SECONDS = 3600.0
MOST = 5000

_lock = threading.Lock()
_given: OrderedDict[str, tuple[str, str, float]] = OrderedDict()


def issue(sign_in_name: str, *, held: str = "", use: str = WORK) -> str:
    """Return a token for a use of a sign-in: the `held` one with its lifetime renewed, or a new one."""
    with _lock:
        stored = _given.pop(held, None)
        token = held if stored and stored[:2] == (sign_in_name, use) else secrets.token_urlsafe(24)
        _given[token] = sign_in_name, use, time.monotonic() + LIFETIME_SECONDS
        while len(_given) > MOST:
            _given.popitem(last=False)
        return token


def sign_in_of(token: str | None, *, use: str = WORK) -> str | None:
    """Return the sign-in that a token stands for; None if it is unknown, expired or for another use."""
    with _lock:
        name, given_for, until = _given.get(token or "", ("", "", 0.0))
    return name if given_for == use and time.monotonic() < until else None
