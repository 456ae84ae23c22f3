"""The guided path of a demo project: its four steps, what is done of them, and the run of the third."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects import sandboxes, tour_progress
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.projects.tour_progress import ReplayRun
from judgelab.wording import sentence

SETTING = sandboxes.GUIDED
JUDGE = "Demo judge A, replayed"
RATINGS_NEEDED = 3  # responses to rate oneself
LATENCY, UNEVEN = 0.6, 9.0  # seconds a reply takes: one can watch it, and it is over soon

GuidedStep = Literal["rate", "raters", "run", "standing"]
STEPS: tuple[GuidedStep, ...] = ("rate", "raters", "run", "standing")


@dataclass(frozen=True)
class GuidedPath:
    """How far one person is.

    Attributes:
        rated: responses they rated themselves.
        finished_steps: the steps that are done.
        dismissed: whether they put the path away.
        replay: the newest run of the judge that the path plays, if it was started.
    """

    rated: int
    finished_steps: frozenset[GuidedStep]
    dismissed: bool
    replay: ReplayRun | None

    @property
    def next(self) -> GuidedStep | None:
        """Return the first step that is not done, None after the last."""
        return next((step for step in STEPS if step not in self.finished_steps), None)

    @property
    def going_on(self) -> bool:
        """Return whether the path is offered: it is not over and was not put away."""
        return self.next is not None and not self.dismissed


def has_guided_path(project: ProjectInfo) -> bool:
    """Return whether the project has a guided path: demo projects that name a script have."""
    return bool(project.settings.get("demo") and project.settings.get(SETTING))


def guided_path(store: Store, project: ProjectInfo, person_id: int) -> GuidedPath:
    """Return how far the person is on the path of the project."""
    with store.reading() as session:
        progress = tour_progress.tour_progress(session, project.id, person_id)
        replay = tour_progress.newest_replay(session, project.id, model=str(project.settings.get(SETTING)))
    steps: dict[GuidedStep, bool] = {
        "rate": progress.rated >= RATINGS_NEEDED,
        "raters": tour_progress.SAW_RATERS in progress.actions,
        "run": replay is not None and replay.state == "done",
        "standing": tour_progress.SAW_STANDING in progress.actions and progress.rated >= RATINGS_NEEDED,
    }
    return GuidedPath(
        progress.rated, frozenset(key for key, done in steps.items() if done), progress.dismissed, replay
    )


def record_action(store: Store, project_id: int, person_id: int, action: str) -> None:
    """Keep that the person opened a page of the path, put it away or took it up, once for each change."""
    with store.writing() as session:
        progress = tour_progress.tour_progress(session, project_id, person_id)
        again = action in (tour_progress.LEFT_TOUR, tour_progress.RESUMED_TOUR)
        if (
            action in progress.actions
            if not again
            else progress.dismissed == (action == tour_progress.LEFT_TOUR)
        ):
            return
        audit.record(session, action, project_id=project_id, person_id=person_id)


def start_replay(store: Store, slug: str, person_id: int) -> int:
    """Start the run of the path unless it was started; return its id.

    The replies come from the sample data, slowly enough to be watched; stored ones are not taken instead.

    Raises:
        InvalidInput: the project is no demo with a path.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        if not has_guided_path(project):
            raise InvalidInput(sentence("this project has no tour; the tour uses a demo project."))
        before = tour_progress.newest_replay(session, project.id, model=str(project.settings[SETTING]))
    if before is not None and before.state != "cancelled":
        return before.run
    spec = JudgeSpec(
        protocol="direct",
        model=str(project.settings[SETTING]),
        backend="scripted",
        options={"grammar": "prometheus"},
        parameters={"latency": LATENCY, "uneven": UNEVEN},
        samples=1,
        name=JUDGE,
    )
    run = service.create_run(store, slug, spec, cache=False)
    with store.writing() as session:
        audit.record(session, "started_run", project_id=project.id, person_id=person_id, detail={"run": run})
    return run
