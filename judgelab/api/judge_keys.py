"""A key that is given to `jl.judge`: in this process's environment while it judges, and nowhere else."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from judgelab.errors import InvalidInput

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
_lock = threading.Lock()
_users: Counter[str] = Counter()


def key_variable(base_url: str) -> str:
    """Return the environment variable that holds a given key of a server; the same in every process."""
    return f"JUDGELAB_API_KEY_{hashlib.sha256(base_url.encode()).hexdigest()[:12].upper()}"


@contextmanager
def key_in_environment(variable: str, key: str | None) -> Iterator[None]:
    """Hold a key in a variable, as endpoints store no key but the name of one; without a key do nothing.

    Raises:
        InvalidInput: another call of this process uses another key for the same server.
    """
    if key is None:
        yield
        return
    with _lock:
        if _users[variable] and os.environ.get(variable) != key:
            raise InvalidInput(
                "another call with another api_key for this server is running; wait until it has ended."
            )
        _users[variable] += 1
        os.environ[variable] = key
    try:
        yield
    finally:
        with _lock:
            _users[variable] -= 1
            if not _users[variable]:
                os.environ.pop(variable, None)
