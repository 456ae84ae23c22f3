"""What is known of a project's pairs of responses besides their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from judgelab.metaeval.core.tie_margin import TieMargin


@dataclass(frozen=True)
class ComparedUnits:
    """What is known of pairs of responses besides the scores that say which of the two is better.

    Attributes:
        pairs: the pairs by number: `PAIR_COLUMNS` of `metaeval.core.pair_scores`, and the criterion.
        longer: by pair, the label that names the longer response; without the pairs that lack a text.
        preferences: the comparisons as given (`PREFERENCE_COLUMNS`), with decisions if they are used.
        responses: the project's responses, without their texts.
        implied: judges and metrics that scored single responses; their choices follow from the scores.
        metrics: the metrics among them.
        margins: by criterion and name of those in `implied`, up to which difference of scores it has a tie.
        examples: the kept scores of pairs on which a margin was chosen; they are not in
            `ProjectScores.scores`, so they enter no agreement. None if there are none.
    """

    pairs: pd.DataFrame
    longer: pd.Series[float]
    preferences: pd.DataFrame
    responses: pd.DataFrame
    implied: frozenset[str]
    metrics: frozenset[str]
    margins: Mapping[tuple[str, str], TieMargin] = field(default_factory=dict)
    examples: pd.DataFrame | None = None
