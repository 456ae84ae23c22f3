"""Tuning a model on this machine with low-rank adapters (LoRA): only a few added weights learn.

The tuned model is written whole (adapters merged in), so that it is loaded like any other.
"""

from __future__ import annotations

import importlib.util
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgelab.backends.local.encoding import prompt_ids
from judgelab.backends.local.jobs import ModelChoice
from judgelab.backends.local.loading import LoadedModel, load, unload
from judgelab.backends.local.progress import LoadProgress
from judgelab.domain import Message
from judgelab.errors import BackendError, InvalidInput
from judgelab.wording import sentence

LIBRARIES = ("torch", "transformers", "peft")
IGNORED = -100  # a label at which no loss is taken
OnProgress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class TuningConfig:
    """How a model is tuned.

    Args:
        epochs: how often every example is seen.
        rank: of the adapters.
        learning_rate: of AdamW.
        batch: examples a step.
        seed: of the adapters' first weights and of the order of examples.
    """

    epochs: int = 3
    rank: int = 8
    learning_rate: float = 2e-4
    batch: int = 4
    seed: int = 0


@dataclass(frozen=True)
class TuningResult:
    """What came of it: the folder, steps made, and the mean loss per token before and after.

    `left_out` counts examples longer than the model reads; `checked` is the loss on lines that only check.
    """

    folder: str
    steps: int
    trainable: int
    loss_before: float
    loss_after: float
    checked_before: float | None
    checked_after: float | None
    left_out: int


def tune_model(
    model: str,
    lines: Sequence[Mapping[str, Any]],
    folder: Path,
    manner: TuningConfig,
    *,
    checking: Sequence[Mapping[str, Any]] = (),
    told: OnProgress | None = None,
) -> TuningResult:
    """Tune a causal or sequence-to-sequence model on prompts and replies and write it to a folder.

    Loss is taken on the replies alone. Works in float32 on the CPU, in the model's own type on a GPU.

    Args:
        model: a folder, or a name on the hub that was fetched before.
        lines: `{"messages": [..., {"role": "assistant", ...}]}` each.
        folder: where the tuned model goes; must be new or empty.
        manner: how.
        checking: lines whose loss is measured before and after and never learnt from.
        told: is told step, steps and loss.

    Raises:
        InvalidInput: the libraries lack, the folder is not empty, or no example fits the model.
        BackendError: the model cannot be loaded.
    """
    _need_libraries()
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(sentence("{folder} is not empty; choose a new folder.", folder=str(folder)))
    loaded = load(ModelChoice(name=model), LoadProgress())
    try:
        examples = [example for line in lines if (example := _example(loaded, line)) is not None]
        checks = [example for line in checking if (example := _example(loaded, line)) is not None]
        if not examples:
            raise InvalidInput(sentence("all examples are too long for {model}.", model=model))
        return _tuned(loaded, examples, checks, folder, manner, told, left_out=len(lines) - len(examples))
    finally:
        unload(loaded)


def _need_libraries() -> None:
    missing = [name for name in LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise InvalidInput(
            sentence(
                "tuning on this machine needs {libraries}; install them with `pip install -r "
                "requirements.txt`.",
                libraries=", ".join(missing),
            )
        )


@dataclass(frozen=True)
class _EncodedExample:
    prompt: list[int]
    reply: list[int]


def _example(loaded: LoadedModel, line: Mapping[str, Any]) -> _EncodedExample | None:
    turns = [Message(turn["role"], turn["content"]) for turn in line["messages"]]
    prompt = prompt_ids(loaded.tokenizer, turns[:-1])
    reply = loaded.tokenizer(turns[-1].content, add_special_tokens=False, truncation=False)["input_ids"]
    end = loaded.tokenizer.eos_token_id
    whole = _EncodedExample(prompt, [int(token) for token in reply] + ([] if end is None else [int(end)]))
    length = len(whole.prompt) + (0 if loaded.seq2seq else len(whole.reply))
    return None if loaded.window is not None and length > loaded.window else whole


def _tuned(
    loaded: LoadedModel,
    examples: Sequence[_EncodedExample],
    checks: Sequence[_EncodedExample],
    folder: Path,
    manner: TuningConfig,
    told: OnProgress | None,
    *,
    left_out: int,
) -> TuningResult:
    import torch
    from peft import LoraConfig, TaskType, get_peft_model

    torch.manual_seed(manner.seed)
    kind = TaskType.SEQ_2_SEQ_LM if loaded.seq2seq else TaskType.CAUSAL_LM
    config = LoraConfig(
        task_type=kind,
        r=manner.rank,
        lora_alpha=2 * manner.rank,
        lora_dropout=0.0,
        target_modules="all-linear",
    )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how GPT-2 stores its weights is noticed and heeded
            model: Any = get_peft_model(loaded.model, config)
    except (ValueError, TypeError) as error:
        raise BackendError(
            sentence("can't tune {model}: {error}.", model=loaded.choice.name, error=str(error)[:200]),
            cause="bad_request",
            retryable=False,
        ) from error
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    before, checked_before = _loss(loaded, model, examples), _loss_of(loaded, model, checks)
    optimizer = torch.optim.AdamW(weights, lr=manner.learning_rate)
    steps = manner.epochs * -(-len(examples) // manner.batch)
    model.train()
    for step, batch in enumerate(_batches(examples, manner), 1):
        loss = _forward(loaded, model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if told is not None:
            told(step, steps, float(loss.detach()))
    model.eval()
    after, checked_after = _loss(loaded, model, examples), _loss_of(loaded, model, checks)
    merged = model.merge_and_unload()
    folder.mkdir(parents=True, exist_ok=True)
    merged.save_pretrained(folder)
    loaded.tokenizer.save_pretrained(folder)
    count = sum(weight.numel() for weight in weights)
    return TuningResult(str(folder), steps, count, before, after, checked_before, checked_after, left_out)


def _batches(
    examples: Sequence[_EncodedExample], manner: TuningConfig
) -> Iterator[Sequence[_EncodedExample]]:
    order = random.Random(manner.seed)
    for _ in range(manner.epochs):
        shuffled = list(examples)
        order.shuffle(shuffled)
        for start in range(0, len(shuffled), manner.batch):
            yield shuffled[start : start + manner.batch]


def _forward(loaded: LoadedModel, model: Any, batch: Sequence[_EncodedExample]) -> Any:
    """Return the mean loss per reply token of a batch."""
    if loaded.seq2seq:
        ids, mask = _padded(loaded, [example.prompt for example in batch], loaded.pad)
        labels, _ = _padded(loaded, [example.reply for example in batch], IGNORED)
    else:
        ids, mask = _padded(loaded, [example.prompt + example.reply for example in batch], loaded.pad)
        labels, _ = _padded(
            loaded, [[IGNORED] * len(example.prompt) + example.reply for example in batch], IGNORED
        )
    return model(input_ids=ids, attention_mask=mask, labels=labels).loss


def _padded(loaded: LoadedModel, rows: Sequence[Sequence[int]], filler: int) -> tuple[Any, Any]:
    import torch

    width = max(len(row) for row in rows)
    ids = [[*row, *([filler] * (width - len(row)))] for row in rows]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    return (torch.tensor(ids, device=loaded.device), torch.tensor(mask, device=loaded.device))


def _loss(loaded: LoadedModel, model: Any, examples: Sequence[_EncodedExample]) -> float:
    import torch

    total, tokens = 0.0, 0
    with torch.no_grad():
        for example in examples:
            total += float(_forward(loaded, model, [example])) * len(example.reply)
            tokens += len(example.reply)
    return total / tokens


def _loss_of(loaded: LoadedModel, model: Any, examples: Sequence[_EncodedExample]) -> float | None:
    return _loss(loaded, model, examples) if examples else None
