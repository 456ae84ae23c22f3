"""What `jl.mean` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgelab.analysis.comparison.measured_means import SystemMeans
from judgelab.api.confidence import only_at_95
from judgelab.api.tables import Row, Table
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.judges.prediction_powered import PoweredMean

if TYPE_CHECKING:
    import plotly.graph_objects as go

MEASURES = ("powered", "human", "judge", "shift", "gain")
NO_ORDER = "the labels of this criterion have no order"
NO_GAIN = "the corrected scores do not differ"


class MeanTable(Table):
    """A mean by people and a judge together, beside that of each: one row a measure, of each system.

    `table["powered"]` is that `Estimate`, of several systems `table["A", "powered"]` or `table["A"]`.
    """

    @property
    def powered(self) -> Estimate:
        """Return the prediction-powered mean; `recipe["lambda"]` is the weight that the judge got."""
        return self["powered"]

    @property
    def human(self) -> Estimate:
        """Return the mean of people's scores of the labelled responses."""
        return self["human"]

    @property
    def judge(self) -> Estimate:
        """Return the mean of all the judge's scores; its interval ignores the judge's errors."""
        return self["judge"]

    @property
    def shift(self) -> Estimate:
        """Return the judge's mean on labelled minus on other responses; far from 0, these differ."""
        return self["shift"]

    @property
    def gain(self) -> Estimate:
        """Return how many labels by people alone would give the powered interval, for each label there is."""
        return self["gain"]

    @property
    def share(self) -> Estimate | None:
        """Return the corrected share of right answers among those only judged; None unless yes or no."""
        return self._means.share

    @property
    def differences(self) -> Table:
        """Return the same measures of first minus second system, on the items of both; intervals are t."""
        rows = [
            Row((one.first, one.second, name), estimate)
            for one in self._means.differences
            for name, estimate in estimates_of(one.difference, one.people).items()
        ]
        return Table(("first", "second", "measure"), tuple(rows), self.title, self.notes)

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return the app's chart of the means with their intervals, one row a system; needs plotly."""
        from judgelab.charts.means import MeanRow, means_chart
        from judgelab.charts.tokens import palette

        what = "win rate" if self._means.of_pairs else "mean"
        return means_chart(
            [
                MeanRow(row.system, row.people, row.mean.powered, row.mean.judge)
                for row in self._means.systems
                if row.mean is not None
            ],
            title=f"{what} and {100 * self._source.get('confidence', 0.95):.6g} % interval",
            labels=("people alone", "people and judge", "judge alone"),
            theme=palette("dark" if dark else None),
            rates=self._means.of_pairs,
        )

    def explain(self, language: str = "en") -> str:
        """Return what the page *Means* says the judge adds, in "en" or "de"."""
        from judgelab.languages.translate import in_language
        from judgelab.ui.agree.means_words import means_sentence

        only_at_95(self._source)
        with in_language(language):
            return means_sentence(self._means).replace("**", "").replace("\\", "")

    @property
    def _means(self) -> SystemMeans:
        found: SystemMeans = self._source["means"]
        return found


def estimates_of(found: PoweredMean | None, people: Estimate | None = None) -> dict[str, Estimate]:
    """Return the measures of a mean, None for labels without an order; `people` is that of all ratings."""
    extra = {} if people is None else {"all_ratings": people}
    if found is None:
        return dict.fromkeys(MEASURES, undefined(NO_ORDER)) | extra
    n = found.human.n
    gain = (
        undefined(found.powered.reason or NO_GAIN, n=n) if found.gain is None else Estimate(found.gain, n=n)
    )
    return {
        "powered": found.powered, "human": found.human, "judge": found.judge, "shift": found.shift,
        "gain": gain,
    } | extra  # fmt: skip
