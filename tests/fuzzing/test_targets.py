"""What `make fuzz` tries for as long as it is let, tried here for a moment, and without atheris."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.fuzzing.targets import Target, targets

CHANGED = 60
ODD = (b"\x00", b"\xff", b'"', b"[", b"{", b",", b"\n", b"-", b"1e999", b"NaN", b"null", b"\\ud800")

TARGETS = targets()


def changed(seeds: tuple[bytes, ...], chance: random.Random) -> Iterator[bytes]:
    """Yield seeds with a part taken out, said twice, or replaced by something odd."""
    for _ in range(CHANGED):
        seed = chance.choice(seeds)
        begin, end = sorted(chance.choices(range(len(seed) + 1), k=2))
        replacement = chance.choice([b"", seed[begin:end] * 2, chance.choice(ODD)])
        yield seed[:begin] + replacement + seed[end:]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_takes_its_seeds_and_what_becomes_of_them(name: str) -> None:
    target: Target = TARGETS[name]
    for seed in (*target.seeds, *changed(target.seeds, random.Random(name))):
        target.take(seed)
