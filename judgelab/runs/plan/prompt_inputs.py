"""Units with what their protocol needs beside the texts (`judgelab.runs.plan.protocol_needs`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.protocols import Protocol
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.protocol_needs import sources
from judgelab.store.db.engine import Session
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judgments import JudgmentUnit
from judgelab.store.projects.project_info import ProjectInfo


def with_inputs(
    session: Session, judge_config: JudgeConfig, units: Sequence[JudgmentUnit]
) -> list[JudgmentUnit]:
    """Return the units with the reference lists, roles and evidence that the judge's protocol needs."""
    supplied = list(units)
    for need in sorted(judge_config.protocol.needs):
        source = sources.get(need)
        items = {unit.item_id for unit in units}
        inputs = source.load(session, judge_config.project_id, judge_config.judge.options, items)
        keys = [unit.item_id if source.by == "item" else unit.response_id for unit in supplied]
        given: list[dict[str, Any]] = [{need: inputs.get(key, ())} for key in keys]
        supplied = [replace(unit, **fields) for unit, fields in zip(supplied, given, strict=True)]
    return supplied


def reserved(session: Session, project_id: int, protocol: Protocol, judge: JudgeInfo) -> set[int]:
    """Return the responses that the judge is shown and so never judges."""
    return {
        response
        for need in protocol.needs
        for response in sources.get(need).reserved(session, project_id, judge.options)
    }


def check_prepared(
    session: Session,
    project: ProjectInfo,
    protocol: Protocol,
    judge: JudgeInfo,
    *,
    items: dict[int, list[int]],
) -> None:
    """Raise `InvalidInput` where a need of the protocol cannot be met; `items` are responses by item."""
    for need in sorted(protocol.needs):
        refusal = sources.get(need).refusal(session, project, judge.options, items)
        if refusal is not None:
            raise InvalidInput(refusal)
