"""Keep the scores of projects in memory until they change, as pages read the same million rows many times."""

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

MOST_ROWS = 3_000_000  # most rows kept, over all projects: about 170 bytes each
_Project = tuple[str, int]


@dataclass(frozen=True)
class _Scores:
    """The scores of a project: by kind of rater, the database rows and those with names."""

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
    """Return a fingerprint that changes whenever a score, a response, a name or the filter in use changes."""
    return _words_of(store, project_id).combined


def score_frame(
    store: Store, project_id: int, *, kinds: Sequence[RaterKind] = score_frames.KINDS
) -> pd.DataFrame:
    """Return the frame of `score_frames.score_frame`; callers may change it.

    It is read once; after a change, only what changed is read again.
    """
    frame = _kept(store, project_id)
    if tuple(kinds) == score_frames.KINDS:
        return frame.copy(deep=False)
    return frame[frame["rater_kind"].isin(list(kinds))].reset_index(drop=True)


def word_counts(store: Store, project_id: int) -> pd.Series[float]:
    """Return the number of words of each data response, by row id, counted once per state of the texts."""
    key, rest = (store.url, project_id), _words_of(store, project_id).other_data
    with _lock:
        stored = _lengths.get(key)
    if stored is None or stored[0] != rest:
        with store.reading() as session:
            texts = score_frames.response_frame(session, project_id)
        lengths = [float(word_count(text)) for text in texts["text"]]
        stored = (rest, pd.Series(lengths, index=texts["response"], dtype=float))
        with _lock:
            _lengths[key] = stored
    return stored[1]


def clear() -> None:
    """Empty the cache, for measuring how long reading takes."""
    with _lock:
        _known.clear()
        _lengths.clear()


def forget(url: str) -> None:
    """Drop what is kept of a database that is gone."""
    with _lock:
        for kept in (_words, _known, _lengths):
            for key in [key for key in kept if key[0] == url]:
                kept.pop(key, None)


def _words_of(store: Store, project_id: int) -> Fingerprints:
    """Return the fingerprints of a project, computed again only if anything was written."""
    stamp, key = store.stamp(), (store.url, project_id)
    stored = _words.get(key)
    if stored is not None and stamp and stored[0] == stamp:
        return stored[1]
    with store.reading() as session:
        fingerprints = project_fingerprints(session, project_id)
    _words[key] = (stamp, fingerprints)
    return fingerprints


def _kept(store: Store, project_id: int) -> pd.DataFrame:
    key = (store.url, project_id)
    with _lock:  # a second caller waits for the first one's frame
        current = _words_of(store, project_id)
        stored = _known.pop(key, None)
        if stored is None or stored.words != current:
            with store.reading() as session:
                stored = _read(session, project_id, current, stored)
        _known[key] = stored
        while (
            len(_known) > 1 and sum(len(stored_scores.frame) for stored_scores in _known.values()) > MOST_ROWS
        ):
            _known.popitem(last=False)
        return stored.frame


def _read(session: Session, project_id: int, current: Fingerprints, stored: _Scores | None) -> _Scores:
    # Row ids are reused after rows are deleted, for example on a new import; `rest` changes with
    # imports and with everything that names depend on.
    if stored is not None and stored.words.other_data != current.other_data:
        stored = None
    names = ScoreNames.of(session, project_id) if stored is None else stored.names
    rows, named = dict[RaterKind, pd.DataFrame](), dict[RaterKind, pd.DataFrame]()
    for kind in score_frames.KINDS:
        if stored is not None and stored.words.kinds[kind] == current.kinds[kind]:
            rows[kind], named[kind] = stored.rows[kind], stored.named[kind]
            continue
        rows[kind] = score_rows.read_scores(
            session, project_id, kind, None if stored is None else stored.rows[kind]
        )
        named[kind] = score_rows.with_names(session, project_id, kind, rows[kind], names)
    frame = score_frames.concat_scores(list(named.values()))
    ends = dict[RaterKind, pd.DataFrame]()
    start = 0
    for kind, part in named.items():  # views of the one frame, as a copy would double the memory
        ends[kind] = frame.iloc[start : start + len(part)]
        start += len(part)
    return _Scores(current, names, rows, ends, frame)
