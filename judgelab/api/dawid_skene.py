"""True labels and raters' error rates from labels of several raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import names_listed
from judgelab.api.html import html_table
from judgelab.api.scores import Scores, of_criterion, scores_of, with_ids
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.dawid_skene import DawidSkene
from judgelab.metaeval.core.dawid_skene import dawid_skene as fit
from judgelab.wording import counted

UNIT = ["item", "response", "system", "criterion"]


@dataclass(frozen=True, repr=False, eq=False)
class LabelModel:
    """Labels of the responses and error rates of the raters, estimated together.

    Attributes:
        labels: one row a response and criterion: item, response, system, criterion, label (NaN if several are
            equally probable), probability of this label (of the most probable one), n (labels given), and on
            scales without an order text, the label's name.
        probabilities: one row a response, criterion and label: item, response, system, criterion, label,
            probability; those of a response sum to 1.
        confusion: one row a rater, criterion, true label and given label: rater, criterion, true, given,
            probability (that the rater gives this label where the other is true; NaN where that label is
            never true among the rater's responses).
        raters: one row a rater and criterion: rater, criterion, n, accuracy, the expected share of the
            rater's labels that are the true one.
        prevalence: one row a criterion and label: criterion, label, share of the responses it is true of.
        converged: whether the estimates stopped changing.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human={"ann": [1, 0, 1, 0], "bob": [1, 0, 1, 1], "eve": [1, 0, 1, 0]})
        >>> jl.dawid_skene(s).raters["accuracy"].round(2).tolist()
        [1.0, 0.75, 1.0]
    """

    labels: pd.DataFrame
    probabilities: pd.DataFrame
    confusion: pd.DataFrame
    raters: pd.DataFrame
    prevalence: pd.DataFrame
    converged: bool

    def to_frame(self) -> pd.DataFrame:
        """Return `labels`."""
        return self.labels

    def to_dict(self) -> dict[str, Any]:
        """Return labels, confusion, raters and prevalence as rows, and whether the estimates converged."""
        parts = ("labels", "confusion", "raters", "prevalence")
        rows = {name: getattr(self, name).to_dict("records") for name in parts}
        return {**rows, "converged": self.converged}

    def __repr__(self) -> str:
        return "\n".join([self._summary(), self._shown().to_string(index=False), *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._shown(), caption=self._summary(), notes=self._notes())

    def _summary(self) -> str:
        raters = counted("{n} rater", "{n} raters", self.raters["rater"].nunique())
        return f"{counted('{n} label', '{n} labels', len(self.labels))} by {raters} (Dawid-Skene)"

    def _shown(self) -> pd.DataFrame:
        raters = self.raters.assign(accuracy=self.raters["accuracy"].map("{:.3f}".format))
        return raters if raters["criterion"].nunique() > 1 else raters.drop(columns="criterion")

    def _notes(self) -> list[str]:
        tied = int(self.labels["label"].isna().sum())
        return [
            ".labels has the label of each response, .confusion each rater's error rates.",
            *([f"{tied:,} without a label, since several are equally probable."] if tied else []),
            *([] if self.converged else ["The estimates have not converged, so the labels are uncertain."]),
        ]


def dawid_skene(
    data: Any,
    /,
    *,
    raters: str | Sequence[str] | None = None,
    criterion: str | None = None,
    filter: FilterPolicy | None = None,
) -> LabelModel:
    """Return the most probable label of each response, with each rater's error rates.

    Labels and error rates are estimated together by EM, under each criterion: raters who agree with the
    others count more, and one who systematically swaps two labels is read the right way round.

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        raters: names of those whose labels count, which may be judges; all human raters if not given.
        criterion: this criterion only.
        filter: a quality filter of the raters, applied first.

    Returns:
        `labels`, `probabilities`, `confusion`, `raters` and `prevalence`, frames. Labels have no order: on a
        scale of points a near miss counts as much as a distant one. Missing scores are left out; several
        labels of a rater for one response all count. One rater's labels are returned as they are.

    Raises:
        InvalidInput: nobody gave a label, or there are more than 32 different ones.
        NotFound: no such rater or criterion.

    Source: Dawid and Skene 1979, Applied Statistics 28(1); start: shares of votes; no smoothing.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human={"ann": [1, 0, 1, 0], "bob": [1, 0, 1, 1], "eve": [1, 0, 1, 0]})
        >>> jl.dawid_skene(s).labels["label"].tolist()
        [1.0, 0.0, 1.0, 0.0]
    """
    given = scores_of(data, filter)
    rows = of_criterion(given, criterion)
    rows = rows[rows["score"].notna()]
    if raters is None:
        rows = rows[rows["rater_kind"] == "human"]
    else:
        raters = names_listed(raters, "raters", "ann")
        known = [*given.humans, *given.judges]
        for name in raters:
            if name not in known:
                raise NotFound("rater", name, known)
        rows = rows[rows["rater"].isin(raters)]
    if rows.empty:
        raise InvalidInput('nobody gave a label; name the raters: jl.dawid_skene(s, raters=["…", "…"]).')
    parts = [_of_criterion(given, part) for _, part in rows.groupby("criterion", sort=False)]
    frames = {
        name: pd.concat([part[0][name] for part in parts], ignore_index=True)
        for name in ("labels", "probabilities", "confusion", "raters", "prevalence")
    }
    if "text" in frames["labels"]:
        frames["labels"]["text"] = frames["labels"]["text"].fillna("")
    return LabelModel(**frames, converged=all(part[1].converged for part in parts))


def _of_criterion(given: Scores, rows: pd.DataFrame) -> tuple[dict[str, pd.DataFrame], DawidSkene]:
    criterion = str(rows["criterion"].iloc[0])
    unit, responses = pd.factorize(rows["response"])
    rater, names = pd.factorize(rows["rater"])
    unit, rater = unit.astype(np.int64), rater.astype(np.int64)
    score = rows["score"].to_numpy(dtype=float)
    model = fit(unit, rater, score, units=len(responses), raters=len(names))
    units = with_ids(given, rows.loc[~rows["response"].duplicated(), UNIT].reset_index(drop=True))
    classes, label = model.classes, model.labels()
    labels = units.assign(
        label=label, probability=model.posterior.max(axis=1), n=np.bincount(unit, minlength=len(responses))
    )
    scale = given.scales[criterion]
    if not scale.ordered:
        labels["text"] = ["" if np.isnan(one) else scale.label_of(one) for one in label]
    k = len(classes)
    probabilities = units.loc[units.index.repeat(k)].reset_index(drop=True)
    confusion = model.confusion.copy()
    confusion[confusion.sum(axis=2) == 0] = np.nan  # a label that is never true among the rater's responses
    right = model.posterior[unit, np.searchsorted(classes, score)]
    count = np.bincount(rater, minlength=len(names))
    frames = {
        "labels": labels,
        "probabilities": probabilities.assign(
            label=np.tile(classes, len(responses)), probability=model.posterior.reshape(-1)
        ),
        "confusion": pd.DataFrame(
            {
                "rater": np.repeat(names.to_numpy(), k * k),
                "criterion": criterion,
                "true": np.tile(np.repeat(classes, k), len(names)),
                "given": np.tile(classes, k * len(names)),
                "probability": confusion.reshape(-1),
            }
        ),
        "raters": pd.DataFrame(
            {
                "rater": names.to_numpy(),
                "criterion": criterion,
                "n": count,
                "accuracy": np.bincount(rater, right, minlength=len(names)) / count,
            }
        ),
        "prevalence": pd.DataFrame({"criterion": criterion, "label": classes, "share": model.marginals}),
    }
    return frames, model
