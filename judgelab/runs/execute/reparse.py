"""Parsing stored replies again with a corrected parser, without a model call."""

from __future__ import annotations

from typing import NamedTuple

from judgelab.errors import BackendError, InvalidInput, UserError
from judgelab.runs.execute.verdicts import make_verdict, replies_of
from judgelab.runs.plan.judge_config import JudgeConfig, load_judge_config
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.samples import samples_of
from judgelab.store.db.engine import Store
from judgelab.store.judging.judges import judge_by_id
from judgelab.store.judging.judgments import JudgmentUnit, answered_units
from judgelab.store.judging.run_counts import count_units
from judgelab.store.judging.runs import find_run
from judgelab.store.judging.verdicts import NewVerdict, save_verdicts
from judgelab.wording import sentence

PAGE = 500


class ReparseResult(NamedTuple):
    """How many units were parsed again, and how many had a score before and after."""

    units: int
    scored_before: int
    scored_after: int


def reparse(store: Store, run_id: int) -> ReparseResult:
    """Parse every stored reply of a run again; raises `InvalidInput` for a run that we did not send."""
    with store.reading() as session:
        if not judge_by_id(session, find_run(session, run_id).judge_id).protocol:
            raise InvalidInput(
                sentence("run {run} was imported, so its replies can't be read again.", run=str(run_id))
            )
        judge_config = load_judge_config(session, run_id)
        before = count_units(session, run_id).states["scored"]
    count, last = 0, 0
    while units := _reparse_page(store, judge_config, run_id, last):
        with store.writing() as session:
            save_verdicts(session, [_reparse_unit(judge_config, unit) for unit in units], again=True)
        count, last = count + len(units), units[-1].judgment_id
    with store.reading() as session:
        return ReparseResult(count, before, count_units(session, run_id).states["scored"])


def _reparse_page(store: Store, judge_config: JudgeConfig, run_id: int, last: int) -> list[JudgmentUnit]:
    with store.reading() as session:
        return with_inputs(session, judge_config, answered_units(session, run_id, after=last, limit=PAGE))


def _reparse_unit(judge_config: JudgeConfig, unit: JudgmentUnit) -> NewVerdict:
    lacking = next((failure for failure in unit.failures.values() if failure.cause), None)
    error = BackendError(sentence("no reply"), cause=lacking.cause, retryable=True) if lacking else None
    task = judge_config.task(unit)
    try:
        samples = samples_of(judge_config, task, replies_of(unit))
    except UserError:
        samples = []  # the prompt cannot be built any more; each reply still says what it was asked
    return make_verdict(judge_config, unit, task, samples, replies_of(unit), error=error)
