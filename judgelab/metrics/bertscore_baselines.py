"""BERTScore of unrelated sentences, by encoder and layer, and the layer its authors recommend."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.wording import sentence


def recommended_layer(encoder: str) -> int | None:
    """Return the layer that BERTScore's authors found best for an encoder, if they tried it."""
    entry = _of(encoder)
    return int(entry["layer"]) if entry else None


def baseline(encoder: str, layer: int) -> tuple[float, float, float]:
    """Return P, R and F of unrelated sentences.

    Raises:
        InvalidInput: nobody has measured them for this encoder.
    """
    entry = _of(encoder)
    if entry is None or layer >= len(entry["rows"]):
        raise InvalidInput(
            sentence(
                "option rescale: there is no baseline for {encoder}; choose rescale=false, or an encoder "
                "with a baseline: {names}.",
                encoder=encoder,
                names=", ".join(_table()),
            )
        )
    p, r, f = entry["rows"][layer]
    return p, r, f


def _of(encoder: str) -> dict[str, Any] | None:
    """Return an encoder's entry; the hub has put owners before the names of the oldest models."""
    table = _table()
    return table.get(encoder) or table.get(encoder.rpartition("/")[2])


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
