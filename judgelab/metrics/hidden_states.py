"""Token states of an encoder, from one layer or its last layers."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgelab.metrics.encoder_model import EncoderModel, load

States = NDArray[np.float32]


def last_states(model: EncoderModel, ids: Sequence[Sequence[int]], layer: int | None = None) -> list[States]:
    """Return the states of one layer for each text, shape (tokens, dimensions), each of length one.

    Args:
        model: the encoder.
        ids: token ids of each text, special ones included.
        layer: from 1; what follows it is not computed. The last one if not given.
    """
    import torch

    last_layer = layer or model.layers
    cut = _cut(model, last_layer) if last_layer < model.layers else model.model
    states_of_texts: list[States] = [np.empty((0, 0), dtype=np.float32)] * len(ids)
    with torch.inference_mode():
        for batch in model.batches(ids):
            inputs = model.inputs([ids[place] for place in batch])
            if cut is not None:
                states = cut(**inputs).last_hidden_state
            else:
                states = model.model(**inputs, output_hidden_states=True).hidden_states[last_layer]
            rows = torch.nn.functional.normalize(states.float(), dim=-1).cpu().numpy()
            for row, place in enumerate(batch):
                states_of_texts[place] = rows[row, : len(ids[place])].copy()
    return states_of_texts


def pooled_states(model: EncoderModel, ids: Sequence[Sequence[int]], *, layers: int = 5) -> list[States]:
    """Return, for each text, the minimum, mean and maximum of its last layers' states, side by side.

    Each layer's states are normalised to length one first; shape (tokens, 3 x dimensions). Zhao et al.,
    MoverScore, 2019.
    """
    import torch

    states_of_texts: list[States] = [np.empty((0, 0), dtype=np.float32)] * len(ids)
    with torch.inference_mode():
        for batch in model.batches(ids):
            inputs = model.inputs([ids[place] for place in batch])
            hidden = model.model(**inputs, output_hidden_states=True).hidden_states[-layers:]
            stacked = torch.nn.functional.normalize(torch.stack(hidden).float(), dim=-1)
            parts = (stacked.amin(0), stacked.mean(0), stacked.amax(0))
            rows = torch.cat(parts, -1).cpu().numpy()
            for row, place in enumerate(batch):
                states_of_texts[place] = rows[row, : len(ids[place])].copy()
    return states_of_texts


def _cut(model: EncoderModel, layers: int) -> Any:
    """Return the model with its first layers only, sharing their weights; None where its build is another."""
    inner = getattr(model.model, "encoder", None)
    if getattr(inner, "layer", None) is None:
        return None
    return _cut_loaded(model.name, model.key, layers)


@lru_cache(maxsize=4)
def _cut_loaded(name: str, _key: str, layers: int) -> Any:
    import torch

    model = load(name).model
    cut, inner = copy.copy(model), copy.copy(model.encoder)
    # A shallow copy shares its modules table; without its own, the original would be cut too.
    cut._modules, inner._modules = dict(model._modules), dict(model.encoder._modules)
    inner.layer = torch.nn.ModuleList(list(model.encoder.layer)[:layers])
    cut.encoder = inner
    return cut
