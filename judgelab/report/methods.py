"""The methods section of a report: what was done, in sentences for a paper, with the exact recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, beats_baseline
from judgelab.metaeval.coefficients.registry import coefficient
from judgelab.report.facts import ReportFacts
from judgelab.report.filter_paragraph import filter_paragraph
from judgelab.report.judge_description import describe_judge
from judgelab.report.terms import LEVEL_WORDS, coefficient_name, join_names
from judgelab.store.judging.no_scores import sum_missing

DEMO_NOTE = "The data were invented for a demonstration; they are not study results."


def methods(facts: ReportFacts, *, version: str) -> str:
    """Return the methods as Markdown, a paragraph each on material, raters, filter, judges and agreement."""
    parts = [
        ("Material", _material_paragraph(facts)),
        ("Raters", _raters_paragraph(facts)),
        ("Quality of the ratings", filter_paragraph(facts)),
        ("Judges", _judges_paragraph(facts)),
        ("Agreement", _agreement_paragraph(facts)),
        ("Software", f"All results were computed with JudgeLab {version}; the pack contains the commands."),
    ]
    demo = [DEMO_NOTE] if facts.scores.project.settings.get("demo") else []
    return "\n\n".join([*demo, *(f"## {title}\n\n{text}" for title, text in parts if text)]) + "\n"


def _material_paragraph(facts: ReportFacts) -> str:
    project = facts.scores.project
    criteria = "; ".join(
        f"{criterion.label} ({_scale(facts, criterion.key)}"
        f"{'' if criterion.higher_is_better else ', lower is better'})"
        for criterion in project.criteria
    )
    humans = facts.scores.humans
    rated_count, response_count = humans["response"].nunique(), facts.counts["responses"]
    systems = humans.loc[humans["system"] != "", "system"].nunique()
    of_systems = f" by {_count(systems, 'system')}" if systems else ""
    items = _count(humans["item"].nunique(), "item")
    all_items = _count(facts.counts["items"], "item")
    responses = _count(response_count, "response")
    of_all = "" if rated_count == response_count else f"Of {all_items} with {responses}, "
    return (
        f"{of_all}{items} with {_count(rated_count, 'response')}{of_systems} were rated "
        f"under {_count(len(project.criteria), 'criterion', 'criteria')}: {criteria}."
    )


def _scale(facts: ReportFacts, criterion: str) -> str:
    scale = facts.scores.project.scales[criterion]
    points = len(scale.points())
    ends = f"{scale.low:g} to {scale.high:g}"
    return f"{ends}, {points} points" if points else ends


def _raters_paragraph(facts: ReportFacts) -> str:
    flow, humans = facts.flow, facts.scores.humans
    raters_per_response = humans.groupby(["response", "criterion"])["rater"].nunique()
    sentences = [
        _who_rated(facts),
        f"{flow.trained} passed a training round." if flow.trained is not None else "",
        f"Each response was rated by {_raters_per_response(raters_per_response)} under each criterion"
        f"{_without_rating(facts)}, {len(humans):,} ratings in total.",
        _blinding_sentences(facts),
    ]
    return " ".join(part for part in sentences if part)


def _who_rated(facts: ReportFacts) -> str:
    flow = facts.flow
    rated_here = flow.rated - flow.imported
    sentences = []
    if flow.members > flow.imported:
        people = _count(flow.members - flow.imported, "person", "people")
        sentences.append(f"{people} registered as raters in JudgeLab; {rated_here} gave at least one rating.")
    if flow.imported > flow.slots:
        named = _count(flow.imported - flow.slots, "rater is", "raters are")
        sentences.append(f"{named} named in an imported file.")
    if flow.slots:
        slots = _count(flow.slots, "rater slot")
        sentences.append(
            f"{slots} came from an imported file that numbers its raters: a slot may contain ratings of "
            "several people, so agreement between slots is not necessarily agreement between two people."
        )
    return " ".join(sentences)


def _raters_per_response(counts: pd.Series) -> str:
    if counts.min() == counts.max():
        return _count(int(counts.min()), "rater")
    return f"{counts.min()} to {counts.max()} raters (median {counts.median():g})"


def _without_rating(facts: ReportFacts) -> str:
    """Return under which criteria some of the rated responses have no rating."""
    humans = facts.scores.humans
    rated = humans.groupby("criterion")["response"].nunique()
    lacking = humans["response"].nunique() - rated.reindex(
        [criterion.key for criterion in facts.scores.project.criteria], fill_value=0
    )
    phrases = [
        f"{_count(int(n), 'response')} without a rating under {facts.scores.project.criterion(key).label}"
        for key, n in lacking.items()
        if n
    ]
    return f" ({join_names(phrases)})" if phrases else ""


def _blinding_sentences(facts: ReportFacts) -> str:
    blind, sentences = facts.blind, []
    if blind.in_judgelab:
        not_blind_note = (
            f"; {blind.not_blind:,} are by people who had opened judges' pages" if blind.not_blind else ""
        )
        sentences.append(
            f"{blind.in_judgelab:,} ratings were given in JudgeLab, without the names of systems, judges' "
            f"scores or one another's ratings on the screen{not_blind_note}."
        )
    if blind.imported:
        sentences.append(
            f"{_count(blind.imported, 'rating')} came from a file, which does not say what the raters saw."
        )
    return " ".join(sentences)


def _judges_paragraph(facts: ReportFacts) -> str:
    sentences = [describe_judge(judge, facts.uses.get(judge.name)) for judge in facts.judges]
    metrics = sorted({row.rater for row in facts.rows if row.rater_kind == "metric"})
    if metrics:
        sentences.append(f"Metrics: {', '.join(metrics)}.")
    missing = sum_missing(facts.scores.unscored.values())
    if missing:
        counted = "is counted" if missing.total == 1 else "are counted"
        reasons = ", ".join(missing.phrases())
        sentences.append(
            f"{_count(missing.total, 'judgment')} without a score ({reasons}) {counted} as missing."
        )
    return " ".join(sentences) or "No judge has scored these responses yet."


def _agreement_paragraph(facts: ReportFacts) -> str:
    recipe = facts.recipe
    names = join_names([*map(coefficient_name, recipe.coefficients)])
    constant_treatment = (
        "counts as 0; such groups are counted"
        if recipe.constant_groups == "zero"
        else "is left out; such groups are counted"
    )
    constant_note = (
        ""
        if recipe.level not in ("item", "sys", "group")
        else f" A group in which only the judge is constant {constant_treatment}."
    )
    return (
        f"The human score of a response is the {facts.scores.aggregation.method} of its kept ratings. "
        f"Agreement is {names}, {LEVEL_WORDS[recipe.level]}.{_rounding_sentence(facts)}{constant_note} "
        f"Intervals are 95 % bootstrap intervals over items ({recipe.resamples:,} resamples, "
        f"seed {recipe.seed}) unless a table names another method. "
        "The human ceiling is the average agreement of a rater with the mean of the other raters, "
        "over raters who share at least five responses with others. For comparison, "
        "judges are measured in the same way: with the mean of all raters but one, on the responses that two "
        "or more of them rated. Agreement with the mean of all raters, on all rated responses, is given too; "
        "it is usually higher for the same judge, because the mean of more ratings is less noisy."
        f"{_baselines_sentence(facts)}{_comparison_sentence(facts)}"
    )


def _rounding_sentence(facts: ReportFacts) -> str:
    """Return how a mean between two points is rounded, for coefficients that need points."""
    point_coefficients = [
        name
        for name in facts.recipe.coefficients
        if any(
            coefficient(name, scale=scale).needs == "points" and scale.points()
            for scale in facts.scores.project.scales.values()
        )
    ]
    if not point_coefficients:
        return ""
    names = join_names([*map(coefficient_name, point_coefficients)])
    return f" For {names}, a mean between two points is rounded to the nearest point, halves upwards."


def _baselines_sentence(facts: ReportFacts) -> str:
    """Return which judges are above the best baseline, by the interval of the paired difference."""
    labels = {criterion.key: criterion.label for criterion in facts.scores.project.criteria}
    rows = [
        row
        for row in facts.vs_ceiling
        if row.baseline is not None
        and (row.rater_kind, row.coefficient) == ("judge", facts.first_coefficient)
        and row.criterion in labels
        and row.estimate.value is not None
    ]
    if not rows:
        return ""
    baselines = dict.fromkeys(
        str(baseline_label(row.rater))
        for row in facts.vs_ceiling
        if (row.rater_kind, row.coefficient) == (BASELINE, facts.first_coefficient)
    )
    sides = {"above 0": True, "not above 0": False}
    clauses = [
        f"is {side} for {_judges_by_criteria(judges, labels)}"
        for side, is_above in sides.items()
        if (judges := [row for row in rows if beats_baseline(row) is is_above])
    ]
    return (
        f" Baselines that read nothing ({join_names(list(baselines))}) were measured in the same way as "
        "judges. The 95 % interval of the paired difference from the best baseline, chosen anew in each "
        f"resample, {' and '.join(clauses)}; a judge whose interval is not above 0 is not called "
        "as good as a rater."
    )


def _judges_by_criteria(rows: Sequence[VsCeilingRow], labels: Mapping[str, str]) -> str:
    criteria_by_rater: dict[str, list[str]] = {}
    for row in rows:
        criteria_by_rater.setdefault(row.rater, []).append(labels[row.criterion])
    return "; ".join(f"“{rater}” under {join_names(names)}" for rater, names in criteria_by_rater.items())


def _comparison_sentence(facts: ReportFacts) -> str:
    comparison = facts.comparison
    if comparison is None or not comparison.family:
        return ""
    return (
        f" Judges were compared pair by pair on the responses that all of them scored, by "
        f"{coefficient_name(comparison.coefficient)}: {comparison.tests_description}."
    )


def _count(n: int, singular: str, plural: str = "") -> str:
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"
