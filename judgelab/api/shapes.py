"""Dictionaries by rater, and vectors, as frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.wording import sentence


def of_dictionaries(
    humans: Mapping[str, Mapping[Any, Any]], judges: Mapping[str, Any], metrics: Mapping[str, Any]
) -> pd.DataFrame:
    """Return long columns of dictionaries by rater: {"ann": {"q1": 1}}; a tuple as key is (item, system).

    Without judges and metrics there is no column of kinds, as their names may be listed.
    """
    rows: list[tuple[Any, ...]] = []
    for kind, raters in (("human", humans), ("judge", judges), ("metric", metrics)):
        for rater, scores in raters.items():
            if not isinstance(scores, Mapping):
                raise InvalidInput(
                    sentence(
                        '\'{rater}\' is no dictionary of scores by item; write {{"{rater}": {{"q1": 1}}}}.',
                        rater=str(rater),
                    )
                )
            for key, score in scores.items():
                item, system = key if isinstance(key, tuple) and len(key) == 2 else (key, "")
                rows.append((item, system, rater, kind, score))
    frame = pd.DataFrame(rows, columns=["item", "system", "rater", "kind", "score"])
    return frame if judges or metrics else frame.drop(columns="kind")


def of_vectors(vectors: Mapping[str, Any], *, sides: Mapping[str, Any]) -> pd.DataFrame:
    """Return a wide frame of vectors of equal length: the raters' by name, and item, system and the like.

    Raises:
        InvalidInput: their lengths differ, or one has more than one dimension.
    """
    columns: dict[str, Any] = {}
    if taken := [name for name in vectors if name in sides]:
        raise InvalidInput(
            f"a rater can't be called '{taken[0]}', the name of an argument; give another name."
        )
    for name, vector in {**vectors, **{key: part for key, part in sides.items() if part is not None}}.items():
        values = (
            vector if isinstance(vector, pd.Series) else pd.Series(np.asarray(vector, dtype=object).ravel())
        )
        if np.ndim(vector) != 1:
            raise InvalidInput(
                sentence("{name} must be one score after another, such as [3, 1, 2].", name=str(name))
            )
        columns[str(name)] = values.reset_index(drop=True).infer_objects()
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        (first, n), (other, m) = next(
            (one, two) for one in lengths.items() for two in lengths.items() if one[1] != two[1]
        )
        raise InvalidInput(
            sentence(
                "{first} has {n} values and {other} has {m}; both need one for each response.",
                first=first,
                n=n,
                other=other,
                m=m,
            )
        )
    return pd.DataFrame(columns)
