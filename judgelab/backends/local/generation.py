"""One batch through a model: padded, answered, cut into replies with their log-probabilities."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from transformers import LogitsProcessorList, StoppingCriteriaList

from judgelab.backends.local.batching import padded
from judgelab.backends.local.encoding import stopped_at, text_of, token_text
from judgelab.backends.local.jobs import BatchRow, GeneratedReply, ModelInfo
from judgelab.backends.local.loading import LoadedModel
from judgelab.backends.local.token_sampler import Alternatives, StopCondition, TokenSampler

Pairs = list[tuple[str, float]]


class _Sequence(NamedTuple):
    """New tokens of one reply as the model gave them, with what was noted at each place."""

    ids: list[int]
    logprobs: list[float] | None
    top: list[Pairs] | None
    score: float | None


def generate(loaded: LoadedModel, rows: Sequence[BatchRow]) -> list[list[GeneratedReply]]:
    """Return the replies of each row of a batch; the rows share one manner."""
    began = time.perf_counter()
    manner = rows[0].manner
    ids, mask = padded([row.ids for row in rows], pad=loaded.pad, left=not loaded.seq2seq)
    inputs = {
        "input_ids": torch.tensor(ids, device=loaded.device),
        "attention_mask": torch.tensor(mask, device=loaded.device),
    }
    width = len(ids[0])
    start = 1 if loaded.seq2seq else width  # an encoder's prompt is not part of what is returned
    with torch.inference_mode():
        outputs = (
            _beams(loaded, rows, inputs, start) if manner.beams > 1 else _lines(loaded, rows, inputs, start)
        )
    seconds = time.perf_counter() - began
    return [
        [_output(loaded, row, sequence, len(rows), position, width, seconds) for sequence in sequences]
        for position, (row, sequences) in enumerate(zip(rows, outputs, strict=True))
    ]


def _lines(
    loaded: LoadedModel, rows: Sequence[BatchRow], inputs: dict[str, torch.Tensor], start: int
) -> list[list[_Sequence]]:
    """Return one sequence a row, token by token."""
    chooser = TokenSampler(rows, rows[0].manner)
    sequences = loaded.model.generate(
        **inputs,
        max_new_tokens=rows[0].manner.max_tokens,
        do_sample=False,  # the chooser draws
        logits_processor=LogitsProcessorList([chooser]),
        stopping_criteria=StoppingCriteriaList([StopCondition(loaded, rows, start)]),
    )
    noted = torch.stack(chooser.logprobs, dim=1).tolist() if chooser.logprobs else None
    return [
        [
            _Sequence(
                ids=line,
                logprobs=noted[at] if noted else None,
                top=_alternatives(loaded, chooser.alternatives, at),
                score=sum(noted[at][: _length(loaded, line) + 1]) if noted else None,
            )
        ]
        for at, line in enumerate(sequences[:, start:].tolist())
    ]


def _beams(
    loaded: LoadedModel, rows: Sequence[BatchRow], inputs: dict[str, torch.Tensor], start: int
) -> list[list[_Sequence]]:
    """Return the best hypotheses of each row, the best one first."""
    manner = rows[0].manner
    output = loaded.model.generate(
        **inputs,
        max_new_tokens=manner.max_tokens,
        do_sample=False,
        num_beams=manner.beams,
        num_return_sequences=manner.returned,
        length_penalty=manner.length_penalty,
        stopping_criteria=StoppingCriteriaList([StopCondition(loaded, rows, start)]),
        output_scores=True,
        return_dict_in_generate=True,
    )
    lines = output.sequences[:, start:].tolist()
    noted, tops = None, None
    if manner.alternatives is not None:
        noted = loaded.model.compute_transition_scores(
            output.sequences, output.scores, output.beam_indices, normalize_logits=False
        ).tolist()
    if manner.alternatives:
        tops = [_beam_alternatives(loaded, output, at, manner.alternatives) for at in range(len(lines))]
    sequences = [
        _Sequence(
            ids=line,
            logprobs=noted[at] if noted else None,
            top=tops[at] if tops else None,
            score=float(output.sequences_scores[at]),
        )
        for at, line in enumerate(lines)
    ]
    return [sequences[at : at + manner.returned] for at in range(0, len(sequences), manner.returned)]


def _alternatives(loaded: LoadedModel, noted: Alternatives, row: int) -> list[Pairs] | None:
    return [_pairs(loaded, values[row], tokens[row]) for values, tokens in noted] or None


def _beam_alternatives(loaded: LoadedModel, output: Any, line: int, most: int) -> list[Pairs]:
    """Return the likeliest tokens at each place of a hypothesis, which changed beams on its way."""
    beams = [beam for beam in output.beam_indices[line].tolist() if beam >= 0]
    alternatives = []
    for scores, beam in zip(output.scores, beams, strict=False):
        best = scores[beam].topk(min(most, scores.shape[-1]))
        alternatives.append(_pairs(loaded, best.values, best.indices))
    return alternatives


def _pairs(loaded: LoadedModel, values: torch.Tensor, tokens: torch.Tensor) -> Pairs:
    return [
        (token_text(loaded.tokenizer, token), value)
        for token, value in zip(tokens.tolist(), values.tolist(), strict=True)
    ]


def _length(loaded: LoadedModel, ids: Sequence[int]) -> int:
    """Return the number of tokens before the end."""
    return next((at for at, token in enumerate(ids) if token in loaded.ends), len(ids))


def _output(
    loaded: LoadedModel,
    row: BatchRow,
    sequence: _Sequence,
    size: int,
    position: int,
    width: int,
    seconds: float,
) -> GeneratedReply:
    length = _length(loaded, sequence.ids)
    ids = sequence.ids[:length]
    text = text_of(loaded.tokenizer, ids)
    finish = "stop" if length < len(sequence.ids) else "length"
    if row.job.stop and (stopped := stopped_at(loaded.tokenizer, ids, row.job.stop)):
        text, length = stopped
        ids, finish = ids[:length], "stop"
    return GeneratedReply(
        text=text,
        ids=ids,
        finish_reason=finish,
        score=sequence.score,
        logprobs=_named(loaded, ids, sequence.logprobs),
        top_logprobs=sequence.top[:length] if sequence.top is not None else None,
        batch_size=size,
        batch_position=position,
        batch_width=width,
        seconds=seconds,
        model_info=ModelInfo(loaded.files.revision, loaded.dtype, str(loaded.device)),
    )


def _named(loaded: LoadedModel, ids: Sequence[int], logprobs: Sequence[float] | None) -> Pairs | None:
    if logprobs is None:
        return None
    return [(token_text(loaded.tokenizer, token), logprobs[at]) for at, token in enumerate(ids)]
