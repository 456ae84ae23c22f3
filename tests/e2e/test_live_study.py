"""*Project* refreshes what it shows of a running study, while its page is in view only."""

from __future__ import annotations

import uuid

import pytest
from playwright.sync_api import BrowserContext, expect

from judgelab.annotation import service
from tests.e2e.conftest import App, settled
from tests.e2e.test_rating import make

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]
SHOW = "state => Object.defineProperty(document, 'visibilityState', {get: () => state, configurable: true})"


def rate(app: App, project: int, person: int) -> None:
    item = service.next_items(app.store, person, project)[0].id
    scores = {"relevance": 1, "fluency": 2, "right": 1}
    operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": item, "scores": scores}
    assert service.apply(app.store, person, project, operation).state == "stored"


def test_the_page_shows_a_new_rating_by_itself_but_not_in_a_hidden_tab(
    app: App, context: BrowserContext
) -> None:
    project, rater = make(app, "Live")
    rate(app, project, rater)
    tab = context.new_page()
    tab.clock.install()
    tab.goto(f"{app.address}/project?project=live")
    hour = tab.get_by_text("In the last hour")
    expect(hour).to_contain_text("1 response rated")
    settled(tab)
    rate(app, project, rater)
    tab.clock.run_for(22_000)
    expect(hour).to_contain_text("2 responses rated")
    tab.evaluate(SHOW, "hidden")
    rate(app, project, rater)
    tab.clock.run_for(120_000)
    tab.wait_for_timeout(1000)
    expect(hour).to_contain_text("2 responses rated")
    tab.evaluate(SHOW, "visible")
    tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(hour).to_contain_text("3 responses rated")
    tab.close()
