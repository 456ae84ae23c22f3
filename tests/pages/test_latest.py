"""Slow figures: while new ones are computed the previous ones stay on the page, and no longer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.fingerprint_parts import only_scores_changed
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.store.db.engine import Store
from judgelab.store.models import Rating, now
from judgelab.ui.cache import loaders, page_run, results, stale_results
from tests.compared import pairs_project
from tests.pages import kitchen
from tests.pages.conftest import OpenPage, until

PAGE = "researcher/agreement.py"


@pytest.fixture
def slug(app_store: Store) -> str:
    return kitchen.with_judges(app_store, strict=1)


@pytest.fixture
def taking_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every figure counts as slow, and the page reruns until it is there."""
    monkeypatch.setattr(stale_results, "LONG", -1.0)
    monkeypatch.setattr(page_run, "UNSEEN", 0.0)


@contextmanager
def others_at_work() -> Iterator[None]:
    """All threads that compute figures are busy."""
    finished = Event()
    for _ in range(results.WORKERS):
        results.workers.submit(finished.wait, 30)
    try:
        yield
    finally:
        finished.set()


@pytest.fixture
def data() -> SimpleNamespace:
    """The data's version, set by the test."""
    return SimpleNamespace(version="a-b-c")


@pytest.mark.parametrize("page", [PAGE, "researcher/disagreements.py", "researcher/adjudicate.py"])
def test_a_page_of_comparisons_is_known_to_be_complete(
    open_page: OpenPage, app_store: Store, page: str
) -> None:
    # Only then it is watched, and redrawn when new comparisons arrive.
    at = open_page(page, project=pairs_project(app_store, points=False))
    assert not at.exception
    assert at.session_state["latest_open"] == at._page_hash


def rescore(store: Store, score: float) -> None:
    """Give another score to thirty ratings."""
    with store.writing() as session:
        for rating in session.query(Rating).order_by(Rating.id).limit(30):
            rating.score, rating.rated_at = score, now()


def figures(at: AppTest) -> dict[str, str]:
    frame = next(element.value for element in at.dataframe if "Kind" in element.value.columns)
    return dict(zip(frame["Rater"], frame["ρ, all raters"], strict=True))


def captions(at: AppTest) -> str:
    return " ".join(str(element.value) for element in at.caption)


def is_complete(at: AppTest) -> bool:
    return any("Kind" in element.value.columns for element in at.dataframe) and not at.get("skeleton")


@pytest.fixture
def opened(open_page: OpenPage, slug: str) -> AppTest:
    """The page with all figures computed."""
    at = open_page(PAGE, project=slug)
    until(at, lambda: is_complete(at))
    return at


def test_a_page_being_opened_ends_at_what_is_not_there_yet(
    taking_long: None, open_page: OpenPage, slug: str
) -> None:
    with others_at_work():
        at = open_page(PAGE, project=slug)
        assert not at.exception
        assert not is_complete(at)
        assert "Comparing with the raters…" in captions(at)
        assert at.get("skeleton")
    until(at, lambda: is_complete(at))
    assert "Figures from" not in captions(at)


def test_what_is_chosen_on_a_page_is_waited_for(taking_long: None, opened: AppTest) -> None:
    with others_at_work():
        opened.selectbox(key="agree_level").select("none").run()
        assert is_complete(opened)
    assert opened.selectbox(key="agree_level").value == "none"


def test_new_scores_are_counted_while_the_last_figures_stay(
    taking_long: None, opened: AppTest, open_page: OpenPage, slug: str, app_store: Store
) -> None:
    at = opened
    before = figures(at)
    assert "under way" not in captions(at)
    rescore(app_store, 1)
    with others_at_work():
        at.run()
        assert not at.exception
        assert figures(at) == before
        assert "New scores have arrived. Figures from" in captions(at)
    until(at, lambda: "Figures from" not in captions(at))
    reloaded = open_page(PAGE, project=slug)
    until(reloaded, lambda: is_complete(reloaded))
    assert figures(at) == figures(reloaded) != before


def test_what_somebody_does_here_is_waited_for(
    taking_long: None, opened: AppTest, open_page: OpenPage, slug: str, app_store: Store
) -> None:
    at = opened
    before = figures(at)
    rescore(app_store, 1)
    saved_filters.save_filter(app_store, slug, "rule", FilterPolicy(threshold=0.0))
    at.run()
    assert "under way" not in captions(at)
    assert figures(at) != before


def test_a_page_drawn_anew_by_itself_begins_nothing_and_says_of_when_it_is(
    taking_long: None, opened: AppTest, open_page: OpenPage, slug: str, app_store: Store
) -> None:
    at = opened
    before = figures(at)
    rescore(app_store, 1)
    at.session_state["latest_arrived"] = True
    at.run()
    assert figures(at) == before
    assert "new scores have arrived since" in captions(at)
    at.button(key="latest_again").click().run()
    until(at, lambda: figures(at) != before)
    until(at, lambda: "Figures from" not in captions(at))


def test_two_at_once_make_it_once(app_store: Store, data: SimpleNamespace) -> None:
    has_begun, may_finish, calls = Event(), Event(), list[str]()

    @stale_results.kept(4, version_now=lambda _store, _slug: data.version)
    def slow(slug: str, version: str) -> str:
        has_begun.set()
        assert may_finish.wait(10)
        calls.append(version)
        return version

    threads = [Thread(target=slow, args=("p", "a-b-c")) for _ in range(2)]
    threads[0].start()
    assert has_begun.wait(10)
    threads[1].start()
    may_finish.set()
    for thread in threads:
        thread.join(10)
    assert calls == ["a-b-c"]
    data.version = "a-b-d"
    assert slow("p", "a-b-d") == "a-b-d"


def test_what_failed_is_told_to_who_asks_next(
    taking_long: None, app_store: Store, data: SimpleNamespace
) -> None:
    answers: list[Any] = [1, ValueError("no"), 3]

    @stale_results.kept(4, version_now=lambda _store, _slug: data.version)
    def may_fail(slug: str, version: str) -> int:
        result: int | Exception = answers.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    assert may_fail("p", "a-b-c") == 1
    data.version = "a-b-d"
    with pytest.raises(ValueError, match="no"):
        may_fail("p", "a-b-d")
    assert may_fail("p", "a-b-d") == 3


def a_request(make: Callable[[], Any], *, version_now: str = "a-b-c") -> results.ResultRequest:
    return results.ResultRequest("a-b-c", make, lambda: version_now)


def test_of_data_that_changed_meanwhile_a_result_is_of_no_version() -> None:
    cache = results.Results(4)
    cache.get_or_make("score", a_request(lambda: 1, version_now="a-b-d"))
    newest = cache.newest("score", "a-b-c")
    assert newest is not None and newest.version == "a-b-c~"
    assert only_scores_changed(newest.version, "a-b-d")
    cache.get_or_make("rule", a_request(lambda: 1, version_now="x-b-c"))
    assert cache.newest("rule", "a-b-c") is None


def test_where_the_version_cannot_be_asked_nobody_waits_for_ever() -> None:
    def gone() -> str:
        raise ValueError("no such project")

    cache = results.Results(2)
    for _ in range(2):
        with pytest.raises(ValueError, match="no such project"):
            cache.get_or_make("key", results.ResultRequest("a-b-c", lambda: 1, gone))


def test_a_page_that_goes_on_ends_no_second_time(
    taking_long: None, open_page: OpenPage, slug: str, app_store: Store
) -> None:
    with others_at_work():
        at = open_page(PAGE, project=slug)
        assert at.get("skeleton")
    saved_filters.save_filter(app_store, slug, "rule", FilterPolicy(threshold=0.0))
    with others_at_work():
        at.session_state["latest_arrived"] = True
        at.run()
        assert is_complete(at)


def test_what_a_worker_failed_with_is_told_to_who_asks_next() -> None:
    def fail() -> None:
        raise ValueError("no")

    cache = results.Results(2)
    future = cache.start("key", a_request(fail))
    assert isinstance(future.exception(10), ValueError)
    with pytest.raises(ValueError, match="no"):
        cache.newest("key", "a-b-c")
    assert cache.newest("key", "a-b-c") is None
    cache.start("key", a_request(fail)).exception(10)
    assert cache.newest("key", "a-b-d") is None  # of other data it says nothing


def test_a_result_is_never_made_of_older_ones(
    taking_long: None, app_store: Store, data: SimpleNamespace
) -> None:
    @stale_results.kept(4, version_now=lambda _store, _slug: data.version)
    def inner(slug: str, version: str) -> str:
        return version

    @stale_results.kept(4, version_now=lambda _store, _slug: data.version)
    def outer(slug: str, version: str) -> str:
        return inner(slug, version)

    assert outer("p", "a-b-c") == "a-b-c"
    data.version = "a-b-d"
    assert outer("p", "a-b-d") == "a-b-d"
    assert inner("p", "a-b-d") == "a-b-d"


def test_what_is_given_out_may_be_changed(app_store: Store, slug: str) -> None:
    version = loaders.data_version(slug)
    (criterion, *_more) = loaders.rated_criteria(slug, version)

    def given() -> pd.DataFrame:
        return loaders.paired_scores(
            slug, version, rater="strict", criterion=criterion, policy="none", decisions=False
        )

    changed_scores = given()
    changed_scores["human"] = 0.0
    assert (given()["human"] != 0).any()
