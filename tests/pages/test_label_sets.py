"""Pages of a project whose responses have several labels."""

from __future__ import annotations

import pytest

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.decisions import decisions
from tests.labelled import faults
from tests.pages.conftest import OpenPage, screen_text


@pytest.fixture
def slug(app_store: Store) -> str:
    return faults(app_store)


@pytest.mark.parametrize(
    "page",
    "agreement compare trust disagreements patterns adjudicate means more raters quality data you".split(),
)
def test_no_page_fails(open_page: OpenPage, slug: str, page: str) -> None:
    query = {"judge": "strict"} if page in ("trust", "disagreements", "patterns") else {}
    at = open_page(f"researcher/{page}.py", project=slug, **query)
    assert not at.exception


def test_agreement_shows_how_alike_sets_are_and_each_label(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/agreement.py", project=slug)
    assert not at.exception
    text = screen_text(at)
    assert "several labels" in text and "MASI" in text
    table = next(f.value for f in at.dataframe if "Jaccard" in f.value.columns).set_index("Judge")
    assert table.loc["strict", ["Jaccard", "Equal sets", "n"]].tolist() == [
        "0.70 [0.30, 0.93]", "0.60 [0.23, 0.88]", "5",
    ]  # fmt: skip
    labels = next(f.value for f in at.dataframe if "Label" in f.value.columns)
    assert labels["Label"].tolist() == ["vague", "wrong", "rude"]


def test_a_conflict_between_sets_is_decided_label_by_label(
    open_page: OpenPage, app_store: Store, slug: str
) -> None:
    at = open_page("researcher/adjudicate.py", project=slug)
    (field,) = [group for group in at.button_group if group.label == "Labels"]
    assert list(field.options) == ["vague", "wrong", "rude", "none of these"]
    field.set_value(["vague", "rude"]).run()
    next(button for button in at.button if button.label == "Decide").click().run()
    assert not at.exception
    with app_store.reading() as session:
        (decision,) = decisions(session, find_project(session, slug).id).values()
    assert decision.score == 5.0  # vague is 1, rude 4
    assert "1 of 6 conflicts decided" in screen_text(at)


def test_many_labels_show_the_sets_that_were_given(open_page: OpenPage, app_store: Store, slug: str) -> None:
    labels = [f"fault {n}" for n in range(9)]
    scale = {"kind": "categorical", "labels": labels, "several": True}
    with app_store.writing() as session:
        many = create_project(session, name="Many").slug
    rows = [f"q{n},So.,{who},faults,fault {n}|fault {n + k}" for k, who in enumerate("ABC") for n in range(6)]
    text = "\n".join(["item_id,response,rater,criterion,score", *rows])
    import_files(app_store, many, [("f.csv", text.encode())], scales={"faults": scale})
    for page in ("agreement", "quality", "adjudicate", "data", "raters", "disagreements", "report"):
        at = open_page(f"researcher/{page}.py", project=many)
        assert not at.exception
