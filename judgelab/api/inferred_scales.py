"""Scales that scores imply, and scores outside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from judgelab.imports.core.scale_inference import MAX_VALUES, ScoreRange, ScoreSurvey
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import sentence


def inferred_scale(name: str, numbers: Floats, on_scale: Bools, judged: Bools, notes: list[str]) -> Scale:
    """Return the scale that fits the scores of people, else of judges, and note what may be a code."""
    survey = ScoreSurvey(name)
    by_people = on_scale & ~judged
    for kind, chosen in (("human", by_people), ("judge", on_scale & judged)):
        values = numbers[chosen]
        if not len(values) or (kind == "judge" and by_people.any()):
            continue
        distinct, counts = np.unique(values, return_counts=True)
        survey.counts[kind] = Counter(
            dict(zip(distinct[:MAX_VALUES].tolist(), counts.tolist(), strict=False))
        )
        whole = bool((distinct == np.rint(distinct)).all())
        survey.ends[kind] = ScoreRange(float(distinct[0]), float(distinct[-1]), whole)
    if codes := survey.codes:
        notes.append(
            sentence(
                "{code} looks like a code for a missing score under '{criterion}', but counts as a score; "
                "if it is a code, give missing=[{code}]",
                code=f"{codes[0].value:g}",
                criterion=name,
            )
        )
    return scale_from_json(survey.criterion(0).scale)


def outside(scale: Scale, numbers: Floats) -> Bools:
    """Return which scores are outside the scale; missing ones are not."""
    return (numbers < scale.low) | (numbers > scale.high)


def note_own_scales(judges: Collection[str]) -> list[str]:
    """Return that judges have scores outside the raters' scale, if any have."""
    names = ", ".join(f"“{name}”" for name in sorted(judges))
    if not names:
        return []
    return [
        f"{names} gave scores outside the raters' scale, so what needs one scale (exact agreement, error, "
        "kappa, alpha, the alternative annotator test) is undefined; if the raters have the same scale, give "
        "it: jl.scores(df, scale=(0, 10))"
    ]
