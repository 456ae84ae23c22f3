"""Names from files in charts are letters: plotly would read HTML, links and its own templates in them."""

from __future__ import annotations

import json
from collections.abc import Callable

import plotly.graph_objects as go
import pytest

from judgelab.charts import study
from judgelab.charts.curves import Line, curves_chart
from judgelab.charts.forest import ForestRow, forest
from judgelab.charts.labels import label, wrapped
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.by_replies import AtSize
from judgelab.metaeval.result import Estimate

NAME = "<a href='http://x'>%{x}</a>"
KNOWN = Estimate(0.5, ci=(0.4, 0.6), n=9)


@pytest.mark.parametrize("written", [label, wrapped])
def test_a_name_on_an_axis_holds_no_markup_and_no_template(written: Callable[[str], str]) -> None:
    shown = written("<b>%{x}</b> & 5 %")
    assert shown == "&lt;b&gt;&#37;{x}&lt;/b&gt; &amp; 5 %"


@pytest.mark.parametrize(
    "draw",
    [
        lambda: study.systems_beside([study.Dot(NAME, 1, 2)], title=NAME, theme=LIGHT),
        lambda: study.over_settings(
            {NAME: [study.Step(NAME, 0.5, None)]}, title="k", value_title="r", theme=LIGHT
        ),
        lambda: study.beside_print(
            [study.Beside(NAME, 0.5, 0.4, None)], title="r", theme=LIGHT
        ),
        lambda: forest([ForestRow(NAME, "judge", KNOWN)], ceiling=None, title="r", theme=LIGHT),
        lambda: curves_chart([Line(NAME, [AtSize(1, KNOWN)])], across="n", up="r", theme=LIGHT),
    ],
    ids=["systems", "settings", "print", "forest", "curves"],
)  # fmt: skip
def test_no_text_of_a_chart_is_more_than_letters(draw: Callable[[], go.Figure]) -> None:
    drawn = json.loads(draw().to_json())
    texts = [text for part in (drawn["data"], drawn["layout"]) for text in _texts(part)]
    assert any("&lt;a" in text for text in texts)
    assert [text for text in texts if "<a" in text or "%{x}</a>" in text] == []


def _texts(part: object, key: str = "") -> list[str]:
    """Return all that plotly shows; what it only carries along for a click is left out."""
    if isinstance(part, str):
        return [] if key == "customdata" else [part]
    if isinstance(part, dict):
        return [text for name, one in part.items() if name != "customdata" for text in _texts(one, name)]
    return [text for one in part for text in _texts(one, key)] if isinstance(part, list) else []
