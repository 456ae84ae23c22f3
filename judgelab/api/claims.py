"""Claims in words, such as "gpt beats mini", as *More ratings* knows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from judgelab.analysis.comparison.sample_size_answer import BASELINE, JUDGES, STAND_IN, SYSTEMS
from judgelab.api.scores import Scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.wording import mark

BEATS, AS_GOOD, THE_BASELINE, SYSTEM = " beats ", " is as good as a rater", "the baseline", "system "


class Claim(NamedTuple):
    """What is claimed (a kind of `sample_size_answer`), and of which judges or systems."""

    kind: str
    first: str
    second: str = ""


def claim_of(words: Any, given: Scores) -> Claim:
    """Return what a claim says, with the names checked.

    Raises:
        InvalidInput: it is no claim, which lists those there are, or it names one judge or system twice.
        NotFound: there is no such judge or system.
    """
    text = " ".join(words.split()) if isinstance(words, str) else ""
    if text.endswith(AS_GOOD):
        return Claim(STAND_IN, _judge(text.removesuffix(AS_GOOD), given))
    if text.endswith(BEATS + THE_BASELINE):
        return Claim(BASELINE, _judge(text.removesuffix(BEATS + THE_BASELINE), given))
    splits = list(_splits(text))
    if not splits:
        raise InvalidInput(f"{words!r} is no claim that can be planned for; write {_examples(given)}.")
    of_systems = all(side.startswith(SYSTEM) for side in splits[0])
    if of_systems:
        splits = [(first.removeprefix(SYSTEM), second.removeprefix(SYSTEM)) for first, second in splits]
    known = systems_of(given) if of_systems else given.judges
    first, second = next((pair for pair in splits if set(pair) <= set(known)), splits[0])
    if not of_systems and {first, second} <= set(systems_of(given)) - set(known):
        example = f'claim="system {first} beats system {second}"'
        raise InvalidInput(f"'{first}' and '{second}' are systems, not judges; write {example}.")
    for name in (first, second):
        if name not in known:
            raise NotFound(mark("system") if of_systems else mark("judge or metric"), name, known)
    if first == second:
        raise InvalidInput(f"the claim compares '{first}' with itself; write {_examples(given)}.")
    return Claim(SYSTEMS if of_systems else JUDGES, first, second)


def systems_of(given: Scores) -> tuple[str, ...]:
    """Return the names of the systems, in order; of comparisons, those on either side."""
    data = given._data
    if data.compared is None:
        names = data.scores["system"].unique()
    else:
        names = data.compared.pairs[["system_first", "system_second"]].to_numpy().ravel()
    return tuple(sorted({str(name) for name in names} - {""}))


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Yield the two sides at each "beats"; a name may have the word in it."""
    at = text.find(BEATS)
    while at > 0:
        if after := text[at + len(BEATS) :]:
            yield text[:at], after
        at = text.find(BEATS, at + 1)


def _judge(name: str, given: Scores) -> str:
    if name not in given.judges:
        raise NotFound(mark("judge or metric"), name, given.judges)
    return name


def _examples(given: Scores) -> str:
    """Return the claims there are, with names of these data where it has them."""
    judge, *other = given.judges[:2] or ("gpt",)
    systems = systems_of(given)[:2]
    one, two = systems if len(systems) == 2 else ("A", "B")
    return (
        f'"{judge} beats {other[0] if other else "mini"}", "{judge} beats the baseline", '
        f'"{judge} is as good as a rater" or "system {one} beats system {two}"'
    )
