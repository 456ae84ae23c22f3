"""Results that contradict each other: ids of several questions, contexts of each system, names alike."""

from __future__ import annotations

import json
from typing import Any

from judgelab.imports.files.sources import Source
from judgelab.imports.results import ResultTable, result_files_by_tool


def _table(*documents: dict[str, Any]) -> ResultTable:
    sources = [Source(f"{i}.json", json.dumps(one).encode()) for i, one in enumerate(documents)]
    (found,), others = result_files_by_tool(sources)
    assert not others
    return found.read()


def _values(table: ResultTable, column: str) -> list[Any]:
    return [row[column] for _, row in table.rows]


def _log(model: str, question: str, answer: str) -> dict[str, Any]:
    sample = {"id": "a", "epoch": 1, "input": question, "output": {"completion": answer}, "scores": {}}
    return {"status": "success", "eval": {"eval_id": "e", "task": "t", "model": model}, "samples": [sample]}


def _run(*cases: dict[str, Any]) -> dict[str, Any]:
    return {"testCases": [{"metricsData": [], **case} for case in cases]}


def test_one_id_of_two_questions_is_two_items() -> None:
    table = _table(_log("red", "Why?", "Rain."), _log("red", "Who?", "Bo."), _log("blue", "Who?", "Al."))
    first, *others = _values(table, "item_id")
    assert first == "a"
    assert len(set(others)) == 1 and others[0] != "a"
    assert any("1 id has several questions" in notice for notice in table.notices)


def test_a_question_that_differs_in_spaces_is_the_same() -> None:
    table = _table(_log("red", "Why  so?", "Rain."), _log("blue", "Why so?\n", "Clouds."))
    assert _values(table, "question") == ["Why  so?", "Why  so?"]
    assert set(_values(table, "item_id")) == {"a"}


def test_two_models_that_differ_in_who_serves_them_keep_their_whole_names() -> None:
    table = _table(
        _log("x/red", "Why?", "Rain."), _log("y/red", "Why?", "Clouds."), _log("x/blue", "Why?", "Sun.")
    )
    assert _values(table, "system") == ["x/red", "y/red", "blue"]


def test_contexts_of_each_system_are_left_out() -> None:
    case = {"name": "a", "input": "Why?"}
    table = _table(
        {**_run({**case, "actualOutput": "Rain.", "retrievalContext": ["Clouds."]}), "identifier": "red"},
        {**_run({**case, "actualOutput": "Sun.", "retrievalContext": ["Heat."]}), "identifier": "blue"},
    )
    assert _values(table, "context") == ["", ""]
    assert any("contexts that differ" in notice for notice in table.notices)


def test_names_of_a_test_function_are_no_ids() -> None:
    cases = [{"name": "test_answers", "input": one, "actualOutput": one[:3]} for one in ("Why?", "Who?")]
    numbered = [{"name": f"test_x[case{i}]", "input": f"{i}?", "actualOutput": "Yes."} for i in range(2)]
    items = _values(_table(_run(*cases, *numbered)), "item_id")
    assert len(set(items)) == 4
    assert not any(item.startswith("test") for item in items)
