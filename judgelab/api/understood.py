"""What was understood of a frame, in sentences; and names that are missing from it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.imports.core.fields import AMBIGUOUS, is_annotator_column, normalised
from judgelab.imports.core.rater_names import is_like_a_model

LONG_CALL = 'jl.scores(df, columns={"item": "…", "rater": "…", "score": "…"})'
WIDE_CALL = 'jl.scores(df, humans=["…", "…"], judges=["…"])'


def column_notes(frame: pd.DataFrame, found: Mapping[str, str], raters: Collection[str]) -> list[str]:
    """Return which column is which where the names differ, which are not used, and what that means."""
    notes = []
    if renamed := [f"{field} is “{column}”" for field, column in found.items() if field != column]:
        notes.append(f"columns: {', '.join(renamed)}")
    unused = [column for column in frame.columns if column not in {*found.values(), *raters}]
    if unused:
        notes.append(f"columns not used: {listing(unused)}")
    if not {"item", "question", "response_id"} & set(found):
        notes.append('each row is an item of its own; if it is not, name the column: columns={"item": "…"}')
    if "response" not in found and not {"response_a", "response_b"} & set(found):
        for column in unused:
            if normalised(column) in AMBIGUOUS:
                notes.append(
                    f"“{column}” may be the response or the reference answer; say which: "
                    f'columns={{"response": "{column}"}}'
                )
    return notes


def not_understood(frame: pd.DataFrame, found: Mapping[str, str]) -> str:
    """Return why a frame is neither long nor wide, with the call that would work."""
    numbers = [
        column
        for column in frame.columns
        if column not in found.values()
        and (pd.api.types.is_numeric_dtype(frame[column].dtype) or is_annotator_column(column))
    ]
    judges = [column for column in numbers if like_a_model(column)]
    people = [column for column in numbers if column not in judges]
    said = f"no columns say who rated and the score ({listing(frame.columns)})"
    if not numbers:
        return f"{said}; call {LONG_CALL} or, if each rater has a column, {WIDE_CALL}."
    if not judges and len(people) > 1 and not all(map(is_annotator_column, people)):
        people, judges = people[:-1], people[-1:]
    shown = ", ".join(
        f"{argument}={_quoted(names)}"
        for argument, names in (("humans", people), ("judges", judges))
        if names
    )
    return f"{said}; if each rater has a column, say who are people: jl.scores(df, {shown})."


def unnamed_judges(raters: Sequence[str]) -> str | None:
    """Return what to say if a rater of a long frame has the name of a model, and no kind is given."""
    models = [name for name in raters if like_a_model(name)]
    if not models:
        return None
    return (
        f"'{models[0]}' looks like the name of a judge, but nothing says who are judges; call "
        f"jl.scores(df, judges={_quoted(models)}), or add a column kind (human, judge, metric)."
    )


def like_a_model(name: str) -> bool:
    """Return whether a rater's name is that of a model or calls itself a judge."""
    return is_like_a_model(name) or "judge" in name.casefold()


def no_column(frame: pd.DataFrame, column: str) -> str:
    """Return that a frame has no such column, and which one may be meant."""
    known = list(map(str, frame.columns))
    return f"no column is called '{column}'; the columns are {listing(known)}.{near(column, known)}"


def near(name: str, known: Collection[str]) -> str:
    """Return " Did you mean 'Anna'?" if a known name is like this one, else ""."""
    lower = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), lower, n=1)
    return f" Did you mean '{lower[found[0]]}'?" if found else ""


def listing(names: Sequence[Any] | pd.Index[Any], most: int = 12) -> str:
    """Return names with commas between them, and how many more there are."""
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def summary(data: ProjectScores, raters: pd.DataFrame) -> str:
    """Return how many raters, items and the like there are, and the scale of each criterion."""
    of_kind, scores = raters["kind"].value_counts(), data.scores
    unit = "response" if data.compared is None else "pair"
    counts = [(int(of_kind.get("human", 0)), "rater", "raters")]
    counts += [(int(of_kind[kind]), kind, f"{kind}s") for kind in ("judge", "metric") if kind in of_kind]
    counts.append((scores["item"].nunique(), "item", "items"))
    of_units = " of responses" if unit == "pair" else ""
    counts.append((scores["response"].nunique(), f"{unit}{of_units}", f"{unit}s{of_units}"))
    systems = scores["system"][scores["system"] != ""].nunique()
    if systems and data.compared is None:
        counts.append((systems, "system", "systems"))
    if missing := int(scores["score"].isna().sum()):
        counts.append((missing, "missing score", "missing scores"))
    scales = [
        f"{criterion.label} ({data.project.scale(criterion.key).describe()})"
        for criterion in data.project.criteria
    ]
    said = ", ".join(f"{n:,} {one if n == 1 else many}" for n, one, many in counts)
    return f"{said}; {', '.join(scales)}."


def _quoted(names: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
