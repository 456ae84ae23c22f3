"""Juries of judges and metrics: creating them, and updating their scores when their inputs change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pandas as pd

from judgelab.analysis.data.jury_scores import LEAST_MEMBERS, MOST_MEMBERS, RUN, jury_scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.judges.juries import WAYS
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.frames import score_frames
from judgelab.store.judging.judges import judges_on_own_scale
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring import juries as stored
from judgelab.store.scoring.jury_info import JuryInfo
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class JuryCandidate:
    """A possible jury member: a judge or metric by name, or one of a judge's runs ("run 3")."""

    name: str
    kind: str


def jury_candidates(store: Store, slug: str) -> list[JuryCandidate]:
    """Return the possible jury members of the project: judges, then metrics."""
    with store.reading() as session:
        return _candidates(session, find_project(session, slug).id)


def make_jury(
    store: Store,
    slug: str,
    name: str,
    *,
    members: Sequence[str],
    way: str,
    metrics: Collection[str] = (),
    person_id: int | None = None,
) -> JuryInfo:
    """Store a jury, or replace the one of this name; its scores are computed with the next results.

    `metrics` are names of metrics, which a jury may not have. If `person_id` is given, the change is recorded
    in the audit log.

    Raises:
        UserError: the name, a member or the way of combining is not valid.
    """
    name, distinct_members = " ".join(name.split()), list(dict.fromkeys(members))
    if not name:
        raise InvalidInput(sentence("a jury needs a name."))
    if way not in WAYS:
        raise NotFound(mark("way"), way, WAYS)
    if not LEAST_MEMBERS <= len(distinct_members) <= MOST_MEMBERS:
        raise InvalidInput(
            sentence(
                "a jury has {low} to {high} members; separate their names with commas.",
                low=LEAST_MEMBERS,
                high=MOST_MEMBERS,
            )
        )
    with store.writing() as session:
        project = find_project(session, slug)
        candidates = _candidates(session, project.id)
        runs = stored.finished_runs(session, project.id)
        allowed = {seat.name for seat in candidates} | {f"{RUN}{run_id}" for run_id in runs}
        for member in distinct_members:
            if member not in allowed:
                raise NotFound(mark("finished judge or metric"), member, sorted(allowed))
        own_scale = _off_scale(session, project.id, distinct_members)
        if own_scale and way == "majority":
            raise InvalidInput(
                sentence(
                    "a majority needs scores on one scale, and {member} has its own; choose mean, median "
                    "or weights.",
                    member=own_scale[0],
                )
            )
        stored.save_jury(
            session,
            project.id,
            name,
            members=distinct_members,
            way=way,
            own_scale=bool(own_scale) and way != "weights",
            metrics=metrics,
        )
        jury = next(jury for jury in stored.juries(session, project.id) if jury.name == name)
        if person_id is not None:
            detail = {"jury": jury.name, "members": list(jury.members), "way": jury.combination}
            audit.record(session, "made_jury", project_id=project.id, person_id=person_id, detail=detail)
        return jury


def refresh_juries(store: Store, slug: str, humans: Callable[[], pd.DataFrame]) -> None:
    """Recompute the scores of juries whose members, or raters, have changed.

    In a database opened for reading, the stored ones stay, and `outdated_juries` names their juries.

    Args:
        store: the database.
        slug: the project.
        humans: returns one human score per response and criterion: columns response, criterion, human.
    """
    if store.read_only:
        return
    with store.reading() as session:
        project = find_project(session, slug)
        due = _due(session, project.id)
        if not due:
            return
        scores = score_frames.score_frame(session, project.id, kinds=("judge", "metric"))
        finished = stored.finished_runs(session, project.id)
        responses = score_frames.response_frame(session, project.id)
        own_scale = {jury.name: _off_scale(session, project.id, jury.members) for jury, _ in due}
    scores = scores[scores["run"].isna() | scores["run"].isin(list(finished))]
    human_scores = humans() if any(jury.combination == "weights" for jury, _ in due) else None
    for jury, state in due:
        combined = jury_scores(
            project, jury, scores, responses, human_scores, on_scale=not own_scale[jury.name]
        )
        with store.writing() as session:
            stored.save_jury_scores(session, jury, state, combined)


def outdated_juries(store: Store, slug: str) -> tuple[str, ...]:
    """Return the names of the juries whose stored scores are those of earlier members or raters."""
    with store.reading() as session:
        return tuple(jury.name for jury, _ in _due(session, find_project(session, slug).id))


def _due(session: Session, project_id: int) -> list[tuple[JuryInfo, str]]:
    """Return the juries to recompute, each with the state of what it is computed from."""
    states = [(jury, _inputs_hash(session, project_id, jury)) for jury in stored.juries(session, project_id)]
    return [(jury, state) for jury, state in states if jury.state != state]


def _candidates(session: Session, project_id: int) -> list[JuryCandidate]:
    judges = set(stored.finished_runs(session, project_id, scored=True).values())
    metrics = score_frames.metric_names(session, project_id)
    return [
        *(JuryCandidate(name, "judge") for name in sorted(judges)),
        *(JuryCandidate(name, "metric") for name in metrics),
    ]


def _off_scale(session: Session, project_id: int, members: Sequence[str]) -> list[str]:
    """Return the members whose scores are not on the criteria's scales."""
    runs = stored.finished_runs(session, project_id)
    off_scale = {*judges_on_own_scale(session, project_id), *score_frames.metric_names(session, project_id)}
    by_run = {f"{RUN}{run_id}": judge for run_id, judge in runs.items()}
    return [member for member in members if by_run.get(member, member) in off_scale]


def _inputs_hash(session: Session, project_id: int, jury: JuryInfo) -> str:
    inputs = stored.jury_inputs_state(session, project_id, raters=jury.combination == "weights")
    return sha256(repr((jury.members, jury.combination, inputs)).encode()).hexdigest()[:16]
