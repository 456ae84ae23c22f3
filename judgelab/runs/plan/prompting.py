"""What a judge asks of a backend beside the prompt."""

from __future__ import annotations

from typing import Any

from judgelab.domain import Task
from judgelab.protocols import Call
from judgelab.runs.plan.dry_run import possible_answers
from judgelab.runs.plan.judge_config import JudgeConfig


def parameters_of(judge_config: JudgeConfig, task: Task, call: Call, *, structured: bool) -> dict[str, Any]:
    """Return model and parameters as they are handed to the backend, with a schema where it takes one."""
    judge = judge_config.judge
    parameters = {"model": judge.model, **judge.parameters}
    schema = judge_config.protocol.reply_schema(task, judge.options) if structured else None
    if schema is not None:
        form = {"name": "judgment", "strict": True, "schema": schema}
        parameters = {"response_format": {"type": "json_schema", "json_schema": form}, **parameters}
    if judge.origin == "scripted" and "answers" not in parameters:
        parameters["answers"] = possible_answers(judge_config.protocol, call, task, judge.options)
    return parameters
