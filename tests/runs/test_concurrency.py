"""How wide an endpoint is opened: halved by refusals, widened by answers, always between 1 and the limit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from judgelab.runs.calls.concurrency import STEP, AdaptiveConcurrency

STEPS = st.lists(st.sampled_from(["answered", "refused", "late", "more", "less"]), max_size=400)


@given(limit=st.integers(1, 200), steps=STEPS)
def test_the_width_stays_between_one_and_the_limit(limit: int, steps: list[str]) -> None:
    width = AdaptiveConcurrency(limit)
    for step in steps:
        before = width.now
        if step == "late":
            width.refused(width.era - 1)
            assert width.now == before
        elif step in ("more", "less"):
            width.allow(width.limit * 2 if step == "more" else width.limit // 2)
        else:
            getattr(width, step)(width.era)
            assert width.now - before <= 1
            assert step == "answered" or width.now in (before, max(1, before // 2))
        assert 1 <= width.now <= max(1, width.limit)


@given(limit=st.integers(1, 200), lowered=st.integers(1, 200))
def test_nothing_but_refusals_leads_to_one_and_nothing_but_answers_back(limit: int, lowered: int) -> None:
    width = AdaptiveConcurrency(limit)
    for _ in range(400):
        width.refused(width.era)
    assert width.now == 1
    for _ in range(limit * STEP):
        width.answered(width.era)
    assert width.now == limit
    width.allow(lowered)
    assert width.now == lowered


@given(limit=st.integers(3, 200))
def test_calls_refused_together_halve_it_once(limit: int) -> None:
    width = AdaptiveConcurrency(limit)
    era = width.era
    for _ in range(limit):
        width.refused(era)
    assert width.now == limit // 2


@given(limit=st.integers(1, 64), start=st.integers(0, 19))
def test_one_refusal_in_twenty_is_no_sign_of_too_many_calls(limit: int, start: int) -> None:
    width = AdaptiveConcurrency(limit)
    for number in range(start, 2000):
        (width.refused if number % 20 == 0 else width.answered)(width.era)
    assert width.now == limit
