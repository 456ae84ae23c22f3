"""Draws the pictures of these pages with the charts of the app: `python -m docs.explained.draw`.

A Chromium turns each figure into SVG, with the library that lies in the package plotly; nothing is fetched.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from playwright.sync_api import sync_playwright
from plotly.offline import get_plotlyjs

from docs.explained import examples
from judgelab.charts.confusion import confusion_heatmap
from judgelab.charts.forest import ForestRow, forest
from judgelab.charts.means import MeanRow, means_chart
from judgelab.charts.power import power_chart
from judgelab.charts.quality import RaterMark, raters_forest
from judgelab.charts.scatter import Dot, pair_scatter
from judgelab.charts.strip import StripMark, score_strip
from judgelab.charts.study import Dot as SystemDot
from judgelab.charts.study import systems_beside
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.between_raters import AMONG, between_raters
from judgelab.metaeval.calibration import calibration
from judgelab.metaeval.ceiling import human_ceiling
from judgelab.metaeval.contrasts import contrasts
from judgelab.metaeval.prediction_powered import powered_mean
from judgelab.metaeval.raters import pairwise_scores, rater_pairs
from judgelab.metaeval.result import Estimate
from judgelab.metaeval.units import unit_tables
from tests.conftest import find_chromium

FOLDER = Path(__file__).parent
WIDTH = 640
R = "Pearson r, 95 % interval"


def kind_judge() -> Any:
    """The judge that is always one point too kind."""
    dots = [
        Dot(n, float(p) + 0.06 * (n % 3 - 1), float(j) + 0.06 * (n % 2))
        for n, (p, j) in enumerate(zip(examples.PEOPLE, examples.KIND, strict=True))
    ]
    return pair_scatter(dots, kind="judge", title="Judge", theme=LIGHT, same_scale=(0.8, 5.2))


def nearly_all_fine() -> Any:
    """Two raters who call nearly everything fine."""
    counts = pd.crosstab(examples.FIRST, examples.SECOND)
    drawn = confusion_heatmap(counts, judge_title="The second rater", theme=LIGHT)
    return drawn.update_yaxes(title_text="The first rater")


def sizes() -> Any:
    """The same judge on studies of four sizes."""
    rows = [
        ForestRow(
            f"{n} items",
            "judge",
            examples.agreement_of(examples.of_size(n), coefficients=("pearson",)).estimate,
        )
        for n in (15, 60, 240, 960)
    ]
    return forest(rows, ceiling=None, title=R, theme=LIGHT)


def levels() -> Any:
    """One study at two levels."""
    scores = examples.easy_and_hard()
    words = {"none": "pooled", "item": "within each item"}
    rows = [
        ForestRow(
            word,
            "judge",
            examples.agreement_of(scores, coefficients=("pearson",), levels=(level,)).estimate,
        )
        for level, word in words.items()
    ]
    return forest(rows, ceiling=None, title=R, theme=LIGHT)


def raters() -> Any:
    """Six raters before and after the rule."""
    scores = examples.six_raters()
    before = _mean_r(scores)
    kept = _mean_r(scores[~scores["rater"].str.contains("(", regex=False)])
    marks = [
        RaterMark(name, Estimate(value), Estimate(kept[name]) if name in kept else None)
        for name, value in before.items()
    ]
    return raters_forest(marks, threshold=0.4, title="Mean r with the other raters", theme=LIGHT)


def _mean_r(scores: pd.DataFrame) -> Mapping[str, float]:
    [table] = unit_tables(scores)
    count = len(table.human_names)
    found = pairwise_scores(rater_pairs(table.humans, units=len(table.item), raters=count), raters=count)
    return dict(zip(table.human_names, map(float, found.score), strict=True))


def stand_in() -> Any:
    """A good and a worse judge under the human ceiling."""
    rows = [
        ForestRow(
            word,
            "judge",
            examples.agreement_of(
                examples.three_raters_and_a_judge(noise=noise),
                coefficients=("pearson",),
                targets="leave_one_out",
            ).estimate,
        )
        for noise, word in ((0.5, "the careful judge"), (0.9, "the hasty judge"))
    ]
    [top] = human_ceiling(
        examples.three_raters_and_a_judge(), scales=examples.SCALES, coefficients=("pearson",)
    )
    return forest(rows, ceiling=top.estimate, title=R, theme=LIGHT)


def length() -> Any:
    """How far the judge is above the people, by the length of the answer."""
    people, judge, words = examples.long_answers()
    dots = [Dot(n, float(judge[n] - people[n]), float(words[n])) for n in range(len(words))]
    drawn = pair_scatter(dots, kind="judge", title="Words in the answer", theme=LIGHT)
    return drawn.update_yaxes(title_text="Judge minus people, points")


def paired() -> Any:
    """Two judges with intervals that overlap, and their difference."""
    [found] = contrasts(examples.two_alike(), scales=examples.SCALES)
    rows = [ForestRow(one.rater, "judge", one.estimate) for one in found.placed]
    rows.append(ForestRow("A minus B", "metric", found.contrasts[0].difference))
    return forest(rows, ceiling=None, title=R, theme=LIGHT)


def few_ratings() -> Any:
    """The mean of a system by people, by the judge, and by both."""
    found = powered_mean(*examples.small_and_large())
    words = ("60 ratings by people", "both together", "2,060 verdicts of the judge")
    row = MeanRow("system A", found.human, found.powered, found.judge)
    return means_chart([row], title="Mean score, 95 % interval", words=words, theme=LIGHT)


def power() -> Any:
    """How many items would tell two judges apart."""
    plan = examples.plan_for(examples.two_alike(items=40))
    return power_chart(plan, across="Items", up="Would settle it", theme=LIGHT)


def among() -> Any:
    """The same four raters by seven coefficients."""
    scores = examples.six_raters()
    [table] = unit_tables(scores[~scores["rater"].str.contains("(", regex=False)])
    names = ("percent", "fleiss", "gwet", "alpha_nominal", "alpha_ordinal", "icc_a", "icc_ak")
    found = between_raters(table, examples.SCALE, coefficients=names)
    rows = [ForestRow(AMONG[name].title, "human", found[name]) for name in names]
    return forest(rows, ceiling=None, title="Agreement, 95 % interval", theme=LIGHT)


def five() -> Any:
    """Five ratings of one answer."""
    marks = [StripMark(f"rater {n}", "human", float(score)) for n, score in enumerate(examples.FIVE)]
    return score_strip(marks, scale=examples.SCALE, theme=LIGHT)


def systems() -> Any:
    """Four systems by people's mean and by the judge's."""
    found = examples.decisions_of(examples.four_systems())
    dots = [SystemDot(name, *means) for name, means in found.systems.items()]
    return systems_beside(dots, title="Judge, mean", theme=LIGHT)


def confidence() -> Any:
    """How often a judge is right, by how sure it says it is."""
    found = calibration(*examples.said_confidence(), bins=5)
    rows = [ForestRow(f"says {one.confidence:.0%}", "judge", one.right) for one in found.bins]
    return forest(rows, ceiling=None, title="Share that was right, 95 % interval", theme=LIGHT)


PICTURES: Mapping[str, Callable[[], Any]] = {
    "kind-judge": kind_judge,
    "nearly-all-fine": nearly_all_fine,
    "sizes": sizes,
    "levels": levels,
    "raters": raters,
    "stand-in": stand_in,
    "length": length,
    "paired": paired,
    "few-ratings": few_ratings,
    "power": power,
    "among": among,
    "five": five,
    "systems": systems,
    "confidence": confidence,
}


def main() -> None:
    """Write every picture beside the pages."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        tab = browser.new_page()
        tab.add_script_tag(content=get_plotlyjs())
        for name, draw in PICTURES.items():
            drawn = draw()
            drawn.update_layout(paper_bgcolor="#FBFBF9", margin_r=24)
            size = {"format": "svg", "width": WIDTH, "height": drawn.layout.height}
            address = tab.evaluate("([f, s]) => Plotly.toImage(JSON.parse(f), s)", [drawn.to_json(), size])
            picture = urllib.parse.unquote(address.partition(",")[2])
            # The names of its parts are drawn by lot; without that an unchanged picture is an unchanged file.
            for part in set(re.findall(r"(?:clip|defs-|legend|trace)([0-9a-f]{6})", picture)):
                picture = picture.replace(part, "picture")
            (FOLDER / f"{name}.svg").write_text(picture + "\n", encoding="utf-8")
            print(name)
        browser.close()


if __name__ == "__main__":
    main()
