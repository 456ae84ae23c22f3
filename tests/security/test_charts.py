"""Names from files are escaped in charts: plotly would interpret HTML, links and its templates in them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pandas as pd
import plotly.graph_objects as go
import pytest

from judgelab import charts
from judgelab.charts import effect, learning, means, own_ratings, quality, raters, scatter, strip, study
from judgelab.charts.confusion import confusion_heatmap
from judgelab.charts.cost import CostMark, cost_chart
from judgelab.charts.curves import JudgeCurve, curves_chart
from judgelab.charts.failure_modes import ModeBar, failure_mode_bars
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.charts.labels import axis_label, wrapped_label
from judgelab.charts.power import power_chart
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.inference.planning import PowerAtSize, SampleSizePlan
from judgelab.scales import scale_from_json

NAME = "<a href='http://x'>%{x}</a>"
SHOWN = axis_label(NAME)
KNOWN = Estimate(0.5, ci=(0.4, 0.6), n=9)
UNKNOWN = undefined(NAME)
SCALE = scale_from_json({"kind": "ordinal", "low": 0, "high": 1, "labels": {"0": "<a>%{x}</a>"}})
AXES = {"x_title": NAME, "y_title": NAME, "theme": LIGHT}
TITLED = {"title": NAME, "theme": LIGHT}
NO_TEXT = {"empty_figure", "run_progress_bar"}  # the empty paper; a bar of colours

DRAWN: dict[str, Callable[[], go.Figure]] = {
    "agreement_stages": lambda: quality.agreement_stages([quality.FilterStage(NAME, KNOWN, True)], **TITLED),
    "own_ratings_chart": lambda: own_ratings.own_ratings_chart(
        [
            own_ratings.RatedResponse(
                NAME,
                1,
                0,
                [own_ratings.OtherScore(NAME, "human", 1), own_ratings.OtherScore(NAME, "judge", 1)],
            )
        ],
        scale=SCALE,
        own_name=NAME,
        theme=LIGHT,
    ),
    "replication_forest": lambda: study.replication_forest(
        [study.ReplicatedNumber(NAME, 0.5, 0.4, (0.3, 0.5))], **TITLED
    ),
    "confusion_heatmap": lambda: confusion_heatmap(
        pd.DataFrame([[1, 2], [3, 4]], index=[0, 1], columns=[0, 1]),
        judge_title=NAME,
        raters_title=NAME,
        theme=LIGHT,
        labels=[NAME, f"{NAME} 2"],
    ),
    "cost_chart": lambda: cost_chart(
        [CostMark(NAME, "judge", KNOWN, 2, True), CostMark(NAME, "metric", KNOWN, 1, True)], **AXES
    ),
    "curves_chart": lambda: curves_chart(
        [JudgeCurve(NAME, [AgreementAtSize(1, KNOWN), AgreementAtSize(2, UNKNOWN)])], **AXES
    ),
    "score_histograms": lambda: study.score_histograms(
        [NAME], [study.ScoreHistogram(NAME, "judge", [1])], **TITLED
    ),
    "effect_panel": lambda: effect.effect_panel(
        [0, 0.2],
        [effect.EffectCurve(NAME, [KNOWN, UNKNOWN], "people")],
        threshold=0.1,
        reference=0.2,
        **TITLED,
    ),
    "failure_mode_bars": lambda: failure_mode_bars([ModeBar(NAME, "judge", NAME, 1, 2)], theme=LIGHT),
    "forest_plot": lambda: forest_plot(
        [ForestRow(NAME, "judge", KNOWN), ForestRow(NAME, "metric", UNKNOWN)], ceiling=KNOWN, **TITLED
    ),
    "learning_curve_chart": lambda: learning.learning_curve_chart(
        [(9, [0.5])], references={NAME: 0.4}, null=[0.1], **TITLED
    ),
    "means_chart": lambda: means.means_chart(
        [means.MeanRow(NAME, KNOWN, KNOWN, UNKNOWN)], labels=(NAME, NAME, NAME), **TITLED
    ),
    "measure_forest": lambda: raters.measure_forest(
        [
            raters.MeasureRow(NAME, KNOWN, note=NAME, chosen=True),
            raters.MeasureRow(NAME, UNKNOWN),
        ],
        low=0,
        high=1,
        reference=0.5,
        reference_name=NAME,
        **TITLED,
    ),
    "settings_chart": lambda: study.settings_chart(
        {NAME: [study.SettingMark(NAME, 0.5, (0.4, 0.6), 0.4)]}, value_title=NAME, **TITLED
    ),
    "screens_over_time": lambda: raters.screens_over_time(
        [raters.ScreenMark(0, 1)], running_mean=[1], breaks=[1], **TITLED
    ),
    "pair_scatter": lambda: scatter.pair_scatter(
        [scatter.ResponseDot(1, 0.5, 0.5)], kind="judge", raters_title=NAME, **TITLED
    ),
    "power_chart": lambda: power_chart(
        SampleSizePlan("items", 9, True, (PowerAtSize(9, KNOWN), PowerAtSize(12, KNOWN)), 9, 12), **AXES
    ),
    "raters_forest": lambda: quality.raters_forest(
        [quality.RaterMark(NAME, KNOWN, KNOWN), quality.RaterMark(NAME, KNOWN, None, NAME)],
        threshold=0.2,
        **TITLED,
    ),
    "scores_before_after": lambda: quality.scores_before_after([NAME], before=[1], after=[1], **TITLED),
    "score_strip": lambda: strip.score_strip([strip.StripMark(NAME, "judge", 1)], scale=SCALE, theme=LIGHT),
    "systems_scatter": lambda: study.systems_scatter([study.SystemMark(NAME, 1, 2)], **TITLED),
}


def test_every_chart_there_is_is_drawn_here() -> None:
    modules = [
        import_module(f"judgelab.charts.{module.name}")
        for module in iter_modules([Path(charts.__file__).parent])
    ]
    drawers = {
        name
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if not name.startswith("_") and function.__annotations__.get("return") == "go.Figure"
    }
    assert drawers - NO_TEXT == set(DRAWN)


@pytest.mark.parametrize("as_label", [axis_label, wrapped_label])
def test_a_name_on_an_axis_holds_no_markup_and_no_template(as_label: Callable[[str], str]) -> None:
    label = as_label("<b>%{x}</b> & 5 %")
    assert label == "&lt;b&gt;&#37;{x}&lt;/b&gt; &amp; 5 %"


@pytest.mark.parametrize("chart", DRAWN)
def test_no_text_of_a_chart_is_more_than_letters(chart: str) -> None:
    figure = json.loads(DRAWN[chart]().to_json())
    texts = [text for section in (*figure["data"], figure["layout"]) for text in _texts(section)]
    assert any("&lt;a" in text for text in texts)
    assert [text for text in texts if "<a" in text or "%{x}</a>" in text or "%{x}&lt;" in text] == []


def test_what_a_mark_says_of_the_data_it_carries_is_looked_at_too() -> None:
    figure = json.loads(DRAWN["effect_panel"]().to_json())
    texts = [
        text for trace in figure["data"] if "customdata" in trace for text in _texts(trace["customdata"])
    ]
    assert SHOWN in texts
    assert "<b>" in _texts({"customdata": [["<b>"]], "hovertemplate": "%{customdata[0]}"})
    assert "<b>" not in _texts({"customdata": [["<b>"]], "hovertemplate": "%{x}"})


def _texts(node: object) -> list[str]:
    """Return all that plotly shows; of what a mark carries along, no more than it says of it."""
    if isinstance(node, str):
        return [node]
    if isinstance(node, dict):
        template = " ".join(str(node.get(name, "")) for name in ("hovertemplate", "texttemplate"))
        not_shown = {"customdata"} if "customdata" not in template else set()
        return [text for name, value in node.items() if name not in not_shown for text in _texts(value)]
    return [text for value in node for text in _texts(value)] if isinstance(node, list) else []
