"""lm-evaluation-harness: samples without results, several systems, and several tasks with the same ids."""

from __future__ import annotations

import json
from typing import Any

from judgelab.store.db.engine import Store
from tests.imports.conftest import Refused
from tests.imports.result_files import imported


def _line(answer: str, doc: dict[str, Any], *, prompt: str = "Why?") -> dict[str, Any]:
    return {
        "doc_id": 0,
        "doc": doc,
        "target": "Rain.",
        "arguments": {"gen_args_0": {"arg_0": prompt}},
        "resps": [[answer]],
        "filtered_resps": [answer[:1]],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        "doc_hash": json.dumps(doc),
    }


def _file(*lines: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def test_systems_meet_in_an_item_though_their_prompts_differ(store: Store) -> None:
    doc = {"lines": "Why?"}
    files = {
        "red/samples_t.jsonl": _file(_line("It rains.", doc, prompt="<user>Why?")),
        "blue/samples_t.jsonl": _file(_line("Clouds.", doc, prompt="[INST]Why?")),
    }
    held = imported(store, files)
    assert (len(held.items), held.responses) == (1, 2)


def test_the_same_id_in_two_tasks_is_two_items(store: Store) -> None:
    files = {
        "red/samples_a.jsonl": _file(_line("It rains.", {"id": "1", "question": "Why?"})),
        "red/samples_b.jsonl": _file(_line("Bo.", {"id": "1", "question": "Who?"})),
    }
    assert len(imported(store, files).items) == 2


def test_filters_of_a_task_score_one_response_under_names_of_their_own(store: Store) -> None:
    strict = _line("The answer is 4.", {"id": "a", "question": "2+2?"})
    strict |= {"filter": "strict-match", "metrics": ["judge_right"], "judge_right": 1.0}
    loose = strict | {"filter": "flexible-extract", "filtered_resps": ["4"], "judge_right": 0.0}
    held = imported(store, {"samples_t.jsonl": _file(strict, loose)})
    assert held.responses == 1
    assert sorted(held.scores["score"]) == [0, 1]
    assert held.scores["criterion"].nunique() == 2


def test_results_alone_say_what_to_import(refused: Refused) -> None:
    results = {"results": {"t": {"alias": "t"}}, "configs": {}, "model_name": "red"}
    (problem,) = refused(json.dumps(results), "results_2026-01-02T03-04-05.6.json")
    assert "--log_samples" in problem.message
