"""Choosing each next token: the likeliest, or one drawn with the row's own random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import LogitsProcessor, StoppingCriteria

from judgelab.backends.local.encoding import stopped_at
from judgelab.backends.local.jobs import BatchRow, GenerationConfig
from judgelab.backends.local.loading import LoadedModel

Alternatives = list[tuple[torch.Tensor, torch.Tensor]]


class TokenSampler(LogitsProcessor):
    """Leaves the model one token each time, and notes the log-probabilities.

    Each row draws from a generator of its own. So a seed gives the same reply in whatever batch, which the
    library's sampling does not: it draws for the whole batch at once.
    """

    def __init__(self, rows: Sequence[BatchRow], manner: GenerationConfig) -> None:
        self._manner = manner
        self._generators = [torch.Generator().manual_seed(row.draw) for row in rows] if manner.sampled else []
        self.logprobs: list[torch.Tensor] = []
        self.alternatives: Alternatives = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return scores that leave the chosen token alone."""
        scores = scores.float()
        chosen = self._drawn(scores) if self._generators else scores.argmax(-1)
        if self._manner.alternatives is not None:
            # Of the model itself, before temperature and limits, as APIs give them.
            logprobs = scores.log_softmax(-1)
            self.logprobs.append(logprobs.gather(1, chosen[:, None])[:, 0].cpu())
            if self._manner.alternatives:
                best = logprobs.topk(min(self._manner.alternatives, logprobs.shape[-1]))
                self.alternatives.append((best.values.cpu(), best.indices.cpu()))
        only = torch.full_like(scores, float("-inf"))
        return only.scatter_(1, chosen[:, None], 0.0)

    def _drawn(self, scores: torch.Tensor) -> torch.Tensor:
        shares = (scores / self._manner.temperature).double().softmax(-1)
        ordered, order = shares.sort(dim=-1, descending=True, stable=True)
        summed = ordered.cumsum(-1)
        # The token that crosses the share belongs to it; the likeliest one always does.
        in_nucleus = summed - ordered < self._manner.top_p
        if self._manner.top_k:
            in_nucleus[:, self._manner.top_k :] = False
        in_nucleus[:, 0] = True
        ordered = ordered * in_nucleus
        summed = ordered.cumsum(-1)
        numbers = torch.stack(
            [torch.rand((), generator=generator, dtype=torch.double) for generator in self._generators]
        )
        marks = numbers.to(scores.device)[:, None] * summed[:, -1:]
        place = (summed <= marks).sum(-1, keepdim=True).clamp(max=scores.shape[-1] - 1)
        return order.gather(1, place)[:, 0]


class StopCondition(StoppingCriteria):
    """Ends a row at its stop strings, and at once if it was cancelled."""

    def __init__(self, loaded: LoadedModel, rows: Sequence[BatchRow], start: int) -> None:
        self._loaded = loaded
        self._rows = rows
        self._start = start

    def __call__(self, input_ids: torch.Tensor, scores: object, **_rest: object) -> torch.Tensor:
        """Return which sequences are at their end."""
        each = max(1, len(input_ids) // len(self._rows))
        ended = [self._has_ended(self._rows[at // each], line) for at, line in enumerate(input_ids)]
        return torch.tensor(ended, dtype=torch.bool, device=input_ids.device)

    def _has_ended(self, row: BatchRow, line: torch.Tensor) -> bool:
        if row.job.dropped or not row.job.stop:
            return row.job.dropped
        return stopped_at(self._loaded.tokenizer, line[self._start :].tolist(), row.job.stop) is not None
