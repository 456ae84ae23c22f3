"""What a call costs. Pure; an unknown price is unknown, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens; `cached` for input that the endpoint had in its cache.

    `batch` is the share of it that a call in a batch costs, where the price list says so.
    """

    prompt: float
    completion: float
    cached: float | None = None
    batch: float | None = None

    def in_batch(self) -> Price:
        """Return what the same tokens cost in a batch; the full price where the list gives no other."""
        share = 1.0 if self.batch is None else self.batch
        cached = None if self.cached is None else self.cached * share
        return Price(self.prompt * share, self.completion * share, cached, self.batch)

    def of(
        self, prompt_tokens: float | None, completion_tokens: float | None, *, cached_tokens: float = 0
    ) -> float | None:
        """Return the dollars for so many tokens; None when the endpoint did not count them.

        Args:
            prompt_tokens: tokens of the input, cached ones included.
            completion_tokens: tokens of the output.
            cached_tokens: how many of the input came from the endpoint's cache.
        """
        if prompt_tokens is None or completion_tokens is None:
            return None
        cached = min(cached_tokens, prompt_tokens) if self.cached is not None else 0
        fresh = (prompt_tokens - cached) * self.prompt + cached * (self.cached or 0.0)
        return (fresh + completion_tokens * self.completion) / MILLION


def price_of(prices: Mapping[str, Any], model: str) -> Price | None:
    """Return the price of a model in an endpoint's table ("*" matches any model), or None."""
    price = prices.get(model) or prices.get("*")
    if not price:
        return None
    cached, batch = (None if price.get(name) is None else float(price[name]) for name in ("cached", "batch"))
    return Price(float(price["prompt"]), float(price["completion"]), cached, batch)


def cached_tokens(counted: Mapping[str, Any]) -> int:
    """Return how much of the input an endpoint's usage report says came from its cache."""
    details = counted.get("prompt_tokens_details")
    count = details.get("cached_tokens") if isinstance(details, dict) else None
    return count if isinstance(count, int) else 0
