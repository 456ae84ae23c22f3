"""Projects with all that any protocol needs, and judges of them that run on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select

from judgelab.domain import Criterion, Demonstration, Message, Task
from judgelab.protocols import Call, protocols
from judgelab.protocols.core.base import continue_conversation
from judgelab.runs import service
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.execute.execution import judge_positions
from judgelab.runs.plan.dry_run import possible_answers
from judgelab.runs.plan.judge_config import JudgeConfig, load_judge_config
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.judgments import waiting_units
from judgelab.store.models import Completion, Judgment, PromptRow, ResponseRow, Verdict
from judgelab.store.prepared import panels, reference_lists
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.scoring.metric_scores import NewMetricScore, save_scores
from tests.runs.judging import QUICK
from tests.runs.projects import lamp, rate

ITEMS = 4
LIGHT = ("no light", "some light", "much light")  # what the answers say, from the worst to the best
SCALES: tuple[dict[str, Any], ...] = (
    {"kind": "ordinal", "low": 0, "high": 3},
    {"kind": "binary"},
    {"kind": "categorical", "labels": ["clear", "complete"], "several": True},
)
ALL = 10_000  # more units than any run here has
Answer = Callable[[Call, Task, list[str]], Mapping[str, float]]


@dataclass(frozen=True)
class Planned:
    """A run, and what it is to ask: the task of each judgment by its row id."""

    run_id: int
    judge_config: JudgeConfig
    tasks: Mapping[int, Task]

    def calls(self) -> Iterator[Call]:
        """Return what is asked of each unit once."""
        for task in self.tasks.values():
            yield from self.judge_config.calls(task)

    def lessons(self, answer: Answer) -> dict[str, Mapping[str, float]]:
        """Return what the model is to be taught: every prompt with the replies to it."""
        taught: dict[str, Mapping[str, float]] = {}
        for task in self.tasks.values():
            answers: dict[str, tuple[Call, str]] = {}
            for call in self.judge_config.calls(task):
                conversation = continue_conversation(*answers[call.after], call) if call.after else call
                possible_replies = possible_answers(
                    self.judge_config.protocol, call, task, self.judge_config.judge.options
                )
                replies = answer(call, task, possible_replies)
                answers[call.key] = conversation, max(replies, key=lambda reply: replies[reply])
                assert taught.setdefault(written(conversation.messages), replies) == replies
        return taught

    def prompts(self, replies: Sequence[Completion]) -> Iterator[list[dict[str, str]]]:
        """Return the prompt that each stored reply must answer, further turns after what was said before."""
        by_place = {(row.judgment_id, row.sample): row for row in replies}
        for row in replies:
            calls = self.judge_config.calls(self.tasks[row.judgment_id])
            index = row.sample % len(calls)
            call = calls[index]
            if call.after:
                at = next(n for n, entry in enumerate(calls) if entry.key == call.after)
                before = by_place[row.judgment_id, row.sample - index + at]
                call = continue_conversation(calls[at], before.text, call)
            yield [{"role": entry.role, "content": entry.content} for entry in call.messages]


@dataclass(frozen=True)
class Studio:
    """A store with one project a scale."""

    store: Store

    def plan(
        self,
        model: Path,
        protocol: str,
        options: Mapping[str, Any],
        name: str,
        limit: int | None = None,
        **asked: Any,
    ) -> Planned:
        """Store a run on the first scale that the protocol takes; nobody has judged it yet.

        The model may be made when it is known what it will be asked.
        """
        model.mkdir(exist_ok=True)
        judge = JudgeSpec(protocol, str(model), "transformers", options=options, name=name, **asked)
        run_id = service.create_run(self.store, _served(protocol, options), judge, Selection(limit=limit))
        with self.store.reading() as session:
            judge_config = load_judge_config(session, run_id)
            units = with_inputs(session, judge_config, waiting_units(session, run_id, low=0, high=ALL))
        return Planned(run_id, judge_config, {unit.judgment_id: judge_config.task(unit) for unit in units})

    def judge(self, *run_ids: int) -> None:
        """Judge runs side by side in one process, as a worker does."""

        async def work() -> list[str]:
            worker_context = WorkerContext(self.store, policy=QUICK)
            chunks = (judge_positions(worker_context, run_id, 1, low=0, high=ALL) for run_id in run_ids)
            outcomes: list[str] = list(await asyncio.gather(*chunks))
            await worker_context.drain()
            return outcomes

        outcomes = asyncio.run(work())
        reasons = [service.run_status(self.store, run_id).reason for run_id in run_ids]
        assert set(outcomes) == {"done"}, reasons

    def judgments(self, run_id: int) -> list[Judgment]:
        with self.store.reading() as session:
            return list(session.scalars(select(Judgment).filter_by(run_id=run_id)))

    def replies(self, run_id: int) -> list[Completion]:
        """Return all replies of a run in the order of asking."""
        query = select(Completion).join(Judgment).where(Judgment.run_id == run_id)
        with self.store.reading() as session:
            return list(session.scalars(query.order_by(Judgment.position, Completion.sample)))

    def prompt(self, reply: Completion) -> list[dict[str, str]]:
        with self.store.reading() as session:
            return list(session.get_one(PromptRow, reply.prompt_hash).messages)

    def verdicts(self, run_id: int) -> dict[str, Verdict]:
        """Return the verdicts of a run by the text of the response."""
        query = select(ResponseRow.text, Verdict).join(Verdict, Verdict.response_id == ResponseRow.id)
        with self.store.reading() as session:
            rows = session.execute(query.join(Judgment).where(Judgment.run_id == run_id))
            return {text: verdict for text, verdict in rows}


def written(messages: Sequence[Message]) -> str:
    """Return a prompt as a model without a chat template reads it."""
    return "\n\n".join(message.content for message in messages)


def quality(text: str) -> float:
    """Return how good an answer is, from 0 to 1."""
    return next(rank for rank, light in enumerate(LIGHT) if light in text) / (len(LIGHT) - 1)


def furnish(store: Store) -> Studio:
    """Store the projects: answers, references, roles, lists of references, a metric, and ratings."""
    for scale in SCALES:
        _project(store, str(scale["kind"]), scale)
    return Studio(store)


def _served(protocol: str, options: Mapping[str, Any]) -> str:
    candidate = protocols.get(protocol)
    example = Demonstration("What is it?", "A lamp.", 1.0, "It is lit.")
    for scale in SCALES:
        criterion = Criterion("goodness", "Goodness", scale)
        if not candidate.refusal(criterion, candidate.settle(options), kind="qa", demonstrations=[example]):
            return str(scale["kind"])
    raise AssertionError(f"no project here has a scale for {protocol}")


def _project(store: Store, slug: str, scale: Mapping[str, Any]) -> None:
    read, scores = scale_from_json(scale), {}
    with store.writing() as session:
        create_project(session, name=slug, criteria=[Criterion("goodness", "Goodness", scale)])
        project = find_project(session, slug).id
        for n in range(ITEMS):
            item = lamp(session, project, n)
            _prepare(session, project, item.id)
            for rank, light in enumerate(LIGHT):
                row = ResponseRow(
                    project_id=project,
                    item_id=item.id,
                    external_id=f"q{n}s{rank}",
                    system=f"s{(rank + n) % len(LIGHT)}",
                    text=f"Lamp {n} gives {light}.",
                )
                session.add(row)
                session.flush()
                scores[row.id] = read.low + round((read.high - read.low) * quality(row.text))
        numbers = [NewMetricScore(response, 0.5, "") for response in scores]
        save_scores(session, project, "repscore", options={}, scores=numbers)
    rate(store, slug, scores, criterion="goodness")


def _prepare(session: Session, project: int, item: int) -> None:
    roles = [
        panels.StoredRole(f"Reader {number}", "They read it.", "coarse", "person", ("dynamic:4",))
        for number in range(4)
    ]
    panels.save_roles(session, project, item, roles)
    for name, grades in (("references", (3, 2, 1, 0)), ("single", (3,))):
        entries = [reference_lists.ListEntry(f"Of grade {grade}.", grade) for grade in grades]
        reference_lists.save_lists(
            session,
            project,
            **{"name": name, "draw": 1, "source": "graded", "pattern": "3210", "seed": 0},
            recipe={},
            lists=[reference_lists.ItemList(item, entries)],
        )
