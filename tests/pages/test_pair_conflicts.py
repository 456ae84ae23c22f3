"""*Conflicts* of a project with comparisons: each pair is decided with one press, then the next is shown."""

from __future__ import annotations

from typing import Any

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.disagreement.pair_conflicts import PairConflict, find_pair_conflicts, sides
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.models import Preference, now
from judgelab.ui.cache import page_run, stale_results
from tests.compared import decide, judges_csv, pairs_project, texts_csv
from tests.pages.conftest import OpenPage, screen_text, until

PAGE = "researcher/adjudicate.py"


@pytest.fixture
def slug(app_store: Store) -> str:
    return pairs_project(app_store, points=False)


def conflicts_of(store: Store, slug: str) -> list[PairConflict]:
    return find_pair_conflicts(store, slug)


def decided(store: Store, slug: str) -> dict[str, Any]:
    return {c.item: c.decision for c in conflicts_of(store, slug) if c.decision is not None}


def shown(at: Any) -> tuple[int, int]:
    (field,) = [box.key for box in at.text_input if box.key.startswith("adjudicate_pair_reason_")]
    first, second = field.split("_")[-2:]
    return int(first), int(second)


def test_one_press_decides_and_moves_to_the_next_open_one(
    open_page: OpenPage, app_store: Store, slug: str
) -> None:
    first, second, *_ = conflicts_of(app_store, slug)
    at = open_page(PAGE, project=slug)
    assert not at.exception
    words = "A conflict is a pair for which raters chose opposite winners."
    assert f"0 of 5 conflicts decided. {words}" in screen_text(at)
    assert shown(at) == first.pair and "1 of 5" in screen_text(at)
    at.text_input[0].set_value("shorter").run()
    at.button(key="adjudicate_pair_right").click().run()
    assert not at.exception
    decision = decided(app_store, slug)["q8"]
    assert (decision.chosen, decision.reason, decision.names_hidden) == (sides(first)[1], "shorter", True)
    assert shown(at) == second.pair and "1 of 5 conflicts decided" in screen_text(at)
    for name in ("left", "tie", "undecidable"):
        at.button(key=f"adjudicate_pair_{name}").click().run()
    choices = {item: decision.choice for item, decision in decided(app_store, slug).items()}
    assert (choices["q2"], choices["q3"]) == ("tie", "")
    assert decided(app_store, slug)["q9"].chosen == sides(second)[0]
    assert "4 of 5 conflicts decided" in screen_text(at)


def test_a_decision_can_be_read_again_and_undone(open_page: OpenPage, app_store: Store, slug: str) -> None:
    at = open_page(PAGE, project=slug)
    at.button(key="adjudicate_pair_left").click().run()
    at.button(key="adjudicate_pair_previous").click().run()
    assert "A is better, Owner" in screen_text(at)
    at.button(key="adjudicate_pair_back").click().run()
    assert not decided(app_store, slug) and "undecided" in screen_text(at)
    at.button(key="adjudicate_pair_undecidable").click().run()
    at.button(key="adjudicate_pair_previous").click().run()
    assert "cannot be decided, Owner" in screen_text(at)


def test_only_open_conflicts_are_shown_on_request(open_page: OpenPage, app_store: Store, slug: str) -> None:
    decide(app_store, slug, "q8", "new")
    at = open_page(PAGE, project=slug)
    assert shown(at) == conflicts_of(app_store, slug)[1].pair and "2 of 5" in screen_text(at)
    at.toggle(key="adjudicate_open_only").set_value(True).run()
    assert "1 of 4" in screen_text(at) and "1 of 5 conflicts decided" in screen_text(at)
    for _conflict in range(4):
        at.button(key="adjudicate_pair_tie").click().run()
    assert not at.exception and "5 of 5 conflicts decided" in screen_text(at)
    at = open_page(PAGE, project=slug)
    at.toggle(key="adjudicate_open_only").set_value(True).run()
    assert "5 of 5 conflicts decided" in screen_text(at)


def test_names_are_hidden_until_they_are_asked_for(open_page: OpenPage, app_store: Store, slug: str) -> None:
    at = open_page(PAGE, project=slug)
    (table,) = at.table
    assert sorted(table.value["Rater"]) == ["Choice\u00a01", "Choice\u00a02", "Choice\u00a03"]
    assert sorted(table.value["Choice"]) == ["**A**", "**B**", "**tie**"]
    text = screen_text(at)
    assert "new" not in text.split() and "old" not in text.split() and "judge" not in text
    at.toggle(key="adjudicate_hidden").set_value(False).run()
    assert set(at.table[0].value["Rater"]) == {"Ann", "Bea", "Cid"}
    at.button(key="adjudicate_pair_tie").click().run()
    assert [decision.names_hidden for decision in decided(app_store, slug).values()] == [False]


def test_a_winner_against_a_tie_is_a_conflict_on_request(
    open_page: OpenPage, app_store: Store, slug: str
) -> None:
    at = open_page(PAGE, project=slug)
    at.toggle(key="adjudicate_pair_ties").set_value(True).run()
    assert not at.exception
    words = "A conflict is a pair for which raters made different choices."
    assert f"0 of 6 conflicts decided. {words}" in screen_text(at)
    at.toggle(key="pairs_marked").set_value(True).run()
    bodies = [element.proto.body for element in at.get("html")]
    assert any("<mark>because it is </mark>so 8" in body for body in bodies), bodies


def test_removed_raters_are_marked(open_page: OpenPage, app_store: Store, slug: str) -> None:
    save_filter(app_store, slug, "main", FilterPolicy(threshold=0.3, min_annotations=3))
    at = open_page(PAGE, project=slug)
    assert not at.exception and "0 of 2 conflicts decided" in screen_text(at)
    assert "The quality filter in use removes 2 of these 2 pairs" in screen_text(at)
    assert "A conflict is a pair for which kept raters chose opposite winners." in screen_text(at)
    assert sum("Rater removed by the quality filter" in cell for cell in at.table[0].value["Comment"]) == 1


def test_a_pair_whose_conflict_ended_stays_under_the_keys(
    open_page: OpenPage, app_store: Store, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_run, "UNSEEN", 0.0)
    monkeypatch.setattr(stale_results, "LONG", -1.0)
    at = open_page(PAGE, project=slug)
    until(at, lambda: at.text_input)
    first, second, *_ = conflicts_of(app_store, slug)
    assert shown(at) == first.pair
    with app_store.writing() as session:
        for row in session.query(Preference).filter(Preference.response_a == first.pair[0]):
            row.choice, row.rated_at = "a", now()
    until(at, lambda: "No longer a conflict" in screen_text(at))
    assert shown(at) == first.pair
    at.button(key="adjudicate_pair_let_go").click().run()
    until(at, lambda: shown(at) == second.pair)


def test_what_another_decided_meanwhile_is_not_replaced_unread(
    open_page: OpenPage, app_store: Store, slug: str
) -> None:
    at = open_page(PAGE, project=slug)
    decide(app_store, slug, "q8", "old")
    at.button(key="adjudicate_pair_tie").click().run()
    assert "Olga decided this pair in the meantime" in " ".join(element.value for element in at.error)
    assert decided(app_store, slug)["q8"].choice in ("a", "b")
    at.run()
    at.button(key="adjudicate_pair_tie").click().run()
    assert decided(app_store, slug)["q8"].choice == "tie"


def test_scores_and_comparisons_are_chosen_above(open_page: OpenPage, app_store: Store, slug: str) -> None:
    ratings = "item_id,system,rater,criterion,score\n" + "".join(
        f"q{n},new,{rater},score,{score}\n" for n in range(3) for rater, score in (("Ann", 1), ("Bea", 5))
    )
    import_files(app_store, slug, [("ratings.csv", ratings.encode())])
    at = open_page(PAGE, project=slug)
    assert not at.exception and "0 of 3 conflicts decided" in screen_text(at)
    at.segmented_control(key="agree_form").set_value("pairs").run()
    assert not at.exception and "0 of 5 conflicts decided" in screen_text(at)


def test_comparisons_by_judges_alone_are_no_conflicts(open_page: OpenPage, app_store: Store) -> None:
    from judgelab.store.projects.projects import create_project

    with app_store.writing() as session:
        slug = create_project(session, name="Judged").slug
    for name, content in (("texts", texts_csv()), ("judges", judges_csv())):
        import_files(app_store, slug, [(f"{name}.csv", content.encode())])
    at = open_page(PAGE, project=slug)
    assert not at.exception and "nothing to decide" in screen_text(at)
