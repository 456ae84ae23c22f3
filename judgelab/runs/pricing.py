"""What a call costs. Pure; an unknown price is unknown, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: float | None, completion_tokens: float | None) -> float | None:
        """Return the dollars for so many tokens; None when the endpoint did not count them."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / MILLION


def price_of(prices: Mapping[str, Any], model: str) -> Price | None:
    """Return the price of a model in an endpoint's table ("*" stands for any model), or None."""
    found = prices.get(model) or prices.get("*")
    return Price(float(found["prompt"]), float(found["completion"])) if found else None
