"""A small project for the tests of pages: rated by three people, judged by scripted replies."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path

from sqlalchemy import select

from judgelab.domain import Criterion
from judgelab.runs import service
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.execute.execution import judge_positions
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.engine import Store
from judgelab.store.judging import runs
from judgelab.store.models import ItemRow, MetricScore, Rating, ReferenceRow, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.criteria import criterion_ids
from tests.databases import stored_once

SCALE = {
    "kind": "ordinal",
    "low": 0,
    "high": 3,
    "labels": {"0": "irrelevant", "1": "related", "2": "partly", "3": "answers"},
}
RATERS = ("Amara", "Chen", "Gwen")
ITEMS = 12
SYSTEMS = ("plain", "retrieval")
MARKUP = "<b>Not</b> ![x](https://example.org/x.png) above 180."
UNREADABLE = "It depends on the kitchen."


def rated(store: Store, *, seed: int = 7) -> str:
    """Store the project with its ratings and a metric; return its slug."""
    chance = random.Random(seed)
    with store.writing() as session:
        criterion = Criterion(key="answers", label="Answers the question", scale=SCALE)
        project = create_project(session, name="Kitchen questions", criteria=[criterion])
        criterion_id = criterion_ids(session, project.id)["answers"]
        raters = [people.find_or_create(session, name) for name in RATERS]
        for n in range(ITEMS):
            item = ItemRow(
                project_id=project.id,
                external_id=f"q{n:02}",
                question=f"Is lid number {n} oven safe?",
                group=("lids", "pots")[n % 2],
                context=f"Lid {n} is made of glass. The handle is steel.",
            )
            session.add(item)
            session.flush()
            session.add(ReferenceRow(item_id=item.id, position=0, text=f"Lid {n} is safe to 180 degrees."))
            for system in SYSTEMS:
                response = ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"q{n:02}-{system}",
                    system=system,
                    text=f"Lid {n} of {system} can go in.\n\n{MARKUP}",
                )
                session.add(response)
                session.flush()
                quality = chance.randint(0, 3)
                for rater in raters:
                    score = min(3, max(0, quality + chance.choice((-1, 0, 0, 0, 1))))
                    comment = "The *question* was about the lid." if score == 0 else ""
                    session.add(
                        Rating(
                            project_id=project.id,
                            response_id=response.id,
                            criterion_id=criterion_id,
                            person_id=rater,
                            score=score,
                            comment=comment,
                        )
                    )
                score = (quality + chance.random()) / 4
                session.add(
                    MetricScore(project_id=project.id, response_id=response.id, metric="rougeL", score=score)
                )
    return project.slug


@stored_once
def with_judges(store: Store, **unreadable: int) -> str:
    """Store the project, rated and judged by judges of these names; return its slug.

    The values say how many replies of each judge can't be read.
    """
    slug = rated(store)
    with tempfile.TemporaryDirectory() as folder:
        for name, count in unreadable.items():
            judged(store, slug, Path(folder), name=name, unreadable=count)
    return slug


def judged(store: Store, slug: str, folder: Path, *, name: str = "strict", unreadable: int = 1) -> int:
    """Run a judge with scripted replies on the whole project; return the run's id."""
    run_id = waiting(store, slug, folder, name=name, unreadable=unreadable)
    work(store, run_id)
    return run_id


def waiting(store: Store, slug: str, folder: Path, *, name: str = "strict", unreadable: int = 0) -> int:
    """Store a run that no worker has started; return its id."""
    script = folder / f"{name}.json"
    script.write_text(json.dumps(_replies(store, slug, unreadable=unreadable)))
    spec = JudgeSpec(protocol="direct", model=str(script), backend="scripted", samples=3, name=name)
    return service.create_run(store, slug, spec, Selection())


def work(store: Store, run_id: int, *, units: int | None = None) -> None:
    """Judge the first `units` of a run in this process, by default all."""
    with store.writing() as session:
        run = runs.find_run(session, run_id)
        runs.start_attempt(session, run_id, run.attempt)

    async def judge() -> None:
        worker_context = WorkerContext(store)
        await judge_positions(worker_context, run_id, run.attempt, low=0, high=units or run.units)
        await worker_context.drain()

    asyncio.run(judge())
    if units is None:
        with store.writing() as session:
            runs.end_run(runs.locked_run(session, run_id), "done")


def _replies(store: Store, slug: str, *, unreadable: int) -> dict[str, list[str]]:
    chance = random.Random(11)
    with store.reading() as session:
        project = find_project(session, slug)
        texts = session.execute(
            select(ResponseRow.id, ResponseRow.external_id, ResponseRow.text)
            .where(ResponseRow.project_id == project.id)
            .order_by(ResponseRow.id)
        ).all()
        means: dict[int, list[float]] = {}
        for response_id, score in session.execute(select(Rating.response_id, Rating.score)):
            means.setdefault(response_id, []).append(score)
    replies = {}
    for position, (response_id, _, words) in enumerate(texts):
        mean = sum(means[response_id]) / len(means[response_id])
        scores = [min(3, max(0, round(mean + chance.gauss(0, 0.9)))) for _ in range(3)]
        readable = position >= unreadable
        samples = [str(score) for score in scores] if readable else [UNREADABLE] * 3
        replies[words.splitlines()[0]] = samples
    return replies
