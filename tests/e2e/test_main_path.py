"""The tool's main job in one go: rate, filter, judge through a killed worker, compare, read one response."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judgelab.analysis.data import saved_filters
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.cli import demo
from judgelab.runs import service
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.models import Completion, CriterionRow, Judgment, Person, Rating, Verdict
from tests.e2e.conftest import App, name_a_rater, settled
from tests.runs.openai_server import Server

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SLUG = "demo-kitchen"
RATER, JUDGE = "Nadja", "tiny direct"
TYPED = (3, 0, 2, 1, 3, 3, 0, 2, 1, 2)
UNITS, SAMPLES = 88, 2
LATENCY = 0.5  # seconds an answer takes until the worker is killed: long enough to do it between two of them
AT_ONCE = 8
VALUE = r"−?\d\.\d\d\s\[−?\d\.\d\d,\s−?\d\.\d\d\]"  # a space may be one that does not break


@pytest.fixture(scope="module")
def app(own_app: App) -> App:
    return own_app


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as running:
        running.habits.latency = LATENCY
        yield running


def test_from_the_first_rating_to_one_disagreement(app: App, context: BrowserContext, server: Server) -> None:
    demo.load_sample(app.store, demo.SAMPLE_DATA / "kitchen")
    tab = context.new_page()
    _rate_ten_by_keyboard(app, tab)
    _check_stored_ratings(app)
    _try_and_save_a_rule(app, tab)
    _add_the_endpoint(app, tab, server)
    run_id = _start_the_judge(app, tab)
    _judge_through_a_kill(app, tab, server, run_id)
    _check_stored_verdicts(app, run_id)
    _compare_with_the_raters(tab)
    link = _read_one_response(app, tab, server)
    _open_in_a_fresh_tab(app, context, link)


def _go(app: App, tab: Page, path: str) -> None:
    tab.goto(f"{app.address}/{path}?project={SLUG}")
    settled(tab)


def _step(tab: Page, name: str) -> None:
    """Follow the bar, as a person does."""
    tab.get_by_role("navigation", name="App pages").get_by_role("link", name=name, exact=True).click()


def _rate_ten_by_keyboard(app: App, tab: Page) -> None:
    _go(app, tab, "rate")
    name_a_rater(tab, RATER)
    answer = tab.get_by_test_id("answer")
    expect(answer).to_be_visible()
    for score in TYPED:
        answer_text = answer.inner_text()
        tab.keyboard.press(str(score))
        tab.keyboard.press("Enter")
        expect(answer).not_to_have_text(answer_text)
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")


def _check_stored_ratings(app: App) -> None:
    with app.store.reading() as session:
        rows = (
            session.query(Rating.score, Rating.blind, CriterionRow.key)
            .join(Person, Person.id == Rating.person_id)
            .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
            .filter(Person.name == RATER)
            .order_by(Rating.id)
        )
        assert [tuple(row) for row in rows] == [(score, True, "answers") for score in TYPED]


def _try_and_save_a_rule(app: App, tab: Page) -> None:
    _step(tab, "Quality")
    answer = tab.get_by_role("heading", level=5)
    expect(answer).to_contain_text("With a threshold of 0.40, the filter")
    expect(answer).to_contain_text("of 9 raters")
    expect(tab.get_by_role("figure").filter(has_text=RATER)).to_be_visible()
    slider = tab.get_by_role("slider", name="Remove raters with r below")
    for threshold in ("0.41", "0.42", "0.43", "0.44", "0.45"):
        slider.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", threshold)
    expect(answer).to_contain_text("With a threshold of 0.45, the filter would remove")
    tab.get_by_role("button", name="Apply as version 2").click()
    expect(tab.get_by_role("button", name="In use as version 2")).to_be_visible()
    in_use = saved_filters.filter_in_use(app.store, SLUG)
    assert in_use is not None
    assert (in_use.version, in_use.policy.threshold) == (2, 0.45)


def _add_the_endpoint(app: App, tab: Page, server: Server) -> None:
    _step(tab, "Judge")
    tab.get_by_role("link", name="Endpoints").click()
    expect(tab.get_by_role("heading", name="Add an endpoint")).to_be_visible()
    tab.get_by_role("textbox", name="Name", exact=True).fill("local")
    tab.get_by_role("textbox", name="Base URL").fill(server.url)
    tab.get_by_role("spinbutton", name="Concurrent calls").fill(str(AT_ONCE))
    tab.get_by_role("button", name="Add").click()
    expect(tab.get_by_text("local saved. Test it before a run.")).to_be_visible()
    tab.get_by_role("button", name="Test").click()
    expect(tab.get_by_text("Works:")).to_be_visible()


def _start_the_judge(app: App, tab: Page) -> int:
    _step(tab, "Judge")
    expect(tab.get_by_text("No worker is running")).to_be_visible()
    name = tab.get_by_role("textbox", name="Name of this judge")
    name.fill(JUDGE)
    name.press("Enter")
    samples = tab.get_by_role("spinbutton", name="Replies per response")
    samples.fill(str(SAMPLES))
    samples.press("Enter")
    expect(tab.get_by_text(f"for {UNITS} judgments")).to_be_visible()
    tab.get_by_role("button", name="List the endpoint's models").click()
    start = tab.get_by_role("button", name="Start the run")
    model = tab.get_by_role("combobox", name="Model")
    expect(tab.get_by_text("local: ")).to_be_visible()
    settled(tab)
    if not model.input_value():
        model.click()
        tab.get_by_role("option", name="tiny").click()
    expect(start).to_be_enabled()
    start.click()
    expect(tab.get_by_role("heading", name=re.compile(r"^Run \d"))).to_be_visible()
    expect(tab.get_by_text("No worker is running; start one with judgelab up.")).to_be_visible()
    return int(re.findall(r"run=(\d+)", tab.url)[0])


def _judge_through_a_kill(app: App, tab: Page, server: Server, run_id: int) -> None:
    first = app.start_worker()
    _until_scored(app, run_id, 10)
    first.kill()
    first.wait(10)
    halfway = service.run_status(app.store, run_id).scored
    assert 0 < halfway < UNITS
    server.habits.latency = 0.05
    app.start_worker()
    expect(tab.get_by_role("heading", name=f"{UNITS} of {UNITS} judgments made in")).to_be_visible(
        timeout=60_000
    )
    expect(tab.get_by_test_id("stMetricLabel").get_by_text("scored", exact=True)).to_be_visible()


def _until_scored(app: App, run_id: int, count: int) -> None:
    end = time.monotonic() + 60
    while service.run_status(app.store, run_id).scored < count:
        assert time.monotonic() < end, (app.folder / "worker.log").read_text()
        time.sleep(0.05)


def _check_stored_verdicts(app: App, run_id: int) -> None:
    status = service.run_status(app.store, run_id)
    assert (status.state, status.scored, status.unscored, status.failed) == ("done", UNITS, 0, 0)
    with app.store.reading() as session:
        own = session.query(Judgment.id).filter(Judgment.run_id == run_id)
        assert own.count() == UNITS
        assert session.query(Verdict).filter(Verdict.judgment_id.in_(own)).count() == UNITS
        assert session.query(Completion).filter(Completion.judgment_id.in_(own)).count() == UNITS * SAMPLES


def _compare_with_the_raters(tab: Page) -> None:
    tab.get_by_role("link", name="See its agreement").click()
    expect(tab.get_by_role("heading", name="Agreement", exact=True)).to_be_visible()
    expect(tab.get_by_role("heading", level=5)).to_have_text(
        re.compile(
            rf"agrees best with the raters: ρ\s{VALUE}, n\s=\s\d+; "
            rf".*The raters agree with one another at {VALUE};"
        )
    )
    forest = tab.get_by_role("figure").filter(has_text="Raters (leave one out)")
    expect(forest).to_contain_text(JUDGE)
    assert re.match(rf"{JUDGE} judge\b.* {VALUE} ", _row(tab, JUDGE))
    assert re.match(rf"Raters \(leave one out\) rater {VALUE} ", _row(tab, "Raters (leave one out)"))


def _row(tab: Page, start: str) -> str:
    """Return a row of a table; tables are drawn, and what they say to a screen reader stands inside."""
    row = tab.locator("canvas tr").filter(has_text=start)
    row.first.wait_for(state="attached")
    return " ".join(filter(None, row.first.locator("td").all_text_contents()))


def _read_one_response(app: App, tab: Page, server: Server) -> str:
    tab.get_by_role("combobox", name="Judge or metric", exact=True).click()
    tab.get_by_role("option", name=JUDGE).click()
    link = tab.get_by_role("link", name="Read the disagreements")
    expect(link).to_have_attribute("href", re.compile(re.escape(f"judge={quote_plus(JUDGE)}")))
    settled(tab)
    link.click()
    expect(tab.get_by_role("heading", name="Disagreements", exact=True)).to_be_visible()
    expect(tab).to_have_url(re.compile(r"response=\d+"))
    tab.get_by_text(f"{JUDGE}: prompt as sent, {SAMPLES} raw replies").click()
    prompt = tab.get_by_role("tabpanel", name="Prompt as sent").get_by_role("code").inner_text()
    assert prompt in server.prompts
    _check_opinions(tab, _detail(app, tab))
    return tab.url


def _detail(app: App, tab: Page) -> ResponseDetail:
    return response_detail(app.store, SLUG, int(re.findall(r"response=(\d+)", tab.url)[0]))


def _check_opinions(tab: Page, detail: ResponseDetail) -> None:
    expect(tab.get_by_role("heading", name=detail.question)).to_be_visible()
    expect(tab.get_by_text(detail.text, exact=True).first).to_be_visible()
    assert len(detail.ratings) > 2
    for rating in detail.ratings:
        row = tab.get_by_role("row").filter(has_text=rating.rater)
        # Behind it may stand that the quality rule leaves the rating out.
        row_text = re.escape(f"{rating.rater}{rating.score:g}{rating.comment or ''}")
        expect(row).to_have_text(re.compile(rf"^{row_text}\s*(Rater removed by the quality filter)?\s*$"))
    opinion_of_judge = next(opinion for opinion in detail.judgments if opinion.judge == JUDGE)
    tab.get_by_role("tab", name="Raw replies").click()
    replies = tab.get_by_role("tabpanel", name="Raw replies").get_by_role("code")
    expect(replies).to_have_text([sample.text for sample in opinion_of_judge.samples])
    joined_replies = ", ".join(sample.text for sample in opinion_of_judge.samples)
    expect(tab.get_by_text(f"{SAMPLES} replies: {joined_replies}", exact=True)).to_be_visible()


def _open_in_a_fresh_tab(app: App, context: BrowserContext, link: str) -> None:
    tab = context.new_page()
    tab.goto(link)
    detail = _detail(app, tab)
    expect(tab.get_by_role("heading", name=detail.question)).to_be_visible()
    expect(tab.get_by_text(detail.text, exact=True).first).to_be_visible()
    expect(tab.get_by_text(f"{JUDGE}: prompt as sent, {SAMPLES} raw replies")).to_be_visible()
