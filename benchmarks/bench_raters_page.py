"""Times a project of 100,000 ratings by 200 raters: the report on raters, and the script of every page.

Three judges score all of it too, with as many scores: 600,000 ratings make 1,200,000 scores. With
--comparisons, the project has so many comparisons by three people and four judges instead, and no report.

python -m benchmarks.bench_raters_page [--ratings N] [--raters N] [--page researcher/agreement]...
python -m benchmarks.bench_raters_page --comparisons N [--page researcher/agreement]...
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import streamlit as st
from sqlalchemy import select, update
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from benchmarks import bench_comparisons
from judgelab.accounts import signin
from judgelab.analysis.data import scores
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.raters.live_study import live_study
from judgelab.analysis.raters.rater_table import rater_table
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.config import settings
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.store.models import Assignment, Preference, Rating, now
from judgelab.store.projects.projects import create_project
from judgelab.ui.cache import page_run, stale_results
from judgelab.ui.server import preload

SLUG = "large"
PER_RESPONSE, TEAM, SYSTEMS = 3, 10, ("alpha", "beta")
CRITERIA = ("correct", "complete", "clear")
SCALE = {"kind": "ordinal", "low": 1, "high": 5}
WORDS = "the of river stone answer because seven often light under paper between market never green".split()
START = datetime(2025, 5, 5, 9, tzinfo=UTC)
APP = Path(__file__).resolve().parents[1] / "app.py"
PAGES = (
    *(
        "researcher/projects",
        "researcher/data",
        "researcher/raters",
        "researcher/work_list",
        "researcher/quality",
    ),
    *("researcher/agreement", "researcher/disagreements", "researcher/adjudicate", "researcher/judges"),
    *(
        "researcher/trust",
        "researcher/compare",
        "researcher/means",
        "researcher/patterns",
        "researcher/report",
    ),
    *(
        "researcher/runs",
        "researcher/studies",
        "annotator/rate",
        "annotator/my_ratings",
        "owner/people",
        "owner/endpoints",
        *("researcher/more", "researcher/preparation", "researcher/visit", "researcher/you"),
        *("everyone/account", "everyone/welcome"),
    ),
)
HEAD = ("item_id", "question", "context", "system", "response", "rater", "rater_kind", "criterion", "score")


def fill(store: Store, folder: Path, *, ratings: int, raters: int) -> None:
    """Put a project of so many ratings into the database; one rater in eleven rates at random."""
    scales = [Criterion(key, key.title(), SCALE) for key in CRITERIA]
    with store.writing() as session:
        create_project(session, name=SLUG.title(), slug=SLUG, criteria=scales)
    file = folder / "ratings.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow([*HEAD, "comment", "rated_at"])
        writer.writerows(_rows(ratings, raters))
    import_files(store, SLUG, collect_files([file]))


def fill_with_comparisons(store: Store, comparisons: int) -> None:
    """Put a project of so many comparisons into the database."""
    with store.writing() as session:
        create_project(session, name=SLUG.title(), slug=SLUG)
    for name, content in bench_comparisons.files(comparisons).items():
        import_files(store, SLUG, [(f"{name}.csv", content.encode())])


def _rows(ratings: int, raters: int) -> Iterator[tuple[object, ...]]:
    chance = random.Random(1)
    clock = [START + timedelta(minutes=rater) for rater in range(raters)]
    teams = max(1, raters // TEAM)
    responses = -(-ratings // (PER_RESPONSE * len(CRITERIA)))
    for number in range(responses):
        item, system = divmod(number, len(SYSTEMS))
        text = " ".join(WORDS[(item + i * 7) % len(WORDS)] for i in range(40))
        shown = (f"q{item}", f"What is {item}?", text, SYSTEMS[system], f"{system} {text[:200]}")
        truth = [1 + (item * 7 + system + place) % 5 for place in range(len(CRITERIA))]
        team = item % teams
        for rater in chance.sample(range(team, raters, teams), PER_RESPONSE):
            clock[rater] += timedelta(seconds=chance.randint(8, 90))
            for key, score in zip(CRITERIA, truth, strict=True):
                given = chance.randint(1, 5) if rater % 11 == 0 else _near(score, chance)
                comment = f"comment {number} of rater {rater}" if chance.random() < 0.05 else ""
                yield (*shown, f"Rater {rater:03}", "human", key, given, comment, clock[rater].isoformat())
        for judge in ("judge one", "judge two", "judge three"):
            for key, score in zip(CRITERIA, truth, strict=True):
                yield (*shown, judge, "judge", key, _near(score, chance), "", START.isoformat())


def _near(score: int, chance: random.Random) -> int:
    return min(5, max(1, score + chance.choice((-1, 0, 0, 0, 1))))


def report(what: str, target: float, work: Callable[[], object]) -> None:
    """Print the seconds of one run, by the clock and of the processor, beside the target."""
    begin, busy = time.perf_counter(), time.process_time()
    work()
    took, busy = time.perf_counter() - begin, time.process_time() - busy
    print(f"{what:<44} {took:7.2f} s, processor {busy:6.2f} s   target {target:g} s", flush=True)


def pages(store: Store, paths: Sequence[str]) -> None:
    """Run the script of pages for the owner: opened first, after a rating, again, after a worker's beat.

    A page answers before all its figures are there and draws itself anew: when they are there is said too.
    """
    page_run.UNSEEN = page_run.PATIENCE  # as where a browser asks again
    # There is no browser, so each app under test has its cookie in its own state.
    ContextProxy.cookies = property(
        lambda _: {signin.COOKIE: st.session_state["cookie"]} if "cookie" in st.session_state else {}
    )
    components = BidiComponentManager()
    components.discover_and_register_components(start_file_watching=False)
    for path in paths:
        at = AppTest.from_file(str(APP), default_timeout=300)
        at._bidi_component_manager = components
        at.session_state["cookie"] = signin.redeem(store, signin.new_owner_token(store))
        at.run()
        _until_rest()
        at.switch_page(f"pages/{path}.py")
        at.query_params["project"] = SLUG
        # The page of projects, which comes first, has read all scores; here the first look reads them too.
        scores.clear_caches()
        st.cache_data.clear()
        stale_results.forget()
        looks = (("first", lambda: None), ("after a rating", lambda: _rate(store)))
        for look, before in looks:
            before()
            begun, busy = time.perf_counter(), time.process_time()
            report(f"page {path}, {look}", 0.3, at.run)
            while _unfinished(at):
                while stale_results.busy():  # a browser looks by a fragment, which takes next to nothing
                    time.sleep(page_run.LOOK_SECONDS)
                at.session_state[page_run.ARRIVED] = True
                at.run()
            took, of_processor = time.perf_counter() - begun, time.process_time() - busy
            print(
                f"{'':8}with all its figures after {took:.2f} s, processor {of_processor:.2f} s", flush=True
            )
        report(f"page {path}, again", 0.3, at.run)
        with store.writing() as session:
            workers.record_heartbeat(session, "bench", pid=os.getpid(), slots=4)
        report(f"page {path}, again after a worker's beat", 0.3, at.run)
        if at.exception:
            raise SystemExit(f"{path}: {at.exception[0].value}")


def _date_as_of_today(store: Store) -> None:
    """Let the work seem done in the browser in the last hours, as in a study that is running."""
    ago = Assignment.id % 20_000
    with store.writing() as session:
        for row_id, seconds in session.execute(select(Assignment.id, ago)).all():
            at = now() - timedelta(seconds=seconds)
            session.execute(update(Assignment).where(Assignment.id == row_id).values(order=1, finished_at=at))


def _until_rest() -> None:
    """Wait for what goes on while somebody reads the first page that they open: its figures, and modules."""
    for thread in threading.enumerate():
        if thread.name == preload.NAME:
            thread.join()
    while stale_results.busy():
        time.sleep(page_run.LOOK_SECONDS)


def _rate(store: Store) -> None:
    """Give one rating another score, or one comparison another winner, as a rater who thinks again."""
    with store.writing() as session:
        rating = session.scalars(select(Rating).order_by(Rating.rated_at).limit(1)).one_or_none()
        if rating is not None:
            rating.score, rating.rated_at = 6 - (rating.score or 3), now()
            return
        choice = session.scalars(select(Preference).order_by(Preference.rated_at).limit(1)).one()
        choice.choice, choice.rated_at = "b" if choice.choice == "a" else "a", now()


def _unfinished(at: AppTest) -> bool:
    updating = page_run.UPDATING.partition("{")[0]
    return bool(at.get("skeleton")) or any(caption.value.startswith(updating) for caption in at.caption)


def main() -> None:
    """Print one line per promise."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ratings", type=int, default=100_000)
    parser.add_argument("--raters", type=int, default=200)
    parser.add_argument("--comparisons", type=int, help="so many comparisons instead of ratings")
    parser.add_argument("--page", action="append", choices=PAGES, help="only these pages, and no report")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JUDGELAB_DATABASE_URL"] = f"sqlite:///{folder}/bench.db"
        store = shared_store(settings().database_url)
        if options.comparisons:
            fill_with_comparisons(store, options.comparisons)
            print(f"{options.comparisons:,} comparisons by three people and four judges")
        else:
            fill(store, Path(folder), ratings=options.ratings, raters=options.raters)
            print(f"{options.ratings:,} ratings by {options.raters:,} raters")
        save_filter(store, SLUG, "rule", FilterPolicy())
        for beside in () if options.page or options.comparisons else ("kept", "all"):
            report(
                f"report on raters, beside {beside}",
                2,
                lambda b=beside: rater_table(store, SLUG, compared_with=b),
            )
        if not options.page and not options.comparisons:
            _date_as_of_today(store)
            report("refresh of the study on Project", 0.1, lambda: live_study(store, SLUG))
        pages(store, options.page or PAGES)
        store.close()


if __name__ == "__main__":
    main()
