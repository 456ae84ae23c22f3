"""Pages and command of a project in which raters mark errors (MQM)."""

from __future__ import annotations

import json
import uuid

import pytest

from judgelab.annotation import service
from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.scales import parse_scale
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import get_project
from tests.annotation.conftest import make_person, make_project
from tests.command import judgelab
from tests.pages.conftest import OpenPage

CRITERIA = (Criterion("errors", "Errors", parse_scale("error_spans:Fact,Style:Minor=4,Major=5:25")),)
# One error by each rater in each answer ("a0" to "a5"): type, severity, start, end.
MARKED = {"Ann": ("Fact", "Major", 0, 2), "Bo": ("Fact", "Minor", 1, 2)}


@pytest.fixture
def slug(app_store: Store) -> str:
    project = make_project(app_store, criteria=CRITERIA, raters_per_response=2)
    for name, (kind, severity, start, end) in MARKED.items():
        person = make_person(app_store, name)
        while items := service.next_items(app_store, person, project):
            error = {"part": "response", "start": start, "end": end, "type": kind, "severity": severity}
            operation = {"uid": str(uuid.uuid4()), "kind": "rate", "item": items[0].id}
            said = {"scores": {"errors": 0}, "evidence": {"errors": [error]}}
            assert service.apply(app_store, person, project, operation | said).state == "stored"
    with app_store.reading() as session:
        return get_project(session, project).slug


@pytest.mark.parametrize("page", "agreement means disagreements quality data more".split())
def test_no_page_fails(open_page: OpenPage, slug: str, page: str) -> None:
    assert not open_page(f"researcher/{page}.py", project=slug).exception


def test_raters_shows_how_far_marks_agree_and_which_errors_there_are(open_page: OpenPage, slug: str) -> None:
    at = open_page("researcher/raters.py", project=slug)
    assert not at.exception
    f1 = next(f.value for f in at.dataframe if "F1" in f.value.columns).set_index("Compared")
    # 1 of 2 and 1 characters in each of six answers: F1 = 2/3
    assert [cell[:4] for cell in f1["F1"]] == ["0.67", "0.67", "0.00"] and set(f1["n"]) == {"6"}
    counts = next(f.value for f in at.dataframe if "Type of error" in f.value.columns)
    assert counts.to_numpy().tolist() == [["Fact", 6, 6], ["Style", 0, 0]]
    errors = next(f.value for f in at.dataframe if "Marked" in f.value.columns)
    first = errors[errors["Item"] == "q0"].drop(columns=["Item", "System"]).to_numpy().tolist()
    assert sorted(first) == [["Ann", "a0", "Fact", "Major"], ["Bo", "0", "Fact", "Minor"]]


def test_explain_names_the_kind_of_an_error(open_page: OpenPage, app_store: Store, slug: str) -> None:
    rows = [f"q{n},secret-{n},strict,judge,errors,-{n}" for n in range(6)]
    head = "item_id,response_id,rater,rater_kind,criterion,score"
    import_files(app_store, slug, [("judge.csv", "\n".join([head, *rows]).encode())])
    at = open_page("researcher/disagreements.py", project=slug)
    ratings = next(f.value for f in at.table if "Comment" in f.value.columns).set_index("Rater")
    assert ratings.loc["Ann", "Comment"].endswith("” \\(Fact, Major\\)")
    assert ratings.loc["Bo", "Comment"].endswith("” \\(Fact, Minor\\)")


def test_the_command_prints_what_the_page_shows(app_store: Store, slug: str) -> None:
    address = app_store.engine.url.render_as_string(hide_password=False)
    result = judgelab(address, "raters", slug, "--errors", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)["criteria"]["errors"]
    assert found["ratings"] == 12 and found["f1_place"]["value"] == pytest.approx(2 / 3)
    assert found["errors"] == [
        {"type": "Fact", "severity": "Major", "n": 6},
        {"type": "Fact", "severity": "Minor", "n": 6},
    ]
    text = judgelab(address, "raters", slug, "--errors").stdout
    assert "Fact, Major: 6" in text and "same type and severity" in text
