"""Scales that scores imply, and scores outside them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from judgelab.imports.core.scale_inference import MAX_VALUES, ScoreRange, ScoreSurvey
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.scales import Scale, scale_from_json
from judgelab.wording import counted, sentence


def inferred_scale(name: str, numbers: Floats, on_scale: Bools, judged: Bools, notes: list[str]) -> Scale:
    """Return the scale that fits the scores of people, else of judges, and note what may be a code."""
    survey = ScoreSurvey(name)
    for kind, chosen in (("human", on_scale & ~judged), ("judge", on_scale & judged)):
        values = numbers[chosen]
        if not len(values):
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
                "{code} looks like a code for a missing score under '{criterion}'; if it is one, leave it "
                "empty",
                code=f"{codes[0].value:g}",
                criterion=name,
            )
        )
    return scale_from_json(survey.criterion(0).scale)


def note_outside(name: str, scale: Scale, values: Floats, notes: list[str]) -> None:
    """Note how many scores are outside the scale, if any."""
    outside = int(((values < scale.low) | (values > scale.high)).sum())
    if outside:
        notes.append(
            counted(
                "{n} score under '{criterion}' is outside the scale {low} to {high}",
                "{n} scores under '{criterion}' are outside the scale {low} to {high}",
                outside,
                criterion=name,
                low=f"{scale.low:g}",
                high=f"{scale.high:g}",
            )
        )
