"""Several judges as one more judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.jury_scores import LEAST_MEMBERS, MOST_MEMBERS, jury_scores
from judgelab.api.arguments import names_listed, one_each
from judgelab.api.scores import Scores, scores_of
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.judges.juries import WAYS
from judgelab.store.judging.unscored_counts import UnscoredCounts
from judgelab.store.scoring.jury_info import JuryInfo, JuryScore
from judgelab.wording import counted

MAJORITY, WEIGHTS = "majority", "weights"
PLACE = ["response", "item", "system", "group"]


def jury(data: Any, /, members: Sequence[str], *, how: str = "mean", name: str = "jury") -> Scores:
    """Return the scores with a jury as one more judge: its members' scores of each response as one.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        members: names of two to twenty judges or metrics.
        how: "mean", "median" or "majority" of the members' scores, or "weights" learned from the raters by
            ridge regression, each response being scored with weights fitted on other items. Labels without an
            order always have their majority.
        name: the name of the jury.

    Returns:
        New scores, for any other function. If a member is a metric, or not on the scale, the members' scores
        are standardised first, and the jury's are then not on the scale either, except with "weights". A
        response has no score where a member gave none or the majority is tied; `about` says how many.

    Raises:
        InvalidInput: too few or many members, a majority of members on different scales, the name of a rater,
            or no response that the members can score together ("weights" need 5 rated items and 5 rated
            responses a member).
        NotFound: no such judge, or no such way of combining.

    Source: juries of judges: Verga et al. 2024, Replacing Judges with Juries.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human=[1, 2, 3, 5], judge={"gpt": [1, 2, 4, 5], "mini": [2, 2, 2, 5]})
        >>> both = jl.jury(s, ["gpt", "mini"], how="mean")
        >>> both.frame.query("rater == 'jury'")["score"].tolist()
        [1.5, 2.0, 3.0, 5.0]
    """
    given = scores_of(data)
    names = _checked(given, members, how, name)
    loaded = given._data
    kinds = dict(zip(given.raters["rater"], given.raters["kind"], strict=True))
    off_scale = [member for member in names if kinds[member] == "metric" or member in loaded.own_scale]
    if off_scale and how == MAJORITY:
        raise InvalidInput(
            f"a majority needs scores on one scale, and {off_scale[0]} has its own; write how='mean', "
            "'median' or 'weights'."
        )
    own_scale = bool(off_scale) and how != WEIGHTS
    responses = loaded.scores[PLACE].drop_duplicates("response").sort_values("response")
    found = jury_scores(
        loaded.project,
        JuryInfo(0, 0, name, names, how, own_scale, ""),
        loaded.scores[loaded.scores["rater"].isin(names)],
        responses,
        human_scores(loaded.scores, loaded.on_scale_aggregation, scales=given.scales)
        if how == WEIGHTS
        else None,
        on_scale=not off_scale,
    )
    scored = [one for one in found if one.score is not None]
    without = [one for one in found if one.score is None]
    if not scored:
        why = without[0].reason if without else "the members scored nothing"
        raise InvalidInput(f"the jury has no score: {why}.")
    missing = Counter((name, one.criterion) for one in without)
    with_jury = replace(
        loaded,
        scores=pd.concat([loaded.scores, _rows(scored, responses, name, loaded.scores)], ignore_index=True),
        own_scale=loaded.own_scale | ({name} if own_scale else set()),
        unscored_by_criterion={
            **loaded.unscored_by_criterion,
            **{place: UnscoredCounts(unscored=n) for place, n in missing.items()},
        },
    )
    note = f"“{name}” combines {', '.join(names)} ({how})"
    if without:
        n = counted("{n} response has no score", "{n} responses have no score", len(without))
        note = f"{note}; {n} ({Counter(one.reason for one in without).most_common(1)[0][0]})"
    return replace(given, _data=with_jury, _notes=(*given._notes, note), _project=None)


def _checked(given: Scores, members: Sequence[str], how: str, name: str) -> tuple[str, ...]:
    """Return the members' names without repeats."""
    if given._data.compared is not None:
        raise InvalidInput("a jury needs scores of single responses, and these are choices between two.")
    names = tuple(dict.fromkeys(names_listed(members, "members")))
    one_each(how=how)
    if how not in WAYS:
        raise NotFound("way", how, WAYS)
    for member in names:
        if member not in given.judges:
            raise NotFound("judge or metric", member, given.judges)
    if not LEAST_MEMBERS <= len(names) <= MOST_MEMBERS:
        raise InvalidInput(
            f"a jury has {LEAST_MEMBERS} to {MOST_MEMBERS} members: jl.jury(s, ['…', '…']); the judges are "
            f"{', '.join(given.judges)}."
        )
    if name in {*given.humans, *given.judges}:
        raise InvalidInput(f"'{name}' is a rater already; give the jury another name: name='…'.")
    return names


def _rows(
    scored: Sequence[JuryScore], responses: pd.DataFrame, name: str, like: pd.DataFrame
) -> pd.DataFrame:
    """Return the jury's scores as rows of the frame `like`."""
    response = [one.response_id for one in scored]
    places = responses.set_index("response").loc[response].reset_index()
    columns: dict[str, Any] = {
        **{one: places[one] for one in PLACE},
        "criterion": [one.criterion for one in scored],
        "rater": name,
        "rater_kind": "judge",
        "score": [one.score for one in scored],
        "run": pd.NA,
        "sample": pd.NA,
        # Those of a project have a time zone, to which times without one cannot be converted.
        "rated_at": pd.Series(pd.NaT, index=places.index, dtype=like["rated_at"].dtype),
    }
    return pd.DataFrame(columns)[list(like.columns)].astype({one: like[one].dtype for one in like.columns})
