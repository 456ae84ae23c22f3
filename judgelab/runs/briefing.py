"""What every unit of a run shares: the judge, its protocol, the criteria, the demonstrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.protocols import Protocol, protocols
from judgelab.protocols.expected import Token
from judgelab.runs.planning import ALL
from judgelab.scales import scale_from_json
from judgelab.store.endpoints import EndpointInfo, endpoint_by_id
from judgelab.store.engine import Session
from judgelab.store.judges import JudgeInfo, judge_by_id
from judgelab.store.judgments import UnitRow
from judgelab.store.projects import ProjectInfo, criterion_ids, get_project
from judgelab.store.runs import find_run
from judgelab.wording import sentence


@dataclass(frozen=True)
class Briefing:
    """A judge ready for work on one project.

    Attributes:
        demonstrations: rated examples by criterion key (or "*").
        cache: whether replies bought before may answer.
    """

    judge: JudgeInfo
    protocol: Protocol
    endpoint: EndpointInfo | None
    criteria: tuple[Criterion, ...]
    criterion_ids: Mapping[str, int]
    kind: Literal["qa", "summarisation"]
    demonstrations: Mapping[str, Sequence[Demonstration]]
    cache: bool = True

    def task(self, unit: UnitRow) -> Task:
        """Return what the judge may see of one unit."""
        return Task(
            question=unit.question,
            response=unit.text,
            criteria=[c for c in self.criteria if unit.criteria in (ALL, c.key)],
            context=unit.context,
            references=unit.references,
            demonstrations=self.demonstrations.get(unit.criteria, ()),
            kind=self.kind,
        )

    def messages(self, task: Task) -> list[Message]:
        """Return the prompt for one unit of work."""
        return self.protocol.build(task, self.judge.options)

    def read(self, text: str, tokens: Sequence[Token], task: Task) -> Reading:
        """Return what the protocol reads in a reply; a score that the scale does not offer is none."""
        reading = self.protocol.hear(text, tokens, task, self.judge.options)
        for criterion in task.criteria:
            score = reading.scores.get(criterion.key)
            scale = scale_from_json(criterion.scale)
            reject = scale.reject_mean if reading.weights else scale.reject
            reason = None if score is None else reject(score)
            if reason:
                return Reading(
                    rationale=reading.rationale,
                    reason=sentence("{criterion}: {reason}", criterion=criterion.key, reason=reason),
                )
        return reading


def project_kind(project: ProjectInfo) -> Literal["qa", "summarisation"]:
    """Return what sort of text the project's responses are."""
    return "summarisation" if project.task == "summarisation" else "qa"


def load_briefing(session: Session, run_id: int) -> Briefing:
    """Return the briefing of a stored run."""
    run = find_run(session, run_id)
    judge = judge_by_id(session, run.judge_id)
    project = get_project(session, run.project_id)
    return Briefing(
        judge=judge,
        protocol=protocols.get(judge.protocol),
        endpoint=None if judge.endpoint_id is None else endpoint_by_id(session, judge.endpoint_id),
        criteria=project.criteria,
        criterion_ids=criterion_ids(session, project.id),
        kind=project_kind(project),
        demonstrations=demonstrations_from_json(run.selection.get("demonstrations", {})),
        cache=run.cache,
    )


def demonstrations_to_json(demonstrations: Mapping[str, Sequence[Demonstration]]) -> dict[str, Any]:
    """Return demonstrations as they are kept with the run that showed them."""
    return {key: [vars(one) for one in shown] for key, shown in demonstrations.items()}


def demonstrations_from_json(data: Mapping[str, Any]) -> dict[str, tuple[Demonstration, ...]]:
    """Return what `demonstrations_to_json` wrote."""
    return {key: tuple(Demonstration(**one) for one in shown) for key, shown in data.items()}
