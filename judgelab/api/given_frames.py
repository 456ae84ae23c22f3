"""Frames as people have them: of pandas, polars or arrow, with an index, or as dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.wording import sentence


def as_frame(data: Any) -> pd.DataFrame:
    """Return data as a pandas frame with its named index levels as columns; unnamed texts are the items.

    Raises:
        InvalidInput: it is no frame, or two columns have one name.
    """
    if isinstance(data, Mapping):
        data = _of_columns(data)
    elif isinstance(data, pd.Series):
        data = data.to_frame()
    elif not isinstance(data, pd.DataFrame):
        if hasattr(data, "to_pandas"):
            data = data.to_pandas()
        elif hasattr(data, "__arrow_c_stream__"):
            import pyarrow as pa

            data = pa.table(data).to_pandas()
        elif isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
            data = pd.DataFrame(list(data))
        else:
            raise InvalidInput(
                sentence(
                    "{kind} is no data frame; call jl.scores(df), jl.scores(human=[…], judge=[…]) or, for a "
                    'file, jl.read("file.csv").',
                    kind=type(data).__name__,
                )
            )
    frame: pd.DataFrame = data
    texts = frame.index.dtype == object or isinstance(frame.index.dtype, pd.StringDtype)
    if texts and frame.index.nlevels == 1 and frame.index.name is None and "item" not in frame.columns:
        frame = frame.rename_axis("item")  # names of rows, not their numbers
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    if isinstance(frame.columns, pd.MultiIndex):
        frame = frame.set_axis(
            ["_".join(str(part) for part in name if str(part)) for name in frame.columns], axis=1
        )
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise InvalidInput(
            sentence("two columns are called '{column}'; rename or drop one of them.", column=str(twice[0]))
        )
    return frame


def _of_columns(data: Mapping[Any, Any]) -> pd.DataFrame:
    try:
        return pd.DataFrame(dict(data))
    except ValueError:
        raise InvalidInput(
            'the columns of the dictionary differ in length; write {"item": […], "ann": […], "gpt": […]} '
            'with as many values in each, or by rater {"ann": {"q1": 1}}.'
        ) from None
