"""Loading a model: the right class for it, in the form that was chosen, when there is room for it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgelab.backends.local import files
from judgelab.backends.local.jobs import ModelChoice
from judgelab.backends.local.model_lookup import ModelFiles, find_model, model_not_found
from judgelab.backends.local.progress import LOADING, STARTING, LoadProgress, too_large
from judgelab.errors import BackendError
from judgelab.wording import sentence

if TYPE_CHECKING:
    import torch

ROOM = 1.15  # of the weights' size, while they are loaded and for what a single prompt needs
DTYPES = ("auto", *files.SIZES)
ENDLESS = 1_000_000  # tokenizers that know no limit name a number far beyond this
TOKEN_IDS = (
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "decoder_start_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "suppress_tokens",
    "begin_suppress_tokens",
)


@dataclass(eq=False)
class LoadedModel:
    """A model in memory, with what is to be known for asking it.

    Attributes:
        seq2seq: whether an encoder reads the prompt.
        window: tokens of a prompt (causal models: prompt and reply) at most; None = no limit.
        ends: ids of the tokens that end a reply.
        token_bytes: bytes that one token of one sequence takes while replies are made.
    """

    choice: ModelChoice
    files: ModelFiles
    model: Any
    tokenizer: Any
    device: torch.device
    dtype: str
    seq2seq: bool
    window: int | None
    ends: frozenset[int]
    pad: int
    token_bytes: int
    budget: int


def load(choice: ModelChoice, progress: LoadProgress) -> LoadedModel:
    """Return the model, ready to be asked.

    Raises:
        BackendError: it is not there, does not fit, or cannot be loaded; one sentence says which.
    """
    progress.begin(STARTING)
    try:
        from transformers.utils import logging

        logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        device = _device(choice)
        dtype = _dtype(choice, device)
        check = _checker(choice, device)
        model_files = find_model(choice, progress, check)
        needed = files.bytes_needed(model_files.folder, dtype)
        check(needed)
        progress.begin(LOADING, choice.name, total=needed, measure=_measure(device))
        try:
            return _load(choice, model_files, device, dtype)
        except (OSError, ValueError, KeyError, ImportError, AttributeError, RuntimeError) as error:
            if out_of_memory(error):
                raise
            raise model_not_found(
                sentence("can't load {model}: {error}.", model=choice.name, error=_short(error))
            ) from error
    finally:
        progress.end()


def unload(loaded: LoadedModel) -> None:
    """Give a model's memory back."""
    import torch

    loaded.model = loaded.tokenizer = None
    gc.collect()
    if loaded.device.type == "cuda":
        torch.cuda.empty_cache()


def out_of_memory(error: BaseException) -> bool:
    """Return whether there was no memory; on the CPU torch only says so in words."""
    import torch

    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    message = str(error)
    return isinstance(error, RuntimeError) and (
        "allocate memory" in message or "not enough memory" in message
    )


def _load(choice: ModelChoice, model_files: ModelFiles, device: torch.device, dtype: str) -> LoadedModel:
    import torch
    import transformers

    # Never code that a model brings along, and nothing from the net: the folder is complete.
    options = {"local_files_only": True, "trust_remote_code": False}
    config = transformers.AutoConfig.from_pretrained(model_files.folder, **options)
    seq2seq = bool(getattr(config, "is_encoder_decoder", False))
    kind = transformers.AutoModelForSeq2SeqLM if seq2seq else transformers.AutoModelForCausalLM
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_files.folder, **options)
    form = "auto" if dtype == "auto" else getattr(torch, dtype)
    model: Any = kind.from_pretrained(model_files.folder, config=config, dtype=form, **options)
    model = model.to(device).eval()
    generation_config = model.generation_config
    ends = _ids(generation_config.eos_token_id) | _ids(tokenizer.eos_token_id)
    pads = (tokenizer.pad_token_id, generation_config.pad_token_id, *sorted(ends), 0)
    pad = next(token for token in pads if token is not None)
    # Only the tokens with a meaning of their own: what else a model suggests for sampling is not ours.
    settings = {name: getattr(generation_config, name, None) for name in TOKEN_IDS}
    settings.update(eos_token_id=sorted(ends) or None, pad_token_id=pad)
    model.generation_config = transformers.GenerationConfig(**settings)  # type: ignore[no-untyped-call]
    text = config.get_text_config(decoder=True)
    size = _token_bytes(text, getattr(torch, dtype).itemsize if dtype in files.SIZES else 2)
    return LoadedModel(
        choice=choice,
        files=model_files,
        model=model,
        tokenizer=tokenizer,
        device=device,
        dtype=str(model.dtype).removeprefix("torch."),
        seq2seq=seq2seq,
        window=choice.window or _window(text, tokenizer),
        ends=frozenset(ends),
        pad=int(pad),
        token_bytes=size,
        budget=choice.batch_tokens or _budget(device, size),
    )


def _device(choice: ModelChoice) -> torch.device:
    import torch

    if choice.device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(choice.device)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, ValueError):
        raise model_not_found(
            sentence("the worker's machine has no device '{device}'.", device=choice.device)
        ) from None
    return device


def _dtype(choice: ModelChoice, device: torch.device) -> str:
    if choice.dtype not in DTYPES:
        raise model_not_found(
            sentence(
                "dtype={dtype} is not allowed; choose one of {names}.",
                dtype=choice.dtype,
                names=", ".join(DTYPES),
            )
        )
    # In fewer bits the size of a batch changes the replies; on the CPU they bring no speed either.
    return "float32" if choice.dtype == "auto" and device.type == "cpu" else choice.dtype


def _free(device: torch.device) -> int | None:
    import torch

    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return files.free_memory()


def _checker(choice: ModelChoice, device: torch.device) -> Callable[[int], None]:
    def check(needed: int) -> None:
        free = _free(device)
        if free is not None and needed * ROOM > free:
            raise BackendError(
                too_large(choice.name, needed=int(needed * ROOM), free=free),
                cause="out_of_memory",
                retryable=False,
                stops_run=True,
            )

    return check


def _measure(device: torch.device) -> Callable[[], int]:
    import torch

    if device.type == "cuda":
        return lambda: int(torch.cuda.memory_allocated(device))
    before = files.held_memory()
    return lambda: files.held_memory() - before


def _window(config: Any, tokenizer: Any) -> int | None:
    positions = getattr(config, "max_position_embeddings", None)
    if positions:
        return int(positions)
    limit = tokenizer.model_max_length
    return int(limit) if limit and limit < ENDLESS else None


def _token_bytes(config: Any, size: int) -> int:
    """Return the bytes of the keys and values of one token over all layers."""
    heads = getattr(config, "num_attention_heads", None) or 1
    shared = getattr(config, "num_key_value_heads", None) or heads
    width = getattr(config, "head_dim", None) or (getattr(config, "hidden_size", None) or 4096) // heads
    layers = getattr(config, "num_hidden_layers", None) or 32
    return max(1, 2 * int(layers) * int(shared) * int(width) * size)


def _budget(device: torch.device, token_bytes: int) -> int:
    """Return the tokens of one batch: what a third of the free memory holds, within reason."""
    free = _free(device)
    most = 8_192 if device.type == "cpu" else 131_072
    return most if free is None else max(512, min(most, free // 3 // token_bytes))


def _ids(value: Any) -> set[int]:
    if value is None:
        return set()
    return {int(token) for token in value} if isinstance(value, list | tuple) else {int(value)}


def _short(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words.rstrip(".") if len(words) <= 300 else f"{words[:300].rstrip()} ..."
