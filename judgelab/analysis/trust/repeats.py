"""Statements one after another, of which the later ones do not repeat the criterion and n of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judgelab.analysis.trust.statements import Statement
from judgelab.wording import Sentence, mark, sentence

# The same sentence without the criterion, for where the criterion has just been named.
UNNAMED = {
    "On {criterion}, leaving out one rater at a time, it agrees with the majority of the other raters in "
    "{share} of pairs; the rater left out, in {raters}.": mark(
        "Leaving out one rater at a time, it agrees with the majority of the other raters in {share} of "
        "pairs; the rater left out, in {raters}."
    ),
    "On {criterion}, it prefers the response shown first in {share} of its choices with a winner.": mark(
        "It prefers the response shown first in {share} of its choices with a winner."
    ),
    "On {criterion}, it chooses the same in both orders in {share} of pairs.": mark(
        "It chooses the same in both orders in {share} of pairs."
    ),
    "On {criterion}, it chooses the longer response more often than the raters do: in {own} of pairs, "
    "the raters in {raters}.": mark(
        "It chooses the longer response more often than the raters do: in {own} of pairs, the raters in "
        "{raters}."
    ),
    "On {criterion}, it chooses the longer response less often than the raters do: in {own} of pairs, "
    "the raters in {raters}.": mark(
        "It chooses the longer response less often than the raters do: in {own} of pairs, the raters in "
        "{raters}."
    ),
    "It passes the alternative annotator test (ε = {epsilon}) on {criteria}.": mark(
        "It passes the alternative annotator test (ε = {epsilon})."
    ),
    "It fails the alternative annotator test (ε = {epsilon}) on {criteria}.": mark(
        "It fails the alternative annotator test (ε = {epsilon})."
    ),
    "The judge also fails the alternative annotator test (ε = {epsilon}) on {criteria}.": mark(
        "The judge also fails the alternative annotator test (ε = {epsilon})."
    ),
}


def without_repeats(statements: Sequence[Statement], *, named: tuple[str, ...] = ()) -> list[Statement]:
    """Return the statements without the criteria and n that the statement before has just given.

    Args:
        statements: in the order in which they are shown.
        named: keys of the criteria that the text above the first statement names.
    """
    shown, count = [], ""
    for statement in statements:
        text = statement.text
        if statement.criteria == named and isinstance(text, Sentence) and text.template in UNNAMED:
            values = {name: value for name, value in text.values.items() if not name.startswith("criteri")}
            text = sentence(UNNAMED[text.template], **values)
        repeated = statement.criteria == named and statement.count_text == count
        n, most = (0, 0) if repeated else (statement.n, statement.most)
        shown.append(replace(statement, text=text, n=n, most=most))
        named, count = statement.criteria, statement.count_text or count
    return shown
