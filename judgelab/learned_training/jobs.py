"""Learning in the background: requested by a page, done by a process that a worker starts.

`python -m judgelab.learned_training.jobs JOB ATTEMPT` is that process. It stores each criterion once it is
learned and checks between two model fits whether it should go on; if killed, it repeats at most one
criterion. A job is paused, resumed and cancelled as in `judgelab.runs.worker.metric_jobs`.
"""

from __future__ import annotations

import time

from judgelab.analysis.data.scores import IN_USE
from judgelab.errors import InvalidInput
from judgelab.learned_training.one_criterion import LearnedCriterion
from judgelab.learned_training.training import LEARNED, SHUFFLES, check_kind, learn
from judgelab.runs.worker.job_process import JobReporter, main
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, get_project
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.learned_parts import find_part, save_part
from judgelab.store.scoring.scoring_jobs import JobInfo, JobKey
from judgelab.wording import sentence

SAY_SECONDS = 0.5  # between two checks of the requested state
WHOLE = 100


class _Stopped(Exception):
    """Ends training that has been paused or cancelled."""


def start(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    kind: str = "ordinal",
    seed: int = 0,
    later: bool = False,
    encoder: str = "",
    shuffles: int = SHUFFLES,
    name: str = LEARNED,
    person_id: int | None = None,
) -> int:
    """Return the id of a new job that waits for a worker; the arguments are those of `learn`.

    A paused or stopped earlier job is cancelled.

    Raises:
        NotFound: no such project.
        InvalidInput: no such kind, or a judge of the project is being learned already.
    """
    check_kind(kind)
    options = {
        **{"policy": policy, "kind": kind, "seed": seed, "later": later},
        **{"encoder": encoder, "shuffles": shuffles, "name": name},
    }
    with store.writing() as session:
        project_id = find_project(session, slug).id
        newest = scoring_jobs.latest_job(session, project_id, "learn")
        if newest is not None and newest.state in ("waiting", "running"):
            raise InvalidInput(
                sentence("a judge is already being trained; wait until it finishes, or cancel it."),
            )
        if newest is not None:
            scoring_jobs.request(session, newest.id, "cancel")
        job_id = scoring_jobs.add_learning(session, project_id, options)
        if person_id is not None:
            detail = {"policy": policy, "kind": kind, "later": later}
            audit.record(session, "learned_judge", project_id=project_id, person_id=person_id, detail=detail)
        return job_id


def latest(store: Store, slug: str) -> JobInfo | None:
    """Return a project's newest job."""
    with store.reading() as session:
        return scoring_jobs.latest_job(session, find_project(session, slug).id, "learn")


def work(store: Store, key: JobKey) -> str:
    """Learn until the judge is stored or the job is paused or cancelled; return the state."""
    reporter = JobReporter(store, key)
    job = reporter.begin()
    if job is None:
        return "superseded"
    with store.reading() as session:
        slug = get_project(session, job.project_id).slug
    progress = _ProgressReport(reporter)
    state = "again"
    while state == "again":
        try:
            learned = learn(store, slug, **job.options, tell=progress, parts=_StoredParts(store, job.id))
        except _Stopped:
            state = reporter.settle(complete=False)
        else:
            count = {"verdicts": learned.rated + learned.later, "left_out": dict(learned.left_out)}
            state = reporter.settle(complete=True, report=[count])
    return state


class _ProgressReport:
    """Reports progress at intervals, and stops training when the job is paused or cancelled."""

    def __init__(self, at_work: JobReporter) -> None:
        self._at_work, self._due = at_work, 0.0

    def __call__(self, what: str, share: float) -> None:
        if time.monotonic() < self._due or what == "done":
            return
        if self._at_work.halted():
            raise _Stopped
        self._at_work.report_progress(round(WHOLE * share), WHOLE, "" if what == "reading" else what)
        self._due = time.monotonic() + SAY_SECONDS


class _StoredParts:
    """The criteria that a job has learned so far, in the database."""

    def __init__(self, store: Store, job_id: int) -> None:
        self._store, self._job_id = store, job_id

    def find(self, criterion: str, mark: str) -> LearnedCriterion | None:
        """Return a criterion's stored result if it was learned from the same input."""
        with self._store.reading() as session:
            stored = find_part(session, self._job_id, criterion, mark)
        return None if stored is None else LearnedCriterion.from_json(stored)

    def keep(self, part: LearnedCriterion, mark: str) -> None:
        """Store a criterion's result."""
        with self._store.writing() as session:
            save_part(session, self._job_id, part.criterion, mark, part.to_json())


if __name__ == "__main__":
    raise SystemExit(main(work))
