"""Pages of a project whose responses have several labels."""

from __future__ import annotations

import pytest

from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.analysis.test_label_sets import GIVEN, SCALE
from tests.pages.conftest import OpenPage, screen_text


@pytest.fixture
def slug(app_store: Store) -> str:
    lines = ["item_id\tresponse\trater\trater_kind\tcriterion\tscore"]
    for rater, cells in GIVEN.items():
        kind = "judge" if rater == "strict" else "human"
        lines += [f"q{n}\tSo {n}.\t{rater}\t{kind}\tfaults\t{cell}" for n, cell in enumerate(cells)]
    with app_store.writing() as session:
        slug = create_project(session, name="Faults").slug
    import_files(app_store, slug, [("f.tsv", "\n".join(lines).encode())], scales={"faults": SCALE})
    return slug


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
    assert table.loc["strict", ["Jaccard", "Equal sets", "n"]].tolist() == ["0.70", "0.60", "5"]
    labels = next(f.value for f in at.dataframe if "Label" in f.value.columns)
    assert labels["Label"].tolist() == ["vague", "wrong", "rude"]
