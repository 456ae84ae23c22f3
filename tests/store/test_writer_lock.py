"""Writers take turns: whoever writes without a pause keeps nobody out for long."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from judgelab.errors import StoreUnavailable
from judgelab.store.db import writer_lock
from judgelab.store.db.schema import open_store
from tests.databases import new_sqlite


def test_a_writer_comes_between_the_transactions_of_one_that_never_pauses(tmp_path: Path) -> None:
    url = new_sqlite(tmp_path / "x.db")
    store, busy_store = (
        open_store(url),
        open_store(url),
    )  # as two processes have it: nothing in common but the file
    over, counted = threading.Event(), [0]

    def write_on() -> None:
        while not over.is_set():
            with busy_store.writing() as session:
                session.execute(text("SELECT 1"))
                time.sleep(0.02)
                counted[0] += 1

    writer = threading.Thread(target=write_on)
    writer.start()
    try:
        while not counted[0]:
            time.sleep(0.001)
        before = counted[0]
        for _ in range(10):
            with store.writing() as session:
                session.execute(text("SELECT 1"))
        between = counted[0] - before
    finally:
        over.set()
        writer.join()
        store.close()
        busy_store.close()
    assert between <= 30, "each of ten transactions waits for one or two of the other's, not for dozens"


def test_who_waits_in_vain_is_told_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = new_sqlite(tmp_path / "x.db")
    store, blocking_store = open_store(url), open_store(url)
    monkeypatch.setattr(writer_lock, "LONGEST_WAIT", 0.1)
    with blocking_store.writing() as blocking_session:
        blocking_session.execute(text("SELECT 1"))
        with pytest.raises(StoreUnavailable, match="locked by another program"), store.writing() as session:
            session.execute(text("SELECT 1"))
    store.close()
    blocking_store.close()
