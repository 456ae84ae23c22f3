"""What a project's judges and metrics have done so far, in words."""

from __future__ import annotations

from judgelab.store.projects.overview import Overview
from judgelab.wording import counted, mark, sentence

JUDGED = {  # by whether the raters only compared responses
    False: mark("{judges} and {metrics} have scored the responses"),
    True: mark("{judges} and {metrics} have judged the pairs or responses"),
}
WITHOUT = {False: mark("{n} without a score"), True: mark("{n} without a choice or score")}


def judged_words(counts: Overview) -> tuple[str, str, str]:
    """Return who has judged, how many judgments have a score or a choice, and how many lack one."""
    compared = counts.comparisons > 0 and not counts.ratings
    headline = sentence(
        JUDGED[compared],
        judges=counted("{n} judge", "{n} judges", counts.judges),
        metrics=counted("{n} metric", "{n} metrics", counts.metrics),
    )
    missing = {"unscored": counts.unscored, "failed": counts.failed}
    if compared:
        detail = counted(
            "{n} judgment with a choice or score, {unscored} without one, {failed} failed",
            "{n} judgments with a choice or score, {unscored} without one, {failed} failed",
            counts.scored,
            **missing,
        )
    else:
        detail = counted(
            "{n} judgment scored, {unscored} unscored, {failed} failed",
            "{n} judgments scored, {unscored} unscored, {failed} failed",
            counts.scored,
            **missing,
        )
    lacking = counts.unscored + counts.failed
    return headline, detail, sentence(WITHOUT[compared], n=lacking) if lacking else mark("done")
