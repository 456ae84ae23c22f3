"""Labels of the options of protocols and metrics; their names are those of the command line."""

from __future__ import annotations

from typing import Any

from judgelab.languages import _
from judgelab.options import Option
from judgelab.wording import mark

LABELS = {
    "apart": mark("Exclude the examples' groups from judging"),
    "against": mark("Compared with"),
    "encoder": mark("Encoder"),
    "batch": mark("All roles in one call"),
    "cannot_judge": mark("Allow “cannot judge”"),
    "clustering": mark("Clustering of roles"),
    "compared_with": mark("Compared with"),
    "confidence": mark("Confidence"),
    "demonstrations": mark("Worked examples"),
    "k": mark("Roles of the item"),
    "panel": mark("Panel of roles"),
    "roles": mark("Panel"),
    "saved_steps": mark("Saved steps"),
    "static": mark("Static roles"),
    "variants": mark("Wordings"),
    "samples": mark("Replies"),
    "seed": mark("Seed"),
    "weights": mark("Grade weights"),
    "order": mark("Order"),
    "draw": mark("Draw"),
    "list": mark("Reference list"),
    "evidence": mark("Evidence"),
    "examples": mark("Source of examples"),
    "examples_from": mark("Examples from"),
    "expected": mark("Average over possible scores"),
    "explain": mark("Ask for a rationale"),
    "field": mark("Field"),
    "form": mark("Form"),
    "grammar": mark("Reply format"),
    "idf": mark("Weight rare words more"),
    "instruction": mark("Instruction"),
    "own_task": mark("Instruction"),
    "own_system": mark("System turn"),
    "own_output": mark("Reply format"),
    "own_criterion": mark("Criterion"),
    "own_criteria": mark("Criteria"),
    "own_qualities": mark("Instruction focus"),
    "own_examples": mark("Examples"),
    "own_evaluators": mark("Other evaluators"),
    "own_panel": mark("Role list"),
    "own_second_turn": mark("Second turn"),
    "own_markers": mark("Marks"),
    "own_prompt": mark("Whole prompt"),
    "layer": mark("Layer"),
    "least_mass": mark("Minimum probability mass, %"),
    "lowercase": mark("Lower case"),
    "part": mark("Part"),
    "references": mark("References"),
    "rescale": mark("Rescale"),
    "run": mark("N-gram length"),
    "sentences": mark("Sentences"),
    "shots": mark("Number of examples"),
    "smoothing": mark("Smoothing"),
    "show_context": mark("Show context"),
    "show_references": mark("Show references"),
    "stemmer": mark("Stemmer"),
    "steps": mark("Steps"),
    "tie": mark("A tie"),
    "tokenizer": mark("Tokenizer"),
    "turns": mark("Turns"),
    "unit": mark("Unit"),
    "wordnet": mark("WordNet"),
}
# Choices that are missing here are shown by their names, which help texts and messages quote.
CHOICES = {
    "characters": mark("characters"),
    "context": mark("context"),
    "all": mark("all"),
    "dynamic": mark("roles of the item"),
    "each": mark("each"),
    "or_votes": mark("or the share of votes"),
    "reference_first": mark("reference first"),
    "candidate_first": mark("response first"),
    "both": mark("both orders"),
    "random": mark("drawn"),
    "first": mark("first"),
    "labels": mark("labels"),
    "majority": mark("majority"),
    "max": mark("max"),
    "mean": mark("mean"),
    "median": mark("median"),
    "no": mark("no"),
    "min": mark("min"),
    "one": mark("one"),
    "only": mark("only"),
    "or_stated": mark("or the stated score"),
    "ours": mark("JudgeLab's"),
    "question": mark("question"),
    "rated": mark("rated responses of the project"),
    "references": mark("references"),
    "saved": mark("a saved set of worked examples"),
    "sentences": mark("sentences"),
    "together": mark("together"),
    "two": mark("two"),
    "unscored": mark("unscored"),
    "words": mark("words"),
    "yes": mark("yes"),
}


def label(option: Option) -> str:
    """Return an option's label; one from a plug-in is labelled by its name."""
    return name(option.name)


def name(word: str) -> str:
    """Return the label of the option with this name."""
    return _(LABELS.get(word) or word.replace("_", " ").capitalize())


def choice(value: Any) -> str:
    """Return the label of a choice."""
    return _(CHOICES.get(str(value), str(value)))
