"""Files of tools that trace programs: several shapes of the same scores, and scores without their traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from judgelab.imports.files.sources import Source
from judgelab.imports.results import result_files_by_tool
from judgelab.store.db.engine import Store
from tests.imports.result_files import imported


class Set(NamedTuple):
    """Files to import together; `absent` judgments failed without a trace in the files.

    The edits of a file that stands for a person without a name are this rater's.
    """

    folder: str
    files: tuple[str, ...]
    absent: int = 0
    edits_by: str = ""


MLFLOW = ("traces.json", "traces.csv", "traces_dataframe.json")
PHOENIX = (
    *("evals_as_annotations.csv", "evals_dataframe.csv", "spans.csv", "spans.json"),
    *(f"span_annotations.{ending}" for ending in ("csv", "json", "parquet")),
)
LANGSMITH = (
    *("experiment_aster-small.json", "experiment_briar-large.csv", "experiment_briar-large.json"),
    *("dataset_examples.jsonl", "runs.jsonl"),
)
SETS = (
    *(Set("mlflow", (name,)) for name in MLFLOW),
    Set("mlflow", ("assessments.json", *MLFLOW)),
    Set("langfuse", ("observations.jsonl", "scores_api.json"), absent=1),
    Set("langfuse", ("observations.jsonl", "scores_ui_export.csv"), absent=1),
    Set("langfuse", ("scores_ui_export.csv", "scores_api.json", "observations.jsonl"), absent=1),
    *(
        Set("phoenix", (spans, f"span_annotations.{ending}", evaluated), edits_by="human")
        for spans, ending, evaluated in (
            ("spans.csv", "csv", "evals_dataframe.csv"),
            ("spans.json", "json", "evals_as_annotations.csv"),
            ("spans.json", "parquet", "evals_dataframe.csv"),
        )
    ),
    Set("phoenix", PHOENIX, edits_by="human"),
    Set("langsmith", ("runs.jsonl", "feedback.jsonl"), edits_by="human"),
    Set("langsmith", ("feedback.jsonl", "experiment_aster-small.csv", *LANGSMITH), edits_by="human"),
)


def _cells(folder: Path, names: tuple[str, ...]) -> tuple[list[dict[str, Any]], str]:
    found, others = result_files_by_tool([Source(name, (folder / name).read_bytes()) for name in names])
    assert (len(found), others) == (1, [])
    table = found[0].read()
    return [dict(row) for _, row in table.rows], " ".join(table.notices)


@pytest.mark.datasets
@pytest.mark.parametrize("files", SETS, ids=lambda files: f"{files.folder} {' '.join(files.files)}")
def test_every_shape_holds_the_scores_that_the_tool_gave(files: Set, formats: Path, store: Store) -> None:
    expected = json.loads((formats / files.folder / "EXPECTED.json").read_text(encoding="utf-8"))
    rows, _ = _cells(formats / files.folder, files.files)
    assert {row["item_id"] for row in rows} == set(expected["item_ids"])
    assert len({(row["item_id"], row["system"], row["response"]) for row in rows}) == expected["responses"]
    judged = [_wanted(one, one["judge"]) for one in expected["judge_scores"]]
    found = _scores(rows, "judge")
    assert sorted(one for one in found if one[4] is not None) == sorted(
        one for one in judged if one[4] is not None
    )
    assert len(found) == len(judged) - files.absent
    assert all(row["comment"] for row in rows if row.get("rater_kind") == "judge" and row["score"] is None)
    wanted = [_wanted(one, one["rater"]) for one in expected["human_ratings"]]
    if files.edits_by:
        wanted += [_edit(one, files.edits_by) for one in expected["edits"]]
    assert sorted(_scores(rows, "human"), key=str) == sorted(wanted, key=str)
    held = imported(store, {name: (formats / files.folder / name).read_bytes() for name in files.files})
    assert (held.items, held.responses) == (set(expected["item_ids"]), expected["responses"])
    assert len(held.scores) + held.unscored == len(judged) - files.absent + len(wanted)


def _scores(rows: list[dict[str, Any]], kind: str) -> list[tuple[Any, ...]]:
    keys = ("item_id", "system", "rater", "criterion", "score")
    return [tuple(row[key] for key in keys) for row in rows if row.get("rater_kind") == kind]


def _wanted(one: dict[str, Any], rater: str) -> tuple[Any, ...]:
    value = one["value"]
    return (
        *(one["item"], one["system"], rater, one["criterion"]),
        float(value) if isinstance(value, int) else value,
    )


def _edit(one: dict[str, Any], rater: str) -> tuple[Any, ...]:
    criterion = one.get("criterion", "helpfulness")
    return (one["item"], one["system"], rater, criterion, float(one["human_value"]))


@pytest.mark.datasets
def test_assessments_without_traces_keep_their_scores(formats: Path, store: Store) -> None:
    held = imported(store, {"a.json": (formats / "mlflow" / "assessments.json").read_bytes()})
    assert (len(held.items), len(held.scores), held.unscored) == (12, 34, 1)
    _, said = _cells(formats / "mlflow", ("assessments.json",))
    assert "12 traces have scores, but their texts are in none" in said


def _read(files: dict[str, str]) -> tuple[list[dict[str, Any]], str]:
    found, _ = result_files_by_tool([Source(name, text.encode()) for name, text in files.items()])
    table = found[0].read()
    return [dict(row) for _, row in table.rows], " ".join(table.notices)


def _assessment(number: int, kind: str, value: Any, **more: Any) -> dict[str, Any]:
    source = {"source_type": kind, "source_id": "Ada" if kind == "HUMAN" else "owl"}
    named = {"assessment_id": f"a{number}", "assessment_name": "clear", "trace_id": "t", "source": source}
    return {**named, "create_time": f"2026-01-0{number}T00:00:00Z", "feedback": {"value": value}, **more}


def test_a_correction_does_not_replace_the_score_that_the_same_person_gave_before() -> None:
    given = [
        _assessment(1, "LLM_JUDGE", 2.0, valid=False),
        _assessment(2, "HUMAN", 1.0),
        _assessment(3, "HUMAN", 5.0, overrides="a1"),
    ]
    rows, said = _read({"assessments.json": json.dumps(given)})
    assert [(row["rater"], row["score"]) for row in rows] == [("owl", 2.0), ("Ada", 1.0)]
    assert "corrections of a score by people who had rated the response themselves (1)" in said


def test_of_two_scores_by_a_person_the_last_one_counts() -> None:
    given = [_assessment(2, "HUMAN", 4.0), _assessment(1, "HUMAN", 1.0)]
    rows, _ = _read({"assessments.json": json.dumps(given)})
    assert [row["score"] for row in rows] == [4.0]


def _observation(number: int, kind: str, output: Any, parent: str | None) -> dict[str, Any]:
    found = {"id": f"o{number}", "traceId": "t", "type": kind, "input": {"question": "Why?"}, "model": "red"}
    return {**found, "output": output, "metadata": {"item_id": "a"}, "parentObservationId": parent}


def _langfuse_score(number: int, source: str, name: str, value: Any, **subject: str) -> dict[str, Any]:
    found = {"id": f"s{number}", "dataType": "NUMERIC", "configId": None, "source": source, "name": name}
    return {**found, "value": value, "subject": subject or {"kind": "trace", "id": "t"}}


def test_the_answer_of_a_trace_is_that_of_its_outermost_observation() -> None:
    steps = [
        _observation(1, "SPAN", None, "o3"),
        _observation(2, "GENERATION", {"role": "assistant", "content": "A draft."}, "o3"),
        _observation(3, "SPAN", {"answer": "It rains.", "steps": 2}, None),
    ]
    scores = [
        _langfuse_score(1, "ANNOTATION", "clear", 4),
        _langfuse_score(2, "ANNOTATION", "clear", 2, kind="observation", id="o2", traceId="t"),
        _langfuse_score(3, "ANNOTATION", "clear", 1, kind="observation", id="o1", traceId="t"),
        _langfuse_score(4, "ANNOTATION", "clear", 5, kind="session", id="x"),
    ]
    rows, said = _read({"o.jsonl": "\n".join(map(json.dumps, steps)), "s.json": json.dumps({"data": scores})})
    found = {(row["item_id"], row["system"], row["response"], row["score"]) for row in rows}
    assert found == {("a", "red", "It rains.", 4), ("a", "red", "A draft.", 2)}
    assert "scores of steps without an answer (1)" in said
    assert "scores of sessions or experiments, not of a response (1)" in said


def test_scores_that_a_program_sent_are_told_apart_by_their_names_and_it_is_said() -> None:
    named = ("user_rating", "tone_judge", "length")
    scores = [_langfuse_score(number, "API", name, 3) for number, name in enumerate(named)]
    rows, said = _read({"s.json": json.dumps({"data": scores})})
    assert [(row["rater"], row["rater_kind"]) for row in rows] == [
        ("human", "human"),
        ("tone_judge", "judge"),
        ("length", "metric"),
    ]
    assert all(f"read as a {kind}'s" in said for kind in ("person", "judge", "metric"))


def _span(number: int, parent: str | None, output: str) -> dict[str, Any]:
    named = {"context.span_id": f"s{number}", "context.trace_id": "t", "parent_id": parent}
    texts = {"attributes.input.value": "Why?", "attributes.output.value": output}
    return {**named, **texts, "attributes.llm.model_name": "red", "attributes.metadata": {"item_id": "a"}}


ANNOTATIONS = """span_id,annotation_name,annotator_kind,metadata,identifier,result.label,result.score
s2,clear,HUMAN,{},Ada,good,4.0
s2,clear,LLM,"{'model': 'owl', 'cost': nan}",,good,1.0
s2,tone,LLM,{},,curt,
s9,clear,HUMAN,{},,bad,2.0
"""


def test_annotations_are_of_the_spans_that_they_name() -> None:
    spans = [_span(1, None, "Done."), _span(2, "s1", "It rains."), _span(3, "s1", "[]")]
    rows, said = _read({"spans.json": json.dumps(spans), "annotations.csv": ANNOTATIONS})
    found = [(row["item_id"], row["response"], row["rater"], row["criterion"], row["score"]) for row in rows]
    assert found == [
        ("a", "It rains.", "Ada", "clear", 4.0),
        ("a", "It rains.", "owl", "clear", 1.0),
        ("a", "It rains.", "tone", "tone", "curt"),
        ("s9", "", "human", "clear", 2.0),
    ]
    assert "steps of traces that nobody scored (2)" in said
    assert "1 trace has scores, but its texts are in none" in said
    assert "by 'clear', judges score from 1 to 1 and people up to 4: the scales differ" in said


def test_of_a_trace_that_nobody_annotated_the_outermost_span_has_the_answer() -> None:
    spans = [_span(2, "s1", "A draft."), _span(1, None, "It rains.")]
    rows, _ = _read({"spans.json": json.dumps(spans)})
    assert [row["response"] for row in rows] == ["It rains."]


def test_a_table_that_names_its_index_twice_is_read() -> None:
    cells = "context.span_id,parent_id,context.span_id,attributes.input.value,attributes.output.value\n"
    rows, _ = _read({"spans.csv": f"{cells}s1,,s1,Why?,It rains.\n"})
    assert [(row["question"], row["response"]) for row in rows] == [("Why?", "It rains.")]


@pytest.mark.datasets
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_experiments_are_told_apart_by_their_files(ending: str, formats: Path) -> None:
    names = tuple(f"experiment_{system}.{ending}" for system in ("aster-small", "briar-large"))
    rows, said = _cells(formats / "langsmith", (*names, "dataset_examples.jsonl"))
    expected = json.loads((formats / "langsmith" / "EXPECTED.json").read_text(encoding="utf-8"))
    assert sorted(_scores(rows, "judge"), key=str) == sorted(
        (_wanted(one, "helpfulness") for one in expected["judge_scores"]), key=str
    )
    assert "named by their files: 'aster-small', 'briar-large'" in said


FEEDBACK = """{"id": "1", "run_id": "r", "key": "clear", "score": 2, "correction": {"clear": 4},
 "feedback_source": {"type": "model", "metadata": {"model": "owl"}}}
{"id": "2", "run_id": "r", "key": "clear", "score": null, "value": null, "extra": {"error": true},
 "comment": "JSONDecodeError", "feedback_source": {"type": "model", "metadata": {}}}
{"id": "3", "run_id": "r", "key": "user_rating", "score": 5, "feedback_source": {"type": "api"}}
{"id": "4", "run_id": "r", "key": "better", "score": 1, "comparative_experiment_id": "c",
 "feedback_source": {"type": "app", "user_name": "Ada"}}
""".replace("\n ", " ")


def test_a_correction_is_a_persons_score_beside_the_judges() -> None:
    rows, said = _read({"feedback.jsonl": FEEDBACK})
    assert [(row["rater"], row["rater_kind"], row["score"]) for row in rows] == [
        ("owl", "judge", 2),
        ("human", "human", 4),
        ("owl", "judge", None),
        ("human", "human", 5),
    ]
    assert rows[2]["comment"] == "JSONDecodeError"
    assert "read as a person's by their names: 'user_rating'" in said
    assert "feedback that compares runs (1)" in said


def test_an_experiment_alone_has_the_texts_and_the_name_of_its_file() -> None:
    table = (
        "inputs.q,outputs.answer,error,reference.answer,feedback.clear,feedback.exact_match,example_id,id\n"
    )
    rows, _ = _read({"experiment_red.csv": f"{table}Why?,It rains.,,Rain.,4,1,e1,r1\n"})
    first = rows[0]
    assert (first["item_id"], first["system"], first["question"]) == ("e1", "red", "Why?")
    assert (first["response"], first["reference"]) == ("It rains.", "Rain.")
    assert [(row["rater_kind"], row["score"]) for row in rows] == [("judge", 4.0), ("metric", 1.0)]


def _run(inputs: Any, outputs: Any, **more: Any) -> str:
    run = {"id": "r", "name": "ChatOpenAI", "run_type": "llm", "inputs": inputs, "outputs": outputs}
    return json.dumps(
        {**run, "extra": {"metadata": {"ls_model_name": "red"}}, "reference_example_id": "e", **more}
    )


def test_messages_of_langchain_are_texts_with_their_roles() -> None:
    system = {"lc": 1, "type": "constructor", "kwargs": {"type": "system", "content": "Be short."}}
    asked = {"lc": 1, "type": "constructor", "kwargs": {"type": "human", "content": "Why?"}}
    said = {"generations": [[{"text": "It rains.", "message": {"kwargs": {"content": "It rains."}}}]]}
    rows, _ = _read(
        {"runs.json": _run({"messages": [[system, asked]]}, {**said, "llm_output": None, "run": None})}
    )
    first = rows[0]
    assert (first["question"], first["response"]) == ("system: Be short.\n\nuser: Why?", "It rains.")
    turns = [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "Because."}]
    rows, _ = _read({"runs.json": _run({"question": "Why?"}, {"messages": turns})})
    assert rows[0]["response"] == "Because."


def test_a_system_prompt_is_no_system_and_a_source_no_context() -> None:
    asked = {"system": "You are helpful.", "question": "Why?"}
    extra = {"metadata": {"ls_model_name": "red", "source": "web", "category": "weather"}}
    rows, _ = _read({"runs.json": _run(asked, "It rains.", extra=extra)})
    first = rows[0]
    assert (first["system"], first["context"], first["group"]) == ("red", "", "weather")


def test_a_trace_with_its_observations_and_scores_is_one_response() -> None:
    trace = {
        **{"id": "t", "htmlPath": "/x", "input": {"messages": [{"role": "user", "content": "Why?"}]}},
        **{"output": {"choices": [{"message": {"role": "assistant", "content": "It rains."}}]}},
        "observations": [_observation(1, "GENERATION", "A draft.", None)],
        "scores": [{**_langfuse_score(1, "ANNOTATION", "clear", 4), "traceId": "t"}],
    }
    rows, _ = _read({"trace.json": json.dumps(trace)})
    assert [(row["item_id"], row["system"], row["question"], row["response"]) for row in rows] == [
        ("a", "red", "Why?", "It rains.")
    ]


def test_a_table_of_mlflow_2_is_read() -> None:
    table = "request_id,trace,status,request,response,request_metadata,spans,tags\n"
    row = 'x,Trace(request_id=x),OK,"{""question"": ""Why?""}","""It rains.""",{},[],{}\n'
    rows, _ = _read({"traces.csv": table + row})
    assert [(row["question"], row["response"]) for row in rows] == [("Why?", "It rains.")]


def test_who_sent_a_score_whose_name_does_not_say_so_is_asked() -> None:
    source = {"type": "api", "user_name": "Ada"}
    feedback = {"id": "1", "run_id": "r", "key": "clear", "score": 2, "feedback_source": source}
    files = [Source("feedback.jsonl", json.dumps(feedback).encode())]
    found, _ = result_files_by_tool(files)
    assert found[0].read().unclear == "clear"
    given = [dict(row) for kind in ("human", "judge") for _, row in found[0].read(kind).rows]
    assert [(row["rater"], row["rater_kind"]) for row in given] == [("Ada", "human"), ("clear", "judge")]
