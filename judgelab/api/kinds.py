"""Scores whose raters are said to be people, judges or metrics after they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.api.frames import KINDS
from judgelab.api.understood import listing, near
from judgelab.errors import InvalidInput


def with_kinds(data: ProjectScores, named: Mapping[str, list[str]]) -> ProjectScores:
    """Return the scores with the kinds that names are given, {"judge": ["gpt"]}; other raters keep theirs.

    Raises:
        InvalidInput: there is no such rater, one has two kinds, or the scores are filtered or of pairs.
    """
    if data.compared is not None or data.outcome is not None:
        raise InvalidInput(
            "choices and filtered scores keep their raters; say who are judges when they are read."
        )
    known = list(map(str, data.scores["rater"].unique()))
    kind_of: dict[str, str] = {}
    for kind, names in named.items():
        for name in names:
            if name not in known:
                raise InvalidInput(
                    f"no rater is called '{name}'; the raters are {listing(known)}.{near(name, known)}"
                )
            if kind_of.setdefault(name, kind) != kind:
                raise InvalidInput(f"'{name}' is listed twice among humans, judges and metrics.")
    kinds = data.scores["rater"].map(kind_of).fillna(data.scores["rater_kind"]).astype("str")
    scores = data.scores.assign(rater_kind=kinds)
    order = np.argsort(pd.Categorical(kinds, categories=KINDS).codes, kind="stable")
    scores = scores.iloc[order].reset_index(drop=True)
    humans = scores[scores["rater_kind"] == "human"]
    rated = humans.loc[humans["score"].notna(), ["item", "response"]].drop_duplicates("response")
    return replace(
        data,
        scores=scores,
        humans=humans,
        rated_per_item=int(rated["item"].value_counts().max()) if len(rated) else 0,
    )
