"""Sentence BLEU by sacrebleu, on its scale from 0 to 100, with the signature that says how it was computed.

K. Papineni et al., "BLEU: a method for automatic evaluation of machine translation", 2002; M. Post, "A call
for clarity in reporting BLEU scores", 2018.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from judgelab.metrics.base import NO_REFERENCE, Metric, MetricInput, MetricScore, Option, metrics
from judgelab.metrics.references import HOW, pairs, taken_together
from judgelab.wording import mark
from judgelab.words import MAX_UNSEEN, share_unspaced

TOGETHER = "together"
UNSPACED = mark("the texts are in a script written without spaces; choose tokenizer=char")
NEED_SPACES = ("13a", "intl", "none")


class Bleu(Metric):
    """BLEU of one response; n-gram orders that it is too short for are left out."""

    name = "bleu"
    title = mark("BLEU")
    summary = mark(
        "Overlap of sequences of one to four words, with a penalty for short responses, from 0 to 100."
    )
    limits = mark(
        "Designed for whole corpora, so it is imprecise for a single text. Languages written without "
        "spaces need the tokenizer char or zh."
    )
    best: ClassVar[float | None] = 100.0
    options = (
        Option(
            "references",
            "choice",
            TOGETHER,
            (TOGETHER, *HOW),
            mark("together: a word sequence counts if any reference contains it, as in BLEU's definition."),
        ),
        Option(
            "tokenizer",
            "choice",
            "13a",
            ("13a", "intl", "char", "zh", "none"),
            mark(
                "sacrebleu's tokenizer: 13a for Western languages, intl for all scripts with spaces, char "
                "for single characters, zh for Chinese."
            ),
        ),
        Option("lowercase", "bool", False, help=mark("Ignore upper and lower case.")),
        Option(
            "smoothing",
            "choice",
            "exp",
            ("exp", "floor", "add-k", "none"),
            mark("Smoothing for sequence lengths without a match; with none, such texts score 0."),
        ),
    )

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options; `signature` is sacrebleu's own word for them and may be given back."""
        settled = super().settle({name: value for name, value in options.items() if name != "signature"})
        return {**settled, "signature": _signature(*_choices(settled))}

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return each response's BLEU, against all references together or as the options say."""
        chosen = self.settle(options)
        bleu = _bleu(*_choices(chosen))
        how = chosen["references"]
        if how == TOGETHER:
            return [_together(bleu, entry, chosen["tokenizer"]) for entry in batch]
        owners, responses, references = pairs(batch, how)
        values = [
            _sentence(bleu, response, [reference])
            for response, reference in zip(responses, references, strict=True)
        ]
        unseen = [
            UNSPACED if _unspaced(chosen["tokenizer"], response, reference) else None
            for response, reference in zip(responses, references, strict=True)
        ]
        return taken_together(batch, owners, values, how, unseen=unseen)


def _together(bleu: Any, entry: MetricInput, tokenizer: str) -> MetricScore:
    if not entry.references:
        return MetricScore(None, NO_REFERENCE)
    if _unspaced(tokenizer, entry.response, *entry.references):
        return MetricScore(None, UNSPACED)
    return MetricScore(_sentence(bleu, entry.response, entry.references))


def _unspaced(tokenizer: str, *texts: str) -> bool:
    """Return whether the tokenizer would take a whole sentence of one of the texts for a word."""
    return tokenizer in NEED_SPACES and any(share_unspaced(text) > MAX_UNSEEN for text in texts)


def _choices(chosen: Mapping[str, Any]) -> tuple[str, bool, str]:
    return chosen["tokenizer"], chosen["lowercase"], chosen["smoothing"]


@lru_cache(maxsize=8)
def _bleu(tokenizer: str, lowercase: bool, smoothing: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True, tokenize=tokenizer, lowercase=lowercase, smooth_method=smoothing)


@lru_cache(maxsize=8)
def _signature(tokenizer: str, lowercase: bool, smoothing: str) -> str:
    """Return the signature without the number of references, which may differ from item to item."""
    bleu = _bleu(tokenizer, lowercase, smoothing)
    bleu.sentence_score("a", ["a"])  # it gives none before it has scored
    parts = str(bleu.get_signature()).split("|")
    return "|".join(part for part in parts if not part.startswith("nrefs:"))


def _sentence(bleu: Any, response: str, references: Sequence[str]) -> float:
    if not response.strip() or not any(reference.strip() for reference in references):
        return 0.0
    return float(min(100.0, bleu.sentence_score(response, list(references)).score))


metrics.register("bleu")(Bleu())
