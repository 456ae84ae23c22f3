"""What a quality filter keeps and removes, as tables, sentences and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from judgelab.analysis.filters.filter_preview import FilterPreview, RaterPreview
from judgelab.annotation.filters.outcome import STAGES, FilterOutcome
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import one_each
from judgelab.api.html import html_table
from judgelab.api.scores import Scores, with_ids
from judgelab.api.tables import Row, Table, in_words
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import counted

if TYPE_CHECKING:
    import plotly.graph_objects as go

MARKS = "; hollow: all raters, filled: kept ones, cross: removed"
POOLED = " of all responses, not within items:"
LETTERS = {"pearson": "r", "kappa": "κ"}


@dataclass(frozen=True, repr=False, eq=False)
class FilterResult:
    """What a quality filter keeps and removes, each with its reason; nothing is deleted.

    Attributes:
        kept: the scores that are kept, for any function of JudgeLab.
        filter: the filter.

    Example:
        >>> import judgelab as jl
        >>> raters = {"ann": [1, 2, 3, 4, 5], "bob": [1, 2, 3, 4, 5], "eve": [5, 1, 4, 1, 3]}
        >>> result = jl.filter_raters(jl.scores(human=raters))
        >>> round(result.agreement["before"].value, 2), round(result.agreement["after_items"].value, 2)
        (0.1, 1.0)
    """

    kept: Scores
    filter: FilterPolicy
    _previews: Mapping[str, FilterPreview]

    @property
    def raters(self) -> pd.DataFrame:
        """Return one row a rater and criterion, in the order of the ratings.

        Columns: rater, criterion, kept, agreement (with the other raters, in the round that decided; NaN if
        it could not be assessed), n_overlap (responses shared, summed over partners), partners (raters
        compared with), round (in which the rater was removed, from 1), before (agreement with all raters) and
        after (agreement among the kept raters; NaN for removed ones) with ends of their 95 % intervals, and
        reason.
        """
        rows = []
        for verdict in self._outcome.raters:
            preview = next(
                line for line in self._previews[verdict.criterion].raters if line.rater == verdict.rater
            )
            ends = {"before": preview.before, "after": preview.after}
            row: dict[str, Any] = {
                "rater": verdict.rater,
                "criterion": verdict.criterion,
                "kept": verdict.kept,
                "agreement": verdict.agreement,
                "n_overlap": verdict.n_overlap,
                "partners": verdict.partners,
                "round": verdict.removed_in_round,
            }
            for name, estimate in ends.items():
                value, ci = (None, None) if estimate is None else (estimate.value, estimate.ci)
                low, high = ci or (None, None)
                row |= {name: value, f"{name}_low": low, f"{name}_high": high}
            rows.append(row | {"reason": None if verdict.reason is None else str(verdict.reason)})
        numbers = ["agreement", *(f"{name}{end}" for name in ends for end in ("", "_low", "_high"))]
        return pd.DataFrame(rows).astype({**dict.fromkeys(numbers, float), "round": "Int64"})

    @property
    def responses(self) -> pd.DataFrame:
        """Return one row a removed response (or pair): item, response, system, criterion, reason."""
        units = self._outcome.units
        removed = units[~units["kept"].astype(bool)].drop(columns="kept").reset_index(drop=True)
        return with_ids(self.kept, removed.assign(reason=removed["reason"].map(str).astype(object)))

    @property
    def ratings(self) -> pd.DataFrame:
        """Return one row a human rating: item, response, system, criterion, rater, score, kept, reason.

        The reason is that of the rater, or else that of the response; a kept rating has none.
        """
        columns = ["item", "response", "system", "criterion", "rater", "score"]
        humans, outcome = self.kept._data.humans, self._outcome
        ratings = humans.loc[humans["score"].notna(), columns].reset_index(drop=True)
        names = ["response", "criterion", "rater"]
        kept = pd.MultiIndex.from_frame(outcome.kept[names])
        stays = pd.MultiIndex.from_frame(ratings[names]).isin(kept)
        reasons = np.full(len(ratings), None, dtype=object)
        if not stays.all():
            reasons[~stays] = self._reasons(ratings[~stays])
        return with_ids(self.kept, ratings.assign(kept=stays, reason=reasons))

    @property
    def agreement(self) -> Table:
        """Return the agreement among the raters, by criterion, stage and coefficient.

        Stages: "before" the filter, "after_raters" are removed, and "after_items" are removed, too. The first
        coefficient is the mean over pairs of raters of Pearson's r ("pearson"), of Cohen's kappa ("kappa")
        for labels without an order; the other is Krippendorff's alpha at the level of the scale ("alpha").
        Removing responses in conflict raises both by arithmetic alone.
        """
        rows = []
        for criterion, preview in self._previews.items():
            for name, stages in ((preview.coefficient, preview.stages), ("alpha", preview.alpha)):
                rows += [Row((criterion, stage, name), stages[stage]) for stage in STAGES if stage in stages]
        return Table(
            ("criterion", "stage", "coefficient"),
            tuple(rows),
            "Agreement among the raters before and after the filter",
            ("95 % intervals by resampling items.",),
        )

    @property
    def warning(self) -> str | None:
        """Return why the outcome should not be used without a second look; None if there is no reason."""
        return None if self._outcome.stopped is None else str(self._outcome.stopped)

    def to_frame(self) -> pd.DataFrame:
        """Return `raters`."""
        return self.raters

    def to_dict(self) -> dict[str, Any]:
        """Return what `judgelab quality --json` prints: the filter, raters, responses, agreement, losses."""
        return self._outcome.to_json()

    def explain(self, language: str = "en") -> str:
        """Return what the page *Quality* says about each criterion, in "en" or "de"."""
        from judgelab.languages.translate import in_language
        from judgelab.ui.quality.words import filter_sentence, removed_sentence

        said = []
        with in_language(language):
            for criterion, preview in self._previews.items():
                sentences = [filter_sentence(preview, self.filter, in_use=True)]
                if preview.removed:
                    sentences.append(removed_sentence(preview, in_use=True))
                sentences += [_kept_anyway(line) for line in preview.raters if line.kept and line.reason]
                words = " ".join(sentences).replace("**", "").replace("\\", "")
                said.append(words if len(self._previews) == 1 else f"{criterion}: {words}")
        return "\n".join(said)

    def plot(self, *, criterion: str | None = None, dark: bool = False) -> go.Figure:
        """Return the app's figure of the raters of one criterion, the first one if not given; needs plotly.

        Hollow: agreement with all raters; filled: among the kept ones; a cross: removed. The threshold is
        dashed.
        """
        from judgelab.charts.quality import RaterMark, raters_forest
        from judgelab.charts.tokens import palette
        from judgelab.languages import _
        from judgelab.ui.quality.words import MEASURE_TITLES

        preview = self._preview(criterion)
        ordered = preview.coefficient == "pearson"
        return raters_forest(
            [
                RaterMark(line.rater, line.before, line.after, str(line.note) if ordered else "")
                for line in preview.raters
            ],
            threshold=self.filter.threshold,
            title=f"{_(MEASURE_TITLES[preview.coefficient, self.filter.method])}{MARKS}",
            theme=palette("dark" if dark else None),
        )

    def to_latex(self, *, caption: str = "", label: str = "tab:filter") -> str:
        """Return the raters as a LaTeX table (package booktabs), with what is removed as its caption."""
        from judgelab.api.latex import latex_of

        return latex_of(self._shown(), caption or self._summary(), label, self._notes())

    def __repr__(self) -> str:
        return "\n".join([self._summary(), self._shown().to_string(index=False), *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._shown(), caption=self._summary(), notes=self._notes())

    @property
    def _outcome(self) -> FilterOutcome:
        outcome = self.kept._data.outcome
        assert outcome is not None  # `filtered` puts it there
        return outcome

    def _reasons(self, ratings: pd.DataFrame) -> list[str]:
        """Return why each of these ratings is removed."""
        outcome = self._outcome
        of_rater = {
            (verdict.rater, verdict.criterion): str(verdict.reason)
            for verdict in outcome.raters
            if not verdict.kept
        }
        gone = outcome.units[~outcome.units["kept"].astype(bool)]
        units = zip(gone["response"], gone["criterion"], strict=True)
        of_unit = dict(zip(units, gone["reason"], strict=True))
        columns = (ratings[name].tolist() for name in ("response", "criterion", "rater"))
        return [
            of_rater.get((rater, criterion)) or str(of_unit[response, criterion])
            for response, criterion, rater in zip(*columns, strict=True)
        ]

    def _preview(self, criterion: str | None) -> FilterPreview:
        one_each(criterion=criterion)
        if criterion is None:
            return next(iter(self._previews.values()))
        if criterion not in self._previews:
            raise InvalidInput(
                f"the filter does not assess '{criterion}'; it assesses {', '.join(self._previews)}."
            )
        return self._previews[criterion]

    def _summary(self) -> str:
        outcome = self._outcome
        gone = dict.fromkeys(verdict.rater for verdict in outcome.raters if not verdict.kept)
        everyone = dict.fromkeys(verdict.rater for verdict in outcome.raters)
        ratings, answers = outcome.losses.ratings, outcome.losses.answers
        unit = "pairs" if outcome.compared else "responses"
        each = ", counted under each criterion" if len(self._previews) > 1 else ""
        raters = counted("{n} rater", "{n} raters", len(everyone))
        return (
            f"{len(gone)} of {raters}, {sum(ratings.values()) - ratings['kept']:,} of "
            f"{sum(ratings.values()):,} ratings and {sum(answers.values()) - answers['kept']:,} of "
            f"{sum(answers.values()):,} {unit} are removed{each}"
        )

    def _shown(self) -> pd.DataFrame:
        rows = []
        for criterion, preview in self._previews.items():
            letter = LETTERS[preview.coefficient]
            for line in preview.raters:
                rows.append(
                    {
                        **({"criterion": criterion} if len(self._previews) > 1 else {}),
                        "rater": line.rater,
                        "kept": "kept" if line.kept else "removed",
                        f"{letter}, all raters": _brief(line.before),
                        f"{letter}, kept raters": _brief(line.after),
                        "reason": str(line.reason).removeprefix(f"{line.rater}: ") or "–",
                    }
                )
        return pd.DataFrame(rows).fillna("–")

    def _notes(self) -> list[str]:
        notes = [
            f"{criterion}: mean pairwise {LETTERS[preview.coefficient]}{'' if preview.compared else POOLED} "
            f"{_brief(preview.stages['before'])} "
            f"before, {_brief(preview.stages['after_items'])} after"
            for criterion, preview in self._previews.items()
            if preview.stages
        ]
        return notes + ([f"Look again: {self.warning}."] if self.warning else [])


def _kept_anyway(line: RaterPreview) -> str:
    """Return why a rater who fails the filter is kept, translated."""
    from judgelab.languages import _

    said = _(line.reason)
    named = said if said.startswith(f"{line.rater}: ") else f"{line.rater}: {said}"
    return named if named.endswith(".") else f"{named}."


def _brief(estimate: Estimate | None) -> str:
    """Return an estimate as a cell of a table that has a column of reasons."""
    if estimate is None:
        return "–"
    return "undefined" if estimate.value is None else in_words(estimate)
