"""Images in texts in a real browser: they come with the data and are shown to those in the project."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Browser, Page, expect

from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.store.models import Rating, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project
from tests.e2e.conftest import App, settled, sign_in
from tests.e2e.test_forms import ONE, done, make, press, rows, saved
from tests.imports.pictures import archive, png

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

WIDE, BLUE = png(width=1200, height=90), png((0, 0, 200))
DATA = """item_id,question,context,response_id,system,response
1,What is it? ![Bars of 2024](img/wide.png),As in ![gone](img/gone.png),r1,a,As $x$: ![mine](img/b%20b.png)
1,What is it? ![Bars of 2024](img/wide.png),As in ![gone](img/gone.png),r2,b,See ![o](https://e.org/a.png)
"""
SCORES = "item_id,response_id,{rater},criterion,score\n1,r1,R,right,2\n1,r2,R,right,4\n"
SCALE = {"kind": "ordinal", "low": 1, "high": 5}


def test_images_come_with_the_data_and_are_shown_in_texts(app: App, page: Page, browser: Browser) -> None:
    with app.store.writing() as session:
        create_project(session, name="Charts", criteria=[Criterion("right", "Right", SCALE)])
        rater = people.find_or_create(session, "Rater of Charts")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{app.address}/data?project=charts")
    settled(page)
    members = {"set/items.csv": DATA, "set/img/wide.png": WIDE, "set/img/b b.png": BLUE}
    page.locator("input[type=file]").first.set_input_files(
        {"name": "charts.zip", "mimeType": "application/zip", "buffer": archive(members)}
    )
    expect(page.get_by_text("that is not uploaded: 'img/gone.png'")).to_be_visible()
    page.get_by_role("button", name="Import 1 item, 2 responses, 2 images").click()
    expect(page.get_by_text("2 images new")).to_be_visible()

    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    sign_in(phone, app)
    tab = phone.new_page()
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"{app.address}/rate?project=charts&rater={rater}")
    _expect_image(tab, "Bars of 2024")
    box = tab.get_by_role("img", name="Bars of 2024").bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["width"] > 200
    assert "Image not uploaded: img/gone.png" in (tab.locator(".rater").text_content() or "")
    phone.close()

    for kind, column in (("ratings", "rater"), ("judgments", "judge")):
        scores = SCORES.format(rater=column).replace("R,", f"{column} of charts,")
        import_files(app.store, "charts", [(f"{kind}.csv", scores.encode())], kind=kind)
    with app.store.reading() as session:
        response = (
            session.query(ResponseRow.id).filter(ResponseRow.external_id == "r1").order_by(-ResponseRow.id)
        )
        found = response.first()
    assert found
    page.goto(f"{app.address}/explain?project=charts&response={found[0]}")
    settled(page)
    _expect_image(page, "Bars of 2024")
    _expect_image(page, "mine")  # beside a formula, so built as on the rating screen
    assert not [url for url in asked if "e.org" in url]

    address = f"{app.address}/images/charts/{hashlib.sha256(WIDE).hexdigest()}"
    assert page.request.get(address).body() == WIDE
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address)  # nobody is signed in


def test_an_image_is_evidence_as_a_word_is_and_comes_back_with_undo(app: App, page: Page) -> None:
    text = "Two bars ![a chart](img/a.png) are shown. And so on."
    project, rater = make(
        *(app, "Pictured"), answers=1, items=2, criteria=ONE, form="pointwise", ask_evidence=True,
        texts=(text,), text_formats={"response": "markdown"},
    )  # fmt: skip
    import_files(app.store, "pictured", [("a.zip", archive({"img/a.png": png(width=200)}))])
    page.goto(f"{app.address}/rate?project=pictured&rater={rater}")
    _expect_image(page, "a chart")
    press(page, "e ArrowRight ArrowRight")
    expect(page.get_by_role("img", name="a chart")).to_have_class("image cursor")
    press(page, "Enter 1 Enter")
    done(page, 1)
    saved(page)
    (rating,) = rows(app, Rating, project)
    assert rating.evidence == [{"part": "response", "start": 9, "end": 30, "text": "![a chart](img/a.png)"}]
    page.reload()
    done(settled(page), 1)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("img", name="a chart")).to_have_class("image quoted")


def _expect_image(tab: Page, description: str) -> None:
    image = tab.get_by_role("img", name=description)
    expect(image).to_be_visible()
    tab.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=image.element_handle())
