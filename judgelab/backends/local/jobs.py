"""What is asked of a local model and what came of it, before and after it meets the model. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgelab.domain import Message
from judgelab.errors import BackendError
from judgelab.wording import sentence

USUAL_TOKENS = 256
MOST_ALTERNATIVES = 20


@dataclass(frozen=True)
class ModelChoice:
    """Which model, and in what form it is held.

    Args:
        name: a folder, or a name on the hub.
        revision: branch, tag or commit of the hub; empty for its main one.
        dtype: "float32", "bfloat16", "float16"; "auto" = float32 on the CPU, else as the model was stored.
        device: "cpu", "cuda", "cuda:1"; "auto" = CUDA where there is one.
        window: tokens a prompt may have, where the model's own figure is not to count; 0 = the model's own.
        batch_tokens: tokens of one batch; 0 = from the memory there is.
    """

    name: str
    revision: str = ""
    dtype: str = "auto"
    device: str = "auto"
    window: int = 0
    batch_tokens: int = 0


@dataclass(frozen=True)
class GenerationConfig:
    """How replies are made; the rows of a batch share it.

    Args:
        max_tokens: the reply's length at most.
        beams: hypotheses followed; 1 = no beam search.
        returned: how many of the beams are replies.
        length_penalty: the power of the length by which a beam's score is divided.
        temperature: 0 = always the likeliest token.
        top_p: only the likeliest tokens that make up this share.
        top_k: only so many of the likeliest tokens; 0 = all.
        alternatives: likeliest tokens noted at each place; None = no log-probabilities are wanted.
    """

    max_tokens: int = USUAL_TOKENS
    beams: int = 1
    returned: int = 1
    length_penalty: float = 1.0
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    alternatives: int | None = None

    @property
    def sampled(self) -> bool:
        """Whether tokens are drawn."""
        return self.beams == 1 and self.temperature > 0


@dataclass(frozen=True)
class ModelInfo:
    """In what form a model was in memory."""

    revision: str
    dtype: str
    device: str


@dataclass(frozen=True)
class GeneratedReply:
    """One reply: its tokens without the end, their log-probabilities, and the batch it was made in.

    `score` is the sum of all log-probabilities, the end's too; of a beam, its own score.
    """

    text: str
    ids: Sequence[int]
    finish_reason: str
    score: float | None
    logprobs: Sequence[tuple[str, float]] | None
    top_logprobs: Sequence[Sequence[tuple[str, float]]] | None
    batch_size: int
    batch_position: int
    batch_width: int
    seconds: float
    model_info: ModelInfo


@dataclass(eq=False)
class BatchRow:
    """One line of a batch: a prompt as tokens, and the sample to make of it."""

    job: GenerationJob
    ids: Sequence[int]
    manner: GenerationConfig
    seed: int | None
    outputs: Sequence[GeneratedReply] = ()

    @property
    def copies(self) -> int:
        """Return how many sequences the model follows for it."""
        return self.manner.beams

    @property
    def draw(self) -> int:
        """Return the seed of this row's own random numbers: the same ones in whatever batch it is made.

        The prompt is part of it, or all items would be drawn at the same quantiles.
        """
        digest = hashlib.sha256(f"{self.seed}|{list(self.ids)}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1


@dataclass(eq=False)
class GenerationJob:
    """One call: a prompt with its samples.

    Attributes:
        rows: made when the model's tokenizer is there.
        error: why there will be no reply.
        dropped: nobody waits for it any more.
    """

    choice: ModelChoice
    messages: Sequence[Message]
    manner: GenerationConfig
    seeds: Sequence[int | None]
    stop: tuple[str, ...] = ()
    rows: list[BatchRow] = field(default_factory=list)
    error: BackendError | None = None
    dropped: bool = False

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do for it."""
        return self.dropped or self.error is not None or bool(self.rows) and all(r.outputs for r in self.rows)


def model_choice(parameters: Mapping[str, Any]) -> ModelChoice:
    """Return which model the parameters name."""
    return ModelChoice(
        name=str(parameters["model"]),
        revision=str(parameters.get("revision") or ""),
        dtype=str(parameters.get("dtype") or "auto"),
        device=str(parameters.get("device") or "auto"),
        window=int(parameters.get("window") or 0),
        batch_tokens=int(parameters.get("batch_tokens") or 0),
    )


def generation_config(parameters: Mapping[str, Any], *, samples: int) -> GenerationConfig:
    """Return how the parameters want replies made; `samples` counts beams up to the last one wanted.

    Raises:
        BackendError: more samples than beams are wanted.
    """
    beams = int(parameters.get("num_beams") or 1)
    if beams > 1 and samples > beams:
        raise BackendError(
            sentence(
                "{samples} samples need at least {samples} beams, not {beams}; set num_beams to the "
                "number of samples.",
                samples=samples,
                beams=beams,
            ),
            cause="bad_request",
            retryable=False,
            stops_run=True,
        )
    alternatives = parameters.get("top_logprobs")
    noted = (
        min(MOST_ALTERNATIVES, int(alternatives or 0)) if parameters.get("logprobs") or alternatives else None
    )
    return GenerationConfig(
        max_tokens=int(parameters.get("max_tokens") or USUAL_TOKENS),
        beams=beams,
        returned=samples if beams > 1 else 1,
        length_penalty=_number(parameters.get("length_penalty"), 1.0),
        temperature=_number(parameters.get("temperature"), 0.0) if beams == 1 else 0.0,
        top_p=_number(parameters.get("top_p"), 1.0) if beams == 1 else 1.0,
        top_k=int(parameters.get("top_k") or 0) if beams == 1 else 0,
        alternatives=noted,
    )


def stop_words(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts at which a reply ends."""
    stop = parameters.get("stop") or ()
    return (stop,) if isinstance(stop, str) else tuple(str(word) for word in stop if word)


def _number(value: Any, default: float) -> float:
    return default if value is None else float(value)
