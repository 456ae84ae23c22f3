"""Failure modes: put by hand, proposed by a model, counted for every judge and metric."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.analysis.data.scores import clear_caches
from judgelab.analysis.disagreement.failure_modes import (
    dismiss_tag,
    failure_modes,
    large_disagreements,
    response_tags,
    toggle_tag,
)
from judgelab.errors import InvalidInput, NotFound, UserError
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.preparation.step import StepReport, prepare
from judgelab.preparation.tag_proposals import read_tags
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db.engine import Store
from judgelab.store.models import JudgeRow
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import find_project
from tests.command import judgelab

ANSWERS = ("Goethe", "J. W. v. Goethe", "Schiller")
ROWS = [  # gold, answer, people, gpt, strict
    ("32 F", "thirty-two degrees", 1, 1, 0),
    ("1648", "28 February 1648", 1, 1, 0),
    ("73 miles", "117 km", 1, 0, 0),
    ("Goethe", "Goethe", 1, 1, 1),
    ("Goethe", "Schiller", 0, 0, 1),
]


@pytest.fixture
def slug(store: Store, tmp_path: Path) -> str:
    created = judgelab(store.url, "project", "create", "Answers", "--study", "qa_eval")
    assert created.returncode == 0, created.stderr
    lines = []
    for n, (gold, answer, people, gpt, strict) in enumerate(ROWS):
        text = {"item_id": f"q{n}", "question": f"What is {n}?", "references": [gold], "response": answer}
        for rater, kind, score in (
            ("Ann", "human", people),
            ("gpt", "judge", gpt),
            ("strict", "judge", strict),
        ):
            lines.append((kind, {**text, "rater": rater, "criterion": "correct", "score": score}))
    for kind, name in (("human", "ratings"), ("judge", "judgments")):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row_kind, row in lines if row_kind == kind))
        import_files(store, "answers", collect_files([path]), kind=name)
    score_project(store, "answers", ["exact_match"])
    return "answers"


def responses(store: Store, slug: str) -> dict[str, int]:
    from judgelab.store.models import ResponseRow

    with store.reading() as session:
        find_project(session, slug)
        return {row.text: row.id for row in session.query(ResponseRow)}


def counts(store: Store, slug: str) -> dict[tuple[str, str], tuple[int, int]]:
    return {
        (row.rater, row.kind): (row.wrong, row.tagged)
        for row in failure_modes(store, slug).rows
        if row.tagged
    }


def propose(store: Store, slug: str, words: dict[str, str]) -> StepReport:
    return prepare(store, slug, "tags", words, differences=large_disagreements)


def test_a_tag_on_one_judges_failure_asks_every_judge_and_metric(store: Store, slug: str) -> None:
    ids = responses(store, slug)
    for answer, kind in (
        ("thirty-two degrees", "symbolic"), ("117 km", "symbolic"), ("28 February 1648", "granularity")
    ):  # fmt: skip
        assert toggle_tag(store, slug, response=ids[answer], judge="strict", kind=kind, person_id=None)
    assert counts(store, slug) == {
        ("exact_match", "symbolic"): (2, 2),
        ("exact_match", "granularity"): (1, 1),
        ("gpt", "symbolic"): (1, 2),
        ("gpt", "granularity"): (0, 1),
        ("strict", "symbolic"): (2, 2),
        ("strict", "granularity"): (1, 1),
    }
    tags_json = json.loads(judgelab(store.url, "tags", slug, "--json").stdout)
    row = next(
        judge_row
        for judge_row in tags_json["judges"]
        if (judge_row["rater"], judge_row["kind"]) == ("strict", "symbolic")
    )
    assert (row["wrong"], row["tagged"], row["own"], row["proposed"]) == (2, 2, 2, 0)
    assert len(tags_json["tags"]) == 3 and len(tags_json["kinds"]) == 6 and tags_json["far"] == 1.0
    assert not toggle_tag(
        store, slug, response=ids["117 km"], judge="strict", kind="symbolic", person_id=None
    )
    assert counts(store, slug)["gpt", "symbolic"] == (0, 1)
    with pytest.raises(NotFound, match="symbollic"):
        toggle_tag(store, slug, response=ids["117 km"], judge="strict", kind="symbollic", person_id=None)


def test_a_models_proposal_counts_once_a_person_accepts_it(store: Store, slug: str, tmp_path: Path) -> None:
    script = tmp_path / "tags.json"
    script.write_text(
        json.dumps(
            {
                "thirty-two": ["The number stands in words.\nsymbolic"],
                "117 km": ["Another unit.\n**Symbolic**"],
                "28 February": ["no idea"],
                "Schiller": ["Two different men.\nnone"],
            }
        )
    )
    words = {"judge": "strict", "backend": "scripted", "model": str(script)}
    report = propose(store, slug, words)
    assert (report.data["disagreements"], report.data["proposed"], report.data["none"], report.missing) == (
        4,
        2,
        1,
        1,
    )
    ids = responses(store, slug)
    (tag,) = response_tags(store, slug, response=ids["117 km"], judge="strict")
    assert (tag.state, tag.proposer, tag.note) == ("proposed", str(script), "Another unit.")
    assert counts(store, slug) == {}
    toggle_tag(store, slug, response=ids["117 km"], judge="strict", kind="symbolic", person_id=None)
    dismiss_tag(store, response=ids["thirty-two degrees"], judge="strict", kind="symbolic")
    assert counts(store, slug)["strict", "symbolic"] == (1, 1)
    second_report = propose(store, slug, words)
    assert second_report.data["proposed"] == 0  # what was dismissed does not come again
    with pytest.raises(UserError, match="no judge named 'nobody'"):
        propose(store, slug, {**words, "judge": "nobody"})
    perfect = {**words, "judge": "gpt", "limit": "1"}
    assert propose(store, slug, perfect).data["proposed"] == 1
    with pytest.raises(InvalidInput, match="no differences left to tag"):
        propose(store, slug, perfect)


def test_a_judge_with_a_scale_of_its_own_is_set_against_nobody(store: Store, slug: str) -> None:
    ids = responses(store, slug)
    toggle_tag(store, slug, response=ids["117 km"], judge="gpt", kind="symbolic", person_id=None)
    with store.writing() as session:
        project = find_project(session, slug).id
        rows = session.query(JudgeRow).filter_by(project_id=project, name="strict").all()
        assert rows
        for row in rows:
            row.own_scale = True
    clear_caches()
    assert ("strict", "symbolic") not in counts(store, slug)
    assert counts(store, slug)["gpt", "symbolic"] == (1, 1)
    with pytest.raises(InvalidInput, match="the scores of 'strict' can't be compared with the raters'"):
        propose(store, slug, {"judge": "strict", "backend": "scripted", "model": "none"})


def test_a_metric_between_right_and_wrong_differs_on_the_scale_of_the_people(store: Store, slug: str) -> None:
    ids = responses(store, slug)
    scores_by_response = {
        difference.response: (difference.human, difference.judged)
        for difference in large_disagreements(store, slug, "exact_match")
    }
    assert scores_by_response == {
        ids[name]: (1.0, 0.0) for name in ("thirty-two degrees", "28 February 1648", "117 km")
    }


def test_tags_go_out_with_the_project_and_come_back(store: Store, slug: str, tmp_path: Path) -> None:
    ids = responses(store, slug)
    toggle_tag(store, slug, response=ids["117 km"], judge="strict", kind="symbolic", person_id=None)
    before = counts(store, slug)
    export_project(store, slug, tmp_path / "out")
    with store.writing() as session:
        delete_project(session, slug)
    import_files(store, slug, collect_files([tmp_path / "out"]))
    assert counts(store, slug) == before
    assert failure_modes(store, slug).tags[0].judge == "strict"


def test_only_a_last_line_that_names_a_mode_is_read() -> None:
    assert read_tags("Said otherwise.\nKind: incorrect references.") == (
        "incorrect_references",
        "Said otherwise.",
    )
    assert read_tags("```\nNo.\nnone\n```") == ("none", "No.")
    assert read_tags("semantic or symbolic") == (None, "")
    assert read_tags("") == (None, "")
