"""The whole way of a crowd: in by a link, agreeing, rating by keyboard, out by the code or by giving back."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.accounts import members
from judgelab.annotation.links import own_forms
from judgelab.annotation.links.options import Ending, LinkOptions
from judgelab.annotation.links.questions import FormQuestion
from judgelab.crowd import links
from judgelab.domain import Criterion
from judgelab.store.models import ItemRow, Membership, Rating, ResponseRow, Unit
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import gold, units
from tests.e2e.conftest import App, settled
from tests.e2e.test_accessibility import findings

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SCALE = {"kind": "ordinal", "low": 0, "high": 3}
BACK = "https://platform.example/done?cc=DONE7"
OUT = "https://platform.example/out?cc=OUT3"


def make(app: App, name: str, **settings: object) -> int:
    """Store a project of six answers, two raters for each; return its id."""
    with app.store.writing() as session:
        paid = {"raters_per_response": 2, "pay_per_hour": 12, "currency": "GBP", **settings}
        created = create_project(
            session, name=name, criteria=[Criterion("good", "Good", SCALE)], settings=paid
        )
        for n in range(6):
            item = ItemRow(project_id=created.id, external_id=f"q{n}", question=f"Question {n}?")
            session.add(item)
            session.flush()
            session.add(
                ResponseRow(project_id=created.id, item_id=item.id, external_id=f"r{n}", text=f"Answer {n}.")
            )
        session.flush()
        units.offer_units(session, created.id)
        return created.id


@pytest.fixture(scope="module")
def project(app: App) -> int:
    return make(app, "Crowd soups")


@pytest.fixture(scope="module")
def path(app: App, project: int) -> str:
    return open_link(app, project)


def open_link(app: App, project: int) -> str:
    """Return where people come in."""
    options = LinkOptions(
        person="PID",
        others=("SESSION",),
        consent="You rate **two** answers about soup.",
        fields=(FormQuestion("Age", "number"), FormQuestion("Do you cook?", "choice", ("yes", "no"))),
        places=5,
        minutes=90,
        about_minutes=5,
        most=2,
        finished=Ending("DONE7", BACK),
        screened_out=Ending("OUT3", OUT),
    )
    return links.create(app.store, None, project, "Pilot", options).path


@pytest.fixture
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """A phone on which nobody is signed in."""
    fresh = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    yield fresh
    fresh.close()


def join(app: App, visitor: BrowserContext, path: str, who: str) -> Page:
    tab = visitor.new_page()
    tab.goto(f"{app.address}{path}?{urlencode({'PID': who, 'SESSION': 's9'})}")
    expect(tab.get_by_text("Pay: GBP 12.00 per hour")).to_be_visible()
    assert findings(tab) == []
    tab.get_by_label("Age").fill("44")
    tab.get_by_label("yes").check()
    tab.get_by_role("button", name="I agree, start").click()
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=60_000)
    return settled(tab)


def fits_at_400_percent(tab: Page) -> None:
    before = tab.viewport_size
    assert before is not None
    tab.set_viewport_size({"width": 320, "height": 256})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 320
    tab.set_viewport_size(before)


def test_two_people_come_by_a_link_and_leave_by_different_doors(
    app: App, project: int, path: str, visitor: BrowserContext, browser: Browser
) -> None:
    tab = join(app, visitor, path, "platform-a")
    expect(tab.get_by_test_id("until")).to_contain_text("your time ends at")
    for _ in range(2):
        expect(tab.get_by_test_id("answer")).to_be_visible()
        tab.keyboard.press("2")
        tab.keyboard.press("Enter")
    farewell = tab.get_by_test_id("farewell")
    expect(farewell).to_contain_text("DONE7")
    assert findings(tab) == []
    back = farewell.get_by_role("link", name="Back to the platform")
    expect(back).to_have_attribute("href", BACK)
    expect(back).to_have_attribute("referrerpolicy", "no-referrer")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You have finished this study.")
    expect(tab.get_by_test_id("give-back")).to_be_hidden()
    tab.reload()
    expect(tab.get_by_test_id("farewell")).to_contain_text("DONE7", timeout=30_000)

    second = browser.new_context(viewport={"width": 1366, "height": 900}, reduced_motion="reduce")
    other_tab = join(app, second, path, "platform-b")
    other_tab.keyboard.press("1")
    other_tab.keyboard.press("Enter")
    expect(other_tab.get_by_test_id("done")).to_have_text("1 of 2 done")
    second_tab = second.new_page()  # the same screen in another tab
    second_tab.goto(other_tab.url)
    expect(second_tab.get_by_test_id("answer")).to_be_visible()
    settled(second_tab)
    other_tab.get_by_role("button", name="Return this study").click()
    other_tab.get_by_role("button", name="Return study").click()
    expect(other_tab.get_by_test_id("nothing")).to_contain_text("You returned this study")
    expect(other_tab.get_by_test_id("farewell")).to_be_hidden()
    second_tab.keyboard.press("3")
    second_tab.keyboard.press("Enter")
    expect(second_tab.get_by_test_id("nothing")).to_contain_text("You returned this study")
    expect(second_tab.get_by_test_id("saved")).to_contain_text(
        "Not saved: your part in this study is already over"
    )
    second.close()

    with app.store.reading() as session:
        members = {row.external_id: row for row in session.query(Membership).filter_by(project_id=project)}
        assert {who: row.state for who, row in members.items()} == {
            "platform-a": "finished",
            "platform-b": "returned",
        }
        assert members["platform-a"].background == {"Age": 44, "Do you cook?": "yes"}
        assert members["platform-a"].parameters == {"SESSION": "s9"}
        assert session.query(Rating).filter_by(project_id=project).count() == 3


def test_whoever_declines_is_thanked_and_leaves_nothing(
    app: App, project: int, path: str, visitor: BrowserContext
) -> None:
    tab = visitor.new_page()
    tab.goto(f"{app.address}{path}?PID=platform-c&SESSION=1")
    tab.get_by_role("button", name="I do not agree").click()  # without a word about the form
    expect(tab.get_by_role("heading", name="Thank you for your time")).to_be_visible()
    assert findings(tab) == []
    with app.store.reading() as session:
        assert session.query(Membership).filter_by(external_id="platform-c").count() == 0


def test_whoever_fails_the_practice_leaves_by_the_code_for_it_and_does_not_come_in_again(
    app: App, visitor: BrowserContext
) -> None:
    project = make(app, "Hard soups", training={"needed": 1.0, "tries": 1})
    with app.store.writing() as session:
        first = session.query(Unit.id).filter_by(project_id=project).order_by(Unit.id).limit(1).scalar()
        assert first is not None
        gold.set_known_scores(session, project, first, purpose="training", scores={"good": 3})
    path = open_link(app, project)
    tab = join(app, visitor, path, "platform-d")
    tab.keyboard.press("0")
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("feedback")).to_contain_text("so the study ends here for you")
    tab.keyboard.press("Enter")
    farewell = tab.get_by_test_id("farewell")
    expect(farewell).to_contain_text("OUT3")
    expect(farewell.get_by_role("link", name="Back to the platform")).to_have_attribute("href", OUT)
    expect(farewell).not_to_contain_text("DONE7")
    assert findings(tab) == []
    tab.goto(f"{app.address}{path}?PID=platform-d&SESSION=s9")  # once more by the platform's link
    tab.get_by_role("button").first.click()
    expect(tab.get_by_test_id("farewell")).to_contain_text("OUT3")
    expect(tab.get_by_test_id("answer")).to_be_hidden()
    with app.store.reading() as session:
        (member,) = session.query(Membership).filter_by(project_id=project)
        assert (member.external_id, member.state) == ("platform-d", "screened_out")


def test_whoever_finished_deletes_their_ratings_and_keeps_the_code(
    app: App, path: str, visitor: BrowserContext
) -> None:
    tab = join(app, visitor, path, "platform-leaves")
    for _ in range(2):
        expect(tab.get_by_test_id("answer")).to_be_visible()
        tab.keyboard.press("2")
        tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("farewell")).to_contain_text("DONE7")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You rated 2 answers. All your ratings are kept.")
    tab.goto(tab.url.replace("/rate", "/my-ratings"))
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download a copy (CSV)").click()
    assert download.value.path().read_text(encoding="utf-8-sig").count("Answer ") == 2
    tab.get_by_role("button", name="Leave the study").click()
    dialog = tab.get_by_role("dialog")
    expect(dialog).to_contain_text("Your completion code stays valid")
    assert findings(tab) == []
    dialog.get_by_role("button", name="Delete and leave").click()
    expect(tab.get_by_text("You deleted your ratings")).to_be_visible()
    assert findings(settled(tab)) == []
    expect(tab.get_by_role("button", name="Leave the study")).to_be_hidden()
    tab.goto(tab.url.replace("/my-ratings", "/rate"))
    expect(tab.get_by_test_id("farewell")).to_contain_text("DONE7")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You deleted your ratings")
    expect(tab.get_by_test_id("done")).to_have_text("")
    expect(tab.get_by_role("progressbar", name="Answers rated")).to_be_hidden()
    with app.store.reading() as session:
        member = session.query(Membership).filter_by(external_id="platform-leaves").one()
        assert (member.state, member.background) == ("finished", {})
        assert session.query(Rating).filter_by(person_id=member.person_id).count() == 0


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_the_exit_questions_are_answered_by_keyboard_on_a_phone_before_the_code(
    app: App, visitor: BrowserContext, language: str
) -> None:
    project = make(app, f"Exit soups {language}", language="" if language == "en" else language)
    options = LinkOptions(
        person="PID",
        consent="You rate **two** answers about soup.",
        exit_fields=(
            FormQuestion("How was it?", "paragraph"),
            FormQuestion("Effort", "choice", ("low", "high")),
            FormQuestion("Tools", "choices", ("none", "search", "chatbot")),
            FormQuestion("Hours", "number", required=False),
        ),
        most=1,
        finished=Ending("DONE8", BACK),
    )
    path = links.create(app.store, None, project, "Exit", options).path
    tab = visitor.new_page()
    tab.goto(f"{app.address}{path}?PID=exit-{language}")
    fits_at_400_percent(tab)
    tab.locator("button[value=yes]").click()
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=60_000)
    settled(tab)
    tab.keyboard.press("2")
    tab.keyboard.press("Enter")
    way = tab.get_by_test_id("farewell").get_by_role("link")
    expect(way).to_be_visible()
    assert "DONE8" not in tab.content()
    assert findings(tab) == []
    way.focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_label("How was it?")).to_be_visible()
    assert findings(tab) == []
    fits_at_400_percent(tab)
    assert tab.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
    tab.keyboard.press("Tab")
    tab.keyboard.type("Clear questions.")
    tab.keyboard.press("Tab")
    tab.keyboard.press("Space")  # the first of two options
    for _ in range(4):  # over three boxes to the number
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")  # sends the form; no box is ticked yet
    expect(tab.get_by_role("alert").first).to_be_visible()
    expect(tab.get_by_label("How was it?")).to_have_value("Clear questions.")
    assert findings(tab) == []
    tab.get_by_label("search").focus()
    tab.keyboard.press("Space")
    tab.get_by_role("button").focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("DONE8")).to_be_visible()
    fits_at_400_percent(tab)
    assert findings(tab) == []
    tab.goto(f"{app.address}/rate?project=exit-soups-{language}")
    expect(tab.get_by_test_id("farewell")).to_contain_text("DONE8", timeout=60_000)
    with app.store.reading() as session:
        member = session.query(Membership).filter_by(external_id=f"exit-{language}").one()
        assert member.exit_answers == {
            "How was it?": "Clear questions.",
            "Effort": "low",
            "Tools": ["search"],
        }


def test_who_is_invited_by_name_answers_before_and_after_the_ratings(
    app: App, visitor: BrowserContext
) -> None:
    forms = {name: own_forms.read_form("Age: number") for name in own_forms.SETTINGS}
    project = make(app, "Asked soups", most_responses=1, **forms)
    ada = members.add(app.store, None, project, "Ada of the asked soups").id
    tab = visitor.new_page()
    tab.goto(f"{app.address}{members.new_link(app.store, None, project, ada).path}")
    tab.get_by_role("button").first.click()
    tab.goto(f"{app.address}/rate?project=asked-soups")
    for said, age in (("Before you start", "31"), ("a few last questions", "32")):
        expect(tab.get_by_test_id("nothing")).to_contain_text(said, timeout=60_000)
        expect(tab.get_by_test_id("answer")).to_be_hidden()
        expect(tab.get_by_test_id("give-back")).to_be_hidden()
        assert findings(settled(tab)) == []
        tab.get_by_test_id("farewell").get_by_role("link").click()
        tab.get_by_label("Age").fill(age)
        assert findings(tab) == []
        tab.get_by_role("button", name="Submit answers").click()
        if age == "31":
            expect(tab.get_by_test_id("answer")).to_be_visible(timeout=60_000)
            settled(tab)
            tab.keyboard.press("2")
            tab.keyboard.press("Enter")
    expect(tab.get_by_text("Your answers are stored")).to_be_visible()
    assert findings(tab) == []
    tab.get_by_role("link", name="Back to the study").click()
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done", timeout=60_000)
    expect(tab.get_by_test_id("farewell")).to_be_hidden()
    with app.store.reading() as session:
        member = session.query(Membership).filter_by(person_id=ada).one()
    assert (member.background, member.exit_answers) == ({"Age": 31}, {"Age": 32})
