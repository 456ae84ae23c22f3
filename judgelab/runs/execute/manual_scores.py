"""Handling replies without a score by hand: enter the score, or ask the judge again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.backends import backends
from judgelab.errors import InvalidInput, NotFound
from judgelab.runs.execute.reply_cache import cache_keys
from judgelab.runs.plan.judge_config import JudgeConfig, load_judge_config
from judgelab.runs.plan.planning import ALL
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.scales import scale_from_json
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.judging import manual_scores, reply_cache, runs
from judgelab.store.judging.judgments import units_of
from judgelab.store.models import Judgment
from judgelab.wording import mark, sentence


def count_manual_scores(store: Store, run_id: int) -> int:
    """Return how many scores of a run a person entered by hand."""
    with store.reading() as session:
        return manual_scores.entered_in_run(session, run_id)


def enter_score(
    store: Store,
    run_id: int,
    response: str | int,
    score: float,
    *,
    criterion: str | None = None,
    person_id: int | None = None,
    reason: str = "",
) -> None:
    """Store the score that a person read in a judge's reply; it counts as the judge's and says who read it.

    Args:
        store: the database.
        run_id: the run.
        response: the response's id in the project ("r1" or "q1/r1"), or its row id.
        score: a score of the criterion's scale.
        criterion: its key; needed where the run judged the response under several.
        person_id: who read it; None on a command line.
        reason: why, in the person's words.

    Raises:
        UserError: no such unit, the unit has a score of the judge's own or no reply, or the score is none.
    """
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        if not runs.asks_models(session, run_id):
            raise InvalidInput(
                sentence("run {run} was imported, so its scores can't be changed.", run=str(run_id))
            )
        judge_config = load_judge_config(session, run_id)
        response_id, judgments = _judgments(session, run_id, response)
        judgment, key = _unit(judgments, judge_config, str(response), criterion)
        entered = manual_scores.entered_scores(session, judgment.id)
        _refuse_unscorable(judgment, bool(entered))
        criteria = [c for c in judge_config.criteria if judgment.criteria in (ALL, c.key)]
        scale = scale_from_json(next(c.scale for c in criteria if c.key == key))
        refused = None if judge_config.protocol.own_scale else scale.reject(score)
        if refused:
            raise InvalidInput(sentence("invalid score: {reason}.", reason=refused))
        criterion_id = judge_config.criterion_ids[key]
        members = judgment.members or [judgment.response_id]
        needed = {(member, judge_config.criterion_ids[c.key]) for member in members for c in criteria}
        lacking = needed - entered - {(response_id, criterion_id)}
        manual_scores.enter_scores(
            session,
            judgment,
            response_id,
            {criterion_id: score},
            person_id=person_id,
            reason=reason.strip(),
            whole=not lacking,
        )
        item, name = manual_scores.item_and_response_name(session, response_id)
        audit.record(
            session,
            "entered_score",
            project_id=run.project_id,
            person_id=person_id,
            detail={
                **{"run": run_id, "item": item, "response": name, "criterion": key, "score": score},
                "reason": reason.strip(),
            },
        )


def ask_again(
    store: Store, run_id: int, responses: Sequence[str | int] = (), *, person_id: int | None = None
) -> int:
    """Ask anew for units without a score, all of the run or those of some responses; return how many.

    The replies so far are kept as failed calls. A run that is done goes on by itself; one that was paused or
    stopped waits until somebody resumes it.

    Raises:
        UserError: the run was imported or cancelled, or there is nothing to ask again.
    """
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        if not runs.asks_models(session, run_id):
            raise InvalidInput(
                sentence("run {run} was imported, so its judge can't be asked again.", run=str(run_id))
            )
        judge_config = load_judge_config(session, run_id)
        if run.state == "cancelled":
            raise InvalidInput(sentence("run {run} was cancelled; start a new one.", run=str(run_id)))
        chosen = [row for response in responses for row in _judgments(session, run_id, response)[1]]
        unscored = [row for row in chosen if row.state == "unscored" or _manual_score(session, row)]
        if not responses:
            unscored = runs.unscored_judgments(session, run_id)
        if not unscored:
            raise InvalidInput(
                sentence("run {run} has no unscored judgments to make again.", run=str(run_id))
            )
        for judgment in unscored:
            manual_scores.reset_judgment(session, judgment)
        _forget_cached(session, judge_config, [judgment.id for judgment in unscored])
        if run.state == "done":
            run.attempt += 1
            run.state, run.wanted, run.reason = "waiting", "run", ""
        audit.record(
            session,
            "asked_again",
            project_id=run.project_id,
            person_id=person_id,
            detail={"run": run_id, "units": len(unscored)},
        )
        return len(unscored)


def _forget_cached(session: Session, judge_config: JudgeConfig, judgment_ids: Sequence[int]) -> None:
    """Delete the cached replies that would otherwise answer the repeated request without a score again."""
    if judge_config.endpoint is None:
        return
    structured = backends.get(judge_config.judge.backend).structured
    keys: set[str] = set()
    for part in in_batches(judgment_ids):
        for unit in with_inputs(session, judge_config, units_of(session, part)):
            keys.update(cache_keys(judge_config, unit, structured=structured).values())
    reply_cache.remove_replies(session, keys)


def _judgments(session: Session, run_id: int, response: str | int) -> tuple[int, list[Judgment]]:
    """Return the response's row id and the run's judgments of it."""
    if isinstance(response, int):
        ids = [response]
    else:
        ids = list(session.scalars(manual_scores.response_ids_named(session, run_id, response)))
    judged = {response_id: runs.judgments_by_response(session, run_id, response_id) for response_id in ids}
    judged_by_run = [(response_id, judgments) for response_id, judgments in judged.items() if judgments]
    if not judged_by_run:
        raise InvalidInput(
            sentence(
                "run {run} did not judge a response '{response}'; enter its id, or ITEM/RESPONSE.",
                run=str(run_id),
                response=str(response),
            )
        )
    if len(judged_by_run) > 1:
        raise InvalidInput(
            sentence(
                "several responses are called '{response}'; write ITEM/RESPONSE.", response=str(response)
            )
        )
    return judged_by_run[0]


def _unit(
    judgments: Sequence[Judgment], judge_config: JudgeConfig, response: str, criterion: str | None
) -> tuple[Judgment, str]:
    """Return the judgment meant and the key of the criterion meant."""
    offered: Mapping[str, Judgment] = {
        c.key: judgment
        for judgment in judgments
        for c in judge_config.criteria
        if judgment.criteria in (ALL, c.key)
    }
    if criterion is None and len(offered) == 1:
        criterion = next(iter(offered))
    if criterion is None:
        raise InvalidInput(
            sentence(
                "'{response}' was judged under several criteria; name one with --criterion: {criteria}.",
                response=response,
                criteria=", ".join(offered),
            )
        )
    if criterion not in offered:
        raise NotFound(mark("criterion"), criterion, offered)
    return offered[criterion], criterion


def _refuse_unscorable(judgment: Judgment, entered: bool) -> None:
    if judgment.state == "unscored" or entered:
        return
    reasons = {
        "scored": sentence("the reply contains the judge's own score; it can't be replaced by hand."),
        "failed": sentence("no replies were received, so there are none to read; retry the failed ones."),
        "waiting": sentence("it has not been sent to the model yet; wait for the reply."),
    }
    raise InvalidInput(reasons[judgment.state])


def _manual_score(session: Session, judgment: Judgment) -> bool:
    return bool(manual_scores.entered_scores(session, judgment.id))
