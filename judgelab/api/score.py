"""`jl.score`: metrics on the texts of a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judgelab.api.progress import Progress
from judgelab.api.texts import TextColumns, text_columns
from judgelab.errors import InvalidInput
from judgelab.metrics import Metric, MetricInput
from judgelab.metrics import metrics as registry
from judgelab.metrics.base import Surroundings
from judgelab.metrics.batches import batch_slices
from judgelab.metrics.chosen_options import options_by_metric
from judgelab.metrics.encoder_model import NEEDS_TORCH

NO_RESPONSE = "no response"
ABOUT = "judgelab"  # what `attrs` holds of us


def score(
    data: Any,
    /,
    metrics: str | Sequence[str],
    *,
    options: Mapping[str, Any] | None = None,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Return a frame with one more column for each metric, computed from its texts.

    The numbers are those of `judgelab score` and of the page *Data*.

    Args:
        data: a frame with one row a response. Its columns are found by the names that an import knows:
            `response` (or prediction, output, summary …), `reference` (or reference_1, reference_2, gold,
            target …; a cell may hold a list of references), `context` (or source, document …), `question`.
        metrics: one metric, or several: `rouge1`, `rouge2`, `rougeL`, `bleu`, `meteor`, `exact_match`,
            `token_f1`, `bertscore_f1`, `moverscore`, `embedding`, `grounding`, `length` and more; the page
            *Metrics* of the documentation has all, with their sources, ranges and limits.
        options: options of the metrics by name: `references` goes to every metric that has it,
            `bleu.tokenizer` to one.
        columns: which column is which, {"response": "my_text"}, where names are not recognised; several
            columns of references as a list.
        progress: whether work of more than a second shows how far it is, on a terminal or in a notebook; in a
            file, a line a minute.

    Returns:
        A new frame with the same rows, order and index. A number is NaN where there is none: a missing
        response, reference or context (None, NaN; an empty text is a response and scored), or a text without
        a word. `frame.attrs["judgelab"]["reasons"]` says why: for each metric, a reason and the numbers of
        its rows, counted from 0. `["options"]` has the options of each metric.

    Raises:
        NotFound: no such metric or option.
        InvalidInput: a column is missing, or what the metric needs is not installed.

    Example:
        >>> import judgelab as jl, pandas as pd
        >>> df = pd.DataFrame({"response": ["a red lamp", "no"], "reference": ["the red lamp", None]})
        >>> scored = jl.score(df, ["rouge1", "length"])
        >>> scored["rouge1"].round(3).tolist(), scored["length"].tolist()
        ([0.667, nan], [3.0, 1.0])
        >>> scored.attrs["judgelab"]["reasons"]["rouge1"]
        {'no reference': [1]}
    """
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise InvalidInput(
            f'name at least one metric: jl.score(df, ["rouge1"]); all: {", ".join(registry.names())}.'
        )
    chosen = {name: registry.get(name) for name in names}
    settled = options_by_metric(chosen, options or {})
    found = text_columns(data, columns, call=_call(names))
    _check_columns(found, chosen)
    kept = data.copy() if isinstance(data, pd.DataFrame) else found.frame.copy()
    about = kept.attrs.get(ABOUT, {})
    for name in names:
        if name in found.frame.columns and name not in about.get("options", {}):
            raise InvalidInput(
                f"the frame has a column '{name}' already; rename it: "
                f'jl.score(df.rename(columns={{"{name}": "my_{name}"}}), …).'
            )
    responses = found.texts("response")
    texts = _inputs(found, responses)
    present = [row for row, text in enumerate(responses) if text is not None]
    numbers, reasons = _computed(chosen, settled, [texts[row] for row in present], shown=progress)
    for name in names:
        column = np.full(len(texts), np.nan)
        column[present] = numbers[name]
        kept[name] = column
        rows = {reason: [present[at] for at in places] for reason, places in reasons[name].items()}
        without = [row for row, text in enumerate(responses) if text is None]
        reasons[name] = {**rows, **({NO_RESPONSE: without} if without else {})}
    kept.attrs[ABOUT] = {
        **about,
        "options": {**about.get("options", {}), **settled},
        "reasons": {**about.get("reasons", {}), **reasons},
    }
    return kept


def _computed(
    chosen: Mapping[str, Metric],
    settled: Mapping[str, Mapping[str, Any]],
    texts: Sequence[MetricInput],
    *,
    shown: bool,
) -> tuple[dict[str, list[float]], dict[str, dict[str, list[int]]]]:
    """Return each metric's numbers, and the places in `texts` without one, by reason."""
    numbers: dict[str, list[float]] = {name: [] for name in chosen}
    reasons: dict[str, dict[str, list[int]]] = {name: {} for name in chosen}
    corpora = {
        name: metric.corpus(texts, settled[name])
        for name, metric in chosen.items()
        if metric.wants_corpus(settled[name])
    }
    done, total = 0, len(texts) * len(chosen)
    with Progress("scores", shown=shown) as line:
        for batch in batch_slices(len(texts)):
            for name, metric in chosen.items():
                scores = metric.score_within(texts[batch], settled[name], Surroundings(corpora.get(name)))
                for place, (value, reason) in enumerate(scores, start=batch.start):
                    if value is None:
                        _refuse_missing_package(name, reason)
                        reasons[name].setdefault(str(reason), []).append(place)
                    numbers[name].append(float("nan") if value is None else value)
                done += len(scores)
                line.tell(done, total)
    return numbers, reasons


def _inputs(found: TextColumns, responses: Sequence[str | None]) -> list[MetricInput]:
    rows = zip(
        responses, found.reference_lists(), found.texts("question"), found.texts("context"), strict=True
    )
    return [
        MetricInput(response or "", tuple(references), question or "", context or "")
        for response, references, question, context in rows
    ]


def _check_columns(found: TextColumns, chosen: Mapping[str, Metric]) -> None:
    for name, metric in chosen.items():
        lacking = "reference" if metric.needs_references and not found.references else ""
        lacking = lacking or ("context" if metric.needs_context and "context" not in found.column else "")
        if lacking:
            raise InvalidInput(
                f"{name} compares the response with a {lacking}, and no column is that; name it: "
                f'{_call([name])}, columns={{"{lacking}": "…"}}).'
            )


def _refuse_missing_package(name: str, reason: str) -> None:
    if reason == NEEDS_TORCH:
        raise InvalidInput(
            f"{name} needs torch and transformers, which are not installed; run "
            f"pip install 'judgelab[models]', or use a metric without them: jl.score(df, [\"rouge1\"])."
        )


def _call(names: Sequence[str]) -> str:
    return f"jl.score(df, {list(names)!r}".replace("'", '"')
