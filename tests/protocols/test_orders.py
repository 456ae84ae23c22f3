"""Orders of several candidates as replies state them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.protocols.orders import read_order


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        ("A > B = C", (1, 2, 2)),
        ("A = B > C", (1, 1, 3)),
        ("B is clearer than A. [[2, 1, 3]]", (2, 1, 3)),
        ("Ranking: [B] > [A] > [C]", (2, 1, 3)),
        ("```\nC, A, B\n```", (2, 3, 1)),
        ("1. B\n2. Answer C\n3. **A**", (3, 1, 2)),
        ("A>B>C. So A>B.", (1, 2, 3)),
        ("A > B > C, or rather B > A > C", None),
        ("A > B", None),
        ("A > B > B", None),
        ("A > B > D", None),
        ("1. B\n3. C\n2. A", None),
        ("I would give 3, 4 and 2 points.", None),
        ("", None),
    ],
)
def test_an_order_names_every_candidate_once(reply: str, places: tuple[int, ...] | None) -> None:
    order = read_order(reply, 3)
    assert (order.places or None) == places
    assert (order.reason is None) == (places is not None)


@given(st.text(alphabet="ABC123>=[], .\n~x") | st.text(), st.integers(1, 5))
def test_any_text_is_an_order_of_all_or_none(text: str, candidates: int) -> None:
    order = read_order(text, candidates)
    assert (order.reason is None) == bool(order.places)
    if order.places:
        assert len(order.places) == candidates and min(order.places) == 1
        for place in order.places:
            assert sum(other < place for other in order.places) == place - 1


@given(st.lists(st.integers(1, 4), min_size=2, max_size=6))
def test_what_is_written_as_a_chain_is_read_as_it_was(levels: list[int]) -> None:
    order = sorted(range(len(levels)), key=lambda n: levels[n])
    chain = "ABCDEF"[order[0]]
    for before, after in zip(order, order[1:], strict=False):
        chain += (" = " if levels[before] == levels[after] else " > ") + "ABCDEF"[after]
    places = tuple(1 + sum(other < level for other in levels) for level in levels)
    assert read_order(f"My order:\n{chain}", len(levels)).places == places
