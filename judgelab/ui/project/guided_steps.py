"""The guided path's texts: what each step asks for, and the way to its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs import guided, service
from judgelab.runs.guided import GuidedPath, GuidedStep
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.rater.who_rates import PARAM
from judgelab.ui.session import gate, navigation
from judgelab.wording import mark

VISIT = "pages/researcher/visit.py"
PAGES: dict[GuidedStep, str] = {
    "rate": "pages/annotator/rate.py",
    "raters": "pages/researcher/raters.py",
    "run": "pages/researcher/runs.py",
    "standing": "pages/researcher/you.py",
}
ADDRESSES: dict[str, GuidedStep] = {"rate": "rate", "raters": "raters", "runs": "run", "you": "standing"}


@dataclass(frozen=True)
class StepTexts:
    """One step: its title, its short name in the bar, its task, and its button's label."""

    title: str
    short: str
    task: str
    button: str


STEP_TEXTS: dict[GuidedStep, StepTexts] = {
    "rate": StepTexts(
        mark("Rate three responses yourself"),
        mark("Rate"),
        mark(
            "Read the question and the response, give a score from 0 to 3 and submit; systems, judges and "
            "other ratings are hidden."
        ),
        mark("Rate three responses"),
    ),
    "raters": StepTexts(
        mark("Find the two bad raters"),
        mark("Raters"),
        mark(
            "Eight invented raters rated before you. The page about them shows which two are unreliable; "
            "opening it completes this step."
        ),
        mark("Meet the raters"),
    ),
    "run": StepTexts(
        mark("Watch a judge run"),
        mark("Judge"),
        mark(
            "A scripted judge scores all responses within half a minute; its replies were written for the "
            "demo, and no model is called."
        ),
        mark("Start the scripted judge"),
    ),
    "standing": StepTexts(
        mark("See where you, the crowd and the judges disagree"),
        mark("Your scores"),
        mark("Compare your scores with the other raters’ and the judges’, response by response."),
        mark("See who disagrees"),
    ),
}


def button_label(step: GuidedStep, path: GuidedPath) -> str:
    """Return the label of the button to a step, depending on its progress."""
    if step == "rate" and 0 < path.rated < guided.RATINGS_NEEDED:
        remaining = guided.RATINGS_NEEDED - path.rated
        return _n("Rate {n} more response", "Rate {n} more responses", remaining)
    if step == "run" and path.replay is not None:
        return _("See the run")
    return _(STEP_TEXTS[step].button)


def step_status(step: GuidedStep, path: GuidedPath) -> str:
    """Return a step's progress: "done", "2 of 3 rated", "running", or empty."""
    if step in path.finished_steps:
        return _("done")
    if step == "rate" and path.rated:
        return _("{rated} of {wanted} rated", rated=path.rated, wanted=guided.RATINGS_NEEDED)
    if step == "run" and path.replay is not None:
        return _("running") if path.replay.state in ("waiting", "running") else _("not finished")
    return ""


def step_obstacle(step: GuidedStep, path: GuidedPath) -> str:
    """Return what a step is waiting for, or empty: a run needs a worker."""
    needs_worker = step == "run" and "run" not in path.finished_steps
    if needs_worker and not service.live_workers(gate.store(), "api"):
        return _("No worker is running, so the judge would wait; start all services with `judgelab up`.")
    return ""


def go_to_step(step: GuidedStep, project: ProjectInfo, person: PersonInfo) -> NoReturn:
    """Switch to a step's page; the third step's run is started first, unless it already was."""
    query = {"project": project.slug}
    if step == "rate":
        query[PARAM] = str(person.id)  # a local owner would be asked who is rating
    elif step == "run":
        gate.enter("guest", project)
        query["run"] = str(guided.start_replay(gate.store(), project.slug, person.id))
    st.switch_page(page_of_step(step, person, project), query_params=query)
    raise AssertionError("switch_page ends the run")


def page_of_step(step: GuidedStep, person: PersonInfo, project: ProjectInfo) -> str:
    """Return the page on which the person does a step: guests see the raters on *Quality*."""
    page = PAGES[step]
    if step == "raters" and not navigation.may_open(page, person, project):
        return navigation.QUALITY[0]
    return page


def leave_path(project: ProjectInfo) -> NoReturn:
    """Leave the path for the project, or for the first page that the visitor may open."""
    person = gate.visitor()
    st.session_state["projects_view"] = "home"
    page = navigation.READER[0][0]
    if person is not None and navigation.may_open(navigation.RESEARCHER[0][0], person, project):
        page = navigation.RESEARCHER[0][0]
    st.switch_page(page, query_params={"project": project.slug})
    raise AssertionError("switch_page ends the run")


def offered_project(person: PersonInfo | None) -> ProjectInfo | None:
    """Return the demo project whose guided path the person is on when they arrive, or None.

    Without a project in the link the path is only offered if all projects are demos: anybody with a project
    of their own has work to do.
    """
    if person is None:
        return None
    current = gate.current_project()
    if current is None:
        summaries = gate.projects()
        if not summaries or not all(summary.demo for summary in summaries):
            return None
        project = project_with_tour()
    else:
        project = current if _has_tour(current) else None
    if project is None:
        return None
    return project if guided.guided_path(gate.store(), project, person.id).going_on else None


def project_with_tour() -> ProjectInfo | None:
    """Return the newest project whose tour the visitor may take, or None."""
    visible = (gate.visible_project(summary.slug) for summary in gate.projects() if summary.demo)
    return next((project for project in visible if project is not None and _has_tour(project)), None)


def draw_way_to_tour(project: ProjectInfo, tour: ProjectInfo) -> None:
    """Say that another project has the tour, and offer to open it there."""
    message = _(
        "“{project}” has no tour; “{tour}” has one.",
        project=text.plain(project.name),
        tour=text.plain(tour.name),
    )
    with st.container(border=True, width=widgets.ANSWER_WIDTH):
        st.write(message)
        if widgets.primary_button(_("Open the tour"), key="guided_elsewhere"):
            st.switch_page(VISIT, query_params={"project": tour.slug})


def _has_tour(project: ProjectInfo) -> bool:
    return guided.has_guided_path(project) and gate.allowed("guest", project) is not None
