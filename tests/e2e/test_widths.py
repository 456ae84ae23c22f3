"""The rating screen at widths from 320 to 2560 pixels: no word is broken, no button and no state is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from judgelab.domain import Criterion
from tests.e2e.conftest import App, settled
from tests.e2e.test_forms import make, press

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

WORDS = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")
LIKERT = {"kind": "ordinal", "low": 1, "high": 5, "labels": dict(enumerate(WORDS, 1))}
FAULTS = {"kind": "categorical", "labels": ["incomprehensible", "unsubstantiated", "misrepresented"]}
# Words that stand on two lines, and what lies outside the window or is cut off, outside of texts that scroll.
CUT = r"""root => {
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode()); ) {
        const around = text.parentElement;
        if (!around.checkVisibility() || around.closest(".spoken, .reading, .tabs, .project")) continue;
        for (const word of text.data.matchAll(/[\p{L}\d:]+/gu)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
            const box = range.getBoundingClientRect();
            const part = around.closest(".saved, button, .scoring, .rater").getBoundingClientRect();
            const cut = box.right > Math.min(part.right + 1, innerWidth) || box.left < part.left - 1;
            if (lines.size > 1 || cut) found.push(`${word[0]} in ${around.className}`);
        }
    }
    for (const button of root.querySelectorAll(".submit, .action, .point")) {
        const box = button.getBoundingClientRect();
        if (!button.checkVisibility() || button.closest("dialog")) continue;
        const inside = box.right <= innerWidth && (button.matches(".point") || box.bottom <= innerHeight);
        if (!inside || button.scrollWidth > button.clientWidth) found.push(`button ${button.innerText}`);
    }
    return found;
}"""
WINDOWS = (  # 683 x 384 is 1366 x 768 at 200 %
    *((320, 640), (390, 844), (641, 800), (683, 384), (768, 1024), (801, 700), (900, 700), (1024, 768)),
    *((1366, 768), (2560, 1300)),
)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("form", ["pointwise", "pairwise"])
def test_at_every_width_words_are_whole_and_buttons_in_sight(
    app: App, context: BrowserContext, form: str, language: str
) -> None:
    name = f"Widths {form} {language}"
    criteria = [
        Criterion("agreement", "Agreement", LIKERT),
        Criterion("fault", "Fault", FAULTS),
        Criterion("right", "Right", {"kind": "binary"}),
    ]
    pairs = form == "pairwise"
    _, rater = make(
        app, name, answers=1 + pairs, criteria=criteria, form=form, language=language, ask_strength=pairs
    )
    tab = context.new_page()
    tab.goto(f"{app.address}/rate?project={name.lower().replace(' ', '-')}&rater={rater}")
    expect(tab.get_by_test_id("submit")).to_be_visible()
    settled(tab)
    press(tab, "4 2 1 Enter")
    expect(tab.get_by_test_id("saved")).to_contain_text("Gespeichert" if language == "de" else "Saved")
    screen = tab.locator(".rater")
    for width, height in WINDOWS:
        tab.set_viewport_size({"width": width, "height": height})
        tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        for place in range(len(criteria)):
            assert screen.evaluate(CUT) == [], (width, place)
            press(tab, "ArrowDown")
        press(tab, "ArrowUp ArrowUp ArrowUp")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        box = tab.get_by_test_id("saved").bounding_box()
        assert box is not None and box["width"] > 60
