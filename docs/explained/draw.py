"""Draws the pictures of these pages with the charts of the app: `python -m docs.explained.draw`.

A Chromium turns each figure into SVG, with the library in the package plotly; nothing is downloaded.
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright
from plotly.offline import get_plotlyjs

from docs.explained import examples
from judgelab.charts.confusion import confusion_heatmap
from judgelab.charts.curves import JudgeCurve, curves_chart
from judgelab.charts.forest import ForestRow, forest_plot
from judgelab.charts.layout import empty_figure, value_axis
from judgelab.charts.means import MeanRow, means_chart
from judgelab.charts.power import power_chart
from judgelab.charts.quality import RaterMark, raters_forest
from judgelab.charts.scatter import ResponseDot, pair_scatter
from judgelab.charts.strip import StripMark, score_strip
from judgelab.charts.study import SystemMark, systems_scatter
from judgelab.charts.tokens import LIGHT
from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.agreement.ceiling import human_ceiling
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, between_raters
from judgelab.metaeval.coefficients.raters import pairwise_scores, rater_pairs
from judgelab.metaeval.core.aggregation import Aggregation, aggregate
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.metaeval.judges.best_worst import vote_counts
from judgelab.metaeval.judges.calibration import calibration
from judgelab.metaeval.judges.consistency import self_consistency
from judgelab.metaeval.judges.juries import combine, learned
from judgelab.metaeval.judges.position import position_bias
from judgelab.metaeval.judges.prediction_powered import powered_mean
from judgelab.metaeval.judges.slices import own_family
from judgelab.metaeval.judges.ties import pair_counts
from tests.conftest import find_chromium

FOLDER = Path(__file__).parent
WIDTH = 640
R = "Pearson r, 95 % interval"
CHANCE = ("percent", "cohen", "fleiss", "gwet", "brennan_prediger")


def kind_judge() -> Any:
    """The judge that is always one point too kind."""
    dots = [
        ResponseDot(n, float(p) + 0.06 * (n % 3 - 1), float(j) + 0.06 * (n % 2))
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
    return forest_plot(rows, ceiling=None, title=R, theme=LIGHT)


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
    return forest_plot(rows, ceiling=None, title=R, theme=LIGHT)


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
    return forest_plot(rows, ceiling=top.estimate, title=R, theme=LIGHT)


def length() -> Any:
    """How far the judge is above the people, by the length of the answer."""
    people, judge, words = examples.long_answers()
    dots = [ResponseDot(n, float(judge[n] - people[n]), float(words[n])) for n in range(len(words))]
    drawn = pair_scatter(dots, kind="judge", title="Words in the answer", theme=LIGHT)
    return drawn.update_yaxes(title_text="Judge minus people, points")


def paired() -> Any:
    """Two judges with intervals that overlap, and their difference."""
    [found] = contrasts(examples.two_alike(), scales=examples.SCALES)
    rows = [ForestRow(one.rater, "judge", one.estimate) for one in found.placed]
    rows.append(ForestRow("A minus B", "metric", found.contrasts[0].difference))
    return forest_plot(rows, ceiling=None, title=R, theme=LIGHT)


def few_ratings() -> Any:
    """The mean of a system by people, by the judge, and by both."""
    found = powered_mean(*examples.small_and_large())
    words = ("60 human ratings", "both together", "2,060 verdicts of the judge")
    row = MeanRow("system A", found.human, found.powered, found.judge)
    return means_chart([row], title="Mean score, 95 % interval", labels=words, theme=LIGHT)


def power() -> Any:
    """How many items would tell two judges apart."""
    plan = examples.plan_for(examples.two_alike(items=40))
    return power_chart(plan, x_title="Items", y_title="Settle the question", theme=LIGHT)


def among() -> Any:
    """The same four raters by seven coefficients."""
    scores = examples.six_raters()
    [table] = unit_tables(scores[~scores["rater"].str.contains("(", regex=False)])
    names = ("percent", "fleiss", "gwet", "alpha_nominal", "alpha_ordinal", "icc_a", "icc_ak")
    found = between_raters(table, examples.SCALE, coefficients=names)
    rows = [ForestRow(INTER_RATER_COEFFICIENTS[name].title, "human", found[name]) for name in names]
    return forest_plot(rows, ceiling=None, title="Agreement, 95 % interval", theme=LIGHT)


def five() -> Any:
    """Five ratings of one answer."""
    marks = [StripMark(f"rater {n}", "human", float(score)) for n, score in enumerate(examples.FIVE)]
    return score_strip(marks, scale=examples.SCALE, theme=LIGHT)


def systems() -> Any:
    """Four systems by people's mean and by the judge's."""
    found = examples.decisions_of(examples.four_systems())
    dots = [SystemMark(name, *means) for name, means in found.systems.items()]
    return systems_scatter(dots, title="Judge, mean", theme=LIGHT)


def confidence() -> Any:
    """How often a judge is right, by how sure it says it is."""
    found = calibration(*examples.said_confidence(), bins=5)
    rows = [ForestRow(f"says {one.confidence:.0%}", "judge", one.right) for one in found.bins]
    return forest_plot(rows, ceiling=None, title="Share that was right, 95 % interval", theme=LIGHT)


def _at(values: Mapping[int, float]) -> list[AgreementAtSize]:
    return [AgreementAtSize(size, Estimate(value)) for size, value in values.items()]


def chance() -> Any:
    """Agreement of 90 % by what is taken as chance, the more answers are fine."""
    found = {
        fine: between_raters(
            examples.yes_and_no(fine - 5, 5, 5, 95 - fine), examples.YES_NO, coefficients=CHANCE, resamples=0
        )
        for fine in range(50, 96, 5)
    }
    words = {"percent": "observed", "gwet": "gwet", "brennan_prediger": "brennan_prediger", "fleiss": "kappa"}
    lines = [
        JudgeCurve(word, _at({fine - 50: float(one[name].value or 0) for fine, one in found.items()}))
        for name, word in words.items()
    ]
    drawn = curves_chart(
        lines, x_title="Answers that each rater calls fine, of 100", y_title="Agreement", theme=LIGHT
    )
    return drawn.update_xaxes(ticktext=[str(fine) for fine in found])


def own_habits() -> Any:
    """Two raters of whom one is stricter, by five coefficients."""
    found = between_raters(examples.yes_and_no(60, 30, 0, 10), examples.YES_NO, coefficients=CHANCE)
    rows = [ForestRow(name, "human", one) for name, one in found.items()]
    return forest_plot(rows, ceiling=None, title="Agreement, 95 % interval", theme=LIGHT)


def strict() -> Any:
    """Three raters' scores of eight answers."""
    lines = [JudgeCurve(name, _at(dict(enumerate(map(float, one))))) for name, one in examples.STRICT.items()]
    drawn = curves_chart(lines, x_title="Answer", y_title="Score", theme=LIGHT)
    return drawn.update_xaxes(ticktext=list("abcdefgh"))


def variance() -> Any:
    """The same three raters by six forms of the ICC and by W."""
    names = ("icc_1", "icc_a", "icc_c", "icc_1k", "icc_ak", "icc_ck", "kendall_w")
    found = between_raters(examples.a_strict_rater(), examples.SCALE, coefficients=names)
    rows = [ForestRow(INTER_RATER_COEFFICIENTS[name].title, "human", found[name]) for name in names]
    return forest_plot(rows, ceiling=None, title="Agreement, 95 % interval", theme=LIGHT)


def crowd_labels() -> Any:
    """How many labels are right by majority, by Dawid and Skene and by MACE."""
    rated, truth = examples.careful_and_careless()
    rows = []
    for how, word in (("majority", "majority"), ("dawid_skene", "Dawid and Skene"), ("mace", "MACE")):
        found = aggregate(rated, units=len(truth), raters=5, aggregation=Aggregation(how))
        rows.append(ForestRow(word, "human", share(int((found == truth).sum()), len(truth), nothing="")))
    return forest_plot(rows, ceiling=None, title="Share that is right, 95 % interval", theme=LIGHT)


def jury() -> Any:
    """Three judges, and what becomes of them together."""
    judges, people = examples.a_jury()
    taken = {f"judge {n + 1}": judges[:, n] for n in range(3)}
    taken["their mean"] = combine(judges, "mean", on_scale=True).scores
    taken["their median"] = combine(judges, "median", on_scale=True).scores
    taken["learned weights"] = learned(judges, people, np.arange(len(people)), examples.SCALE).scores
    rows = [(f"q{n}", "A", "Ann", "human", float(score)) for n, score in enumerate(people)]
    rows += [(f"q{n}", "A", k, "judge", float(x)) for k, v in taken.items() for n, x in enumerate(v)]
    found = agreement(examples.frame(rows), scales=examples.SCALES, coefficients=("pearson",))
    by_name = {row.rater: row.estimate for row in found}
    return forest_plot([ForestRow(k, "judge", by_name[k]) for k in taken], ceiling=None, title=R, theme=LIGHT)


def strengths() -> Any:
    """Four systems' strengths from their wins."""
    found, _ = examples.games()
    rows = [ForestRow(f"system {name}", "human", one) for name, one in found.strength.items()]
    return forest_plot(rows, ceiling=None, title="Strength, 95 % interval", theme=LIGHT, errors=True)


def votes() -> Any:
    """How often each answer was voted best, and worst."""
    counts = vote_counts(examples.best_and_worst())
    rows = [
        ForestRow(f"{row.response}, {end}", "human", Estimate(float(getattr(row, end)) / row.voters))
        for row in counts.itertuples()
        for end in ("best", "worst")
    ]
    drawn = forest_plot(rows, ceiling=None, title="Share of three voters", theme=LIGHT)
    return drawn.update_xaxes(range=[-0.02, 0.7])


def ties() -> Any:
    """Pair accuracy by how near two of a judge's scores must lie to be equal."""
    people, judge, items = examples.decimals()
    found = {
        far: float(pair_counts(people, judge, items, epsilon=far / 10).acc_eq or 0) for far in range(0, 21, 2)
    }
    drawn = curves_chart(
        [JudgeCurve("pairs right", _at(found))],
        x_title="Largest difference that counts as a tie",
        y_title="Share",
        theme=LIGHT,
    )
    return drawn.update_xaxes(ticktext=[f"{far / 10:g}" for far in found])


def swapped() -> Any:
    """How far one judge is ahead where the two changed places at random, and how far it was."""
    gap, drawn_gaps = examples.swapped_gaps()
    drawn = empty_figure(LIGHT, height=230, top=28)
    drawn.add_histogram(x=drawn_gaps, nbinsx=40, marker={"color": LIGHT.sequential[3]})
    value_axis(drawn, LIGHT, title="Lead of A over B, r", low=-0.13, high=0.13)
    drawn.add_vline(x=gap, line={"color": LIGHT.attention, "width": 2})
    drawn.add_annotation(
        x=gap, y=1, yref="paper", yanchor="bottom", showarrow=False, text="observed",
        font={"size": 12, "color": LIGHT.attention},
    )  # fmt: skip
    return drawn.update_yaxes(showticklabels=False, showgrid=False)


def many_tests() -> Any:
    """How often something is found where there is nothing, by the number of tests."""
    words = {"none": "uncorrected", "holm": "Holm"}
    lines = [
        JudgeCurve(word, _at({n: examples.false_findings(n, how) for n in (1, 3, 10, 45)}))
        for how, word in words.items()
    ]
    drawn = curves_chart(lines, x_title="Tests", y_title="Studies with a false finding", theme=LIGHT)
    return drawn.update_yaxes(tickformat=".0%")


def place() -> Any:
    """How often a judge keeps its winner when the answers change places, and names the first."""
    found = position_bias(*examples.both_orders())
    rows = [
        ForestRow("same winner in both orders", "judge", found.consistency),
        ForestRow("the first answer wins", "judge", found.first_rate),
    ]
    return forest_plot(rows, ceiling=None, title="Share, 95 % interval", theme=LIGHT)


def family() -> Any:
    """How far a judge is above people on its family's answers and on others."""
    people, judge, own = examples.a_family()
    item = np.arange(len(people)) // 2
    found = own_family(people, judge, own, item=item, draws=ItemDraws(60, 1000, 0))
    words = ("its own family", "the others", "own minus others")
    rows = [ForestRow(word, "judge", one) for word, one in zip(words, found, strict=True)]
    return forest_plot(rows, ceiling=None, title="Judge minus people, points", theme=LIGHT, errors=True)


def scale() -> Any:
    """How often people and a judge gave each score."""
    rows = [
        ForestRow(f"{point} by {who}", kind, share(int((given == point).sum()), len(given), nothing=""))
        for point in range(1, 6)
        for who, kind, given in (
            ("people", "human", examples.WHOLE_SCALE),
            ("the judge", "judge", examples.MOSTLY_FOUR),
        )
    ]
    drawn = forest_plot(rows, ceiling=None, title="Share of forty answers, 95 % interval", theme=LIGHT)  # type: ignore[arg-type]
    return drawn.update_xaxes(range=[-0.02, 0.82])


def repetition() -> Any:
    """Agreement with people by how many replies are averaged."""
    unit, score, people = examples.asked_again()
    draws = ItemDraws(len(people), 0, 0)
    found = self_consistency(unit, score, item=np.arange(len(people)), draws=draws, human=people)
    line = JudgeCurve("the judge", [AgreementAtSize(one.votes, one.estimate) for one in found.votes])
    return curves_chart([line], x_title="Replies averaged", y_title="Pearson r with people", theme=LIGHT)


def twice() -> Any:
    """One rater's first and second scores of twenty answers."""
    counts = pd.crosstab(examples.AT_FIRST, examples.LATER)
    drawn = confusion_heatmap(counts, judge_title="Some days later", theme=LIGHT)
    return drawn.update_yaxes(title_text="The first time")


def wilson() -> Any:
    """Three shares with Wilson's interval."""
    rows = [
        ForestRow(f"{part} of {whole}", "human", share(part, whole, nothing=""))
        for part, whole in ((9, 10), (10, 10), (90, 100))
    ]
    return forest_plot(rows, ceiling=None, title="Share, Wilson's 95 % interval", theme=LIGHT)


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
    "chance": chance,
    "own-habits": own_habits,
    "strict": strict,
    "variance": variance,
    "crowd-labels": crowd_labels,
    "jury": jury,
    "strengths": strengths,
    "votes": votes,
    "ties": ties,
    "swapped": swapped,
    "many-tests": many_tests,
    "place": place,
    "family": family,
    "scale": scale,
    "repetition": repetition,
    "twice": twice,
    "wilson": wilson,
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
