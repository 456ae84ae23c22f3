"""Hosted fine-tuning by OpenAI's API: a file goes up, a job is started, followed, cancelled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from judgelab.backends.openai_replies import token_count
from judgelab.backends.openai_typed import read_answer, word, word_if_any
from judgelab.db_text import db_safe_text

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from judgelab.backends.base import Connection

ENDED = frozenset({"succeeded", "failed", "cancelled"})
MOST_EVENTS = 20
T = TypeVar("T")


@dataclass(frozen=True)
class TuningJob:
    """How far a job is.

    Attributes:
        state: validating_files, queued, running, paused, succeeded, failed or cancelled.
        model: the tuned model's name; empty until it succeeded.
        problem: why it failed.
        trained_tokens: tokens that were paid for, once known.
    """

    id: str
    state: str
    base_model: str = ""
    model: str = ""
    problem: str = ""
    trained_tokens: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ENDED


class TuningApi:
    """The fine-tuning jobs of one endpoint; belongs to the event loop of its client.

    Every method raises `BackendError` with one sentence where the endpoint refuses or is not there.
    """

    def __init__(
        self, client: AsyncOpenAI, connection: Connection, key: str, *, headers: Mapping[str, Any]
    ) -> None:
        self._client = client
        self._connection = connection
        self._key = key
        self._headers: Any = headers

    async def upload(self, name: str, lines: bytes) -> str:
        """Store a file of examples at the endpoint; return its id."""
        uploaded = self._client.files.create(
            file=(name, lines), purpose="fine-tune", extra_headers=self._headers
        )
        return await self._told(uploaded, lambda file: word(file.id))

    async def start(
        self,
        base_model: str,
        train: str,
        validation: str = "",
        *,
        epochs: int | None = None,
        suffix: str = "",
        seed: int | None = None,
    ) -> TuningJob:
        """Start a supervised job on uploaded files; None leaves the number of epochs to the endpoint."""
        settings: dict[str, Any] = {"n_epochs": epochs} if epochs else {}
        request: dict[str, Any] = {
            "model": base_model,
            "training_file": train,
            "method": {"type": "supervised", "supervised": {"hyperparameters": settings}},
            **({"validation_file": validation} if validation else {}),
            **({"suffix": suffix} if suffix else {}),
            **({"seed": seed} if seed is not None else {}),
        }
        job = self._client.fine_tuning.jobs.create(**request, extra_headers=self._headers)
        return await self._told(job, _job)

    async def look(self, job_id: str) -> TuningJob:
        """Return how far a job is."""
        job = self._client.fine_tuning.jobs.retrieve(job_id, extra_headers=self._headers)
        return await self._told(job, _job)

    async def events(self, job_id: str) -> list[str]:
        """Return what the endpoint said of the job so far, oldest first."""
        listing: Any = self._client.fine_tuning.jobs.list_events(
            job_id, limit=MOST_EVENTS, extra_headers=self._headers
        )
        return await self._told(
            listing, lambda page: [db_safe_text(str(event.message)) for event in reversed(page.data or [])]
        )

    async def cancel(self, job_id: str) -> TuningJob:
        """Ask the endpoint to end a job."""
        job = self._client.fine_tuning.jobs.cancel(job_id, extra_headers=self._headers)
        return await self._told(job, _job)

    async def _told(self, call: Awaitable[Any], read: Callable[[Any], T]) -> T:
        return await read_answer(call, read, connection=self._connection, key=self._key)


def _job(job: Any) -> TuningJob:
    error = getattr(job, "error", None)
    return TuningJob(
        id=word(job.id),
        state=word(job.status),
        base_model=word_if_any(job.model),
        model=word_if_any(job.fine_tuned_model),
        problem=word_if_any(error.message) if error else "",
        trained_tokens=token_count(job.trained_tokens),
    )
