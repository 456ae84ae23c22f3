"""What `jl.agreement` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgelab.api.confidence import only_at_95
from judgelab.api.tables import Table
from judgelab.api.words import axis_heading
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.result import ROUNDED_DIFFERENCES

if TYPE_CHECKING:
    import plotly.graph_objects as go


class AgreementTable(Table):
    """Agreement with the raters, one row a judge, metric or baseline, then the raters themselves."""

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return the app's forest plot of one coefficient and criterion, the first ones if not given."""
        from judgelab.charts.forest import ForestRow, forest_plot
        from judgelab.charts.tokens import palette
        from judgelab.metaeval.coefficients.registry import ERRORS

        first = self._rows[0].names
        place = (criterion or first[2], coefficient or first[4])
        rows = [row for row in self._rows if (row.names[2], row.names[4]) == place]
        if not rows:
            self[place]  # raises with the names that there are
        drawn = [
            ForestRow(row.names[0], "judge" if row.names[1] == "judge" else "metric", row.estimate)
            for row in rows
            if row.names[1] != "human"
        ]
        ceiling = next((row.estimate for row in rows if row.names[1] == "human"), None)
        return forest_plot(
            sorted(drawn, key=lambda row: -(row.estimate.value if row.estimate.value is not None else -9)),
            ceiling=ceiling,
            title=axis_heading(place[1], first[3], self._source.get("confidence", 0.95)),
            theme=palette("dark" if dark else None),
            errors=place[1] in ERRORS,
        )

    def explain(self, language: str = "en") -> str:
        """Return what the page *Agree* says about the best judge, in "en" or "de"."""
        from judgelab.languages.translate import _, in_language
        from judgelab.ui.kit import text
        from judgelab.ui.shared.agreement_answer import TESTED, agreement_answer

        only_at_95(self._source)
        found: list[VsCeilingRow] = self._source["rows"]
        said = []
        with in_language(language):
            for criterion in dict.fromkeys(row.criterion for row in found):
                rows = [
                    row
                    for row in found
                    if row.criterion == criterion and row.coefficient == found[0].coefficient
                ]
                ceiling = next(
                    (
                        row.estimate
                        for row in self._source["ceiling"]
                        if (row.criterion, row.coefficient) == (criterion, rows[0].coefficient)
                    ),
                    None,
                )
                answer = agreement_answer(rows, ceiling).replace("**", "").replace("\\", "")
                said.append(
                    answer if len({row.criterion for row in found}) == 1 else f"{criterion}: {answer}"
                )
            first = found[0]
            said.append(
                f"{text.capitalised(text.coefficient(first.coefficient))}, {text.level(first.level)}."
            )
            if sum(row.rater_kind == "judge" for row in found if row.criterion == first.criterion) > 1:
                said.append(_(TESTED, call="jl.compare"))
            if any(row.difference.ci is not None for row in found):
                said.append(_(ROUNDED_DIFFERENCES))
        return "\n".join(said)
