"""Models that run on this machine, in a worker of their own: causal and sequence-to-sequence ones."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from judgelab.backends.base import Backend, Connection, backends
from judgelab.backends.local.batch_scheduler import BatchScheduler
from judgelab.backends.local.jobs import (
    GeneratedReply,
    GenerationJob,
    generation_config,
    model_choice,
    stop_words,
)
from judgelab.db_text import db_safe_text
from judgelab.domain import Message, Reply, Usage
from judgelab.errors import BackendError, InvalidInput
from judgelab.wording import mark, sentence

LIBRARIES = ("torch", "transformers")
HUB_NAME = r"[\w.-]+(/[\w.-]+)?"
MISSING = mark(
    "models on this machine need torch and transformers, which are not installed for the worker; install "
    "them with `pip install -r requirements.txt` and restart JudgeLab."
)


@backends.register("transformers")
class TransformersBackend(Backend):
    """A model in this worker's memory, named by its folder or its name on the hub.

    Calls that come together are answered in batches. `Reply.sent` holds what was done: the revision, dtype
    and device, the batch and the place in it, the seed (drawn where none was given), and the libraries'
    versions.
    """

    title = mark("Model on this machine (transformers)")
    kind = "local"
    own_parameters = {
        "num_beams": 1,
        "length_penalty": 1.0,
        "top_k": 0,
        "dtype": "auto",
        "device": "auto",
        "revision": "",
        "window": 0,
        "batch_tokens": 0,
    }

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        if not installed():
            raise BackendError(sentence(MISSING), cause="not_installed", retryable=False, stops_run=True)
        self._gatherer = BatchScheduler()

    @classmethod
    def checked_model(cls, model: str) -> str:
        """Return a folder's whole path, or the name on the hub; raises `InvalidInput` for neither."""
        name = model.strip()
        path = os.path.expanduser(name)
        if os.path.isdir(path):
            # Workers run elsewhere: they need the whole path.
            return os.path.abspath(path)
        if not re.fullmatch(HUB_NAME, name) or name.startswith("."):
            raise InvalidInput(
                sentence(
                    "'{model}' is neither a folder on this machine nor the name of a model on the hub "
                    "(such as Qwen/Qwen3-0.6B); enter one of these.",
                    model=name,
                )
            )
        return name

    @property
    def doing(self) -> str:
        """Return how far a model is that is downloaded or loaded."""
        return self._gatherer.progress.message()

    async def complete(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int = 0
    ) -> list[Reply]:
        """Return all samples that are asked for, from batches shared with other calls."""
        reply_count = int(parameters.get("n") or 1)
        manner = generation_config(parameters, samples=first_sample + reply_count)
        given = parameters.get("seed")
        seed = secrets.randbelow(2**31) if given is None else int(given)
        job = GenerationJob(
            choice=model_choice(parameters),
            messages=tuple(messages),
            manner=manner,
            seeds=[seed + first_sample + place for place in range(reply_count)],
            stop=stop_words(parameters),
        )
        outputs = await self._gatherer.ask(job)
        # Beams come from the best one on; without drawing, all samples are the same one.
        outputs = outputs[first_sample:] if manner.beams > 1 else outputs * (reply_count // len(outputs))
        return [self._reply(job, outputs, place) for place in range(len(outputs))]

    async def close(self) -> None:
        """Give the model's memory back."""
        await self._gatherer.close()

    def _reply(self, job: GenerationJob, outputs: Sequence[GeneratedReply], place: int) -> Reply:
        generated, row = outputs[place], job.rows[min(place, len(job.rows) - 1)]
        body = {
            "object": "transformers.generation",
            "text": generated.text,
            "token_ids": list(generated.ids),
            "finish_reason": generated.finish_reason,
            "score": generated.score,
        }
        made_of = sum(len(output.ids) for each in job.rows for output in each.outputs)
        usage = Usage(len(row.ids), made_of) if place == 0 else Usage()
        return Reply(
            text=db_safe_text(generated.text),  # as stored: a second turn repeats it
            body=json.dumps(body, ensure_ascii=False),
            model=job.choice.name,
            finish_reason=generated.finish_reason,
            usage=usage,
            latency=generated.seconds,
            sent=self._sent(job, generated, seed=job.seeds[place] if row.manner.sampled else None),
            logprobs=generated.logprobs,
            top_logprobs=generated.top_logprobs,
        )

    def _sent(self, job: GenerationJob, generated: GeneratedReply, *, seed: int | None) -> dict[str, Any]:
        manner, held = job.rows[0].manner, generated.model_info
        sent: dict[str, Any] = {
            "model": job.choice.name,
            "revision": held.revision,
            "dtype": held.dtype,
            "device": held.device,
            "max_tokens": manner.max_tokens,
            "temperature": manner.temperature,
        }
        if manner.sampled:
            sent |= {"top_p": manner.top_p, "top_k": manner.top_k, "seed": seed}
        if manner.beams > 1:
            sent |= {"num_beams": manner.beams, "length_penalty": manner.length_penalty}
        if job.stop:
            sent["stop"] = list(job.stop)
        if manner.alternatives is not None:
            sent |= {"logprobs": True, "top_logprobs": manner.alternatives}
        batch = {
            "size": generated.batch_size,
            "position": generated.batch_position,
            "width": generated.batch_width,
        }
        return {**sent, "batch": batch, "libraries": _versions()}


def installed() -> bool:
    """Return whether the libraries are here; none of them is imported."""
    return all(importlib.util.find_spec(name) is not None for name in LIBRARIES)


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in (*LIBRARIES, "tokenizers")}
