"""Every form of the rating screen at 400 % zoom, on phones on their side, by Tab and in system colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from judgelab.domain import Criterion
from tests.e2e.conftest import App, settled
from tests.e2e.test_accessibility import findings
from tests.e2e.test_forms import ONE, QUESTIONS, make, press

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

WORDS = ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree")
LIKERT = Criterion(
    "agreement", "Agreement", {"kind": "ordinal", "low": 1, "high": 5, "labels": dict(enumerate(WORDS, 1))}
)
FAULTS = {"kind": "categorical", "labels": ["incomprehensible", "unsubstantiated", "misrepresented", "rude"]}
LABELS = [Criterion("fault", "Fault", FAULTS), Criterion("faults", "Faults", {**FAULTS, "several": True})]
NUMBER = Criterion("mark", "Mark", {"kind": "numeric", "low": 0, "high": 100})
FORMS: dict[str, dict[str, Any]] = {
    "pointwise": {
        **{"answers": 1, "form": "pointwise", "criteria": [*ONE, LIKERT, NUMBER]},
        **{"ask_evidence": True, "highlight_question": True},
    },
    "labels": {
        **{"answers": 1, "form": "pointwise", "criteria": LABELS, "language": "de"},
        "questions": [{**question, "when": ""} for question in QUESTIONS],
    },
    "pairwise": {"answers": 2, "ask_strength": True},
    "ranking": {"answers": 4, "form": "ranking"},
    "best-worst": {"answers": 4, "form": "best_worst"},
}
TEXTS = [f"The lid {word}. " + "It never leaks. " * 60 for word in ("holds", "keeps", "shuts", "fits")]
ZOOMED = (320, 256)  # 1280 x 1024 at 400 %
HEADER = 56
ON_THEIR_SIDE = ((568, 320), (667, 375), (844, 390))

# What goes beyond the window, and how much of the window's height is text.
SEEN = r"""root => {
    const beyond = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode()); ) {
        const around = text.parentElement;
        if (!around.checkVisibility() || around.closest(".spoken, dialog, .tab-name")) continue;
        const part = (around.closest("button") ?? root).getBoundingClientRect();
        for (const word of text.data.matchAll(/\S+/g)) {
            const range = document.createRange();
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const box = range.getBoundingClientRect();
            const cut = box.right > Math.min(part.right, innerWidth) + 1 || box.left < part.left - 1;
            if (cut) beyond.push(word[0]);
        }
    }
    const reading = root.querySelector(".reading").getBoundingClientRect();
    const scoring = root.querySelector(".scoring").getBoundingClientRect();
    const header = document.querySelector("[data-testid=stHeader]").getBoundingClientRect();
    const beside = scoring.left >= reading.right || scoring.right <= reading.left;
    const bottom = Math.min(reading.bottom, innerHeight, beside ? Infinity : scoring.top);
    const submit = root.querySelector("[data-testid=submit]").getBoundingClientRect();
    const main = document.querySelector("[data-testid=stMain]");
    return {
        beyond,
        wide: Math.max(document.documentElement.scrollWidth, main.scrollWidth) - innerWidth,
        text: (bottom - Math.max(reading.top, header.bottom, 0)) / innerHeight,
        submit: submit.top >= 0 && submit.bottom <= innerHeight,
    };
}"""
# What has the focus, and what is in sight of it.
FOCUSED = """() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    if (!node?.getRootNode().querySelector(".board")?.contains(node)) return null;
    const box = node.getBoundingClientRect();
    const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
    const at = node.getRootNode().elementFromPoint(box.left + box.width / 2, (top + bottom) / 2);
    const style = getComputedStyle(node);
    const inner = node.closest(".scoring, .reading").scrollTop;
    const scrolled = document.querySelector("[data-testid=stMain]").scrollTop + inner;
    return {
        name: node.getAttribute("aria-label") || node.innerText || node.className,
        region: node.matches(".reading, .fold-body"),
        whole: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
        uncovered: node.contains(at),
        line: style.outlineStyle === "solid" && parseFloat(style.outlineWidth) >= 2,
        part: node.closest(".scoring") ? 1 : 0,
        x: Math.round(box.left), y: Math.round(box.top + scrolled), bottom: Math.round(box.bottom + scrolled),
    };
}"""
# Of points in a row, of several radio buttons and of two tabs, one is reached by Tab.
CONTROLS = """root => {
    const single = "button:not(.point, [role=tab]), textarea, input:not([type=range], [type=radio])";
    const groups = ".points, .options:has([type=radio]), [role=tablist]";
    const all = [...root.querySelectorAll(`.board :is(${single}, ${groups})`)];
    return all.filter((node) => node.checkVisibility() && !node.disabled).length;
}"""


@pytest.fixture(scope="module", params=FORMS)
def form(app: App, window: BrowserContext, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The screen of one form at 400 % zoom."""
    yield from opened(app, window, ZOOMED, FORMS[request.param])


def opened(
    app: App, window: BrowserContext, size: tuple[int, int], settings: dict[str, Any]
) -> Iterator[Page]:
    name = f"Low {uuid4().hex}"  # a second try has a project of its own
    _, rater = make(app, name, texts=TEXTS, **settings)
    tab = window.new_page()
    resize(tab, *size)
    tab.goto(f"{app.address}/rate?project={name.lower().replace(' ', '-')}&rater={rater}")
    expect(tab.get_by_test_id("submit")).to_be_visible(timeout=30_000)
    yield settled(tab)
    tab.close()


def resize(tab: Page, width: int, height: int) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("size", [ZOOMED, *ON_THEIR_SIDE])
def test_a_low_window_shows_the_text_and_cuts_nothing_off(form: Page, size: tuple[int, int]) -> None:
    resize(form, *size)
    seen = form.locator(".rater").evaluate(SEEN)
    assert seen["beyond"] == []
    assert seen["wide"] <= 0
    assert seen["text"] > 0.8
    assert seen["submit"] or size == ZOOMED


@pytest.mark.parametrize("size", [ZOOMED, (568, 320), (1366, 900)])
def test_tab_reaches_every_control_in_the_order_seen(form: Page, size: tuple[int, int]) -> None:
    resize(form, *size)
    screen = form.locator(".rater")
    form.locator(".reading").evaluate("node => node.focus()")
    stops: list[dict[str, Any]] = []
    while stop := form.evaluate(FOCUSED):
        stops.append(stop)
        assert stop["line"], stop
        assert stop["uncovered"], stop
        assert stop["whole"] or stop["region"], stop
        assert len(stops) < 50, "Tab never leaves the screen"
        press(form, "Tab")
    assert len([stop for stop in stops if not stop["region"]]) == screen.evaluate(CONTROLS)
    for before, after in zip(stops[1:], stops[2:], strict=False):
        below = after["y"] >= before["bottom"] - 8
        assert after["part"] > before["part"] or below or after["x"] > before["x"], (before, after)


def test_in_system_colours_lines_tell_what_is_chosen_current_and_in_focus(form: Page) -> None:
    resize(form, 1366, 900)
    form.emulate_media(forced_colors="active", contrast="more")
    press(form, "ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp ArrowUp 1")
    points = form.locator(".point").evaluate_all(
        "nodes => nodes.map((node) => `${node.ariaChecked} ${getComputedStyle(node).borderTopWidth}`)"
    )
    assert set(points) == {"true 3px", "false 1px"}
    edges = form.locator(".criterion").evaluate_all(
        """nodes => nodes.map((node) => [node.classList.contains("current"),
            getComputedStyle(node).borderInlineStartColor])"""
    )
    assert len({colour for current, colour in edges if not current}) == 1
    assert {colour for current, colour in edges if current}.isdisjoint(
        colour for current, colour in edges if not current
    )
    lines = "node => [getComputedStyle(node).outlineStyle, getComputedStyle(node).outlineWidth]"
    assert form.locator(".point.ring").evaluate(lines) == ["solid", "3px"]
    form.get_by_test_id("submit").focus()
    assert form.locator(".point.ring").evaluate(lines) == ["dotted", "3px"]
    assert (
        float(form.locator(".bar").evaluate("node => parseFloat(getComputedStyle(node).borderTopWidth)")) == 1
    )
    resize(form, *ZOOMED)
    assert findings(form) == []
    form.emulate_media(forced_colors="none", contrast="no-preference")


@pytest.fixture(scope="module")
def phone(app: App, window: BrowserContext) -> Iterator[Page]:
    """Responses longer than a phone, whose evidence is marked."""
    settings = {"form": "pointwise", "answers": 1, "criteria": ONE, "ask_evidence": True}
    yield from opened(app, window, (390, 700), settings)


def top_of(tab: Page, selector: str) -> float:
    box = tab.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"]


def test_marks_differ_by_lines_in_system_colours(phone: Page) -> None:
    phone.emulate_media(forced_colors="active")
    press(phone, "e Enter ArrowDown")
    below, around = (f"node => getComputedStyle(node).{line}Width" for line in ("borderBottom", "outline"))
    assert phone.locator("mark.quoted").evaluate(below) == "3px"
    assert phone.locator("mark.cursor").evaluate(around) == "2px"
    press(phone, "Escape")
    phone.emulate_media(forced_colors="none")


def test_the_cursor_of_evidence_is_never_under_the_header_or_the_sheet(phone: Page) -> None:
    resize(phone, 390, 700)
    press(phone, "e")
    for key in ["ArrowDown"] * 25 + ["ArrowUp"] * 24:
        press(phone, key)
        box = phone.locator("mark.cursor").bounding_box()
        assert box is not None
        assert box["y"] >= HEADER
        assert box["y"] + box["height"] <= top_of(phone, ".scoring")
    press(phone, "Escape")


def test_the_next_text_begins_at_its_beginning_and_a_turned_phone_hides_nothing(phone: Page) -> None:
    resize(phone, 390, 700)
    main = phone.get_by_test_id("stMain")
    main.evaluate("node => node.scrollTop = 600")
    press(phone, "1 Enter")
    expect(phone.get_by_test_id("done")).to_contain_text("1 of")
    assert HEADER <= top_of(phone, ".question") < 150
    main.evaluate("node => node.scrollTop = 600")
    resize(phone, 1024, 700)
    assert top_of(phone, ".board") > HEADER
    resize(phone, 844, 390)
    assert top_of(phone, ".board") == pytest.approx(0, abs=1)
    submit = phone.get_by_test_id("submit")
    expect(submit).to_have_text("Submit · 1 criterion leftEnter")


def test_the_bar_of_the_page_goes_with_a_low_page_and_comes_back_with_the_focus(phone: Page) -> None:
    resize(phone, *ZOOMED)
    assert top_of(phone, "[data-testid=stHeader]") <= -HEADER
    phone.locator("[data-testid=stHeader] button").first.focus()
    assert top_of(phone, "[data-testid=stHeader]") == 0
    phone.locator(".reading").evaluate("node => node.focus()")
    press(phone, "?")
    assert 0 <= top_of(phone, "dialog[open] h3") < 60
    press(phone, "Escape")


def test_nothing_moves_by_itself_for_who_wants_less_motion(phone: Page) -> None:
    moving = """root => [...root.querySelectorAll("*")].filter((node) => {
        const style = getComputedStyle(node);
        const lasts = (times) => times.split(",").some((time) => parseFloat(time) > 0);
        const smooth = style.scrollBehavior !== "auto";
        return smooth || lasts(style.transitionDuration) || lasts(style.animationDuration);
    }).map((node) => node.getAttribute("class"))"""
    assert phone.locator(".rater").evaluate(moving) == []
    phone.emulate_media(reduced_motion="no-preference")
    assert set(phone.locator(".rater").evaluate(moving)) == {"icon chevron"}
    phone.emulate_media(reduced_motion="reduce")
