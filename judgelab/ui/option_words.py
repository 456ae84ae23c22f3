"""What the options of protocols and metrics are called on a page; their names are the command line's."""

from __future__ import annotations

from typing import Any

from judgelab.languages import _
from judgelab.options import Option
from judgelab.wording import mark

LABELS = {
    "expected": mark("Expected score"),
    "explain": mark("Explain"),
    "grammar": mark("Grammar"),
    "instruction": mark("Instruction"),
    "least_mass": mark("Least mass, %"),
    "part": mark("Part"),
    "references": mark("References"),
    "sentences": mark("Sentences"),
    "shots": mark("Shots"),
    "show_context": mark("Show context"),
    "show_references": mark("Show references"),
    "stemmer": mark("Stemmer"),
    "steps": mark("Steps"),
    "tokenizer": mark("Tokenizer"),
}
# The other choices are names that help and messages quote.
CHOICES = {
    "first": mark("first"),
    "majority": mark("majority"),
    "max": mark("max"),
    "mean": mark("mean"),
    "median": mark("median"),
    "no": mark("no"),
    "only": mark("only"),
    "or_stated": mark("or the stated one"),
}


def label(option: Option) -> str:
    """Return what an option is called; one from elsewhere goes by its name."""
    return _(LABELS.get(option.name) or option.name.replace("_", " ").capitalize())


def choice(value: Any) -> str:
    """Return what a choice is called."""
    return _(CHOICES.get(str(value), str(value)))
