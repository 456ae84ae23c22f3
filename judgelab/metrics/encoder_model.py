"""An encoder in memory: texts to token ids, token ids to hidden states, in batches of similar length.

Torch is imported inside the functions, since the package must load without it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from judgelab.errors import InvalidInput
from judgelab.metrics.encoder_files import OFFLINE, fingerprint, has_torch, manner_of, place_of
from judgelab.wording import mark, sentence

if TYPE_CHECKING:
    import torch

Floats = NDArray[np.float32]
TOKENS = 2048  # padded tokens of one batch: small batches stay in a CPU's cache
TOKENS_GPU = 65_536
ENDLESS = 1_000_000  # tokenizers without a limit give a number far above this
NEEDS_TORCH = mark("this needs torch and transformers (requirements.txt)")
_loading = threading.Lock()


@dataclass(eq=False, frozen=True)
class EncoderModel:
    """A model with its tokenizer.

    Attributes:
        name: what it was asked for by.
        key: the name with what tells its weights from others of that name; vectors are kept under it.
        layers: how many layers it has.
        window: tokens of a text at most, with the special ones; what is longer is cut.
        most_tokens: the same where one vector of the whole text is wanted.
        pooling: "mean" or "first": how its token states become one vector.
    """

    name: str
    key: str
    tokenizer: Any
    model: Any
    device: torch.device
    layers: int
    window: int
    most_tokens: int
    pooling: str

    def token_ids(self, texts: Sequence[str], *, most: int | None = None) -> list[list[int]]:
        """Return the token ids of each text, special ones included, cut at `most` or the window."""
        if not texts:
            return []
        limit = min(most or self.window, self.window)
        cleaned = [text.strip().encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = self.tokenizer(cleaned, truncation=True, max_length=limit, return_attention_mask=False)
        return [list(ids) for ids in encoded["input_ids"]]

    def batches(self, ids: Sequence[Sequence[int]], *, tokens: int | None = None) -> Iterator[list[int]]:
        """Yield positions in `ids`, longest first, such that a padded batch has about `tokens` tokens."""
        budget = tokens or (TOKENS_GPU if self.device.type == "cuda" else TOKENS)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]), reverse=True)
        start = 0
        while start < len(order):
            size = max(1, budget // max(1, len(ids[order[start]])))
            yield order[start : start + size]
            start += size

    def inputs(self, ids: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        """Return the padded ids and their mask on the model's device."""
        import torch

        longest = max(map(len, ids))
        pad = self.tokenizer.pad_token_id or 0
        rows = [[*row, *[pad] * (longest - len(row))] for row in ids]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in ids]
        return {
            "input_ids": torch.tensor(rows, device=self.device),
            "attention_mask": torch.tensor(mask, device=self.device),
        }

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Return one L2-normalised vector of each text, shape (texts, dimensions), float32."""
        import torch

        ids = self.token_ids(texts, most=self.most_tokens)
        vectors = np.zeros((len(texts), int(self.model.config.hidden_size)), dtype=np.float32)
        with torch.inference_mode():
            for batch in self.batches(ids):
                inputs = self.inputs([ids[place] for place in batch])
                states = self.model(**inputs).last_hidden_state.float()
                if self.pooling == "first":
                    pooled = states[:, 0]
                else:
                    mask = inputs["attention_mask"][..., None].float()
                    pooled = (states * mask).sum(1) / mask.sum(1).clamp_min(1e-9)
                vectors[batch] = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return vectors


def load(name: str) -> EncoderModel:
    """Return the encoder of this name, loaded once in a process; only safetensors, never a model's own code.

    Args:
        name: `all-MiniLM-L6-v2` (the offline one), a folder, or a name on the Hugging Face hub.

    Raises:
        InvalidInput: torch is absent, or there is no such encoder; one sentence says which.
    """
    if not has_torch():
        raise InvalidInput(sentence(NEEDS_TORCH))
    with _loading:  # two threads must not load the same weights side by side
        return _loaded(name)


@lru_cache(maxsize=2)
def _loaded(name: str) -> EncoderModel:
    place, local = place_of(name)
    import torch
    import transformers
    from transformers.utils import hub, logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # More threads than half the cores spin against whatever else runs and lose up to four times.
    torch.set_num_threads(max(1, min(torch.get_num_threads(), (os.cpu_count() or 2) // 2)))
    load_options = {"local_files_only": local, "trust_remote_code": False}

    def small_file(path: str) -> str | None:
        cached = hub.cached_file(
            place, path, local_files_only=local, _raise_exceptions_for_missing_entries=False
        )
        return None if cached is None else str(cached)

    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(place, **load_options)
        model: Any = transformers.AutoModel.from_pretrained(
            place, use_safetensors=True, dtype=torch.float32, **load_options
        )
        manner = manner_of(small_file)
    except (OSError, ValueError, KeyError, ImportError, AttributeError, RuntimeError) as error:
        raise InvalidInput(
            sentence(
                "can't load the encoder {model}: {error}. Choose a folder, a model with safetensors on "
                "the Hugging Face hub, or {offline}.",
                model=name,
                error=_short(error),
                offline=OFFLINE,
            )
        ) from error
    model = getattr(model, "encoder", model) if getattr(model.config, "is_encoder_decoder", False) else model
    window = _window(model.config, tokenizer)
    mark_of_weights = fingerprint(place, local=local)
    return EncoderModel(
        name=name,
        key=f"{name}@{mark_of_weights}" if mark_of_weights and name != OFFLINE else name,
        tokenizer=tokenizer,
        model=model.to(device).eval(),
        device=device,
        layers=int(model.config.num_hidden_layers),
        window=window,
        most_tokens=min(manner.most_tokens or window, window),
        pooling=manner.pooling,
    )


def _window(config: Any, tokenizer: Any) -> int:
    """Return how many tokens it can read; RoBERTa-like models count positions from the padding index."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    if positions and str(getattr(config, "model_type", "")) in (
        "roberta",
        "xlm-roberta",
        "camembert",
        "mpnet",
    ):
        positions -= int(getattr(config, "pad_token_id", 1) or 0) + 1
    limit = int(tokenizer.model_max_length)
    limits = [number for number in (positions, limit) if 0 < number < ENDLESS]
    return min(limits, default=512)


def _short(error: Exception) -> str:
    words = " ".join(str(error).split()) or type(error).__name__
    return words.rstrip(".") if len(words) <= 160 else f"{words[:160].rstrip()} ..."
