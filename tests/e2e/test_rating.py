"""Rating in a real browser: by keyboard, in bursts, through a crash, on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.domain import Criterion
from judgelab.store.models import Assignment, CriterionRow, ItemRow, Rating, RatingEvent, ResponseRow, Unit
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import units
from tests.e2e.conftest import App, name_a_rater, settled, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

ANCHORS = {str(value): f"What {value} means." for value in range(4)}
CRITERIA = (
    Criterion("relevance", "Relevance", {"kind": "ordinal", "low": 0, "high": 3, "anchors": ANCHORS}),
    Criterion("fluency", "Fluency", {"kind": "ordinal", "low": 1, "high": 5}),
    Criterion("right", "Right", {"kind": "binary"}),
)
HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script> [a](javascript:hit()) ✂ **b**'
ARABIC = "هل الغطاء محكم؟"
Open = Callable[..., Page]


def make(
    app: App,
    name: str,
    *,
    answers: int = 12,
    criteria: Any = CRITERIA,
    texts: Sequence[str] = (),
    **settings: Any,
) -> tuple[int, int]:
    """Store a project, with these answers or hostile ones, and its rater; returns the ids of both."""
    with app.store.writing() as session:
        project = create_project(session, name=name, criteria=criteria, settings=settings)
        for n in range(answers):
            item = ItemRow(
                project_id=project.id,
                external_id=f"q{n}",
                question=f"{ARABIC} {n}",
                context="Long text. " * 200,
            )
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"r{n}",
                    system="SecretSystem",
                    text=texts[n] if texts else f"{HOSTILE} {n}",
                )
            )
        session.flush()
        units.offer_units(session, project.id)
        return project.id, people.find_or_create(session, f"Rater of {name}")


@pytest.fixture
def open_rate(app: App, context: BrowserContext) -> Iterator[Open]:
    """Open the rating page of a project as its rater."""
    tabs: list[Page] = []

    def go(slug: str, rater: int, *, window: BrowserContext | None = None) -> Page:
        tab = (window or context).new_page()
        tab.goto(f"{app.address}/rate?project={slug}&rater={rater}")
        expect(tab.get_by_test_id("answer")).to_be_visible(timeout=30_000)
        settled(tab)
        tabs.append(tab)
        return tab

    yield go
    for tab in tabs:
        tab.close()


def saved(tab: Page, timeout: float = 15_000) -> None:
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved", timeout=timeout)


def press(tab: Page, keys: str) -> None:
    for key in keys.split():
        tab.keyboard.press(key)


def stored(app: App, project: int) -> list[tuple[int, str, float]]:
    """Return (place in the queue, criterion, score) of every rating."""
    with app.store.reading() as session:
        rows = (
            session.query(Assignment.order, CriterionRow.key, Rating.score)
            .join(Unit, Unit.id == Assignment.unit_id)
            .join(
                Rating,
                (Rating.response_id == Unit.response_id) & (Rating.person_id == Assignment.person_id),
            )
            .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
            .filter(Rating.project_id == project)
            .order_by(Assignment.order, CriterionRow.position)
        )
        return [(order, key, score) for order, key, score in rows]


def test_keys_without_gaps_store_the_right_scores(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Burst")
    tab = open_rate("burst", rater)
    expected = []
    for n in range(12):
        scores = (n % 4, 1 + n % 5, n % 2)
        answer_text = tab.get_by_test_id("answer").inner_text()
        press(tab, f"{scores[0]} {scores[1]} {scores[2]} Enter")
        expected += list(zip([n + 1] * 3, ("relevance", "fluency", "right"), scores, strict=True))
        if n < 11:
            expect(tab.get_by_test_id("answer")).not_to_have_text(answer_text, timeout=30_000)
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done: you rated all 12 answers.")
    saved(tab)
    assert stored(app, project) == expected
    with app.store.reading() as session:
        assert session.query(RatingEvent).filter(RatingEvent.person_id == rater).count() == 12


def test_ratings_made_while_the_server_is_dead_are_stored_when_it_is_back(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Crash")
    tab = open_rate("crash", rater)
    press(tab, "2 4 1 Enter")
    saved(tab)
    app.kill()
    for _ in range(3):
        press(tab, "1 5 0 Enter")
    expect(tab.get_by_test_id("saved")).to_have_text("3 not saved yet, trying again", timeout=30_000)
    app.start()
    saved(tab, timeout=60_000)
    assert [row[2] for row in stored(app, project)] == [2, 4, 1] + [1, 5, 0] * 3


def test_what_was_rated_offline_is_stored_as_soon_as_the_network_is_back(
    app: App, browser: Browser, open_rate: Open
) -> None:
    project, rater = make(app, "Tunnel")
    window = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    sign_in(window, app)
    tab = open_rate("tunnel", rater, window=window)
    window.set_offline(True)
    for keys in ("2 4 1 Enter", ""):  # at once and two seconds later; the next attempt would come after four
        with tab.expect_event("requestfailed", lambda request: request.method == "POST"):
            press(tab, keys)
    window.set_offline(False)
    saved(tab, timeout=1500)
    assert [row[2] for row in stored(app, project)] == [2, 4, 1]
    window.close()


def test_what_was_unsaved_when_the_page_was_closed_is_stored_on_return(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Closed")
    tab = open_rate("closed", rater)
    app.kill()
    press(tab, "3 3 1 Enter")
    tab.close(run_before_unload=False)
    app.start()
    tab = open_rate("closed", rater)
    saved(tab)
    assert [row[2] for row in stored(app, project)] == [3, 3, 1]


def test_a_reload_keeps_the_draft_and_undo_still_works(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Drafts")
    tab = open_rate("drafts", rater)
    first = tab.get_by_test_id("answer").inner_text()
    press(tab, "2 4 1 Enter")
    expect(tab.get_by_test_id("answer")).not_to_have_text(first)
    second = tab.get_by_test_id("answer").inner_text()
    press(tab, "3 / h m Escape")
    saved(tab)
    tab.reload()  # at once: the draft has not been sent yet
    expect(tab.get_by_test_id("answer")).to_have_text(second, timeout=30_000)
    row = tab.get_by_test_id("criterion-relevance")
    expect(row.get_by_role("radio", name="3")).to_have_attribute("aria-checked", "true")
    settled(tab)
    press(tab, "u")
    expect(tab.get_by_test_id("answer")).to_have_text(first)
    expect(row.get_by_role("radio", name="2")).to_have_attribute("aria-checked", "true")
    assert len(stored(app, project)) == 3
    press(tab, "0 Enter")
    expect(tab.get_by_test_id("answer")).to_have_text(second)
    saved(tab)
    assert [score for _, _, score in stored(app, project)] == [0, 4, 1]


def test_what_was_rated_in_one_tab_is_not_asked_in_another(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Two tabs", criteria=CRITERIA[:1])
    first_tab = open_rate("two-tabs", rater)
    second_tab = open_rate("two-tabs", rater)
    first = first_tab.get_by_test_id("answer").inner_text()
    expect(second_tab.get_by_test_id("answer")).to_have_text(first)
    first_tab.keyboard.press("2")
    first_tab.keyboard.press("Enter")
    expect(second_tab.get_by_test_id("answer")).not_to_have_text(first)
    expect(
        second_tab.get_by_test_id("answer")
    ).to_be_visible()  # a tab that only looked holds one, and fetches more
    expect(second_tab.get_by_test_id("elsewhere")).to_have_text(
        "You rated the last one in another tab; this is the next one."
    )
    second = second_tab.get_by_test_id("answer").inner_text()
    expect(first_tab.get_by_test_id("answer")).to_have_text(second)
    second_tab.keyboard.press("1")  # begun here, so it stays here
    first_tab.keyboard.press("3")
    first_tab.keyboard.press("Enter")
    saved(first_tab)  # what reaches the server last stands; nobody is in two tabs in the same moment
    expect(second_tab.get_by_test_id("elsewhere")).to_contain_text("replaces it")
    expect(second_tab.get_by_test_id("answer")).to_have_text(second)
    second_tab.keyboard.press("Enter")
    expect(second_tab.get_by_test_id("elsewhere")).to_be_hidden()
    saved(first_tab)
    saved(second_tab)
    with app.store.reading() as session:
        scores = [
            rating.score for rating in session.query(Rating).filter_by(person_id=rater).order_by(Rating.id)
        ]
    assert scores == [2.0, 1.0]


def test_a_tab_goes_on_once_the_other_tab_has_stored_its_rating(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Slow tab", criteria=CRITERIA[:1])
    first_tab = open_rate("slow-tab", rater)
    second_tab = open_rate("slow-tab", rater)
    first = first_tab.get_by_test_id("answer").inner_text()
    settled(second_tab)
    first_tab.route(lambda url: True, lambda route: None)
    with second_tab.expect_response(lambda answer: answer.request.method == "POST"):  # before the rating
        press(first_tab, "2 Enter")
    expect(second_tab.get_by_test_id("elsewhere")).to_be_visible()
    expect(second_tab.get_by_text("Loading the next answers…")).to_be_visible()
    expect(second_tab.get_by_text("You are done")).to_be_hidden()
    first_tab.unroute_all()  # lets the held requests go
    expect(second_tab.get_by_test_id("answer")).to_be_visible()
    expect(second_tab.get_by_test_id("answer")).not_to_have_text(first)


def test_a_missing_criterion_is_marked_and_nothing_moves(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Missing")
    tab = open_rate("missing", rater)

    def boxes() -> list[Any]:
        return [b.bounding_box() for b in tab.get_by_role("radio").all()] + [
            tab.get_by_test_id("submit").bounding_box()
        ]

    before = boxes()
    press(tab, "2")
    assert boxes() == before
    press(tab, "ArrowDown 1 Enter")
    row = tab.get_by_test_id("criterion-fluency")
    expect(row).to_contain_text("score missing")
    expect(row.get_by_role("radio").first).to_be_focused()
    expect(tab.get_by_test_id("submit")).to_contain_text("Submit · 1 criterion left")
    assert boxes() == before


def test_skip_flag_and_the_list_of_keys(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Flags", answers=3)
    tab = open_rate("flags", rater)
    first = tab.get_by_test_id("answer").inner_text()
    press(tab, "?")
    expect(tab.get_by_role("dialog", name="Keys")).to_be_visible()
    press(tab, "Escape f")
    tab.keyboard.type("another language")
    press(tab, "Enter")
    expect(tab.get_by_text("Flagged: another language")).to_be_visible()
    press(tab, "s")
    expect(tab.get_by_test_id("answer")).not_to_have_text(first)
    saved(tab)
    with app.store.reading() as session:
        rows = session.query(Assignment.state, Assignment.flag).filter(Assignment.project_id == project)
        assert ("skipped", "another language") in [tuple(row) for row in rows]


def test_who_skips_everything_goes_through_it_again_by_one_key(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Skips", answers=2)
    tab = open_rate("skips", rater)
    offer = tab.get_by_test_id("offer")
    answer = tab.get_by_test_id("answer")
    for n in range(4):  # twice each
        expect(answer).to_be_visible()
        answer_text = answer.inner_text()
        press(tab, "s")
        expect(answer if n < 3 else offer).not_to_have_text(answer_text)
    expect(offer).to_have_text("Show skipped answers again (2 answers)Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("or stop here and close the page.")
    press(tab, "Enter")
    expect(answer).to_be_visible()
    expect(offer).to_be_hidden()
    press(tab, "2 4 1 Enter")
    saved(tab)
    assert [row[2] for row in stored(app, project)] == [2, 4, 1]


def test_of_seven_criteria_the_one_in_hand_is_in_sight_and_a_comment_is_told_of(
    app: App, open_rate: Open
) -> None:
    names = ("One", "Two", "Three", "Four", "Five", "Six", "Seven")
    scale = {"kind": "ordinal", "low": 1, "high": 5}
    criteria = [Criterion(name.lower(), name, scale) for name in names]
    _, rater = make(app, "Many", answers=1, criteria=criteria)
    tab = open_rate("many", rater)
    tab.set_viewport_size({"width": 1366, "height": 640})
    comment_icon = tab.get_by_role("img", name="with a comment")
    press(tab, "1 2 /")
    tab.keyboard.type("Half of it.")
    press(tab, "Enter 3 4 5 1")
    expect(comment_icon).to_have_count(1)
    expect(tab.get_by_test_id("criterion-three").get_by_role("img")).to_have_attribute("title", "Half of it.")
    last, submit = tab.get_by_test_id("criterion-seven"), tab.get_by_placeholder("Comment, if")
    expect(last.get_by_text("current")).to_be_visible()
    rows = last.bounding_box(), submit.bounding_box()
    assert rows[0] and rows[1] and rows[0]["y"] + rows[0]["height"] <= rows[1]["y"] + 1


def test_uploaded_text_is_shown_and_nothing_in_it_runs(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Markup")
    tab = open_rate("markup", rater)
    requested_urls: list[str] = []
    tab.on("request", lambda request: requested_urls.append(request.url))
    expect(tab.get_by_test_id("answer")).to_contain_text(HOSTILE)
    press(tab, "2 4 1 Enter")
    saved(tab)
    assert tab.evaluate("window.hit") is None
    assert [url for url in requested_urls if not url.startswith(app.address)] == []
    question = tab.get_by_role("heading", name=ARABIC).first
    assert question.evaluate("node => getComputedStyle(node).direction") == "rtl"
    assert "SecretSystem" not in tab.content()


def test_a_number_scale_takes_typed_numbers(app: App, open_rate: Open) -> None:
    scale = {"kind": "numeric", "low": 0, "high": 100}
    criteria = (Criterion("overall", "Overall", scale), CRITERIA[1])
    project, rater = make(app, "Numbers", criteria=criteria)
    tab = open_rate("numbers", rater)
    press(tab, "7 2 Enter 4 Enter")
    saved(tab)
    assert [score for _, _, score in stored(app, project)] == [72, 4]
    press(tab, "3 u")
    expect(tab.get_by_role("spinbutton")).to_have_value("72")  # of the answer shown, not what was typed last


def test_the_owner_names_a_new_rater_and_changes_a_rating_later(app: App, page: Page) -> None:
    project, _ = make(app, "Desk", answers=2)
    page.goto(f"{app.address}/rate?project=desk")
    name_a_rater(page, "  New   Person ")
    expect(page.get_by_test_id("answer")).to_be_visible(timeout=30_000)
    settled(page)
    press(page, "2 4 1 Enter")
    saved(page)
    with app.store.reading() as session:
        names = [person.name for person in people.list_people(session)]
    assert "New Person" in names
    assert not {"2", "4", "1"} & set(names)
    assert len(stored(app, project)) == 3


def test_on_a_phone_one_criterion_at_a_time_and_nothing_hidden(
    app: App, browser: Browser, open_rate: Open
) -> None:
    project, rater = make(app, "Phone")
    window = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    sign_in(window, app)
    tab = open_rate("phone", rater, window=window)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    expect(tab.get_by_role("radio").locator("visible=true")).to_have_count(4)
    # With keys that belong to a tablet or a narrow window: a comment is left again, and digits are scores.
    for leave in ("Escape", "Enter"):
        press(tab, "/")
        expect(tab.locator("[data-role=comment]")).to_be_focused()
        press(tab, leave)
        expect(tab.locator("[data-role=comment]")).not_to_be_focused()
    for label, value in (("Relevance", "2"), ("Fluency", "5"), ("Right", "1")):
        row = tab.get_by_test_id(f"criterion-{label.lower()}")
        point = row.get_by_role("radio", name=value)
        box = point.bounding_box()
        assert box is not None and box["height"] >= 58
        point.tap()
        tab.get_by_test_id("submit").tap()
    saved(tab)
    assert [score for _, _, score in stored(app, project)] == [2, 5, 1]
    window.close()


def test_rated_by_keyboard_alone_each_choice_is_announced(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Roles")
    tab = open_rate("roles", rater)
    assert tab.get_by_role("radiogroup").count() == 3
    press(tab, "ArrowRight ArrowRight")
    chosen = tab.get_by_test_id("criterion-relevance").get_by_role("radio", checked=True)
    expect(chosen).to_have_accessible_name("1. What 1 means.")
    expect(chosen).to_be_focused()
    assert chosen.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    press(tab, "r c g")
    expect(tab.get_by_test_id("answer")).to_be_visible()
