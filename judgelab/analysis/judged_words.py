"""What a project's judges and metrics have done so far, in words."""

from __future__ import annotations

from judgelab.store.projects.overview import Overview
from judgelab.wording import counted, joined, mark, sentence

JUDGED = {  # by whether the raters only compared responses
    False: mark("{judges} and {metrics} have scored the responses"),
    True: mark("{judges} and {metrics} have judged the pairs or responses"),
}
WITHOUT = {False: mark("{n} without a score"), True: mark("{n} without a choice or score")}


def judged_words(counts: Overview) -> tuple[str, str, str]:
    """Return who has judged, how many judgments have a score or choice, and what they lack, if anything."""
    compared = counts.comparisons > 0 and not counts.ratings
    headline = _headline(counts, compared=compared)
    lacking = [sentence(WITHOUT[compared], n=counts.unscored)] if counts.unscored else []
    if counts.failed:
        lacking.append(counted("{n} failed", "{n} failed", counts.failed))
    return headline, _usable(counts, compared=compared), joined(lacking) if lacking else ""


def _headline(counts: Overview, *, compared: bool) -> str:
    """Return how many judges and metrics have judged; a kind of which there is none is left out."""
    if counts.judges and counts.metrics:
        return sentence(
            JUDGED[compared],
            judges=counted("{n} judge", "{n} judges", counts.judges),
            metrics=counted("{n} metric", "{n} metrics", counts.metrics),
        )
    if counts.metrics:
        return counted(
            "{n} metric has scored the responses", "{n} metrics have scored the responses", counts.metrics
        )
    if compared:
        return counted(
            "{n} judge has judged the pairs or responses",
            "{n} judges have judged the pairs or responses",
            counts.judges,
        )
    return counted(
        "{n} judge has scored the responses", "{n} judges have scored the responses", counts.judges
    )


def _usable(counts: Overview, *, compared: bool) -> str:
    """Return how many judgments have a score, or where raters compared responses a choice or score."""
    if compared:
        return counted(
            "{n} judgment with a choice or score", "{n} judgments with a choice or score", counts.scored
        )
    return counted("{n} judgment scored", "{n} judgments scored", counts.scored)
