"""Imported ratings count to the raters a response needs; a mean of several does not."""

from __future__ import annotations

from judgelab.annotation import service
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.people.people import find_or_create
from judgelab.store.projects.projects import create_project, find_project

ROWS = "item_id,question,system,response,rater,score\n" + "".join(
    f"q{item},Why?,a,Because {item}.,{rater},{score}\n"
    for item, raters in ((1, "ABC"), (2, "A"))
    for rater, score in zip(raters, (1, 2, 3), strict=False)
)


def _offered(store: Store, name: str) -> list[str]:
    with store.writing() as session:
        person = find_or_create(session, name)
        project = find_project(session, "p").id
    return [item.answer for item in service.next_items(store, person, project)]


def _bring(store: Store, *, means: bool = False) -> None:
    with store.writing() as session:
        create_project(session, name="p", settings={"raters_per_response": 3})
    import_files(store, "p", [("ratings.csv", ROWS.encode())], kind="ratings", means=means)
    import_files(store, "p", [("ratings.csv", ROWS.encode())], kind="ratings", means=means)


def test_a_response_with_all_its_raters_is_not_offered_again(any_store: Store) -> None:
    _bring(any_store)
    assert _offered(any_store, "New") == ["Because 2."]
    assert _offered(any_store, "A") == []
    assert _offered(any_store, "B") == ["Because 2."]


def test_a_mean_of_several_raters_fills_no_place(store: Store) -> None:
    _bring(store, means=True)
    assert sorted(_offered(store, "New")) == ["Because 1.", "Because 2."]
