"""What every unit of a run shares: the judge, its protocol, the criteria, the demonstrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.domain import Criterion, Demonstration, Reading, Task
from judgelab.protocols import Call, Heard, Protocol, protocols
from judgelab.protocols.core.expected import Token
from judgelab.runs.plan.planning import ALL
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Session
from judgelab.store.judging.endpoints import EndpointInfo, endpoint_by_id
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judges import judge_by_id
from judgelab.store.judging.judgments import JudgmentUnit
from judgelab.store.judging.runs import find_run
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import get_project
from judgelab.store.rating.criteria import criterion_ids
from judgelab.wording import sentence


@dataclass(frozen=True)
class JudgeConfig:
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
    project_id: int
    kind: Literal["qa", "summarisation"]
    demonstrations: Mapping[str, Sequence[Demonstration]]
    cache: bool = True

    def task(self, unit: JudgmentUnit) -> Task:
        """Return what the judge may see of one unit."""
        return Task(
            question=unit.question,
            response=unit.text,
            criteria=[c for c in self.criteria if unit.criteria in (ALL, c.key)],
            context=unit.context,
            references=unit.references,
            demonstrations=self.demonstrations.get(unit.criteria, ()),
            kind=self.kind,
            item=unit.item,
            reference_list=unit.reference_list,
            roles=unit.roles,
            evidence=unit.evidence,
            contenders=unit.contenders,
            response_name=unit.response_name,
        )

    def calls(self, task: Task) -> list[Call]:
        """Return the calls that one draw of a unit takes."""
        return self.protocol.prompts(task, self.judge.options)

    def read(self, call: Call, text: str, tokens: Sequence[Token], task: Task) -> Reading:
        """Return what the protocol reads in a reply; a score that the scale does not offer is none."""
        reading = self.protocol.hear_call(call, text, tokens, task, self.judge.options)
        return self._on_scale(reading, task, mean=bool(reading.weights))

    def combine(self, heard: Sequence[Heard], task: Task) -> Reading:
        """Return the reading of a unit's replies to all calls; a value off the scale is not a score."""
        whole = self.protocol.combine(heard, task, self.judge.options, self.judge.aggregation)
        return self._on_scale(whole, task, mean=True)

    def _on_scale(self, reading: Reading, task: Task, *, mean: bool) -> Reading:
        """Return the reading; without its scores where one is off its scale, unless that is its own."""
        if self.protocol.own_scale:
            return reading
        given = [reading.scores, *reading.by_response.values()]
        for criterion in task.criteria:
            scale = scale_from_json(criterion.scale)
            reject = scale.reject_mean if mean else scale.reject
            stated = [scores[criterion.key] for scores in given if criterion.key in scores]
            reason = next((refusal for refusal in map(reject, stated) if refusal), None)
            if reason:
                return Reading(
                    rationale=reading.rationale,
                    reason=sentence("{criterion}: {reason}", criterion=criterion.key, reason=reason),
                    detail=reading.detail,
                )
        return reading


def project_kind(project: ProjectInfo) -> Literal["qa", "summarisation"]:
    """Return what sort of text the project's responses are."""
    return "summarisation" if project.task == "summarisation" else "qa"


def load_judge_config(session: Session, run_id: int) -> JudgeConfig:
    """Return the judge configuration of a stored run."""
    run = find_run(session, run_id)
    judge = judge_by_id(session, run.judge_id)
    project = get_project(session, run.project_id)
    chosen = run.selection.get("criteria")
    return JudgeConfig(
        judge=judge,
        protocol=protocols.get(judge.protocol).at(judge.built_in_wording),
        endpoint=None if judge.endpoint_id is None else endpoint_by_id(session, judge.endpoint_id),
        criteria=tuple(c for c in project.criteria if not chosen or c.key in chosen),
        criterion_ids=criterion_ids(session, project.id),
        project_id=project.id,
        kind=project_kind(project),
        demonstrations=demonstrations_from_json(run.selection.get("demonstrations", {})),
        cache=run.cache,
    )


def demonstrations_to_json(demonstrations: Mapping[str, Sequence[Demonstration]]) -> dict[str, Any]:
    """Return demonstrations as they are kept with the run that showed them."""
    return {key: [vars(demonstration) for demonstration in shown] for key, shown in demonstrations.items()}


def demonstrations_from_json(data: Mapping[str, Any]) -> dict[str, tuple[Demonstration, ...]]:
    """Return what `demonstrations_to_json` wrote."""
    return {
        key: tuple(Demonstration(**demonstration) for demonstration in shown) for key, shown in data.items()
    }
