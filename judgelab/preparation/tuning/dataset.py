"""From human ratings to a file to tune a judge on: the judge's own prompt, the people's scores as its reply.

BioASQ's fine-tuned evaluator (Hijazi and others, section 4.2.3): the format is that of `otb`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Criterion, Task
from judgelab.errors import InvalidInput
from judgelab.preparation.tuning.split import ItemSplit, split_items
from judgelab.protocols import Protocol, protocols
from judgelab.protocols.reading.grammars import grammar_named
from judgelab.protocols.rubric import Rubric, format_rubric
from judgelab.protocols.single_score import SingleScore
from judgelab.runs.plan.judge_config import project_kind
from judgelab.runs.plan.percentile_examples import named_groups
from judgelab.runs.plan.saved_material import with_versions
from judgelab.scales import scale_from_json, why_no_order
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.rated_rows import RatedRow, rated_rows
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import counted, sentence

FEWEST = 10  # examples; hosted training takes no fewer
TuningLine = Mapping[str, Any]  # {"messages": [{"role": ..., "content": ...}, ...]}


@dataclass(frozen=True)
class DatasetSpec:
    """The specification of a dataset.

    Args:
        protocol: whose prompt is learnt; its reply must be scores alone.
        options: its options.
        train: groups (batches) to learn from, with commas; empty to draw items.
        validation: groups that check the training.
        percent: share of the items to learn from where no group is named.
        validation_percent: share of the training items that only check.
        seed: of the drawing and of the order of lines.
    """

    protocol: str = "otb"
    options: Mapping[str, Any] | None = None
    train: str = ""
    validation: str = ""
    percent: int = 50
    validation_percent: int = 10
    seed: int = 0


@dataclass(frozen=True)
class TuningDataset:
    """Training and validation lines, and what they were built from."""

    train: Sequence[TuningLine]
    validation: Sequence[TuningLine]
    split: ItemSplit
    unrated: int
    spec: DatasetSpec

    @property
    def sha256(self) -> str:
        """Return the name of the training file's content."""
        return hashlib.sha256(jsonl(self.train)).hexdigest()


def build_dataset(store: Store, slug: str, dataset_spec: DatasetSpec) -> TuningDataset:
    """Return the lines for the rated responses of a project.

    Responses that lack a rating under a criterion are left out and counted (`unrated`). Every line is read
    back by the protocol before it is taken: what a judge would not understand is not taught.

    Raises:
        UserError: no such protocol, group or option, the protocol's reply is more than scores, or too few
            responses are rated.
    """
    protocol = protocols.get(dataset_spec.protocol)
    with store.reading() as session:
        project = find_project(session, slug)
        # As a judge will be asked: with the project's own texts of the prompt.
        options = protocol.settle(with_versions(session, project, protocol, dataset_spec.options or {}))
        _refuse(protocol, options, project)
        rows = rated_rows(session, project.id)
        split = _split(session, project, rows, dataset_spec)
    keys = [criterion.key for criterion in project.criteria]
    whole = [row for row in rows if all(key in row.scores for key in keys)]
    train, checking = (
        _lines([row for row in whole if row.external_id in items], project, protocol, options)
        for items in (set(split.train), set(split.validation))
    )
    if len(train) < FEWEST:
        raise InvalidInput(
            counted(
                "{n} training example is too few; at least {least} are needed. Rate more responses, or "
                "train on more groups.",
                "{n} training examples are too few; at least {least} are needed. Rate more responses, or "
                "train on more groups.",
                len(train),
                least=FEWEST,
            )
        )
    return TuningDataset(train, checking, split, len(rows) - len(whole), dataset_spec)


def jsonl(lines: Sequence[TuningLine]) -> bytes:
    """Return the lines as a file: one JSON object each, as hosted training takes them."""
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def problems_of(lines: Sequence[TuningLine]) -> list[str]:
    """Return what is wrong with lines of a training file, as clauses with their number."""
    problems = []
    for number, line in enumerate(lines, 1):
        turns = line.get("messages") or []
        roles = [turn.get("role") for turn in turns]
        if roles not in (["user", "assistant"], ["system", "user", "assistant"]):
            problems.append(
                sentence("line {line}: the messages are not a prompt and a reply", line=str(number))
            )
        elif not all(isinstance(turn.get("content"), str) and turn["content"].strip() for turn in turns):
            problems.append(sentence("line {line}: a message is empty", line=str(number)))
    return [str(problem) for problem in problems]


def _split(
    session: Session, project: ProjectInfo, rows: Sequence[RatedRow], dataset_spec: DatasetSpec
) -> ItemSplit:
    return split_items(
        rows,
        train=named_groups(session, project, dataset_spec.train),
        validation=named_groups(session, project, dataset_spec.validation),
        percent=dataset_spec.percent,
        validation_percent=dataset_spec.validation_percent,
        seed=dataset_spec.seed,
    )


def _refuse(protocol: Protocol, options: Mapping[str, Any], project: ProjectInfo) -> None:
    explains = (
        protocol.with_reasons(options) if isinstance(protocol, Rubric) else bool(options.get("explain"))
    )
    supported = isinstance(protocol, Rubric | SingleScore)
    if not supported or explains or protocol.needs or protocol.shots(options):
        raise InvalidInput(
            sentence(
                "'{protocol}' can't be learnt from ratings, because they contain scores but no rationales; "
                "choose otb or direct.",
                protocol=protocol.name,
            )
        )
    for criterion in project.criteria:
        if not scale_from_json(criterion.scale).ordered:
            raise InvalidInput(why_no_order(criterion.label))
        refused = protocol.refusal(criterion, options, kind=project_kind(project))
        if refused is not None:
            raise InvalidInput(
                sentence(
                    "{protocol} cannot judge {criteria}: {why}.",
                    protocol=sentence(protocol.title),
                    criteria=criterion.label,
                    why=refused.reason,
                )
            )


def _lines(
    rows: Sequence[RatedRow], project: ProjectInfo, protocol: Protocol, options: Mapping[str, Any]
) -> list[TuningLine]:
    lines: list[TuningLine] = []
    for row in rows:
        together = [list(project.criteria)] if protocol.asks == "all" else [[c] for c in project.criteria]
        for criteria in together:
            task = _task(row, criteria, project)
            reply = _reply(protocol, task, row.scores, options)
            read = protocol.parse(reply, task, options)
            if not read.scored:
                raise InvalidInput(
                    sentence(
                        "can't write the scores of {item} as a reply: {reason}.",
                        item=row.external_id,
                        reason=read.reason or "",
                    )
                )
            turns = protocol.prompts(task, options)[0].messages
            messages = [{"role": turn.role, "content": turn.content} for turn in turns]
            lines.append({"messages": [*messages, {"role": "assistant", "content": reply}]})
    return lines


def _task(row: RatedRow, criteria: Sequence[Criterion], project: ProjectInfo) -> Task:
    return Task(
        question=row.question,
        response=row.text,
        criteria=criteria,
        context=row.context,
        references=row.references,
        kind=project_kind(project),
        item=row.external_id,
    )


def _reply(protocol: Protocol, task: Task, scores: Mapping[str, float], options: Mapping[str, Any]) -> str:
    if isinstance(protocol, Rubric):
        return format_rubric(task.criteria, scores)
    criterion = task.criteria[0]
    return grammar_named(options["grammar"]).write(scores[criterion.key], scale_from_json(criterion.scale))
