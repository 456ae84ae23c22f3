"""`judgelab eval FILE.jsonl`: candidate answers in, accuracy and verdicts out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.runs.openai_server import Server

ROWS = [
    {"system": "A", "question": "who wrote faust", "answer": ["Goethe"], "prediction": "J. W. Goethe"},
    {"system": "B", "question": "who wrote faust", "answer": ["Goethe"], "prediction": "Schiller"},
    {"system": "A", "question": "how many moons has mars", "answer": "2", "prediction": 2},
    {"system": "B", "question": "how many moons has mars", "answers": ["2", "two"], "prediction": ""},
]


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.habits.answers = ["The same.\nyes"]
        yield running


def file_of(folder: Path, rows: list[object]) -> str:
    path = folder / "answers.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return str(path)


@pytest.mark.usefixtures("worker")
def test_accuracy_is_printed_and_verdicts_are_written_line_by_line(
    store: Store, server: Server, tmp_path: Path
) -> None:
    judgelab(store.url, "endpoint", "add", "local", "--base-url", server.url)
    out = tmp_path / "verdicts.jsonl"
    words = ("eval", file_of(tmp_path, ROWS), "--endpoint", "local", "--model", "tiny", "--temperature", "1")
    result = judgelab(store.url, *words, "--max-tokens", "90", "--out", str(out))
    assert (result.returncode, result.stdout) == (
        0,
        "Accuracy: 100.0 % (4 of 4 lines scored)\n  A: 100.0 % of 2\n  B: 100.0 % of 2\n",
    ), result.stderr
    assert server.bodies[0]["temperature"] == 1.0 and server.bodies[0]["n"] == 3
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [verdict["line"] for verdict in verdicts] == [1, 2, 3, 4]
    assert {(verdict["verdict"], verdict["state"], verdict["explanation"]) for verdict in verdicts} == {
        ("yes", "scored", "The same.")
    }
    assert verdicts[3]["answer"] == ["2", "two"] and verdicts[0]["votes"] == {"1": 1.0}
    calls = server.calls
    second_report = json.loads(judgelab(store.url, *words, "--max-tokens", "90", "--json").stdout)
    assert (second_report["accuracy"], second_report["systems"]["A"]) == (1.0, {"accuracy": 1.0, "scored": 2})
    assert server.calls == calls  # the same project and prompts: nothing is paid for twice
    assert len(json.loads(judgelab(store.url, "project", "list", "--json").stdout)) == 1


@pytest.mark.usefixtures("worker")
def test_an_unreadable_reply_is_no_no_and_shows_in_the_exit_code(store: Store, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"Schiller": ["Another man.\\nno"], "*": ["I cannot tell."]}')
    words = ("eval", file_of(tmp_path, ROWS), "--backend", "scripted", "--model", str(script))
    result = judgelab(store.url, *words, "--samples", "1", "--json")
    assert result.returncode == 2
    data = json.loads(result.stdout)
    assert (data["lines"], data["scored"], data["unscored"], data["accuracy"]) == (4, 1, 3, 0.0)


def test_every_bad_line_is_named_and_nothing_is_judged(store: Store, tmp_path: Path) -> None:
    rows = [ROWS[0], "{no json", {"question": "q", "prediction": "p"}, "", {"answer": "a", "prediction": "p"}]
    result = judgelab(store.url, "eval", file_of(tmp_path, rows), "--backend", "scripted", "--model", "rule")
    assert (result.returncode, result.stdout) == (1, "")
    assert [line.split(";")[0] for line in result.stderr.splitlines()] == [
        "answers.jsonl: row 2: this is not a JSON object",
        "answers.jsonl: row 3: the line has no reference answer",
        "answers.jsonl: row 5: the line has no question",
    ]
    missing = judgelab(store.url, "eval", "nowhere.jsonl", "--backend", "scripted", "--model", "rule")
    assert (missing.returncode, missing.stderr.startswith("can't read nowhere.jsonl: ")) == (1, True)
