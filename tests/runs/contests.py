"""A project of items with several responses, and two small protocols: of two calls, and of whole items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Criterion, Message, Reading, Task
from judgelab.errors import InvalidInput
from judgelab.protocols import Call, Heard, Protocol
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ResponseRow
from judgelab.store.projects.projects import create_project, find_project
from tests.runs.projects import SCALE

CALLS = ("plain", "swapped")


class TwoCalls(Protocol):
    """Asks twice for a digit; the score is the lower one."""

    name = "test_two_calls"
    title = "Two calls"
    summary = "Asks twice."

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        return [
            Call([Message("user", f"{key}: {task.response}")], key, {"place": n})
            for n, key in enumerate(CALLS)
        ]

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        return list(self.calls(task, options)[0].messages)

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        if not text.strip().isdigit():
            return Reading(reason="no digit")
        return Reading({task.criteria[0].key: float(text)})

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        read = [answer for answer in heard if answer.reading.scored]
        assert all(answer.call.key == CALLS[answer.call.data["place"]] for answer in heard)
        if len(read) < len(CALLS):
            return Reading(reason="one of two calls says nothing")
        key = task.criteria[0].key
        return Reading(
            {key: min(answer.reading.scores[key] for answer in read)}, detail={"calls": len(heard)}
        )


class Best(Protocol):
    """Asks for the place of the best response of an item; it gets 1, the others 0."""

    name = "test_best"
    title = "The best"
    summary = "Names the best."
    judges = "item"
    own_scale = True

    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        if len(task.contenders) < 2:
            raise InvalidInput("one response is no contest.")
        texts = "\n".join(f"{n}: {contender.text}" for n, contender in enumerate(task.contenders))
        return [Message("user", f"{task.item}\n{texts}")]

    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        if not text.isdigit() or int(text) >= len(task.contenders):
            return Reading(reason="no place")
        best = task.contenders[int(text)].response_id
        scores = {
            contender.response_id: {task.criteria[0].key: 10.0 * (contender.response_id == best)}
            for contender in task.contenders
        }
        return Reading(by_response=scores)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        return heard[0].reading


def contest(store: Store, *, items: int = 2, systems: int = 3) -> str:
    """Store a project in which every system answers every item; return its slug."""
    with store.writing() as session:
        project = create_project(
            session, name="Contest", criteria=[Criterion("helpfulness", "Helpfulness", SCALE)]
        )
        for n in range(items):
            session.add(ItemRow(project_id=project.id, external_id=f"q{n}", question=f"Does flask {n} leak?"))
        session.flush()
    for system in range(systems):
        enter(store, f"s{system}")
    return project.slug


def enter(store: Store, system: str) -> None:
    """Let one more system answer every item."""
    with store.writing() as session:
        project = find_project(session, "contest")
        for item in session.query(ItemRow).filter_by(project_id=project.id).order_by(ItemRow.id):
            session.add(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"{item.external_id}-{system}",
                    system=system,
                    text=f"{system} says of {item.external_id}: no.",
                )
            )
