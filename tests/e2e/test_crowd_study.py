"""A study as five raters do it, each at another width: from a pasted list of names to the file for paying.

They answer a questionnaire, mark errors (MQM) in answers with a table and code, give a score and say why.
With `JUDGELAB_SCREENS` set to a folder, each width is kept there as a picture (`docs/screens.py` does so).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.annotation.links import own_forms
from judgelab.domain import Criterion
from judgelab.scales import parse_scale
from judgelab.store.models import Assignment, ItemRow, Membership, Person, Rating, ResponseRow
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import units
from tests.e2e.conftest import App, settled
from tests.e2e.test_accessibility import findings
from tests.e2e.test_error_spans import select
from tests.e2e.test_study import keep_picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(400)]

WIDTHS = {"Ada": 320, "Bo": 390, "Cem": 768, "Dee": 1024, "Eve": 1366}
HOURLY = 12
ANSWER = """## Boiling a litre

| lid | minutes |
|---|---|
| on | 4 |
| off | 17 |

```python
def minutes(lid: bool) -> int:
    return 4 if lid else 17
```

The lid keep the heat in."""
CRITERIA = (
    Criterion("errors", "Errors", parse_scale("mqm")),
    Criterion("helpful", "Helpful", {"kind": "ordinal", "low": 1, "high": 5}),
)
SETTINGS = {
    "raters_per_response": len(WIDTHS),
    "pay_per_hour": HOURLY,
    "currency": "GBP",
    "text_formats": {"response": "markdown"},
    "questions": [{"key": "why", "text": "What is wrong?", "required": True, "when": "errors < 0"}],
    own_forms.ENTRY: own_forms.read_form("Age: number\nDo you cook?: choices=yes|no"),
}


@pytest.fixture(scope="module")
def study(app: App) -> ProjectInfo:
    with app.store.writing() as session:
        project = create_project(session, name="Lids and errors", criteria=CRITERIA, settings=SETTINGS)
        for n in (1, 2):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question=f"Does a lid help? ({n})")
            session.add(item)
            session.flush()
            names = {"project_id": project.id, "item_id": item.id, "external_id": f"r{n}"}
            session.add(ResponseRow(**names, system="writer", text=f"{ANSWER} {n}"))
        session.flush()
        units.offer_units(session, project.id)
        return project


@pytest.fixture
def windows(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """The raters' own browsers; the two narrowest are phones."""
    opened = {
        name: browser.new_context(
            viewport={"width": width, "height": 800}, has_touch=width < 600, reduced_motion="reduce"
        )
        for name, width in WIDTHS.items()
    }
    yield opened
    for window in opened.values():
        window.close()


def test_five_raters_from_the_pasted_list_to_the_pay_file(
    app: App, study: ProjectInfo, context: BrowserContext, windows: dict[str, BrowserContext]
) -> None:
    owner = context.new_page()
    links = _invite(app, owner, study)
    for name, width in WIDTHS.items():
        tab = _join(app, windows[name], links[name])
        for n in range(2):
            _rate(tab, name, picture=n == 0)
            assert tab.evaluate("document.documentElement.scrollWidth") == width
        expect(tab.get_by_test_id("nothing")).to_contain_text("You are done")
    _check_what_is_stored(app, study)
    _read_agreement(app, owner, study)
    _pay(app, owner, study)


def _invite(app: App, tab: Page, study: ProjectInfo) -> dict[str, str]:
    """Paste the names; return the links in the file that comes back."""
    tab.goto(f"{app.address}/people?project={study.slug}")
    settled(tab)
    tab.get_by_text("Add several people").click()
    pasted = tab.get_by_role("textbox", name="One person per line")
    pasted.fill("\n".join(WIDTHS))
    pasted.press("Control+Enter")
    tab.get_by_role("button", name="Add 5 people and create links").click()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Links (CSV)").click()
    rows = csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8-sig")))
    return {row["name"]: row["link"] for row in rows}


def _join(app: App, window: BrowserContext, link: str) -> Page:
    tab = window.new_page()
    tab.goto(app.address + urlsplit(link).path)
    tab.get_by_role("button").first.click()
    expect(tab.get_by_test_id("nothing")).to_contain_text("Before you start", timeout=60_000)
    tab.get_by_test_id("farewell").get_by_role("link").click()
    tab.get_by_label("Age").fill("44")
    tab.get_by_label("yes").check()
    assert findings(tab) == []
    tab.get_by_role("button", name="Submit answers").click()
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=60_000)
    return settled(tab)


def _rate(tab: Page, name: str, *, picture: bool) -> None:
    """Mark two errors, by keyboard or by touch, give a score, and say why."""
    touch = WIDTHS[name] < 600
    question = tab.locator(".question").inner_text()
    expect(tab.get_by_test_id("answer").locator("table")).to_be_visible()
    expect(tab.get_by_test_id("answer").locator("pre code")).to_be_visible()
    row = tab.get_by_test_id("criterion-errors")
    _mark(tab, "17", ("Accuracy", "Major"), "1 2", touch=touch)
    _mark(tab, "keep", ("Fluency", "Minor"), "3 1", touch=touch)
    expect(row).to_contain_text("2 errors · -6")
    if picture:
        assert findings(tab) == []
        keep_picture(tab, f"crowd-{WIDTHS[name]}")
    helpful = tab.get_by_test_id("criterion-helpful")
    if touch:
        tab.get_by_test_id("submit").tap()  # on to the next criterion
        helpful.get_by_role("radio", name="3").tap()
    else:
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("3")
    tab.get_by_label("What is wrong?").fill(f"It is 7 minutes, says {name}.")
    if touch:
        tab.get_by_test_id("submit").tap()
    else:
        tab.get_by_label("What is wrong?").press("Escape")
        tab.keyboard.press("Enter")
    expect(tab.locator(".question").filter(has_text=question)).to_be_hidden()


def _mark(tab: Page, words: str, kind: tuple[str, str], keys: str, *, touch: bool) -> None:
    select(tab, words)
    if touch:
        tab.get_by_role("button", name="Mark error").tap()
        for choice in kind:
            tab.locator(".chooser").get_by_role("button", name=choice).tap()
    else:
        for key in ("e", *keys.split()):
            tab.keyboard.press(key)


def _check_what_is_stored(app: App, study: ProjectInfo) -> None:
    with app.store.reading() as session:
        rows = (
            session.query(Person.name, Rating.score, Rating.evidence)
            .join(Rating, Rating.person_id == Person.id)
            .filter(Rating.project_id == study.id, Rating.score < 0)
        ).all()
        answers = session.query(Assignment.question_answers).filter_by(project_id=study.id, state="done")
        said = sorted(answer["why"] for (answer,) in answers)
        background = session.query(Membership.background).filter_by(project_id=study.id, role="annotator")
        assert [given for (given,) in background] == [{"Age": 44, "Do you cook?": ["yes"]}] * len(WIDTHS)
    assert sorted(name for name, _score, _evidence in rows) == sorted([*WIDTHS, *WIDTHS])
    assert {score for _name, score, _evidence in rows} == {-6}
    assert {tuple(error["text"] for error in evidence) for _name, _score, evidence in rows} == {
        ("17", "keep")
    }
    assert said == sorted(f"It is 7 minutes, says {name}." for name in [*WIDTHS, *WIDTHS])


def _read_agreement(app: App, tab: Page, study: ProjectInfo) -> None:
    tab.goto(f"{app.address}/raters?project={study.slug}")
    settled(tab)
    about = tab.get_by_text("F1 of the marked characters")
    about.scroll_into_view_if_needed()
    expect(about).to_be_visible()
    keep_picture(tab, "crowd-raters")


def _pay(app: App, tab: Page, study: ProjectInfo) -> None:
    """Download the file for paying and check each amount against the recorded time."""
    tab.goto(f"{app.address}/people?project={study.slug}")
    settled(tab)
    keep_picture(tab, "crowd-people")
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Pay of all raters (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8-sig"))))
    assert sorted(row["rater"] for row in rows) == sorted(WIDTHS)
    with app.store.reading() as session:
        seconds: dict[str, float] = {}
        for name, spent in (
            session.query(Person.name, Rating.seconds)
            .join(Rating, Rating.person_id == Person.id)
            .filter(Rating.project_id == study.id, Rating.score < 0)  # one rating of each unit
        ):
            seconds[name] = seconds.get(name, 0.0) + spent
    for row in rows:
        assert (row["ratings"], row["currency"]) == ("2", "GBP")
        assert seconds[row["rater"]] > 0
        assert abs(Decimal(row["pay"]) - Decimal(HOURLY * seconds[row["rater"]] / 3600)) <= Decimal(
            "0.005001"
        )
