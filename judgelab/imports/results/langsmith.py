"""LangSmith: feedback, runs and examples as the client lists them, and the tables of experiments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from judgelab.domain import RaterKind
from judgelab.imports.core.cells import is_missing, text_of
from judgelab.imports.core.problems import listing
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import answer_text
from judgelab.imports.results.traces import (
    HUMAN,
    Judges,
    Sent,
    inside,
    kind_by_name,
    latest_of_people,
    number_of,
    reason,
    result_of,
    without_texts,
)
from judgelab.wording import mark, sentence

PERSON, JUDGES = "app", ("model", "auto_eval")  # "api" is anybody
FEEDBACK, OUTPUTS = "feedback.", "outputs."  # the beginnings of an experiment's columns
Entry = Mapping[str, Any]
_EXPERIMENT = re.compile(r"^experiments?[-_ ]+(?=.)", re.IGNORECASE)


@result_tools.register("langsmith")
class LangSmith(ResultTool):
    """Joins feedback with runs by the run, and runs with examples, which have references and ids.

    A correction is of the score that it stands beside, by a person whom the file does not name. An experiment
    has neither the system nor who gave its scores; runs and feedback have.
    """

    title = "LangSmith"
    summary = mark("Feedback by people, judges and programs for runs, and experiments, with the examples.")
    version = "0.15.1"
    examples = (
        Example(
            {
                "runs.jsonl": """{"id": "r1", "name": "red", "run_type": "chain", "parent_run_id": null,
 "inputs": {"question": "Why?"}, "outputs": {"answer": "It rains."}, "reference_example_id": "e1",
 "extra": {"metadata": {"ls_model_name": "red"}}}
""".replace("\n ", " "),
                "examples.jsonl": """{"id": "e1", "dataset_id": "d", "inputs": {"question": "Why?"},
 "outputs": {"answer": "Rain."}, "metadata": {"item_id": "a"}}
""".replace("\n ", " "),
                "feedback.json": """[{"id": "f1", "run_id": "r1", "key": "clear", "score": 2, "value": null,
"comment": "ok", "correction": {"clear": 4}, "feedback_source": {"type": "model",
 "metadata": {"model": "owl"}}},
{"id": "f2", "run_id": "r1", "key": "tone", "score": 5, "feedback_source": {"type": "app",
 "user_name": "Ada"}},
{"id": "f3", "run_id": "r1", "key": "length", "score": 9, "feedback_source": {"type": "api"}}]""",
                "red.csv": """inputs.question,outputs.answer,reference.answer,feedback.clear,example_id,id
Why?,It rains.,Rain.,2,e1,r1
Who?,Bo.,Bo,,e2,r2
""",
            },
            items=2,
            responses=2,
            human=2,
            judged=2,
            metrics=1,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether this has feedback, runs, examples of a data set, or the rows of an experiment."""
        if file.head.lstrip()[:1] in (b"{", b"["):
            return (
                file.mentions('"feedback_source"', '"run_id"')
                or file.mentions('"run_type"', '"inputs"')
                or file.mentions('"dataset_id"', '"inputs"', '"outputs"')
                or file.mentions('"inputs.', '"outputs.', '"example_id"')
            )
        columns = file.columns
        return {"run_type", "inputs", "outputs"} <= set(columns) or (
            "example_id" in columns and any(name.startswith(OUTPUTS) for name in columns)
        )

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield the scores of each run, one result for a run without any, and examples without a run."""
        runs = _Runs()
        for file in files:
            for number, entry in file.entries(notes.problems):
                runs.add(entry, number, file.name)
        yield from latest_of_people(runs.results(notes))


class _Runs:
    """Runs, examples and feedback by their ids: two files may have the same ones."""

    def __init__(self) -> None:
        self._runs: dict[str, tuple[Entry, int]] = {}
        self._tested: dict[
            str, tuple[Entry, int, str]
        ] = {}  # runs in the table of an experiment, and its name
        self._examples: dict[str, tuple[Entry, int]] = {}
        self._feedback: dict[str, tuple[Entry, int]] = {}
        self._judges = Judges()
        self._sent = Sent()

    def add(self, entry: Entry, number: int, file: str) -> None:
        """Add a row of any of the files."""
        own = text_of(entry.get("id"))
        if "run_id" in entry and "key" in entry:
            self._feedback.setdefault(own or f"{file} {number}", (entry, number))
            if _source(entry)[0] in JUDGES:
                self._judges.add(text_of(entry["key"]), _model(entry))
        elif "run_type" in entry:
            self._runs.setdefault(own, (entry, number))
        elif "dataset_id" in entry:
            self._examples.setdefault(own, (entry, number))
        else:
            system = _EXPERIMENT.sub("", PurePosixPath(file).stem)
            self._tested.setdefault(own or f"{file} {number}", (entry, number, system))

    def results(self, notes: Notes) -> Iterator[Result]:
        """Yield the scores run by run."""
        by_run: dict[str, list[tuple[Entry, int]]] = {}
        for entry, number in self._feedback.values():
            by_run.setdefault(text_of(entry.get("run_id")), []).append((entry, number))
        named, answered = set[str](), set[str]()
        for run in dict.fromkeys((*self._runs, *self._tested)):
            result = self._result(run, answered)
            given = by_run.pop(run, [])
            if run not in self._runs:
                named.add(result.system)
            if not result.response:
                notes.leave_out(sentence("traces without an answer"))
                continue
            if not given and self._is_step(run):
                notes.leave_out(sentence("steps of traces that nobody scored"))
                continue
            keys = {text_of(entry.get("key")) for entry, _ in given}
            scores = [score for entry, _ in given for score in self._scores(entry, notes)]
            scores.extend(self._of_experiment(run, keys, notes))
            for score in scores:
                yield result._replace(score=score)
            if not scores:
                yield result
        for run, given in by_run.items():
            for entry, number in given:
                for score in self._scores(entry, notes):
                    yield Result(run, number, score=score)
        for name in self._examples:
            if name not in answered:
                yield self._item(name)
        if by_run:
            notes.said.append(without_texts(len(by_run)))
        if named:
            notes.said.append(
                sentence(
                    "experiments do not name their systems; they are named by their files: {names}. Import "
                    "the runs with them for the names of the models",
                    names=listing(sorted(named)),
                )
            )
        notes.said.extend(self._sent.sentences())

    def _is_step(self, run: str) -> bool:
        return run in self._runs and not is_missing(self._runs[run][0].get("parent_run_id"))

    def _result(self, run: str, answered: set[str]) -> Result:
        entry, number, system = self._tested.get(run, ({}, 0, ""))
        asked, answer = _parts(entry, "inputs."), _parts(entry, OUTPUTS)
        example = text_of(entry.get("example_id"))
        about: dict[str, Any] = {}
        if run in self._runs:
            traced, number = self._runs[run]
            asked, answer = inside(traced.get("inputs")), inside(traced.get("outputs"))
            extra = inside(traced.get("extra"))
            own = inside(extra.get("metadata")) if isinstance(extra, Mapping) else None
            about = dict(own) if isinstance(own, Mapping) else {}
            example = text_of(traced.get("reference_example_id")) or example
            system = text_of(about.get("ls_model_name")) or text_of(traced.get("name"))
        reference: Any = answer_text(_parts(entry, "reference."))
        answered.add(example)
        if example in self._examples:
            known = self._examples[example][0]
            own = inside(known.get("metadata"))
            about = {**own, **about} if isinstance(own, Mapping) else about
            reference = answer_text(inside(known.get("outputs"))) or reference
        return result_of(asked, answer, about, number, item=example, system=system, reference=reference)

    def _item(self, example: str) -> Result:
        entry, number = self._examples[example]
        asked, reference, about = (inside(entry.get(key)) for key in ("inputs", "outputs", "metadata"))
        item = result_of(asked, "", about, number, item=example, reference=answer_text(reference))
        return item._replace(system="")

    def _scores(self, entry: Entry, notes: Notes) -> Iterator[Score]:
        source, name = _source(entry), text_of(entry.get("key"))
        value = entry.get("score") if entry.get("score") is not None else entry.get("value")
        comment, at = text_of(entry.get("comment")), entry.get("created_at")
        if entry.get("comparative_experiment_id"):
            notes.leave_out(sentence("feedback that compares runs"))
            return
        if isinstance(value, (list, Mapping)):
            notes.leave_out(sentence("scores that are lists or objects"))
            return
        kind: RaterKind = "human" if source[0] == PERSON else "judge"
        if source[0] not in (PERSON, *JUDGES):
            kind = self._sent.kind_of(name, "judge") if kind_by_name(name) else notes.kind_of(name)
        if is_missing(value) and kind != "judge":
            notes.leave_out(sentence("scores without a value"))
        elif kind == "metric":
            yield Score(name, kind, name, value, comment)
        else:
            value = None if is_missing(value) else value
            rater = (source[1] or HUMAN) if kind == "human" else _model(entry) or self._judges.name(name)
            comment = comment or (reason(value) if kind == "judge" else "")
            yield Score(rater, kind, name, value, comment, at)
        corrected = _correction(entry, name)
        if corrected is not None:
            yield Score(HUMAN, "human", name, corrected, "", entry.get("modified_at"))

    def _of_experiment(self, run: str, known: set[str], notes: Notes) -> Iterator[Score]:
        """Yield the scores of an experiment that are not among the feedback."""
        entry = self._tested[run][0] if run in self._tested else {}
        for column, cell in entry.items():
            name = column.removeprefix(FEEDBACK)
            if not column.startswith(FEEDBACK) or name in known:
                continue
            kind = self._sent.kind_of(name, "judge")
            value = None if is_missing(cell) else number_of(cell)
            if value is None and kind != "judge":
                notes.leave_out(sentence("scores without a value"))
            elif kind == "judge":
                yield Score(self._judges.name(name), kind, name, value, reason(value))
            else:
                yield Score(HUMAN if kind == "human" else name, kind, name, value)


def _parts(entry: Entry, beginning: str) -> dict[str, Any]:
    return {
        key.removeprefix(beginning): inside(cell) for key, cell in entry.items() if key.startswith(beginning)
    }


def _source(entry: Entry) -> tuple[str, str]:
    """Return the kind of source of a feedback, and the person's name or id."""
    source = inside(entry.get("feedback_source")) or {}
    return text_of(source.get("type")), text_of(source.get("user_name")) or text_of(source.get("user_id"))


def _model(entry: Entry) -> str:
    about = (inside(entry.get("feedback_source")) or {}).get("metadata") or {}
    return text_of(about.get("model")) or text_of(about.get("ls_model_name"))


def _correction(entry: Entry, name: str) -> Any:
    given = inside(entry.get("correction"))
    if isinstance(given, Mapping):
        given = next((given[key] for key in (name, "score", "value") if key in given), None)
    return None if is_missing(given) or isinstance(given, (list, Mapping)) else given
