"""A study as three people do it: the owner invites, two raters qualify and rate, one of them without care.

The owner then reads who missed a check, filters, settles a conflict and takes everything out. The first rater
has a phone and reads Arabic, the second a desk and English. With `JUDGELAB_SCREENS` set to a folder the steps
are kept there as pictures (`docs/screens.py` does so).
"""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import create_project
from judgelab.store.rating import gold
from tests.e2e.conftest import App, settled
from tests.rated_units import unit_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

LABELS = {"0": "Wrong", "1": "Partly", "2": "Mostly", "3": "Right"}
CRITERION = Criterion(
    "right",
    "Right",
    {"kind": "ordinal", "low": 0, "high": 3, "labels": LABELS},
    "How much of the answer is right?",
)
ANSWERS = (  # what the careful say, the answer
    (3, "The lid keeps the heat in; the pan boils after four minutes."),
    (0, "A lid has no effect on boiling."),
    (2, "It boils sooner with a lid, in about four minutes, and uses half the gas."),
    (1, "It may boil sooner, or later."),
    (3, "Four minutes with the lid, seven without."),
    (0, "Seven minutes with the lid, four without."),
    (1, "Lids matter somewhat."),
    (2, "Sooner with a lid, by some minutes."),
    (3, "With the lid on the water boils three minutes sooner."),
    (0, "Water never boils under a lid."),
    (2, "The lid helps a good deal."),
    (0, "Please choose the lowest point for this answer."),
)
PRACTICE, CHECK = (0, 1), 11
DISPUTED, DISPUTED_SAID = 8, 1  # the pilot's Jon saw it otherwise: two points lower
PILOTS = ("Ida", "Jon")
SETTINGS = {
    "raters_per_response": 4,
    "training": {"needed": 0.5, "tries": 2},
    "attention_every": 4,
    "order": "file",
}


@pytest.fixture(scope="module")
def study(app: App, tmp_path_factory: pytest.TempPathFactory) -> ProjectInfo:
    """A project with practice, a check that looks like any answer, and two pilots' ratings."""
    with app.store.writing() as session:
        project = create_project(session, name="Lids", criteria=[CRITERION], settings=SETTINGS)
    folder = tmp_path_factory.mktemp("study")
    items = [
        {"item_id": f"q{n}", "question": "Does water boil sooner with a lid?", "response_id": f"r{n}",
         "response": text, "context": "The test kitchen boiled a litre twice: 4 min with lid, 7 min without."}
        for n, (_score, text) in enumerate(ANSWERS)
    ]  # fmt: skip
    ratings = [
        {"response_id": f"r{n}", "rater": name, "criterion": "right", "score": _pilot(name, n)}
        for name in PILOTS
        for n in _ordinary()
    ]
    for name, rows in (("items.csv", items), ("ratings.csv", ratings)):
        _write(folder / name, rows)
        import_files(app.store, project.slug, collect_files([folder / name]))
    with app.store.writing() as session:
        for n in (*PRACTICE, CHECK):
            rows = session.query(ResponseRow.id).filter_by(project_id=project.id, external_id=f"r{n}")
            unit = unit_of(session, rows.scalar())
            assert unit is not None
            purpose = "attention" if n == CHECK else "training"
            gold.set_known_scores(session, project.id, unit, purpose=purpose, scores={"right": ANSWERS[n][0]})
        assert session.query(ItemRow).filter_by(project_id=project.id).count() == len(ANSWERS)
    return project


def _ordinary() -> list[int]:
    return [n for n in range(len(ANSWERS)) if n not in (*PRACTICE, CHECK)]


def _pilot(name: str, n: int) -> int:
    return DISPUTED_SAID if n == DISPUTED and name == "Jon" else ANSWERS[n][0]


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def windows(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """The raters' own browsers: a phone that speaks Arabic, a desk that speaks English."""
    opened = {
        "Amal": browser.new_context(
            viewport={"width": 390, "height": 844}, locale="ar", has_touch=True, reduced_motion="reduce"
        ),
        "Ben": browser.new_context(
            viewport={"width": 1366, "height": 900}, locale="en-GB", reduced_motion="reduce"
        ),
    }
    yield opened
    for window in opened.values():
        window.close()


def test_a_study_from_the_invitation_to_the_export(
    app: App, study: ProjectInfo, context: BrowserContext, windows: dict[str, BrowserContext]
) -> None:
    owner = context.new_page()
    links = {name: _invite(app, owner, study, name) for name in windows}
    _rate_with_care(app, _join(app, windows["Amal"], links["Amal"]))
    _rate_without_care(app, _join(app, windows["Ben"], links["Ben"]))
    assert _rated(app, study) == {
        "Amal": _careful(),
        "Ben": {n: 3 - score for n, score in _careful().items()},
    }
    _read_who_missed_a_check(app, owner, study)
    _filter(app, owner, study)
    _settle(app, owner, study)
    _take_out(app, owner, study)


def _invite(app: App, tab: Page, study: ProjectInfo, name: str) -> str:
    tab.goto(f"{app.address}/people?project={study.slug}")
    settled(tab)
    tab.get_by_role("textbox", name="Name").fill(name)
    tab.get_by_role("button", name="Add and create a link").click()
    expect(tab.get_by_text("It is shown only once")).to_be_visible()
    if name == "Amal":
        keep_picture(tab, "1-invited")
    return tab.get_by_test_id("stCode").inner_text().strip()


def _join(app: App, window: BrowserContext, link: str) -> Page:
    tab = window.new_page()
    tab.goto(app.address + urlsplit(link).path)
    tab.get_by_role("button").click()  # the only one, in whatever language
    expect(tab.get_by_test_id("answer")).to_be_visible(timeout=40_000)
    return settled(tab)


def _rate_with_care(app: App, tab: Page) -> None:
    """Practise, qualify, and rate everything, on a phone with a keyboard, from right to left."""
    root = tab.locator(".rater")
    expect(root).to_have_attribute("dir", "rtl")
    expect(root).to_have_attribute("lang", "ar")
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    keep_picture(tab, "2-practice-phone-rtl")
    for _unit in PRACTICE:
        _give(tab, _meant(tab))
        _go_on(tab)
    for count in range(len(ANSWERS) - len(PRACTICE)):
        if count == 3:
            keep_picture(tab, "3-rating-phone-rtl")
        _give(tab, _meant(tab))
    expect(tab.get_by_test_id("nothing")).to_be_visible()
    keep_picture(tab, "4-done-phone-rtl")


def _rate_without_care(app: App, tab: Page) -> None:
    """Pass the practice at the second go, then say the opposite of everything, of the check too."""
    first, second = (ANSWERS[n][0] for n in PRACTICE)
    _give(tab, 3 - first)
    expect(tab.get_by_test_id("feedback")).to_contain_text("not quite")
    keep_picture(tab, "5-practice-feedback")
    _go_on(tab)
    _give(tab, second)
    expect(tab.get_by_test_id("feedback")).to_contain_text("You qualified: 50 % of the practice scores")
    _go_on(tab)
    for _count in range(len(ANSWERS) - len(PRACTICE)):
        _give(tab, 3 - _meant(tab))
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done")


def _give(tab: Page, score: int) -> None:
    """Rate the answer by keyboard and wait until it has left the screen."""
    answer_text = tab.get_by_test_id("answer").inner_text()
    tab.keyboard.press(str(score))
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("answer").filter(has_text=answer_text)).to_be_hidden()


def _go_on(tab: Page) -> None:
    expect(tab.get_by_test_id("feedback-go")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_test_id("feedback")).to_be_hidden()


def _meant(tab: Page) -> int:
    expect(tab.get_by_test_id("answer")).to_be_visible()  # while the next ones are fetched it is not
    answer_text = tab.get_by_test_id("answer").inner_text()
    return next(score for score, text in ANSWERS if text in answer_text)


def _careful() -> dict[int, int]:
    return {n: ANSWERS[n][0] for n in [*_ordinary(), CHECK]}


def _rated(app: App, study: ProjectInfo) -> dict[str, dict[int, int]]:
    from judgelab.store.models import Person

    with app.store.reading() as session:
        rows = (
            session.query(Person.name, ResponseRow.external_id, Rating.score)
            .join(Rating, Rating.person_id == Person.id)
            .join(ResponseRow, ResponseRow.id == Rating.response_id)
            .filter(Rating.project_id == study.id, Person.name.not_in(PILOTS))
        )
        scores: dict[str, dict[int, int]] = {}
        for name, response, score in rows:
            if (n := int(response[1:])) not in PRACTICE:
                scores.setdefault(name, {})[n] = score
    return scores


def _read_who_missed_a_check(app: App, tab: Page, study: ProjectInfo) -> None:
    tab.goto(f"{app.address}/raters?project={study.slug}")
    settled(tab)
    expect(tab.get_by_text("attention missed").first).to_be_attached()
    keep_picture(tab, "6-raters")


def _filter(app: App, tab: Page, study: ProjectInfo) -> None:
    tab.goto(f"{app.address}/quality?project={study.slug}")
    settled(tab)
    expect(tab.get_by_role("heading", level=5)).to_contain_text("remove 1 of 4 raters")
    expect(tab.get_by_text("Would be removed: Ben.")).to_be_visible()
    tab.get_by_role("button", name="Apply").first.click()
    expect(tab.get_by_role("button", name=re.compile("^In use"))).to_be_visible()
    keep_picture(tab, "7-filtered")


def _settle(app: App, tab: Page, study: ProjectInfo) -> None:
    tab.goto(f"{app.address}/adjudicate?project={study.slug}")
    settled(tab)
    expect(tab.get_by_text(ANSWERS[DISPUTED][1])).to_be_visible()
    tab.get_by_role("textbox", name="Reason").fill("The test kitchen timed it.")
    tab.get_by_role("textbox", name="Reason").press("Tab")
    settled(tab)
    keep_picture(tab, "8-conflict")
    tab.locator("body").press(str(ANSWERS[DISPUTED][0]))
    expect(tab.get_by_text("1 of 1 conflict decided")).to_be_visible()


def _take_out(app: App, tab: Page, study: ProjectInfo) -> None:
    tab.goto(f"{app.address}/data?project={study.slug}")
    settled(tab)
    with tab.expect_download() as waiting:
        tab.locator(".st-key-data_download button").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(waiting.value.path()).read_bytes()))
    decisions = _table(archive, "decisions.csv")
    assert [(float(row["score"]), row["reason"]) for row in decisions] == [
        (ANSWERS[DISPUTED][0], "The test kitchen timed it.")
    ]
    removed = {row["rater"] for row in _table(archive, "provenance.csv") if row["removed_by"]}
    assert removed == {"Ben"}


def _table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"))))


def keep_picture(tab: Page, step: str) -> None:
    """Keep a picture of a step where the pictures of the app are made."""
    folder = os.environ.get("JUDGELAB_SCREENS")
    if folder:
        tab.wait_for_timeout(1500)  # charts are drawn after the script has ended
        tab.screenshot(path=Path(folder) / f"study-{step}.png")
