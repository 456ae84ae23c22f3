"""Where a project stands on its seven steps, and the one next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from judgelab.analysis.quality import in_use
from judgelab.store.engine import Store
from judgelab.store.overview import Overview, overview
from judgelab.store.projects import ProjectInfo, find_project

StepState = Literal["done", "open", "attention", "later"]


@dataclass(frozen=True)
class Step:
    """One of the steps.

    Attributes:
        key: "data", "rate", "quality", "judge", "agree" or "explain".
        title: the word in the navigation.
        state: "done", "open", "attention" (something needs a look) or "later" (nothing to do it with yet).
        headline: what stands there, with its counts.
        detail: a second line; may be empty.
        mark: the word shown at the right ("done", "14 unscored").
        next_sentence: what to do, if this is the next step.
        button: the label of the button that leads there.
    """

    key: str
    title: str
    state: StepState
    headline: str
    detail: str = ""
    mark: str = ""
    next_sentence: str = ""
    button: str = ""


def steps(store: Store, slug: str) -> tuple[Step, ...]:
    """Return the steps of a project in order."""
    with store.reading() as session:
        project = find_project(session, slug)
        counts = overview(session, project.id, raters_wanted=int(project.settings["raters_per_response"]))
    rule = in_use(store, slug)
    return (
        _data(counts),
        _rate(counts, project),
        _quality(counts, None if rule is None else rule.quoted),
        _judge(counts),
        _agree(counts),
        _explain(counts),
    )


def next_step(found: tuple[Step, ...]) -> Step:
    """Return the first step that is not done; the last one when all are."""
    return next((step for step in found if step.state in ("open", "attention")), found[-1])


def _data(counts: Overview) -> Step:
    sentence = "Next: bring your questions or articles with the systems' responses"
    if not counts.responses:
        return Step("data", "Data", "open", "No data yet", "", "open", sentence, "Upload a file")
    systems = f" from {_n(counts.systems, 'system')}" if counts.systems else ""
    detail = f"{_n(counts.references, 'reference')}" if counts.references else "no references"
    headline = f"{_n(counts.items, 'item')}, {_n(counts.responses, 'response')}{systems}"
    return Step("data", "Data", "done", headline, detail, "done", sentence, "Open data")


def _rate(counts: Overview, project: ProjectInfo) -> Step:
    wanted = int(project.settings["raters_per_response"])
    sentence = f"Next: rate the responses; each needs {_n(wanted, 'rater')}"
    if not counts.responses:
        return Step("rate", "Rate", "later", "Ratings by people", "needs data", "later")
    if not counts.ratings:
        return Step("rate", "Rate", "open", "No ratings yet", "", "open", sentence, "Start rating")
    headline = (
        f"{_n(counts.ratings, 'rating')} by {_n(counts.raters, 'rater')}; "
        f"{counts.complete:,} of {counts.responses:,} responses have {_n(wanted, 'rater')} or more"
    )
    detail = f"{counts.rated:,} rated at least once; {counts.flagged:,} flagged, {counts.skipped:,} skipped"
    state: StepState = "done" if counts.rated == counts.responses else "open"
    mark = "done" if counts.complete == counts.responses else "all rated once" if state == "done" else "open"
    return Step("rate", "Rate", state, headline, detail, mark, sentence, "Go on rating")


def _quality(counts: Overview, rule: str | None) -> Step:
    if counts.raters < 2:
        return Step(
            "quality", "Quality", "later", "Which raters can be relied on", "needs two raters", "later"
        )
    if rule is None:
        return Step(
            "quality",
            "Quality",
            "open",
            "All ratings count; no quality rule is in use",
            "the usual rule takes out raters who correlate below 0.40 with the others",
            "open",
            "Next: see which raters agree with the others, and set the rule",
            "Look at the raters",
        )
    return Step(
        "quality",
        "Quality",
        "done",
        f"Rule in use: {rule}",
        "",
        "done",
        "The quality rule is set",
        "Open quality",
    )


def _judge(counts: Overview) -> Step:
    if not counts.responses:
        return Step("judge", "Judge", "later", "LLM judges and metrics", "needs data", "later")
    sentence = "Next: let a judge or a metric score the same responses"
    if not counts.scored and not counts.metrics:
        return Step(
            "judge",
            "Judge",
            "open",
            "Nothing has scored the responses yet",
            "",
            "open",
            sentence,
            "Set up a judge",
        )
    headline = f"{_n(counts.judges, 'judge')} and {_n(counts.metrics, 'metric')} have scored the responses"
    detail = f"{counts.scored:,} judgments scored, {counts.unscored:,} unscored, {counts.failed:,} failed"
    if counts.runs_under_way:
        return Step(
            "judge",
            "Judge",
            "attention",
            headline,
            detail,
            f"{counts.runs_under_way} running",
            sentence,
            "See the run",
        )
    left = counts.unscored + counts.failed
    mark = f"{left:,} without a score" if left else "done"
    return Step("judge", "Judge", "done", headline, detail, mark, sentence, "Open judges")


def _agree(counts: Overview) -> Step:
    if not _comparable(counts):
        return Step(
            "agree",
            "Agree",
            "later",
            "How far judges agree with the people",
            "needs ratings and a judge",
            "later",
        )
    return Step(
        "agree",
        "Agree",
        "done",
        "Agreement of every judge and metric with the people",
        "with intervals, beside the people among themselves",
        "ready",
        "See how far each judge agrees with the people",
        "Open agreement",
    )


def _explain(counts: Overview) -> Step:
    if not _comparable(counts):
        return Step(
            "explain",
            "Explain",
            "later",
            "Where they differ, one response at a time",
            "needs agreement",
            "later",
        )
    return Step(
        "explain",
        "Explain",
        "open",
        "Where they differ, one response at a time",
        "people first, then each judge with its reason",
        "open",
        "Next: read the responses on which a judge and the people differ most",
        "Open the first one",
    )


def _comparable(counts: Overview) -> bool:
    return bool(counts.ratings and (counts.scored or counts.metrics))


def _n(count: int, word: str) -> str:
    return f"{count:,} {word if count == 1 else word + 's'}"
