"""What a run remembers of its batches: stored before and after each step, so that kill -9 repeats none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from judgelab.backends.openai_batches import BatchProgress
from judgelab.store.db.engine import Store
from judgelab.store.judging import runs


@dataclass(frozen=True)
class BatchEntry:
    """One batch of a run.

    Attributes:
        label: our name for it; stands in the batch's metadata.
        low, high: the positions of the units that it asks for; `high` is 0 until the file is written.
        requests: lines of its file.
        expected: US dollars that it will about cost; None without a price.
        file: the uploaded file; empty before.
        id: the batch; empty before it is known to be made.
        state: as the endpoint says; "intended" before.
        output, errors: files with what came.
        answered, refused: requests that are done.
        cancelling: whether we asked the endpoint to end it.
        merged: whether what came is stored.
        problem: why it failed, or what is in the way at the moment.
    """

    label: str
    low: int
    high: int = 0
    requests: int = 0
    expected: float | None = None
    file: str = ""
    id: str = ""
    state: str = "intended"
    output: str = ""
    errors: str = ""
    answered: int = 0
    refused: int = 0
    cancelling: bool = False
    merged: bool = False
    problem: str = ""

    def with_progress(self, progress: BatchProgress) -> BatchEntry:
        """Return the entry with what the endpoint says of the batch."""
        return replace(self, **vars(progress))

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return bool(self.id) and BatchProgress(self.id, self.state).ended


@dataclass
class BatchJournal:
    """The batches of one run, oldest first, kept in the run's row."""

    store: Store
    run_id: int
    entries: list[BatchEntry] = field(default_factory=list)

    @classmethod
    def opened(cls, store: Store, run_id: int) -> BatchJournal:
        """Return the run's batches as they are stored."""
        with store.reading() as session:
            return cls(store, run_id, batch_entries(runs.find_run(session, run_id).remote))

    @property
    def open(self) -> list[BatchEntry]:
        """The batches whose replies are not stored yet."""
        return [entry for entry in self.entries if not entry.merged]

    def intend(self, low: int) -> BatchEntry:
        """Note that a batch is about to be made of what waits from position `low` on."""
        entry = BatchEntry(uuid4().hex, low)
        self.entries.append(entry)
        self.keep(entry)
        return entry

    def keep(self, entry: BatchEntry) -> BatchEntry:
        """Store an entry as it is now, and return it."""
        places = [place for place, saved in enumerate(self.entries) if saved.label == entry.label]
        self.entries[places[0]] = entry
        self._write()
        return entry

    def drop(self, entry: BatchEntry) -> None:
        """Forget a batch that was never made."""
        self.entries = [saved for saved in self.entries if saved.label != entry.label]
        self._write()

    def _write(self) -> None:
        with self.store.writing() as session:
            runs.remember_remote(session, self.run_id, {"batches": [vars(entry) for entry in self.entries]})


def batch_entries(remote: Mapping[str, Any]) -> list[BatchEntry]:
    """Return the batches stored in a run's row."""
    stored: Sequence[Mapping[str, Any]] = remote.get("batches", ())
    return [BatchEntry(**entry) for entry in stored]
