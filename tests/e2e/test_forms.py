"""Comparing, ranking, best and worst, "cannot judge" and evidence in a real browser: keys, phone, roles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from judgelab.accounts import members, signin
from judgelab.domain import Criterion
from judgelab.store.models import (
    Assignment,
    ItemRow,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    now,
)
from judgelab.store.people import people, sessions
from judgelab.store.projects.projects import create_project, update_project
from judgelab.store.rating import units
from judgelab.ui.explain.text_differences import marked_differences
from tests.e2e.conftest import App, settled, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

TEXTS = ("The lid holds 🙂 well. It never leaks.", "No.", "Some say yes. Others say no.", "Ask the maker.")
CRITERIA = (
    Criterion("faithful", "Faithful", {"kind": "binary"}, "Which one says only what is known?"),
    Criterion("overall", "Overall", {"kind": "binary"}),
)
ONE = (Criterion("right", "Right", {"kind": "binary", "cannot_judge": True}),)
POINTS = (*ONE, Criterion("fluency", "Fluency", {"kind": "ordinal", "low": 1, "high": 5}))
Open = Callable[..., Page]


def make(
    app: App,
    name: str,
    *,
    answers: int,
    items: int = 3,
    criteria: Any = CRITERIA,
    task: str = "qa",
    texts: Sequence[str] = TEXTS,
    **settings: Any,
) -> tuple[int, int]:
    """Store a project whose questions have several answers, and a rater; returns the ids of both."""
    with app.store.writing() as session:
        project = create_project(
            session, name=name, task=task, criteria=criteria, settings={"form": "pairwise", **settings}
        )
        for n in range(items):
            item = ItemRow(
                project_id=project.id,
                external_id=f"q{n}",
                question="Will the lid leak?",
                context="The lid was tested. " + "It was tested again. " * 150,
            )
            session.add(item)
            session.flush()
            session.add_all(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"r{k}",
                    system=f"SecretSystem{k}",
                    text=texts[k],
                )
                for k in range(answers)
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
        expect(tab.get_by_test_id("submit")).to_be_visible(timeout=30_000)
        settled(tab)
        tabs.append(tab)
        return tab

    yield go
    for tab in tabs:
        tab.close()


@pytest.fixture
def phone(app: App, browser: Browser) -> Iterator[BrowserContext]:
    window = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    )
    sign_in(window, app)
    yield window
    window.close()


def saved(tab: Page) -> None:
    expect(tab.get_by_test_id("saved")).to_contain_text("Saved")


def press(tab: Page, keys: str) -> None:
    for key in keys.split():
        tab.keyboard.press(key)


def done(tab: Page, count: int) -> None:
    expect(tab.get_by_test_id("done")).to_contain_text(f"{count} of")


def shown_texts(tab: Page) -> list[str]:
    return [answer.inner_text() for answer in tab.get_by_test_id("answers").locator(".answer:visible").all()]


def rows(app: App, table: type[Any], project: int) -> list[Any]:
    with app.store.reading() as session:
        return list(session.query(table).filter(table.project_id == project).order_by(table.id))


def text_of(app: App, response: int) -> str:
    with app.store.reading() as session:
        return session.get_one(ResponseRow, response).text


def test_pairs_typed_without_gaps_are_stored_as_chosen(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Pairs", answers=2, items=6)
    tab = open_rate("pairs", rater)
    left_texts = []
    for keys in ("1 3", "a b", "2 =", "3 1", "b a", "0 2"):
        expect(tab.get_by_test_id("answers")).to_be_visible()
        left_texts.append(shown_texts(tab)[0])
        press(tab, f"{keys} Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done: you rated all 6 pairs.")
    saved(tab)
    stored = rows(app, Preference, project)
    choices = [
        "tie" if preference.choice == "tie" else "AB"[preference.choice != preference.first]
        for preference in stored
    ]
    assert choices == ["A", "B", "A", "B", "tie", "tie", "B", "A", "B", "A", "tie", "tie"]
    firsts = [
        preference.response_a if preference.first == "a" else preference.response_b
        for preference in stored[::2]
    ]
    assert [text_of(app, first) for first in firsts] == left_texts


def test_how_much_better_is_one_key_and_arrows_reach_every_choice(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Strong", answers=2, items=2, ask_strength=True)
    tab = open_rate("strong", rater)
    group = tab.get_by_test_id("criterion-faithful").get_by_role("radiogroup", name="Faithful")
    expect(group.get_by_role("radio")).to_have_count(5)
    press(tab, "5")
    expect(group.get_by_role("radio", checked=True)).to_have_accessible_name("B much better")
    press(tab, "ArrowRight ArrowRight")
    chosen = tab.get_by_test_id("criterion-overall").get_by_role("radio", checked=True)
    expect(chosen).to_have_accessible_name("A better")
    expect(chosen).to_be_focused()
    press(tab, "Enter")
    saved(tab)
    first, second = rows(app, Preference, project)
    assert (first.strength, first.choice != first.first) == (2, True)
    assert (second.strength, second.choice == second.first) == (1, True)


def test_a_pair_in_hand_survives_a_reload_with_its_sides(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Reloaded", answers=2)
    tab = open_rate("reloaded", rater)
    press(tab, "1")
    before = shown_texts(tab)
    tab.reload()
    expect(tab.get_by_test_id("submit")).to_be_visible(timeout=30_000)
    settled(tab)
    assert shown_texts(tab) == before
    row = tab.get_by_test_id("criterion-faithful")
    expect(row.get_by_role("radio", name="A better")).to_have_attribute("aria-checked", "true")
    press(tab, "3 Enter")
    expect(tab.get_by_test_id("submit")).to_contain_text("2 choices left")
    press(tab, "u")
    expect(tab.get_by_test_id("submit")).to_contain_text("Save changes")
    assert shown_texts(tab) == before
    press(tab, "2 Enter")
    done(tab, 1)
    saved(tab)
    tab.wait_for_timeout(300)
    assert [row.choice for row in rows(app, Preference, project)].count("tie") == 1
    (assignment,) = [row for row in rows(app, Assignment, project) if row.state == "done"]
    assert [text_of(app, response) for response in assignment.shown] == before


def test_places_are_typed_answer_by_answer_and_ties_are_allowed(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Ranks", answers=4, items=1, criteria=CRITERIA[1:], form="ranking")
    tab = open_rate("ranks", rater)
    texts = shown_texts(tab)
    press(tab, "2 1 2")
    expect(tab.get_by_test_id("order")).to_have_text("Order so far: B > A = C")
    expect(tab.get_by_role("radiogroup", name="Overall Answer D")).to_be_visible()
    press(tab, "Enter")
    expect(tab.get_by_test_id("criterion-overall-3")).to_contain_text("choice missing")
    press(tab, "ArrowLeft ArrowUp ArrowRight Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("You are done: you rated all 1 question.")
    saved(tab)
    (stored,) = rows(app, Ranking, project)
    ranks = {text_of(app, int(response)): rank for response, rank in stored.places.items()}
    assert [ranks[text] for text in texts] == [2, 1, 3, 4]


def test_summaries_have_one_name_on_both_sides(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Sums", answers=2, items=1, task="summarisation", form="ranking")
    tab = open_rate("sums", rater)
    expect(tab.get_by_role("radiogroup", name="Overall Summary B")).to_be_visible()
    expect(tab.get_by_role("heading", name="Summary B")).to_be_visible()
    expect(tab.get_by_text("Answer B", exact=True)).to_have_count(0)


def test_best_then_worst_by_two_digits_and_no_answer_is_both(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Ends", answers=3, items=1, form="best_worst")
    tab = open_rate("ends", rater)
    texts = shown_texts(tab)
    press(tab, "2 3")
    expect(tab.get_by_role("radiogroup", name="Overall Best")).to_be_visible()
    press(tab, "1 1")
    expect(tab.get_by_test_id("order")).to_have_text("Best –, worst A")
    press(tab, "2")
    expect(tab.get_by_test_id("order")).to_have_text("Best B, worst A")
    press(tab, "2")  # the best one is named the worst: the worst becomes the best
    expect(tab.get_by_test_id("order")).to_have_text("Best A, worst B")
    press(tab, "Enter")
    saved(tab)
    faithful, overall = (
        {text_of(app, int(response)): rank for response, rank in row.places.items()}
        for row in rows(app, Ranking, project)
    )
    assert [faithful[text] for text in texts] == [2, 1, 3]
    assert [overall[text] for text in texts] == [1, 3, 2]


def test_cannot_judge_is_a_key_and_a_button_that_says_its_state(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Passing", answers=1, items=2, criteria=POINTS, form="pointwise")
    tab = open_rate("passing", rater)
    passing = tab.get_by_role("button", name="Right: cannot judge")
    expect(passing).to_have_attribute("aria-pressed", "false")
    press(tab, "x")
    expect(passing).to_have_attribute("aria-pressed", "true")
    press(tab, "x")  # fluency allows no such thing
    press(tab, "4 Enter")
    done(tab, 1)
    passing.click()
    press(tab, "3 Enter")
    expect(tab.get_by_test_id("nothing")).to_be_visible()
    saved(tab)
    assert [row.score for row in rows(app, Rating, project)] == [None, 4, None, 3]
    tab.goto(f"{app.address}/my-ratings?project=passing&rater={rater}")
    expect(tab.get_by_role("heading", name="My ratings")).to_be_visible(timeout=30_000)
    settled(tab)
    expect(tab.get_by_text("2 answers")).to_be_visible()


def test_labels_of_a_set_are_switched_by_their_keys_and_enter_saves(app: App, open_rate: Open) -> None:
    scale = {"kind": "categorical", "labels": ["vague", "wrong", "rude"], "several": True}
    faults = (Criterion("faults", "Faults", scale),)
    project, rater = make(app, "Sets", answers=1, items=3, criteria=faults, form="pointwise")
    tab = open_rate("sets", rater)
    expect(tab.get_by_text("0–3", exact=True)).to_be_visible()  # its keys, not the numbers of the sets
    press(tab, "1")
    expect(tab.get_by_role("checkbox", name="vague")).to_have_attribute("aria-checked", "true")
    press(tab, "2")
    press(tab, "3")
    press(tab, "2")  # taken back
    expect(tab.get_by_role("checkbox", name="wrong")).to_have_attribute("aria-checked", "false")
    press(tab, "Enter")
    done(tab, 1)
    expect(tab.get_by_role("checkbox", name="vague")).to_be_focused()
    press(tab, "1")
    press(tab, "1")
    press(tab, "Enter")  # nothing is said, so nothing is saved
    done(tab, 1)
    press(tab, "0")
    expect(tab.get_by_role("checkbox", name="None of these")).to_have_attribute("aria-checked", "true")
    press(tab, "Enter")
    done(tab, 2)
    tab.get_by_role("checkbox", name="wrong").click()
    press(tab, "Enter")
    expect(tab.get_by_test_id("nothing")).to_be_visible()
    saved(tab)
    assert [row.score for row in rows(app, Rating, project)] == [5, 0, 2]


QUESTIONS = [
    {"key": "why", "text": "What is wrong?", "required": True, "when": "relevance < 2"},
    {"key": "kind", "text": "Which kind?", "kind": "choice", "options": ["fact", "style"]},
    {
        "key": "parts",
        "text": "Which parts?",
        "kind": "choices",
        "options": ["head", "body"],
        "when": "kind = fact",
    },
    {"key": "count", "text": "How many?", "kind": "number"},
]


def test_questions_below_the_scores_are_asked_when_they_apply_and_saved(app: App, open_rate: Open) -> None:
    criteria = [Criterion("relevance", "Relevance", {"kind": "ordinal", "low": 0, "high": 3})]
    project, rater = make(
        app,
        "Questions asked",
        answers=1,
        form="pointwise",
        criteria=criteria,
        questions=QUESTIONS,
        texts=["Half <b>of</b> it."],
    )
    tab = open_rate("questions-asked", rater)
    why, parts = tab.get_by_test_id("question-why"), tab.get_by_test_id("question-parts")
    expect(tab.get_by_test_id("question-count")).to_be_visible()
    expect(why).to_be_hidden()
    press(tab, "1")
    expect(why).to_be_visible()
    expect(tab.get_by_test_id("submit")).to_contain_text("1 answer left")
    press(tab, "Enter")  # goes to the answer that is missing
    expect(why.get_by_text("answer missing")).to_be_visible()
    tab.keyboard.type("Only half of it, s and u are letters here")
    press(tab, "Enter")  # leaves the text
    tab.get_by_label("style").check()
    expect(parts).to_be_hidden()
    tab.get_by_label("fact").check()
    tab.get_by_label("body").check()
    tab.get_by_role("spinbutton", name="How many?").fill("2.5")
    tab.reload()  # what is not submitted yet is kept
    expect(tab.get_by_label("body")).to_be_checked()
    press(tab, "3")
    expect(why).to_be_hidden()
    press(tab, "1")
    tab.get_by_role("spinbutton", name="How many?").press("Enter")
    done(tab, 1)
    saved(tab)
    press(tab, "u")
    expect(tab.get_by_role("textbox", name="What is wrong?")).to_have_value(re.compile("^Only half"))
    press(tab, "q")
    expect(tab.get_by_role("textbox", name="What is wrong?")).to_be_focused()
    stored = [row.question_answers for row in rows(app, Assignment, project) if row.question_answers]
    assert stored == [
        {"why": "Only half of it, s and u are letters here", "kind": "fact", "parts": ["body"], "count": 2.5}
    ]


def test_selected_words_become_evidence_and_can_be_taken_back(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Marks", answers=1, items=1, criteria=ONE, form="pointwise", ask_evidence=True)
    tab = open_rate("marks", rater)
    select = """node => { const range = document.createRange(); const text = node.firstChild;
        range.setStart(text, 17); range.setEnd(text, 23);
        const root = node.getRootNode(); const selection = root.getSelection?.() ?? getSelection();
        selection.removeAllRanges(); selection.addRange(range); }"""
    tab.get_by_test_id("answer").evaluate(select)
    press(tab, "e")
    expect(tab.locator("mark.quoted")).to_have_text("well.")
    tab.get_by_role("button", name="Remove mark: well.").click()
    expect(tab.locator("mark.quoted")).to_have_count(0)
    tab.get_by_test_id("answer").evaluate(select)
    tab.get_by_role("button", name="Mark evidence").click()
    press(tab, "1 Enter")
    saved(tab)
    (rating,) = rows(app, Rating, project)
    assert rating.evidence == [{"part": "response", "start": 16, "end": 21, "text": "well."}]


def test_evidence_is_marked_by_keyboard_alone_in_answer_and_context(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Typed", answers=1, items=1, criteria=ONE, form="pointwise", ask_evidence=True)
    tab = open_rate("typed", rater)
    live = tab.locator(".spoken")
    press(tab, "e")
    expect(live).to_have_text("The lid holds 🙂 well.")
    press(tab, "ArrowDown")
    expect(live).to_have_text("It never leaks.")
    press(tab, "Enter")
    expect(live).to_have_text("Marked: It never leaks.")
    press(tab, "ArrowDown ArrowRight Shift+ArrowRight")
    expect(live).to_have_text("lid was")
    press(tab, "Enter")
    expect(tab.get_by_role("list", name="Marked as evidence").get_by_role("listitem")).to_have_count(2)
    press(tab, "0")  # a score ends the marking and counts
    expect(tab.get_by_role("radio", name="0. No")).to_have_attribute("aria-checked", "true")
    press(tab, "Enter")
    saved(tab)
    (rating,) = rows(app, Rating, project)
    assert [(mark["part"], mark["text"]) for mark in rating.evidence] == [
        ("response", "It never leaks."),
        ("context", "lid was"),
    ]


def test_the_cursor_of_evidence_passes_over_signs_that_are_not_shown(app: App, open_rate: Open) -> None:
    text = "# **It** holds\n\n| *a* | b |\n|---|---|\n\nSo $x^2$ **fits** &amp; 🙂 [well](https://a.org)."
    formats = {"response": "markdown"}
    project, rater = make(
        app, "Signs", answers=1, items=1, criteria=ONE, texts=[text],
        form="pointwise", ask_evidence=True, text_formats=formats,
    )  # fmt: skip
    tab = open_rate("signs", rater)
    live = tab.locator(".spoken")
    press(tab, "e")
    for said in ("It holds", "a", "b", "So $x^2$ fits & 🙂 well."):
        expect(live).to_have_text(said)
        press(tab, "ArrowDown")
    press(tab, "ArrowUp ArrowUp ArrowDown ArrowRight ArrowRight")
    expect(live).to_have_text("fits")
    press(tab, "Shift+ArrowRight Enter 1 Enter")
    saved(tab)
    (rating,) = rows(app, Rating, project)
    assert [mark["text"] for mark in rating.evidence] == ["fits** &amp; 🙂 [well"]


MARKDOWN = """## It holds

| Part | *Leaks* |
|---|---|
| **lid** | no, `0 ml` |

See [the *test*](https://example.org/lid), $x^2$ & <b>more</b>.
"""


def test_markdown_is_shown_as_meant_and_evidence_is_kept_in_the_text_as_typed(
    app: App, open_rate: Open
) -> None:
    project, rater = make(
        app, "Formatted", answers=1, items=1, criteria=ONE, form="pointwise", ask_evidence=True,
        texts=(MARKDOWN,), text_formats={"response": "markdown"},
    )  # fmt: skip
    tab = open_rate("formatted", rater)
    answer = tab.get_by_test_id("answer")
    expect(answer.get_by_role("heading", name="It holds")).to_be_visible()
    expect(answer.get_by_role("columnheader")).to_have_text(["Part", "Leaks"])
    expect(answer.locator("msup")).to_have_text("x2")
    expect(answer).to_contain_text("<b>more</b>")
    assert answer.locator("a, b, img, script").count() == 0
    answer.locator("strong").select_text()
    press(tab, "e")
    select = """node => { const range = document.createRange();
        range.setStart(node.querySelector(".link").firstChild, 0);
        range.setEndAfter(node.querySelector(".formula"));
        const root = node.getRootNode(); const selection = root.getSelection?.() ?? getSelection();
        selection.removeAllRanges(); selection.addRange(range); }"""
    answer.evaluate(select)
    press(tab, "e")
    expect(answer.locator("mark.quoted").first).to_have_text("lid")
    press(tab, "m")
    expect(answer).to_contain_text("## It holds")
    expect(answer.locator("mark.quoted").last).to_have_text("the *test*](https://example.org/lid), $x^2$")
    press(tab, "1 Enter")
    saved(tab)
    (rating,) = rows(app, Rating, project)
    assert [mark["text"] for mark in rating.evidence] == [
        "lid",
        "the *test*](https://example.org/lid), $x^2$",
    ]
    assert all(MARKDOWN[mark["start"] : mark["end"]] == mark["text"] for mark in rating.evidence)


def test_guidelines_are_shown_as_markdown(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Guided", answers=1, criteria=ONE, form="pointwise")
    with app.store.writing() as session:
        update_project(session, project, settings={}, guidelines="- Read **twice**.\n- <b>Never</b> guess.")
    tab = open_rate("guided", rater)
    press(tab, "g")
    expect(tab.locator(".fold-body li")).to_have_count(2)
    expect(tab.locator(".fold-body strong")).to_have_text("twice")
    expect(tab.get_by_text("<b>Never</b> guess.")).to_be_visible()


def test_differences_of_two_formatted_texts_are_marked(app: App, open_rate: Open) -> None:
    texts = ("- the **blue** lid", "- the **red** lid")
    make_texts = dict(answers=2, items=1, texts=texts, text_formats={"response": "markdown"})
    _, rater = make(app, "Formatted pair", **make_texts)  # type: ignore[arg-type]
    tab = open_rate("formatted-pair", rater)
    press(tab, "d")
    expect(tab.get_by_test_id("answers").locator("li strong mark")).to_have_count(2)


def test_words_of_the_question_are_marked_where_they_stand(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Asked", answers=1, criteria=ONE, form="pointwise", highlight_question=True)
    tab = open_rate("asked", rater)
    expect(tab.get_by_test_id("answer").locator("mark.asked")).to_have_text(["lid"])
    expect(tab.locator(".fold-body mark.asked").first).to_have_text("lid")


def test_a_long_context_scrolls_by_itself_and_the_criteria_stay(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Long", answers=2)
    tab = open_rate("long", rater)
    tab.get_by_role("button", name="Show more").click()
    before = tab.get_by_test_id("submit").bounding_box()
    body = tab.locator(".fold-body.whole")
    body.evaluate("node => node.scrollTo(0, node.scrollHeight)")
    assert body.evaluate("node => node.scrollTop") > 100
    assert tab.get_by_test_id("submit").bounding_box() == before
    expect(tab.get_by_test_id("submit")).to_be_in_viewport()


@pytest.mark.parametrize(("form", "answers"), [("pairwise", 2), ("ranking", 4), ("best_worst", 3)])
def test_on_a_phone_one_choice_at_a_time_by_thumb(
    app: App, phone: BrowserContext, open_rate: Open, form: str, answers: int
) -> None:
    name = f"Phone {form}"
    criteria = CRITERIA[1:] if form == "ranking" else CRITERIA
    project, rater = make(app, name, answers=answers, items=1, criteria=criteria, form=form)
    tab = open_rate(name.lower().replace(" ", "-").replace("_", "-"), rater, window=phone)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [answer.bounding_box() for answer in tab.get_by_test_id("answers").locator(".answer").all()]
    assert all(box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    tops = [box["y"] for box in boxes if box]
    assert tops == sorted(set(tops))  # below one another
    steps = {"pairwise": (2, True), "ranking": (4, False), "best_worst": (4, False)}[form]
    for n in range(steps[0]):
        points = tab.get_by_role("radio").locator("visible=true")
        expect(points).to_have_count(3 if form != "ranking" else 4)
        points.nth(n % points.count()).tap()
        if steps[1]:
            tab.get_by_test_id("submit").tap()
    if not steps[1]:
        tab.get_by_test_id("submit").tap()
    expect(tab.get_by_test_id("nothing")).to_be_visible()
    saved(tab)
    assert len(rows(app, Preference if form == "pairwise" else Ranking, project)) == len(criteria)


def test_roles_and_names_of_a_comparison(app: App, open_rate: Open) -> None:
    project, rater = make(app, "Named", answers=2)
    tab = open_rate("named", rater)
    for letter in "AB":
        article = tab.get_by_role("article", name=f"Answer {letter}")
        expect(article).to_be_visible()
    expect(tab.get_by_role("radio", name="A better").first).to_be_focused()
    tie = tab.get_by_test_id("criterion-overall").get_by_role("radio").nth(1)
    expect(tie).to_have_accessible_name("No difference")
    assert tab.locator(".spoken").get_attribute("aria-live") == "polite"
    press(tab, "?")
    expect(tab.get_by_role("dialog", name="Keys")).to_contain_text("the second one is better")
    press(tab, "Escape 1 Enter")
    expect(tab.locator(".spoken")).to_have_text("Missing: Overall")
    assert "SecretSystem" not in tab.content()
    with app.store.reading() as session:
        assert session.query(RatingEvent).filter(RatingEvent.person_id == rater).count() == 0
    assert rows(app, Preference, project) == []


UNLIKE = (
    "The <b>lid</b> holds very well.\n今日は雨です。 <img src=x onerror=window.hit=1>\nשלום עולם",
    "The <b>lid</b> holds badly.\n今日は雪です。 <img src=y onerror=window.hit=1>\nשלום לכם",
)


def test_a_key_marks_the_differences_as_explain_does_until_it_is_pressed_again(
    app: App, open_rate: Open
) -> None:
    project, rater = make(app, "Unlike", answers=2, criteria=ONE, texts=UNLIKE)
    tab = open_rate("unlike", rater)
    texts, said = tab.get_by_test_id("answers").locator(".answer"), tab.get_by_test_id("differences")
    marks = texts.locator("mark.different")
    expect(marks).to_have_count(0)
    press(tab, "d")
    switch = tab.get_by_role("button", name="Hide differences")
    expect(switch).to_have_attribute("aria-pressed", "true")
    shown = texts.all_text_contents()
    assert sorted(shown) == sorted(UNLIKE)
    expected = marked_differences(*shown)
    assert expected is not None
    for place in range(2):
        found = [unescape(part) for part in re.findall(r"<mark>(.*?)</mark>", expected[place])]
        assert texts.nth(place).locator("mark.different").all_text_contents() == found
        assert {"雨", "雪"} & set(found)  # by character
    fewer, more = (
        "4 words",
        "5 words",
    )  # "very well." against "badly.", 雨, src and a name, one word of Hebrew
    a, b = (more, fewer) if shown[0] == UNLIKE[0] else (fewer, more)
    expect(said).to_have_text(f"Differences shown: {a} only in A, {b} only in B")
    expect(said).to_have_attribute("role", "status")
    assert tab.evaluate("window.hit") is None
    first = marks.first.evaluate("node => getComputedStyle(node).borderBottomStyle")
    assert first == "solid"  # not by colour alone
    press(tab, "1 Enter")
    done(tab, 1)
    expect(marks.first).to_be_visible()  # in the next pair, too
    press(tab, "?")
    expect(tab.get_by_role("dialog", name="Keys")).to_contain_text("show or hide the differences")
    press(tab, "Escape")
    saved(tab)
    tab.reload()
    expect(switch).to_be_visible(timeout=30_000)
    expect(marks.first).to_be_visible()
    switch.click()
    expect(marks).to_have_count(0)
    expect(said).to_be_empty()
    assert sorted(texts.all_text_contents()) == sorted(UNLIKE)
    press(tab, "2 Enter")  # choosing goes on from the switch
    done(tab, 2)
    saved(tab)
    assert len(rows(app, Preference, project)) == 2


LONG = tuple("\n".join(f"{name} {line} of a long answer." for line in range(80)) for name in ("One", "Two"))
TOP = "node => node.scrollTop"


def test_two_long_texts_scroll_together_or_apart(app: App, open_rate: Open) -> None:
    _, rater = make(app, "Apart", answers=2, criteria=ONE, texts=LONG)
    tab = open_rate("apart", rater)
    together, apart = (tab.get_by_role("button", name=f"Scroll {how}") for how in ("together", "apart"))
    regions = tab.get_by_test_id("answers").get_by_role("region")
    expect(apart).to_have_attribute("aria-pressed", "false")
    expect(regions).to_have_count(0)
    press(tab, "t")
    expect(together).to_have_attribute("aria-pressed", "true")
    first, second = (regions.and_(tab.get_by_label(f"Answer {name}")) for name in "AB")
    second.focus()
    tab.keyboard.press("End")
    expect(second).to_be_focused()
    second.evaluate("node => new Promise((moved) => node.scrollTop ? moved() : (node.onscroll = moved))")
    assert first.evaluate(TOP) == 0
    press(tab, "1 Enter")
    done(tab, 1)
    expect(regions).to_have_count(2)  # in the next pair, too
    assert [part.evaluate(TOP) for part in (first, second)] == [0, 0]
    saved(tab)
    tab.reload()
    expect(together).to_be_visible(timeout=30_000)
    together.click()
    expect(regions).to_have_count(0)
    expect(apart).to_be_visible()


def test_short_texts_are_offered_neither(app: App, open_rate: Open, phone: BrowserContext) -> None:
    _, rater = make(app, "Short", answers=2, criteria=ONE, items=2)
    tab = open_rate("short", rater)
    expect(tab.get_by_role("button", name="Show differences")).to_be_visible()
    expect(tab.get_by_role("button", name="Scroll apart")).to_be_hidden()
    small = open_rate("short", rater, window=phone)
    expect(small.get_by_test_id("answers").locator(".answer:visible")).to_have_count(2)
    expect(small.get_by_role("tablist")).to_be_hidden()


def test_a_phone_shows_one_of_two_long_texts_at_the_same_place(
    app: App, open_rate: Open, phone: BrowserContext
) -> None:
    project, rater = make(app, "Sides", answers=2, criteria=ONE, texts=LONG)
    tab = open_rate("sides", rater, window=phone)
    switch = tab.get_by_role("tablist", name="Text shown")
    a, b = (switch.get_by_role("tab", name=f"Answer {name}") for name in "AB")
    panel = tab.get_by_role("tabpanel")
    expect(a).to_have_attribute("aria-selected", "true")
    expect(panel).to_have_accessible_name("Answer A")
    box = switch.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    panel.get_by_test_id("answer-0").evaluate("node => node.scrollIntoView({ block: 'center' })")
    before = panel.bounding_box()
    b.tap()
    expect(panel).to_have_accessible_name("Answer B")
    after = panel.bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == pytest.approx(before["y"], abs=4)  # both are as long
    assert before["y"] < 0
    expect(switch).to_be_in_viewport()
    expect(tab.get_by_test_id("submit")).to_be_in_viewport()
    press(tab, "v")
    expect(panel).to_have_accessible_name("Answer A")
    a.focus()
    press(tab, "ArrowRight")
    expect(b).to_be_focused()
    expect(panel).to_have_accessible_name("Answer B")
    press(tab, "2")
    tab.get_by_test_id("submit").tap()
    done(tab, 1)
    expect(a).to_have_attribute("aria-selected", "true")  # the next pair begins with its first text
    tab.set_viewport_size({"width": 900, "height": 844})
    expect(tab.get_by_test_id("answers").locator(".answer:visible")).to_have_count(2)
    expect(panel).to_have_count(0)
    saved(tab)
    assert len(rows(app, Preference, project)) == 1


HEBREW = "המכסה אטום."
LETTER = """([key, code]) => window.dispatchEvent(
    new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""
AT = "node => { const box = node.getBoundingClientRect(); return box.x + box.width / 2; }"


def test_an_arabic_study_is_mirrored_its_texts_are_not_and_keys_follow_the_eye(
    app: App, browser: Browser
) -> None:
    project, _ = make(app, "Arabic", answers=2, items=3, language="ar")
    with app.store.writing() as session:
        for response in session.query(ResponseRow).filter_by(project_id=project, external_id="r0"):
            response.text = HEBREW
    rater = members.add(app.store, None, project, "Rater of an Arabic study").id
    with app.store.writing() as session:
        cookie = sessions.start_session(session, rater, until=now() + timedelta(hours=1))
    window = browser.new_context(
        viewport={"width": 1366, "height": 900}, locale="en-GB", reduced_motion="reduce"
    )
    window.add_cookies([{"name": signin.COOKIE, "value": cookie, "url": app.address}])
    tab = window.new_page()
    tab.goto(f"{app.address}/rate?project=arabic")
    expect(tab.get_by_test_id("submit")).to_be_visible(timeout=30_000)
    settled(tab)
    root = tab.locator(".rater")
    expect(root).to_have_attribute("dir", "rtl")
    expect(root).to_have_attribute("lang", "ar")
    expect(tab.locator("html")).to_have_attribute("lang", "ar")
    assert tab.get_by_test_id("stMain").evaluate("node => getComputedStyle(node).direction") == "rtl"
    directions = {
        answer.inner_text(): answer.evaluate("node => getComputedStyle(node).direction")
        for answer in tab.get_by_test_id("answers").locator(".answer:visible").all()
    }
    assert directions == {HEBREW: "rtl", TEXTS[1]: "ltr"}

    # The first answer and its choice stand at the right; the left arrow goes on to what stands left of it.
    first, second = tab.get_by_role("article").all()
    assert first.evaluate(AT) > second.evaluate(AT)
    points = tab.get_by_test_id("criterion-faithful").get_by_role("radio")
    expect(points.first).to_have_accessible_name("A أفضل")
    assert points.first.evaluate(AT) > points.last.evaluate(AT)
    press(tab, "1 ArrowUp ArrowLeft")
    expect(points.nth(1)).to_have_attribute("aria-checked", "true")
    press(tab, "ArrowRight")
    expect(points.first).to_have_attribute("aria-checked", "true")
    expect(tab.get_by_test_id("submit")).to_contain_text("إرسال · بقي اختيار واحد")
    press(tab, "ArrowDown 3 Enter")
    expect(tab.get_by_test_id("done")).to_have_text("أُنجز 1 من 3")
    expect(tab.get_by_test_id("saved")).to_contain_text("حُفظ")

    # Letters of a keyboard that has no S, no F and no slash.
    tab.evaluate(LETTER, ["ب", "KeyF"])
    expect(tab.get_by_role("dialog", name="الإبلاغ عن هذه الإجابة")).to_be_visible()
    press(tab, "Escape")
    tab.evaluate(LETTER, ["ظ", "Slash"])
    field = tab.get_by_role("textbox")
    expect(field).to_be_focused()
    assert field.evaluate("node => getComputedStyle(node).direction") == "rtl"
    tab.keyboard.type("English reason")
    assert field.evaluate("node => getComputedStyle(node).direction") == "ltr"
    press(tab, "Escape 1 3")

    # What is begun stays when the reader chooses another language.
    with app.store.writing() as session:
        people.set_language(session, rater, "de")
    tab.reload()
    expect(tab.get_by_test_id("submit")).to_contain_text("Absenden", timeout=30_000)
    settled(tab)
    expect(root).to_have_attribute("dir", "ltr")
    expect(tab.get_by_role("textbox")).to_have_value("English reason")
    press(tab, "Enter 2 2 Enter")
    expect(tab.get_by_test_id("nothing")).to_contain_text("Fertig: alle 3 Paare bewertet.")
    expect(tab.get_by_test_id("saved")).to_contain_text("Gespeichert")
    window.close()
    stored = rows(app, Preference, project)
    assert [preference.choice == preference.first for preference in stored] == [
        True,
        False,
        True,
        False,
        False,
        False,
    ]
    assert stored[2].comment + stored[3].comment == "English reason"
