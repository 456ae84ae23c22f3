"""Scores of a project kept in memory until they change: a page asks for the same million rows many times."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import pandas as pd

from judgelab.domain import RaterKind
from judgelab.store import frames
from judgelab.store.engine import Store

MOST_ROWS = 3_000_000  # kept over all projects: about 120 bytes each
_Project = tuple[str, int]

_lock = Lock()
_words: dict[_Project, tuple[str, str]] = {}
_frames: OrderedDict[_Project, tuple[str, pd.DataFrame]] = OrderedDict()


def fingerprint(store: Store, project_id: int) -> str:
    """Return `frames.fingerprint`, without asking again while nothing at all was written."""
    stamp, where = store.stamp(), (store.url, project_id)
    known = _words.get(where)
    if known is not None and stamp and known[0] == stamp:
        return known[1]
    with store.reading() as session:
        word = frames.fingerprint(session, project_id)
    _words[where] = (stamp, word)
    return word


def score_frame(store: Store, project_id: int, *, kinds: Sequence[RaterKind] = frames.KINDS) -> pd.DataFrame:
    """Return `frames.score_frame`, read once for each fingerprint; the caller may change what it gets."""
    frame = _kept(store, project_id)
    if tuple(kinds) == frames.KINDS:
        return frame.copy(deep=False)
    return frame[frame["rater_kind"].isin(list(kinds))].reset_index(drop=True)


def forget() -> None:
    """Give all frames back, as when the process starts: for who measures how long reading them takes."""
    with _lock:
        _frames.clear()


def _kept(store: Store, project_id: int) -> pd.DataFrame:
    where = (store.url, project_id)
    with _lock:  # the second page that asks waits for the first one's frame
        word = fingerprint(store, project_id)
        known = _frames.pop(where, None)
        if known is None or known[0] != word:
            with store.reading() as session:
                known = (word, frames.score_frame(session, project_id))
        _frames[where] = known
        while len(_frames) > 1 and sum(len(frame) for _, frame in _frames.values()) > MOST_ROWS:
            _frames.popitem(last=False)
        return known[1]
