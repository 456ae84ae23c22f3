"""Practice, loud checks, pauses and leases in a real browser, by keyboard."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judgelab.domain import Criterion
from judgelab.store.models import Assignment, ItemRow, Rating, ResponseRow, Unit, now
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import gold, units
from tests.e2e.conftest import App, settled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

CRITERIA = (Criterion("relevance", "Relevance", {"kind": "ordinal", "low": 0, "high": 3}),)


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    yield opened
    opened.close()


def make(
    app: App, name: str, *, marked: Sequence[int] = (), purpose: str = "", **settings: Any
) -> tuple[int, int]:
    """Store a project of eight answers, some with a known score of 2, and a rater of its own."""
    loud = bool(settings.pop("loud", False))
    with app.store.writing() as session:
        project = create_project(session, name=name, criteria=CRITERIA, settings=settings)
        for n in range(8):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question=f"Question {n}")
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(project_id=project.id, item_id=item.id, external_id=f"r{n}", text=f"Answer {n}")
            )
        session.flush()
        units.offer_units(session, project.id)
        ids = [unit for (unit,) in session.query(Unit.id).filter_by(project_id=project.id).order_by(Unit.id)]
        for n in marked:
            gold.set_known_scores(
                session,
                project.id,
                ids[n],
                purpose=purpose,
                scores={"relevance": 2},
                loud=loud,
                explanation="The lid is named, its colour is not.",
            )
        return project.id, people.find_or_create(session, f"Rater of {name}")


def open_rate(app: App, tab: Page, slug: str, rater: int) -> None:
    tab.goto(f"{app.address}/rate?project={slug}&rater={rater}")
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=30_000)
    settled(tab)


def rate(tab: Page, score: int) -> None:
    tab.keyboard.press(str(score))
    tab.keyboard.press("Enter")


# Goes on and rates at once, before the next frame takes the focus from the button of the closed dialog.
HASTY = """(go, keys) => {
    go.click();
    const far = { bubbles: true, composed: true };
    for (const key of keys) go.dispatchEvent(new KeyboardEvent("keydown", { key, ...far }));
}"""


def test_practice_tells_after_each_answer_and_qualifies(app: App, tab: Page) -> None:
    training = {"needed": 0.5, "tries": 2}
    project, rater = make(app, "Practice", marked=[0, 1], purpose="training", training=training)
    open_rate(app, tab, "practice", rater)
    expect(tab.get_by_test_id("practice")).to_contain_text("Practice: you see the expected score")
    expect(tab.get_by_test_id("done")).to_have_text("0 of 2 done")
    rate(tab, 0)
    feedback = tab.get_by_test_id("feedback")
    expect(feedback).to_contain_text("Relevance: you chose 0, expected 2")
    expect(feedback).to_contain_text("The lid is named, its colour is not.")
    tab.keyboard.press("3")  # a key for the answer behind the dialog does nothing
    expect(tab.get_by_test_id("feedback-go")).to_be_focused()
    tab.get_by_test_id("feedback-go").evaluate(HASTY, ["2", "Enter"])
    expect(feedback).to_contain_text("You qualified: 50 % of the practice scores were right.")
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("practice")).to_be_hidden()
    expect(tab.get_by_test_id("done")).to_have_text("0 of 6 done")
    tab.keyboard.press("u")  # what was told is not taken back
    expect(tab.get_by_test_id("done")).to_have_text("0 of 6 done")
    rate(tab, 1)
    expect(tab.get_by_test_id("done")).to_have_text("1 of 6 done")
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")
    with app.store.reading() as session:
        assert session.query(Rating).filter_by(project_id=project).count() == 3


def test_practice_failed_twice_ends_with_thanks(app: App, tab: Page) -> None:
    training = {"needed": 1.0, "tries": 2}
    project, rater = make(app, "Hard practice", marked=[0], purpose="training", training=training)
    open_rate(app, tab, "hard-practice", rater)
    rate(tab, 0)
    expect(tab.get_by_test_id("feedback")).to_contain_text("You have 1 more attempt.")
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("practice")).to_contain_text(
        "Practice again: 0 % were right, 100 % are needed."
    )
    rate(tab, 1)
    expect(tab.get_by_test_id("feedback")).to_contain_text("so the study ends here for you")
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("Thank you for your time.")
    with app.store.reading() as session:
        member = memberships.find(session, project, rater)
    assert member is not None and member.state == "screened_out"


def test_a_loud_check_speaks_and_a_silent_one_does_not(app: App, tab: Page) -> None:
    for name, loud in (("Loud", True), ("Silent", False)):
        _, rater = make(app, name, marked=[0], purpose="attention", attention_every=1, loud=loud)
        open_rate(app, tab, name.lower(), rater)
        for _ in range(2):
            expect(tab.get_by_test_id("answer")).to_be_visible()
            rate(tab, 0)
        if loud:
            expect(tab.get_by_test_id("feedback")).to_contain_text("A check of attention: not quite")
            tab.keyboard.press("Enter")
        expect(tab.get_by_test_id("done")).to_contain_text("2 of 8 done")
        expect(tab.get_by_test_id("feedback")).to_be_hidden()


def test_a_pause_keeps_the_answers_and_a_silent_page_warns_before_it_loses_them(app: App, tab: Page) -> None:
    project, rater = make(app, "Break", lease_minutes=10, pause_minutes=50, pay_per_hour=12, currency="GBP")
    open_rate(app, tab, "break", rater)
    rate(tab, 2)
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")
    expect(tab.get_by_test_id("own")).to_contain_text("GBP")
    tab.keyboard.press("1")
    tab.keyboard.press("p")
    expect(tab.get_by_test_id("paused")).to_contain_text(
        "The answers on your screen are reserved for you until"
    )
    _until(app, project, longer_than=40)
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("paused")).to_be_hidden()
    _until(app, project, shorter_than=11)
    _shorten(app, project, seconds=20)
    tab.reload()  # the end of the lease is known from the server
    expect(tab.get_by_test_id("lease")).to_contain_text("these answers go to other raters", timeout=30_000)
    tab.mouse.wheel(0, 10)  # somebody is there
    expect(tab.get_by_test_id("lease")).to_be_hidden()
    _until(app, project, longer_than=9)
    expect(tab.get_by_role("radio", name="1", exact=True)).to_be_checked()


def _leases(app: App, project: int) -> list[float]:
    with app.store.reading() as session:
        rows = session.query(Assignment.lease_until).filter(
            Assignment.project_id == project, Assignment.lease_until.is_not(None)
        )
        return [(until - now()).total_seconds() / 60 for (until,) in rows]


def _until(app: App, project: int, *, longer_than: float = 0, shorter_than: float = 1e9) -> None:
    for _ in range(100):
        leases = _leases(app, project)
        if leases and all(longer_than < minutes < shorter_than for minutes in leases):
            return
        time.sleep(0.1)
    raise AssertionError(f"leases of {leases} minutes")


def _shorten(app: App, project: int, *, seconds: int) -> None:
    with app.store.writing() as session:
        session.query(Assignment).filter(
            Assignment.project_id == project, Assignment.lease_until.is_not(None)
        ).update({"lease_until": now() + timedelta(seconds=seconds)})
