"""`jl.corrected_share` and `jl.allocate_labels`: the values of others' code, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import judgelab as jl
from judgelab.errors import InvalidInput


@pytest.mark.parametrize(
    ("numbers", "confidence", "want"),
    [
        ((0.664, 0.759, 0.564, 200, 100, 100), 0.95, (1.0, 0.883189360650936, 1.0)),
        (
            (0.412, 0.828, 0.68, 500, 50, 300),
            0.9,
            (0.47244094488188976, 0.3265446644133263, 0.5823173057933856),
        ),
        ((0.216, 0.855, 0.986, 200, 50, 20), 0.9, (0.08442330558858496, 0.0, 0.18216772164932468)),
        (
            (0.266, 0.977, 0.988, 1000, 100, 20),
            0.9,
            (0.2518134715025906, 0.21788986645224806, 0.30054127700364386),
        ),
    ],
)
def test_the_interval_is_that_of_lee_and_others(numbers: Any, confidence: float, want: Any) -> None:
    """Computed with the code beside arXiv 2511.21140; all 200 cases are in `tests/metaeval`."""
    found = jl.corrected_share(*numbers, confidence=confidence)
    assert (found.value, found.low, found.high) == pytest.approx(want, abs=1e-9)


def test_vectors_give_what_their_numbers_give() -> None:
    # People and judge agree on 20 no and 32 yes of 60; of 2,000 others, the judge says yes of 1,152.
    human, judge = np.repeat([0, 0, 1, 1], [20, 4, 4, 32]), np.repeat([0, 1, 0, 1], [20, 4, 4, 32])
    pool = np.repeat(["yes", "no"], [1152, 848])
    by_vector = jl.corrected_share(labelled=list(human), judged=judge, pool=pool)
    by_number = jl.corrected_share(1152 / 2000, 20 / 24, 32 / 36, 2000, 24, 36)
    assert by_vector.value == pytest.approx(0.5667692308)  # of judgy 0.1.0
    assert (by_vector.value, by_vector.ci) == (by_number.value, pytest.approx(by_number.ci))
    assert by_vector.recipe["labelled"] == by_number.recipe["labelled"] == 60
    assert pickle.loads(pickle.dumps(by_vector)) == by_vector
    assert by_vector.recipe["n_missing"] == 0
    missing = jl.corrected_share(labelled=[*human, None], judged=[*judge, 1], pool=[*pool, None])
    assert missing.ci == by_vector.ci and missing.recipe["n_missing"] == 2


def test_what_cannot_be_corrected_says_why() -> None:
    assert jl.corrected_share(0.5, 0.5, 0.5, 100, 10, 10).reason == "the judge is no better than chance"
    assert jl.corrected_share(0.5, 0.9, 0.9, 0, 10, 10).reason == "every judged item is also rated"
    only_right = jl.corrected_share(labelled=[1, 1], judged=[1, 0], pool=[1, 0])
    assert only_right.reason == "the human labels must include both right and wrong"
    narrow = jl.corrected_share(0.5, 0.6, 0.5, 100, 10, 2)
    assert narrow.value is not None and narrow.low is not None
    assert jl.corrected_share(labelled=[], judged=[], pool=[]).value is None


@pytest.mark.parametrize(
    ("arguments", "pilot", "want"),
    [
        ((200, 0.376, 0.776, 0.878), 20, (135, 65)),
        ((500, 0.327, 0.638, 0.743), 5, (348, 152)),
        ((200, 0.938, 0.736, 0.616), 10, (11, 189)),
        ((50, 0.953, 0.738, 0.822), 20, (20, 30)),
        ((100, 0, 1, 1), 10, (90, 10)),
        ((100, 1, 0.5, 0.5), 10, (10, 90)),
    ],
)
def test_the_split_is_that_of_lee_and_others(arguments: Any, pilot: int, want: tuple[int, int]) -> None:
    found = jl.allocate_labels(*arguments, pilot=pilot)
    assert found == want and found.to_frame().to_dict("records") == [{"m0": want[0], "m1": want[1]}]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: jl.corrected_share(), "p, q0, q1, n, m0, m1 is missing; call jl.corrected_share("),
        (lambda: jl.corrected_share(0.5, 0.9, 0.9, 100), "m0, m1 is missing"),
        (lambda: jl.corrected_share(0.5, pool=[1]), "give numbers or vectors, not both"),
        (lambda: jl.corrected_share(labelled=[1, 0], judged=[1, 0]), "pool is missing"),
        (lambda: jl.corrected_share(50, 0.9, 0.9, 100, 10, 10), "p is 50, but must be a share"),
        (lambda: jl.corrected_share(0.5, "high", 0.9, 100, 10, 10), "q0 is high, but must be a share"),
        (lambda: jl.corrected_share(0.5, 0.9, float("nan"), 100, 10, 10), "q1 is nan"),
        (lambda: jl.corrected_share(0.5, 0.9, 0.9, -1, 10, 10), "n is -1"),
        (lambda: jl.corrected_share(0.5, 0.9, 0.9, 1, 1, 1, confidence=95), "confidence is 95"),
        (lambda: jl.corrected_share(labelled=[1, 5], judged=[1, 1], pool=[1]), "labelled holds 5; a verdict"),
        (lambda: jl.corrected_share(labelled=[1], judged=[1, 1], pool=[1]), "labelled has 1 values"),
        (lambda: jl.allocate_labels(30, 0.5, 0.9, 0.9, pilot=20), "m is 30, but the pilot alone has 40"),
        (lambda: jl.allocate_labels(30, 0.5, 0.9, 1.1, pilot=2), "q1 is 1.1"),
        (lambda: jl.allocate_labels(30.5, 0.5, 0.9, 0.9, pilot=2), "both must be whole numbers"),
        (lambda: jl.allocate_labels(30, 0.5, 0.9, 0.9, pilot=0), "pilot is 0"),
    ],
)
def test_wrong_input_is_named(call: Any, words: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert words in str(caught.value)
