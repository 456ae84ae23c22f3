"""Profile of one rater: distribution, pace, hours of the day, and largest differences from others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, tzinfo

import numpy as np
import pandas as pd

from judgelab.analysis.filters.score_distribution import ScoreDistribution, score_distribution
from judgelab.analysis.raters.given_ratings import cached_given_ratings
from judgelab.annotation.raters.pace import screen_table, without_import_times
from judgelab.metaeval.core.aggregation import only_mode
from judgelab.scales import unordered
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark

PARTS_OF_DAY = ((mark("night"), 0), (mark("morning"), 6), (mark("afternoon"), 12), (mark("evening"), 18))
MOST_DIFFERENCES = 50  # rows of the list of differences


@dataclass(frozen=True)
class PartOfDay:
    """A rater's work in one part of the day.

    `mean_difference` is the mean of own score minus the others' mean, as a share of the scale; None if no
    other rater scored these responses.
    """

    name: str
    screens: int
    seconds: float | None
    mean_difference: float | None


@dataclass(frozen=True)
class RaterProfile:
    """One rater compared with the others.

    Args:
        distribution: how often each score was given by the others ("before") and by this rater ("after").
        screens: the rater's screens in order: place, sitting, seconds, rated_at, limit, apart.
        parts_of_day: the parts of the day in which they rated, in this machine's time zone unless given.
        differences: responses on which they differ from the others' mean, largest first: response, item,
            system, criterion, score, others, raters, difference, comment, text. Of two responses, `text` is
            the first one's, `text_second` the other's, `system_first` and `system_second` are their systems,
            and `n_first`, `n_tie` and `n_second` how many others chose so.
        n_compared: number of ratings, under all criteria, that are compared with the others'.
        n_alone: number of other ratings whose response, or pair, none of the others rated.
        n_tied: number of other ratings where no label of the others is the most frequent one.
        form: whether raters scored responses ("pointwise"), compared two ("pairwise") or ranked them.
    """

    distribution: ScoreDistribution
    screens: pd.DataFrame
    parts_of_day: tuple[PartOfDay, ...]
    differences: pd.DataFrame
    n_compared: int
    n_alone: int = 0
    n_tied: int = 0
    form: str = "pointwise"


def rater_profile(
    store: Store,
    slug: str,
    rater: str,
    *,
    criterion: str,
    others: Collection[str] | None = None,
    zone: tzinfo | None = None,
) -> RaterProfile:
    """Return the profile of one rater.

    Args:
        store: the database.
        slug: the project.
        rater: the name.
        criterion: criterion of the distribution; everything else is over all criteria.
        others: the raters to compare with; all others by default.
        zone: time zone of the hours of the day; this machine's by default.
    """
    work = cached_given_ratings(store, slug)
    with store.reading() as session:
        project = find_project(session, slug)
        responses = score_frames.response_frame(session, project.id)
    data = work.frame[(work.frame["purpose"] == "data") & (work.frame["occasion"] == 0)]
    data = data[data["score"].notna()]
    is_own = data["rater"] == rater
    others_data = data[~is_own if others is None else (~is_own & data["rater"].isin(list(others)))]
    own_ratings = data[is_own].copy()
    others_means = others_data.groupby(["unit", "criterion"])["score"].agg(others="mean", raters="size")
    own_ratings = own_ratings.join(others_means, on=["unit", "criterion"])
    own_ratings["difference"] = own_ratings["score"] - own_ratings["others"]
    labelled = own_ratings["criterion"].isin(list(unordered(work.scales)))
    if labelled.any():
        _compare_labels(own_ratings, labelled, others_data)
    width = own_ratings["criterion"].map({key: scale.high - scale.low for key, scale in work.scales.items()})
    own_ratings["apart"] = (own_ratings["difference"] / width).mask(labelled)
    all_screens = screen_table(without_import_times(data))  # what is implausibly fast depends on the others
    rater_screens = all_screens[all_screens["rater"] == rater]
    rater_screens["apart"] = rater_screens["screen"].map(own_ratings.groupby("screen")["apart"].mean())
    compared = own_ratings[own_ratings["others"].notna()]
    others_scores, own_scores = (
        frame.loc[frame["criterion"] == criterion, "score"] for frame in (others_data, own_ratings)
    )
    differences = _largest_differences(compared, responses[["response", "text"]])
    return RaterProfile(
        distribution=score_distribution(others_scores, own_scores, work.scales[criterion]),
        screens=rater_screens,
        parts_of_day=_parts_of_day(rater_screens, zone or datetime.now().astimezone().tzinfo),
        differences=_with_pairs(differences, responses, others_data)
        if work.form == "pairwise"
        else differences,
        n_compared=len(compared),
        n_alone=int(own_ratings["raters"].isna().sum()),
        n_tied=int((own_ratings["raters"].notna() & own_ratings["others"].isna()).sum()),
        form=work.form,
    )


def _compare_labels(own_ratings: pd.DataFrame, labelled: pd.Series[bool], others: pd.DataFrame) -> None:
    """Put the others' most frequent label in place of their mean; the difference is 1 for another label.

    The others are missing where no label is the most frequent one.
    """
    modes = others.groupby(["unit", "criterion"])["score"].agg(only_mode).rename("mode")
    mode = own_ratings[["unit", "criterion"]].join(modes, on=["unit", "criterion"])["mode"]
    own_ratings.loc[labelled, "others"] = mode[labelled]
    differ = (own_ratings["score"] != mode).astype(float).mask(mode.isna())
    own_ratings.loc[labelled, "difference"] = differ[labelled]


def _largest_differences(compared: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    size = compared["apart"].fillna(compared["difference"])
    order = size.abs().sort_values(ascending=False, kind="stable").index[:MOST_DIFFERENCES]
    columns = [
        *("response", "item", "system", "criterion", "score", "others", "raters", "difference", "comment"),
        "unit",
    ]  # fmt: skip
    largest = compared.loc[order, columns].merge(texts, on="response", how="left")
    return largest[largest["difference"] != 0].reset_index(drop=True)


def _with_pairs(differences: pd.DataFrame, responses: pd.DataFrame, others: pd.DataFrame) -> pd.DataFrame:
    """Add the second response, both systems, and how many others chose which."""
    by_id = responses.set_index("response")
    second = differences["unit"].str.split("-").str[1].astype("int64")
    votes = others.groupby(["unit", "criterion", "score"]).size().unstack(fill_value=0)
    votes = votes.reindex(columns=[1.0, 0.0, -1.0], fill_value=0)
    places = pd.MultiIndex.from_frame(differences[["unit", "criterion"]])
    counts = votes.reindex(places, fill_value=0).to_numpy()
    return differences.assign(
        text_second=by_id["text"].reindex(second).to_numpy(),
        system_first=by_id["system"].reindex(differences["response"]).fillna("").to_numpy(),
        system_second=by_id["system"].reindex(second).fillna("").to_numpy(),
        n_first=counts[:, 0],
        n_tie=counts[:, 1],
        n_second=counts[:, 2],
    )


def _parts_of_day(rater_screens: pd.DataFrame, zone: tzinfo | None) -> tuple[PartOfDay, ...]:
    timed = rater_screens[rater_screens["timed"]]
    hour = timed["rated_at"].dt.tz_convert(zone).dt.hour
    parts = []
    for number, (name, start) in enumerate(PARTS_OF_DAY):
        end = PARTS_OF_DAY[number + 1][1] if number + 1 < len(PARTS_OF_DAY) else 24
        rows = timed[(hour >= start) & (hour < end)]
        if len(rows):
            seconds, difference = rows["seconds"].median(), rows["apart"].mean()
            parts.append(PartOfDay(name, len(rows), _none_if_nan(seconds), _none_if_nan(difference)))
    return tuple(parts)


def _none_if_nan(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
