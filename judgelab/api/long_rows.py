"""Scores as long rows that `jl.scores` reads back as the same scores, people under pseudonyms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from judgelab.analysis.data.compared_units import ComparedUnits
from judgelab.api.rows import TEXTS
from judgelab.api.scores import Scores
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE

CHOICES = {FIRST: "a", TIE: "tie", SECOND: "b"}


def write_rows(given: Scores, pseudonyms: Mapping[str, str], folder: Path) -> None:
    """Write all scores, also those that a filter removes, as `scores.json` in a new folder, a line each."""
    folder.mkdir()
    rows = long_rows(given, pseudonyms)
    lines = [
        json.dumps(dict(zip(rows.columns, row, strict=True)), ensure_ascii=False)
        for row in rows.astype(object).where(rows.notna(), None).itertuples(index=False, name=None)
    ]
    (folder / "scores.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def all_in_rows(given: Scores) -> bool:
    """Return whether rows hold everything, so that `jl.scores` reads them back as the same scores.

    Scores of a database, a file or a run of a judge may know more: judges on scales of their own, judgments
    without a score, decisions, choices that follow from scores, labels of criteria.
    """
    data, compared = given._data, given._data.compared
    more = (data.own_scale, data.unscored_by_criterion, data.cannot_judge, data.entered_by_hand)
    return (
        not any(more)
        and data.n_decided is None
        and (compared is None or not compared.implied)
        and (data.policy is None or data.policy.policy.control == "agreement")
        and not data.project.settings.get("demo")
        and all(one.label == one.key and one.higher_is_better for one in data.project.criteria)
    )


def long_rows(given: Scores, pseudonyms: Mapping[str, str]) -> pd.DataFrame:
    """Return a row for each score or choice, people's first, without columns that are empty throughout."""
    data = given._data
    rows = _scores(given) if data.compared is None else _choices(given, data.compared)
    people = rows["kind"] == "human"
    rows["rater"] = rows["rater"].where(~people, rows["rater"].map(pseudonyms))
    order = {criterion: place for place, criterion in enumerate(given.criteria)}
    place = rows["criterion"].map(order)
    if not place.drop_duplicates().is_monotonic_increasing:  # criteria are numbered as they appear
        rows = rows.iloc[place.argsort(kind="stable")]
    if data.compared is None:
        rows = _with_texts(given, rows)
    return rows.loc[:, (rows.notna() & (rows != "")).any()]


def _scores(given: Scores) -> pd.DataFrame:
    data = given._data
    table = pd.concat([data.humans, data.scores[data.scores["rater_kind"] != "human"]], ignore_index=True)
    rows = table[["item", "system", "group", "criterion", "rater", "rater_kind", "score"]].rename(
        columns={"rater_kind": "kind"}
    )
    rows.insert(1, "response_id", response_ids(given).reindex(table["response"]).to_numpy())
    return rows.assign(number=table["response"])


def _with_texts(given: Scores, rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the texts of each response beside its first score, for the number of the response."""
    number = rows.pop("number")
    first = ~number.duplicated()
    texts = given._responses.reindex(number)
    for name in TEXTS:
        if name in texts:
            rows[name] = pd.Series(texts[name].to_numpy(), index=rows.index).where(first, "")
    return rows


def _choices(given: Scores, compared: ComparedUnits) -> pd.DataFrame:
    """Return people's choices from the scores of pairs, which a filter leaves whole, and judges' as given."""
    humans, responses = given._data.humans, compared.responses.set_index("response")
    pairs = compared.pairs.set_index("pair").reindex(humans["response"])
    people = pd.DataFrame(
        {
            "item": humans["item"].to_numpy(),
            "response_a": pairs["first"].to_numpy(),
            "response_b": pairs["second"].to_numpy(),
            "criterion": humans["criterion"].to_numpy(),
            "rater": humans["rater"].to_numpy(),
            "kind": "human",
            "choice": humans["score"].map(CHOICES).to_numpy(),
        }
    )
    judged = compared.preferences[compared.preferences["rater_kind"] != "human"]
    columns = {"rater_kind": "kind", "order": "first"}
    judges = judged.rename(columns=columns)[[*people.columns, "first"]]
    rows = pd.concat([people, judges], ignore_index=True)
    rows["group"] = responses["group"].reindex(rows["response_a"]).to_numpy()
    named = bool((responses["system"] != "").all())
    for side in ("a", "b"):
        code = rows.pop(f"response_{side}")
        names = responses["system" if named else "response_id"].reindex(code)
        rows[f"{'system' if named else 'response'}_{side}"] = names.to_numpy()
        if named and "response" in given._responses:
            rows[f"response_{side}"] = given._responses["response"].reindex(code).to_numpy()
    return rows


def response_ids(given: Scores) -> pd.Series[Any]:
    """Return the id of each response, or its number where the data name none."""
    if "response_id" in given._responses:
        ids: pd.Series[Any] = given._responses["response_id"]
        return ids
    everything = pd.concat([given._data.humans["response"], given._data.scores["response"]])
    numbers = sorted(map(int, everything.unique()))
    return pd.Series([str(number + 1) for number in numbers], index=numbers)
