"""How fast calls may follow one another."""

from __future__ import annotations

import asyncio
import random
import selectors
from collections.abc import Iterator

import pytest

from judgelab.errors import BackendError
from judgelab.runs.calls.rate_limits import Halted, Limits, RateLimiter, TokenBucket
from judgelab.runs.calls.retry_policy import RetryPolicy, Tries
from judgelab.runs.calls.run_control import RunControl
from judgelab.runs.plan.pricing import Price, price_of


class _Skipping(selectors.SelectSelector):
    """Waits for nothing: the time a wait would have taken is counted instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0.0
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to when something is due: seconds are exact, however busy the machine is."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner(loop_factory=_Loop) as runner:
        yield runner


def _rate_limiter(runner: asyncio.Runner, **limits: int) -> RateLimiter:
    return RateLimiter(Limits(**limits), clock=runner.get_loop().time)


async def _enter(rate_limiter: RateLimiter, control: RunControl, *, hold: float = 0.0) -> None:
    async with rate_limiter.entered(control):
        await asyncio.sleep(hold)


def _seconds(runner: asyncio.Runner, rate_limiter: RateLimiter, calls: int, *, hold: float = 0.0) -> object:
    async def work() -> float:
        control, clock = RunControl(1), runner.get_loop().time
        start_time = clock()
        await asyncio.gather(*(_enter(rate_limiter, control, hold=hold) for _ in range(calls)))
        return clock() - start_time

    return pytest.approx(runner.run(work()), abs=1e-6)


def test_no_more_calls_at_once_than_allowed(runner: asyncio.Runner) -> None:
    assert _seconds(runner, _rate_limiter(runner, concurrency=2), 4, hold=0.1) == 0.2


def test_processes_share_the_places(runner: asyncio.Runner) -> None:
    rate_limiter = _rate_limiter(runner, concurrency=4)
    rate_limiter.take_share(1, 4)
    assert _seconds(runner, rate_limiter, 3, hold=0.1) == 0.3


def test_requests_a_minute_are_spread_over_the_minute(runner: asyncio.Runner) -> None:
    # 600 a minute are ten a second: of 16 calls eleven go at once, the last of five waits for half a second.
    assert _seconds(runner, _rate_limiter(runner, rpm=600), 16) == 0.5


def test_spent_tokens_make_the_next_call_wait(runner: asyncio.Runner) -> None:
    bucket = TokenBucket(6000, clock=runner.get_loop().time)
    bucket.take(300)
    assert bucket.delay() == pytest.approx(2.0)
    assert TokenBucket(None).delay() == 0.0


def test_a_rest_lets_nobody_in_and_a_shorter_one_changes_nothing(runner: asyncio.Runner) -> None:
    rate_limiter = _rate_limiter(runner)
    assert rate_limiter.cool_down(0.3)
    assert not rate_limiter.cool_down(0.1)
    assert _seconds(runner, rate_limiter, 2) == 0.3


def test_a_rest_that_was_ended_before_anybody_looked_is_over(runner: asyncio.Runner) -> None:
    rate_limiter = _rate_limiter(runner)
    rate_limiter.cool_down(300)
    rate_limiter.note_stored(1300.0)
    rate_limiter.update_cool_down(1300.0, 299.9)
    assert _seconds(runner, rate_limiter, 1) == pytest.approx(299.9, abs=0.2)
    rate_limiter.cool_down(300)
    rate_limiter.note_stored(1600.0)
    rate_limiter.update_cool_down(1300.5, -0.1)
    assert _seconds(runner, rate_limiter, 1) == 0.0


def test_a_call_that_waits_for_its_turn_is_freed_when_the_run_halts(runner: asyncio.Runner) -> None:
    async def work() -> float:
        rate_limiter, control = _rate_limiter(runner), RunControl(1)
        rate_limiter.cool_down(30)
        waiting = asyncio.create_task(_enter(rate_limiter, control))
        await asyncio.sleep(0.05)
        control.update("pause", 1)
        with pytest.raises(Halted):
            await waiting
        assert rate_limiter.inside == 0
        return runner.get_loop().time()

    assert runner.run(work()) == pytest.approx(0.05)


def _error(cause: str, *, retryable: bool = True, retry_after: float | None = None) -> BackendError:
    return BackendError(cause, cause=cause, retryable=retryable, retry_after=retry_after)


def test_attempts_are_capped_and_refusals_counted_apart() -> None:
    policy = RetryPolicy(attempts=3, rate_limited=10)
    assert policy.allows(_error("server_error"), failures=2, rate_limits=9)
    assert not policy.allows(_error("server_error"), failures=3, rate_limits=0)
    assert policy.allows(_error("rate_limit"), failures=2, rate_limits=9)
    assert not policy.allows(_error("rate_limit"), failures=0, rate_limits=10)
    assert not policy.allows(_error("bad_request", retryable=False), failures=0, rate_limits=0)


def test_waits_grow_with_jitter_and_never_undercut_retry_after() -> None:
    policy, rng = RetryPolicy(base=1.0, longest=20.0), random.Random(1)
    assert 0.75 <= policy.delay(_error("server_error"), tries=1, rng=rng) <= 1.25
    assert 6.0 <= policy.delay(_error("server_error"), tries=4, rng=rng) <= 10.0
    assert 15.0 <= policy.delay(_error("server_error"), tries=50, rng=rng) <= 25.0
    assert policy.delay(_error("rate_limit", retry_after=300.0), tries=1, rng=rng) >= 300.0
    assert policy.delay(_error("server_error", retry_after=3.0), tries=1, rng=rng) == 3.0


def test_an_endpoint_that_rests_for_all_rests_exactly_as_long_as_it_asked() -> None:
    policy, rng = RetryPolicy(longest_asked=60.0), random.Random(1)
    assert policy.delay(_error("rate_limit", retry_after=3.0), tries=1, rng=rng) == 3.0
    assert policy.delay(_error("overload", retry_after=300.0), tries=9, rng=rng) == 60.0


def test_waits_grow_with_failures_of_the_same_sort_alone() -> None:
    tries = Tries(RetryPolicy(attempts=4, base=1.0, longest=20.0), random.Random(1))
    for _ in range(3):
        assert tries.failed(_error("rate_limit", retry_after=0.2)) == 0.2
    first = tries.failed(_error("server_error"))
    assert first is not None and 0.75 <= first <= 1.25  # not 6 s: the item itself never failed before
    second = tries.failed(_error("broken_body"))
    assert second is not None and 1.5 <= second <= 2.5
    assert tries.failed(_error("connection")) is not None
    assert tries.failed(_error("server_error")) is None
    assert tries.faults == {"rate_limit": 3, "server_error": 2, "broken_body": 1, "connection": 1}


def test_an_unknown_price_is_no_price() -> None:
    prices = {"m": {"prompt": 2.0, "completion": 10.0}}
    assert price_of(prices, "other") is None
    assert price_of(prices, "m") == Price(2.0, 10.0)
    assert Price(2.0, 10.0).of(500_000, 100_000) == pytest.approx(2.0)
    assert Price(2.0, 10.0).of(None, 3) is None
