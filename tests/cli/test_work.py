"""`project set` and `project mark`: settings of the work and known scores on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from judgelab.annotation.links import own_forms
from judgelab.annotation.links.questions import FormQuestion
from judgelab.store.db.engine import Store
from judgelab.store.models import GoldScore, ItemRow
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import gold
from tests.annotation.conftest import make_project
from tests.command import CommandResult, judgelab


def _run(store: Store, *words: str) -> CommandResult:
    return judgelab(store.url, "project", *words)


def test_settings_are_changed_shown_and_refused_by_name(store: Store) -> None:
    make_project(store, answers=2)
    result = _run(store, "set", "soup-flasks", "attention_every=20", "training.needed=0.8", "--json")
    assert json.loads(result.stdout)["settings"]["attention_every"] == 20
    with store.reading() as session:
        settings = find_project(session, "soup-flasks").settings
    assert (settings["attention_every"], settings["training"]) == (20, {"needed": 0.8})
    _run(store, "set", "soup-flasks", "language=ar")
    with store.reading() as session:
        assert find_project(session, "soup-flasks").settings["language"] == "ar"
    assert "attention_every = 20" in _run(store, "set", "soup-flasks").stdout
    for words, message in [
        ("gold_share=2", "from 0 to 0.5"),
        ("raters_per_response=1001", "from 1 to 1,000"),
        ("lease=5", "no setting named"),
        ("budget=5", "Did you mean 'budget_usd'?"),
        ("x", "KEY=VALUE"),
        ("language=xx", "use one of en, ar, de, or 'none'"),
        ("ask_strength=true", "ask_strength: only applies to the form pairwise"),
    ]:
        refused = _run(store, "set", "soup-flasks", words)
        assert refused.returncode == 1 and message in refused.stderr, words


def test_forms_of_raters_come_from_text_files(store: Store, tmp_path: Path) -> None:
    make_project(store, answers=2)
    file = tmp_path / "before.txt"
    file.write_text("Age: number\n\nHand: choice=left|right, optional\n", encoding="utf-8")
    assert _run(store, "set", "soup-flasks", f"entry_questions={file}").returncode == 0
    with store.reading() as session:
        asked = own_forms.project_form(find_project(session, "soup-flasks").settings, own_forms.ENTRY)
    assert asked == (FormQuestion("Age", "number"), FormQuestion("Hand", "choice", ("left", "right"), False))
    file.write_text("Age: colour", encoding="utf-8")
    for words, message in (
        (f"exit_questions={file}", "'Age': after the colon, write one of text, paragraph, number"),
        (f"exit_questions={tmp_path / 'none.txt'}", "exit_questions: can't read"),
    ):
        refused = _run(store, "set", "soup-flasks", words)
        assert refused.returncode == 1 and message in refused.stderr, words
    assert _run(store, "set", "soup-flasks", "entry_questions=none").returncode == 0
    with store.reading() as session:
        assert find_project(session, "soup-flasks").settings["entry_questions"] == []


def test_known_scores_come_from_a_file_and_reserve_items(store: Store, tmp_path: Path) -> None:
    project = make_project(store, answers=4)
    file = tmp_path / "known.csv"
    file.write_text(
        "item_id,criterion,score,purpose,tolerance,loud,explanation,cohort\n"
        "q0,relevance,2,gold,,,,\n"
        "q1,relevance,3,attention,0,yes,Read the lid.,\n"
        "q1,fluency,5,attention,0,yes,,\n"
        "q2,fluency,4,training,1,,,\n"
        "q3,,,,,,,experts\n",
        encoding="utf-8",
    )
    result = _run(store, "mark", "soup-flasks", str(file))
    assert result.stdout.strip() == "stored known scores of 3 responses; reserved 1 item", result.stderr
    with store.reading() as session:
        assert gold.count_gold(session, project) == gold.GoldCounts(
            gold=1, attention=1, training=1, unscored=0
        )
        assert gold.cohort_of(session, project, "q3") == "experts"
        purposes = dict(session.query(ItemRow.external_id, ItemRow.purpose))
        rows = [(row.score, row.tolerance, row.loud, row.explanation) for row in session.query(GoldScore)]
    assert purposes == {"q0": "data", "q1": "attention", "q2": "training", "q3": "data"}
    assert (3, 0, True, "Read the lid.") in rows and (4, 1, False, "") in rows


def test_a_wrong_file_is_told_by_row_and_column_and_stores_nothing(store: Store, tmp_path: Path) -> None:
    project = make_project(store, answers=2)
    file = tmp_path / "known.csv"
    file.write_text(
        "item_id,criterion,score,purpose\nq0,relevance,2,gold\nq1,relevance,9,gold\n", encoding="utf-8"
    )
    refused = _run(store, "mark", "soup-flasks", str(file))
    assert refused.returncode == 1
    assert "row 3, column 'score'" in refused.stderr and "Nothing was stored" in refused.stderr
    file.write_text("question,score\nWhy?,2\n", encoding="utf-8")
    assert "'item_id' is missing" in _run(store, "mark", "soup-flasks", str(file)).stderr
    with store.reading() as session:
        assert gold.count_gold(session, project).gold == 0


def test_questions_to_raters_come_from_a_file(store: Store, tmp_path: Path) -> None:
    make_project(store, answers=1)
    file = tmp_path / "questions.json"
    file.write_text('[{"key": "why", "text": "Why?", "when": "relevance < 2"}]', encoding="utf-8")
    result = _run(store, "set", "soup-flasks", f"questions={file}", "--json")
    assert json.loads(result.stdout)["settings"]["questions"][0]["key"] == "why"
    refused = _run(store, "set", "soup-flasks", "form=pairwise")
    assert refused.returncode == 1 and "'why' depends on a score" in refused.stderr
    file.write_text('[{"text": "Why?", "when": "Relevance < 2"}]', encoding="utf-8")
    result = _run(store, "set", "soup-flasks", f"questions={file}", "--json")
    (question,) = json.loads(result.stdout)["settings"]["questions"]
    assert (question["key"], question["when"]) == ("why", "relevance < 2")
    file.write_text('[{"key": "why", "text": ""}]', encoding="utf-8")
    refused = _run(store, "set", "soup-flasks", f"questions={file}")
    assert refused.returncode == 1 and "question 1: enter a text" in refused.stderr
    assert "can't read" in _run(store, "set", "soup-flasks", f"questions={tmp_path / 'no.json'}").stderr
    assert (
        json.loads(_run(store, "set", "soup-flasks", "questions=none", "--json").stdout)["settings"][
            "questions"
        ]
        == []
    )
