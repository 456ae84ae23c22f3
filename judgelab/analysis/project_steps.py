"""The seven steps of a project, their state, and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judgelab.analysis.data.saved_filters import filter_in_use
from judgelab.analysis.judged_words import judged_words
from judgelab.analysis.project_contents import comparisons_by_raters, ratings_by_raters
from judgelab.store.db.engine import Store
from judgelab.store.projects.overview import Overview, overview
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import counted, joined, mark, sentence

StepState = Literal["done", "ready", "open", "attention", "later"]


@dataclass(frozen=True)
class ProjectStep:
    """One step of a project.

    Attributes:
        key: "data", "rate", "quality", "judge", "agree", "explain" or "report".
        title: its name in the navigation.
        state: "done", "ready" (results to look at), "open", "attention" (needs a look) or "later" (its
            input is missing).
        headline: the present state with counts.
        detail: a second line; may be empty.
        mark: the short label at the right ("done", "14 unscored").
        next_sentence: what to do if this is the next step.
        button: the label of the button that leads to the step.
    """

    key: str
    title: str
    state: StepState
    headline: str
    detail: str = ""
    mark: str = ""
    next_sentence: str = ""
    button: str = ""


def list_steps(store: Store, slug: str) -> tuple[ProjectStep, ...]:
    """Return the steps of a project in order."""
    with store.reading() as session:
        project = find_project(session, slug)
        counts = overview(session, project.id, raters_wanted=int(project.settings["raters_per_response"]))
    saved = filter_in_use(store, slug)
    return (
        _data_step(counts),
        _rate_step(counts, project),
        _quality_step(counts, None if saved is None else saved.description),
        _judge_step(counts),
        _agree_step(counts),
        _explain_step(counts),
        _report_step(counts),
    )


def next_step(steps: tuple[ProjectStep, ...]) -> ProjectStep:
    """Return the first step that is open or needs a look; if there is none, *Explain*, or else the last."""
    waiting = [step for step in steps if step.state in ("open", "attention")]
    to_read = [step for step in steps if step.key == "explain" and step.state == "ready"]
    return next(iter([*waiting, *to_read]), steps[-1])


def _data_step(counts: Overview) -> ProjectStep:
    next_sentence = sentence("Next: import your questions or articles with the systems' responses")
    title = mark("Data")
    if not counts.responses:
        button = mark("Upload a file")
        return ProjectStep(
            "data", title, "open", mark("No data yet"), "", mark("open"), next_sentence, button
        )
    detail: str = sentence("no references")
    if counts.references:
        detail = counted("{n} reference", "{n} references", counts.references)
    headline = joined(
        [
            counted("{n} item", "{n} items", counts.items),
            counted("{n} response", "{n} responses", counts.responses),
        ]
    )
    if counts.systems:
        systems = counted("{n} system", "{n} systems", counts.systems)
        headline = sentence("{contents} from {systems}", contents=headline, systems=systems)
    return ProjectStep(
        "data", title, "done", headline, detail, mark("done"), next_sentence, mark("Open data")
    )


def _rate_step(counts: Overview, project: ProjectInfo) -> ProjectStep:
    wanted = int(project.settings["raters_per_response"])
    next_sentence = counted(
        "Next: rate the responses, or invite raters; each needs {n} rater",
        "Next: rate the responses, or invite raters; each needs {n} raters",
        wanted,
    )
    title = mark("Rate")
    if not counts.responses:
        return ProjectStep(
            "rate", title, "later", mark("Ratings by people"), mark("needs data"), mark("later")
        )
    if not counts.ratings and counts.comparisons:
        compared = comparisons_by_raters(counts)
        return ProjectStep(
            "rate", title, "done", compared, "", mark("done"), next_sentence, mark("Continue rating")
        )
    if not counts.ratings:
        button = mark("Start rating")
        return ProjectStep(
            "rate", title, "open", mark("No ratings yet"), "", mark("open"), next_sentence, button
        )
    headline = sentence(
        "{ratings}; {complete} of {responses} responses have {wanted} or more",
        ratings=ratings_by_raters(counts),
        complete=counts.complete,
        responses=counts.responses,
        wanted=counted("{n} rater", "{n} raters", wanted)
        if counts.raters > counts.slots
        else counted("{n} slot", "{n} slots", wanted),
    )
    detail = sentence(
        "{rated} rated at least once; {flagged} flagged, {skipped} skipped",
        rated=counts.rated,
        flagged=counts.flagged,
        skipped=counts.skipped,
    )
    state: StepState = "done" if counts.rated == counts.responses else "open"
    state_text = mark("done: all rated at least once") if state == "done" else mark("open")
    if counts.complete == counts.responses:
        state_text = mark("done")
    return ProjectStep(
        "rate", title, state, headline, detail, state_text, next_sentence, mark("Continue rating")
    )


def _quality_step(counts: Overview, filter_text: str | None) -> ProjectStep:
    compared = counts.raters < 2
    if max(counts.raters, counts.comparing) < 2:
        return ProjectStep(
            "quality",
            mark("Quality"),
            "later",
            mark("Which raters are reliable"),
            mark("needs two raters"),
            mark("later"),
        )
    if filter_text is None:
        return ProjectStep(
            "quality",
            mark("Quality"),
            "open",
            mark("All comparisons count; no quality filter is in use")
            if compared
            else mark("All ratings count; no quality filter is in use"),
            mark("the usual filter removes raters whose κ with the others is below 0.40")
            if compared
            else mark("the usual filter removes raters who correlate below 0.40 with the others"),
            mark("open"),
            mark("Next: check which raters agree with the others, and set the filter"),
            mark("Review the raters"),
        )
    return ProjectStep(
        "quality",
        mark("Quality"),
        "done",
        sentence("Filter in use: {rule}", rule=filter_text),
        "",
        mark("done"),
        mark("A quality filter is set"),
        mark("Open quality"),
    )


def _judge_step(counts: Overview) -> ProjectStep:
    title = mark("Judge")
    if not counts.responses:
        later = mark("later")
        return ProjectStep("judge", title, "later", mark("LLM judges and metrics"), mark("needs data"), later)
    next_sentence = mark("Next: score the same responses with a judge or a metric")
    if not counts.scored and not counts.metrics:
        return ProjectStep(
            "judge",
            title,
            "open",
            mark("No judge or metric has scored the responses yet"),
            "",
            mark("open"),
            next_sentence,
            mark("Set up a judge"),
        )
    headline, usable, lacking = judged_words(counts)
    if counts.runs_under_way:
        return ProjectStep(
            "judge",
            title,
            "attention",
            headline,
            joined([usable, lacking]) if lacking else usable,
            sentence("{n} running", n=counts.runs_under_way),
            next_sentence,
            mark("See the run"),
        )
    return ProjectStep(
        "judge", title, "done", headline, usable, lacking or mark("done"), next_sentence, mark("Open judges")
    )


def _agree_step(counts: Overview) -> ProjectStep:
    if not _can_compare(counts):
        return ProjectStep(
            "agree",
            mark("Agree"),
            "later",
            mark("How well judges agree with the raters"),
            mark("needs ratings and a judge"),
            mark("later"),
        )
    return ProjectStep(
        "agree",
        mark("Agree"),
        "ready",
        mark("Agreement of each judge and metric with the raters"),
        mark("with intervals, compared with the raters' agreement with one another"),
        mark("ready"),
        mark("See each judge's agreement with the raters"),
        mark("Open agreement"),
    )


def _explain_step(counts: Overview) -> ProjectStep:
    if not _can_compare(counts):
        return ProjectStep(
            "explain",
            mark("Explain"),
            "later",
            mark("Where judges and raters differ, one response at a time"),
            mark("needs agreement"),
            mark("later"),
        )
    if not counts.ratings:
        return ProjectStep(
            "explain",
            mark("Explain"),
            "ready",
            mark("Where judges and raters differ, one pair at a time"),
            mark("both responses side by side, with each choice and its rationale"),
            mark("ready"),
            mark("Next: read the pairs on which a judge disagrees with the raters"),
            mark("Open the first pair"),
        )
    return ProjectStep(
        "explain",
        mark("Explain"),
        "ready",
        mark("Where judges and raters differ, one response at a time"),
        mark("raters first, then each judge with its rationale"),
        mark("ready"),
        mark("Next: read the responses on which a judge and the raters differ most"),
        mark("Open the largest difference"),
    )


def _report_step(counts: Overview) -> ProjectStep:
    if not (counts.ratings or counts.comparisons):
        later = mark("later")
        return ProjectStep(
            "report", mark("Report"), "later", mark("What to report"), mark("needs ratings"), later
        )
    return ProjectStep(
        "report",
        mark("Report"),
        "ready",
        mark("What to report: methods, rater flow, tables, figures, anonymised data"),
        mark("with the commands that recompute every number"),
        mark("ready"),
        mark("Download the report"),
        mark("Open the report"),
    )


def _can_compare(counts: Overview) -> bool:
    return bool((counts.ratings or counts.comparisons) and (counts.scored or counts.metrics))
