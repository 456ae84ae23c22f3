"""The one model of this process: loaded when it is asked for, given up for another, asked batch by batch.

All of it runs in one thread, which is not that of the event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from judgelab.backends.local.batching import next_batch
from judgelab.backends.local.jobs import BatchRow, GenerationJob, ModelChoice
from judgelab.backends.local.loading import LoadedModel, load, out_of_memory, unload
from judgelab.backends.local.progress import LoadProgress
from judgelab.errors import BackendError
from judgelab.wording import sentence

log = logging.getLogger("judgelab.backends")
SCORE_BYTES = 4  # of each word of the vocabulary at each token of a beam


class ModelHost:
    """Loads a model and runs its generation jobs.

    Args:
        progress: what the worker says while a model is on its way.
    """

    def __init__(self, progress: LoadProgress) -> None:
        self._progress = progress
        self._loaded: LoadedModel | None = None

    @property
    def choice(self) -> ModelChoice | None:
        """Return which model is in memory."""
        return self._loaded.choice if self._loaded else None

    def step(self, choice: ModelChoice, jobs: Sequence[GenerationJob]) -> None:
        """Answer one batch of what the jobs still lack.

        Raises:
            BackendError: the model cannot be had, or not even small batches fit beside it.
        """
        loaded = self._ready(choice)
        self._encode(loaded, jobs)
        rows = [
            row for job in jobs if not job.dropped and not job.error for row in job.rows if not row.outputs
        ]
        if rows:
            self._answer(loaded, rows)

    def close(self) -> None:
        """Give the model's memory back."""
        if self._loaded is not None:
            unload(self._loaded)
            self._loaded = None

    def _ready(self, choice: ModelChoice) -> LoadedModel:
        if self._loaded is None or self._loaded.choice != choice:
            self.close()
            try:
                self._loaded = load(choice, self._progress)
            except (MemoryError, RuntimeError) as error:
                self._refuse_memory(choice, error)
                raise
            log.info("%s is in memory", choice.name)
        return self._loaded

    def _encode(self, loaded: LoadedModel, jobs: Sequence[GenerationJob]) -> None:
        from judgelab.backends.local.encoding import encode

        for job in jobs:
            if not job.rows and job.error is None:
                encode(loaded, job)

    def _answer(self, loaded: LoadedModel, rows: Sequence[BatchRow]) -> None:
        from judgelab.backends.local.generation import generate

        words = int(getattr(loaded.model.config.get_text_config(), "vocab_size", 0) or 0)
        batch = next_batch(rows, budget=loaded.budget, extra=words * SCORE_BYTES // loaded.token_bytes)
        try:
            for row, outputs in zip(batch, generate(loaded, batch), strict=True):
                row.outputs = outputs
        except (MemoryError, RuntimeError) as error:
            self._refuse_memory(loaded.choice, error, again=len(batch) > 1)
            # Smaller ones from now on; what failed waits, and the next step takes it up.
            size = len(batch[0].ids) + batch[0].manner.max_tokens
            loaded.budget = max(1, len(batch) * size * batch[0].copies // 2)
            log.warning("%s: out of memory with %s concurrent prompts", loaded.choice.name, len(batch))

    def _refuse_memory(self, choice: ModelChoice, error: Exception, *, again: bool = False) -> None:
        """Raise what the error means; return only where a smaller batch is worth a try."""
        import torch

        if not out_of_memory(error):
            raise error
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if not again:
            raise BackendError(
                sentence(
                    "not enough memory for {model}, even in small batches; choose a smaller model, load "
                    "it with dtype=bfloat16, or limit the length of replies.",
                    model=choice.name,
                ),
                cause="out_of_memory",
                retryable=False,
                stops_run=True,
            ) from error
