"""From long columns to loaded scores, as the app loads those of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.analysis.data.project_scores import ProjectScores, aggregation_on
from judgelab.api.frames import KINDS, LongColumns
from judgelab.api.inferred_scales import note_own_scales
from judgelab.api.rows import items_of, names_in, numbered, texts_of
from judgelab.api.values import read_scores
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import is_missing, name_of
from judgelab.imports.core.choice_words import choice_of, order_of
from judgelab.metaeval.core.aggregation import MAJORITY
from judgelab.metaeval.core.arrays import Ints
from judgelab.metaeval.core.pair_scores import SCALE, pair_scores
from judgelab.metaeval.core.statistic_defaults import defaults_for_scales
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import counted, sentence
from judgelab.words import word_count


class Loaded(NamedTuple):
    """Loaded scores, words of each response (None if texts are not known), texts, and notes."""

    data: ProjectScores
    words: pd.Series[Any] | None
    responses: pd.DataFrame
    notes: tuple[str, ...]


def of_responses(long: LongColumns, scale: Any, missing: Sequence[Any] = ()) -> Loaded:
    """Return scores of single responses; cells in `missing` are none."""
    frame = long.frame
    if len(missing):
        frame = frame.assign(score=frame["score"].mask(frame["score"].isin(list(missing))))
    names = {
        name: names_in(frame, name, long.found)
        for name in ("item", "system", "group", "criterion", "rater", "response_id")
    }
    item = items_of(frame, names, long.found)
    kind = pd.Categorical(frame["kind"], categories=KINDS).codes
    criterion, criteria = np.zeros(len(frame), dtype=np.int64), pd.Index(["score"], dtype="str")
    if "criterion" in frame.columns:
        criterion, criteria = pd.factorize(names["criterion"])
    read = read_scores(
        frame["score"].rename(long.found.get("score", "score")),
        criterion=criterion,
        criteria=[str(name) for name in criteria],
        judged=kind == 1,
        by_metric=kind == 2,
        scale=scale,
        raters=names["rater"],
        wide="score" not in long.found,
    )
    identity: list[Any] = [item, names["system"]]
    if "response_id" in long.found:
        identity.append(names["response_id"])
    elif "system" not in long.found and "response" in long.found:
        identity.append(frame["response"])
    response = numbered(identity)
    table = pd.DataFrame(
        {
            "item": item,
            "response": response,
            "system": names["system"],
            "group": names["group"],
            "criterion": criteria.take(criterion),
            "rater": names["rater"],
            "rater_kind": pd.Index(KINDS, dtype="str").take(kind),
            "score": read.numbers,
            **_no_runs(len(frame)),
        }
    )
    if (np.diff(kind) < 0).any():  # people's scores come first
        table = table.iloc[np.argsort(kind, kind="stable")].reset_index(drop=True)
    own_scale = frozenset(names["rater"][read.outside & (kind == 1)].unique())
    notes = [*long.notes, *read.notes, *note_own_scales(own_scale)]
    places = numbered([response, criterion, kind, names["rater"]])
    twice = len(table) - int(places.max()) - 1
    if twice:
        notes.append(
            counted(
                "{n} score repeats a rater, response and criterion; repeats count as their mean",
                "{n} scores repeat a rater, response and criterion; repeats count as their mean",
                twice,
            )
        )
    project = _project(
        [
            Criterion(name, name, one.to_json(), position=place)
            for place, (name, one) in enumerate(read.scales.items())
        ]
    )
    loaded = _loaded(project, table, texts_of(frame, response, names), notes)
    return loaded._replace(data=replace(loaded.data, own_scale=own_scale))


def of_pairs(long: LongColumns, scale: Any = None) -> Loaded:
    """Return choices between two responses, as scores of pairs; raises `InvalidInput` for a scale."""
    frame, found = long.frame, long.found
    if scale is not None:
        raise InvalidInput("choices between two responses have no scale; leave out scale=.")
    names = {
        name: names_in(frame, name, found) for name in ("item", "group", "criterion", "rater", "response_id")
    }
    item = items_of(frame, names, found)
    by = "system" if {"system_a", "system_b"} <= set(frame.columns) else "response"
    if not {f"{by}_a", f"{by}_b"} <= set(frame.columns):
        raise InvalidInput(
            sentence(
                "the column '{column}' says which response is better, but no columns say which two were "
                "compared; name them: jl.scores(df, columns={call}).",
                column=found.get("choice", "choice"),
                call='{"system_a": "…", "system_b": "…"}',
            )
        )
    sides = [names_in(frame, f"{by}_{side}", found) for side in ("a", "b")]
    both = {"item": pd.concat([item, item], ignore_index=True), "name": pd.concat(sides, ignore_index=True)}
    code = numbered([both["item"], both["name"]])
    first = ~pd.Series(code).duplicated().to_numpy()
    responses = pd.DataFrame(
        {
            "response": code[first],
            "response_id": both["name"][first].to_numpy(),
            "item": both["item"][first].to_numpy(),
            "system": both["name"][first].to_numpy() if by == "system" else "",
            "group": pd.concat([names["group"]] * 2, ignore_index=True)[first].to_numpy(),
        }
    )
    criteria = names["criterion"] if "criterion" in frame.columns else pd.Series("score", index=item.index)
    preferences = pd.DataFrame(
        {
            "item": item,
            "response_a": code[: len(frame)],
            "response_b": code[len(frame) :],
            "criterion": criteria.astype("str"),
            "rater": names["rater"],
            "rater_kind": frame["kind"].to_numpy(),
            "choice": _choices(frame["choice"], sides, found),
            **{name: column for name, column in _no_runs(len(frame)).items() if name != "rated_at"},
            "order": _orders(frame),
        }
    )
    chosen = preferences["choice"].notna()
    missing = int((~chosen).sum())
    texts = _texts_of_sides(frame, code)
    words = texts["response"].map(word_count).astype(float) if "response" in texts else None
    pairs = pair_scores(preferences[chosen].reset_index(drop=True), responses, words=words)
    table = pairs.scores.sort_values("rater_kind", key=lambda kind: kind != "human", kind="stable")
    keys = list(dict.fromkeys(preferences["criterion"]))
    project = _project([Criterion(name, name, SCALE, position=place) for place, name in enumerate(keys)])
    notes = [*long.notes]
    if missing:
        notes.append(counted("{n} choice is missing", "{n} choices are missing", missing))
    loaded = _loaded(project, table.reset_index(drop=True), texts, notes)
    units = ComparedUnits(
        pairs=pairs.pairs.assign(criterion=keys[0]) if len(keys) == 1 else pairs.pairs,
        longer=pairs.longer,
        preferences=preferences[chosen].reset_index(drop=True),
        responses=responses,
        implied=pairs.implied,
        metrics=pairs.metrics,
        margins=pairs.margins,
    )
    return loaded._replace(data=replace(loaded.data, compared=units, aggregation=MAJORITY))


def _no_runs(rows: int) -> dict[str, Any]:
    """Return the columns that only judges' runs of a project have, empty."""
    none = pd.array([pd.NA], dtype="Int64").take(np.zeros(rows, dtype=np.int64))
    return {"run": none, "sample": none, "rated_at": pd.NaT}


def _choices(column: pd.Series[Any], sides: Sequence[pd.Series[str]], found: Mapping[str, str]) -> Any:
    """Return "a", "b", "tie" or None for each choice, which may also name the better system."""
    code, values = pd.factorize(column, use_na_sentinel=True)
    read: list[Any] = []
    for place, value in enumerate(values):
        choice = None if is_missing(value) else choice_of(value)
        if choice is None and not is_missing(value):
            here, name = code == place, name_of(value)
            of_side = [(side[here] == name).to_numpy() for side in sides]
            if not (of_side[0] | of_side[1]).all():
                raise InvalidInput(
                    sentence(
                        "the column '{column}' holds '{value}', which names neither response; write a, b or "
                        "tie.",
                        column=found.get("choice", str(column.name)),
                        value=str(value)[:40],
                    )
                )
        read.append(choice[0] if choice else None)
    chosen = np.array([*read, None], dtype=object)[code]
    names = np.array(["" if is_missing(value) else name_of(value) for value in values] + [""], dtype=object)
    named = pd.isna(chosen) & (names[code] != "")
    chosen[named] = np.where(names[code][named] == sides[0].to_numpy()[named], "a", "b")
    return chosen


def _orders(frame: pd.DataFrame) -> Any:
    """Return which response was shown first, "a" or "b", "" where it is not known."""
    if "first" not in frame.columns:
        return np.full(len(frame), "", dtype=object)
    code, values = pd.factorize(frame["first"], use_na_sentinel=True)
    return np.array([*(order_of(value) or "" for value in values), ""], dtype=object)[code]


def _texts_of_sides(frame: pd.DataFrame, code: Ints) -> pd.DataFrame:
    """Return the text of each response by its number, if the frame has the texts of both."""
    first = ~pd.Series(code).duplicated().to_numpy()
    texts = pd.DataFrame(index=code[first])
    if {"response_a", "response_b"} <= set(frame.columns):
        both = pd.concat([frame["response_a"], frame["response_b"]], ignore_index=True)
        texts["response"] = both[first].fillna("").astype(str).to_numpy()
    return texts


def _loaded(
    project: ProjectInfo, table: pd.DataFrame, responses: pd.DataFrame, notes: Sequence[str]
) -> Loaded:
    number = int((table["rater_kind"] == "human").sum())
    humans = table.iloc[:number]
    rated = humans.loc[humans["score"].notna(), ["item", "response"]].drop_duplicates("response")
    data = ProjectScores(
        project,
        table,
        humans,
        None,
        None,
        {},
        aggregation_on(project, defaults_for_scales(project.scales.values()).aggregation),
        rated_per_item=int(rated["item"].value_counts().max()) if len(rated) else 0,
    )
    words = responses["response"].map(str).map(word_count).astype(float) if "response" in responses else None
    said = list(notes)
    if not number:
        said.append(sentence("no rater is human; name them: jl.scores(df, humans=[…])"))
    elif number == len(table):
        said.append(sentence("all raters are taken as human; name the judges: jl.scores(df, judges=[…])"))
    return Loaded(data, words, responses, tuple(said))


def _project(criteria: Sequence[Criterion]) -> ProjectInfo:
    never = datetime(1970, 1, 1, tzinfo=UTC)
    return ProjectInfo(0, "data", "data", "qa", "custom", {}, False, "", 0, tuple(criteria), never)
