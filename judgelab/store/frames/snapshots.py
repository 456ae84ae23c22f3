"""Scores of a project kept in memory until they change: a page asks for the same million rows many times."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import pandas as pd

from judgelab.domain import RaterKind
from judgelab.store.db.engine import Session, Store
from judgelab.store.frames import score_frames, score_rows
from judgelab.store.frames.fingerprints import Fingerprints, project_fingerprints
from judgelab.store.frames.score_names import ScoreNames
from judgelab.words import word_count

MOST_ROWS = 3_000_000  # kept over all projects: about 170 bytes each
_Project = tuple[str, int]


@dataclass(frozen=True)
class _Scores:
    """What was read of a project: by kind of rater, the rows of the database and those with names."""

    words: Fingerprints
    names: ScoreNames
    rows: Mapping[RaterKind, pd.DataFrame]
    named: Mapping[RaterKind, pd.DataFrame]
    frame: pd.DataFrame


_lock = Lock()
_words: dict[_Project, tuple[str, Fingerprints]] = {}
_known: OrderedDict[_Project, _Scores] = OrderedDict()
_lengths: dict[_Project, tuple[str, pd.Series[float]]] = {}


def fingerprint(store: Store, project_id: int) -> str:
    """Return a word that changes whenever a score, a response, a name or the rule in use changes."""
    return _words_of(store, project_id).all


def score_frame(
    store: Store, project_id: int, *, kinds: Sequence[RaterKind] = score_frames.KINDS
) -> pd.DataFrame:
    """Return `frames.score_frame`; the caller may change what it gets.

    It is read once, and after a change only what changed.
    """
    frame = _kept(store, project_id)
    if tuple(kinds) == score_frames.KINDS:
        return frame.copy(deep=False)
    return frame[frame["rater_kind"].isin(list(kinds))].reset_index(drop=True)


def word_counts(store: Store, project_id: int) -> pd.Series[float]:
    """Return how many words each response of the data has, by its row id; counted once for the same texts."""
    where, rest = (store.url, project_id), _words_of(store, project_id).rest
    with _lock:
        known = _lengths.get(where)
    if known is None or known[0] != rest:
        with store.reading() as session:
            texts = score_frames.response_frame(session, project_id)
        counted = [float(word_count(text)) for text in texts["text"]]
        known = (rest, pd.Series(counted, index=texts["response"], dtype=float))
        with _lock:
            _lengths[where] = known
    return known[1]


def clear() -> None:
    """Give everything back, as when the process starts: for who measures how long reading it takes."""
    with _lock:
        _known.clear()
        _lengths.clear()


def _words_of(store: Store, project_id: int) -> Fingerprints:
    """Return the words of a project, without asking again while nothing at all was written."""
    stamp, where = store.stamp(), (store.url, project_id)
    known = _words.get(where)
    if known is not None and stamp and known[0] == stamp:
        return known[1]
    with store.reading() as session:
        found = project_fingerprints(session, project_id)
    _words[where] = (stamp, found)
    return found


def _kept(store: Store, project_id: int) -> pd.DataFrame:
    where = (store.url, project_id)
    with _lock:  # the second page that asks waits for the first one's frame
        now = _words_of(store, project_id)
        known = _known.pop(where, None)
        if known is None or known.words != now:
            with store.reading() as session:
                known = _read(session, project_id, now, known)
        _known[where] = known
        while len(_known) > 1 and sum(len(one.frame) for one in _known.values()) > MOST_ROWS:
            _known.popitem(last=False)
        return known.frame


def _read(session: Session, project_id: int, now: Fingerprints, known: _Scores | None) -> _Scores:
    # Row ids are given again after rows are deleted, as when files are imported anew; the word of the rest
    # tells of imports, and of all that names depend on.
    if known is not None and known.words.rest != now.rest:
        known = None
    names = ScoreNames.of(session, project_id) if known is None else known.names
    rows, named = dict[RaterKind, pd.DataFrame](), dict[RaterKind, pd.DataFrame]()
    for kind in score_frames.KINDS:
        if known is not None and known.words.kinds[kind] == now.kinds[kind]:
            rows[kind], named[kind] = known.rows[kind], known.named[kind]
            continue
        rows[kind] = score_rows.read_scores(
            session, project_id, kind, None if known is None else known.rows[kind]
        )
        named[kind] = score_rows.with_names(session, project_id, kind, rows[kind], names)
    frame = score_frames.concat_scores(list(named.values()))
    ends = dict[RaterKind, pd.DataFrame]()
    place = 0
    for kind, part in named.items():  # views of the one frame: a second copy would take as much memory again
        ends[kind] = frame.iloc[place : place + len(part)]
        place += len(part)
    return _Scores(now, names, rows, ends, frame)
