"""The methods section of a report: what was done, in sentences for a paper, with the exact recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.data.filter_info import aggregate_name
from judgelab.analysis.trust.statements import meaning_of_as_good
from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import baseline_label
from judgelab.metaeval.agreement.ceiling import CEILING
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, VsCeilingRow, beats_baseline
from judgelab.reporting import comparisons
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.filter_paragraph import filter_paragraph
from judgelab.reporting.judge_description import describe_judge, imported_judgments
from judgelab.reporting.raters_paragraph import raters_paragraph
from judgelab.reporting.score_sentences import decisions_sentence, labels_sentence, rounding_sentence
from judgelab.reporting.terms import LEVEL_WORDS, coefficient_name, count_words, join_names
from judgelab.store.judging.unscored_counts import sum_missing

DEMO_NOTE = "The data were invented for a demonstration; they are not study results."
GROUPS = {"item": "item", "sys": "system", "group": "group"}  # by level


def methods(facts: ReportFacts, *, version: str) -> str:
    """Return the methods as Markdown, a paragraph each on material, raters, filter, judges and agreement."""
    of_pairs = facts.scores.compared is not None
    material, agreement = (
        (comparisons.material_paragraph, comparisons.agreement_paragraph)
        if of_pairs
        else (_material_paragraph, _agreement_paragraph)
    )
    parts = [
        ("Material", material(facts)),
        ("Raters", raters_paragraph(facts)),
        ("Quality of the ratings", filter_paragraph(facts)),
        ("Judges", _judges_paragraph(facts)),
        ("Agreement", f"{agreement(facts)}{_baselines_sentence(facts)}{_comparison_sentence(facts)}"),
        (
            "Software",
            f"All results were computed with JudgeLab {version}; the report files contain the commands.",
        ),
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
    humans = facts.ratings
    rated_count, response_count = humans["response"].nunique(), facts.counts["responses"]
    systems = humans.loc[humans["system"] != "", "system"].nunique()
    of_systems = f" by {count_words(systems, 'system')}" if systems else ""
    items = count_words(humans["item"].nunique(), "item")
    all_items = count_words(facts.counts["items"], "item")
    responses = count_words(response_count, "response")
    of_all = "" if rated_count == response_count else f"Of {all_items} with {responses}, "
    return (
        f"{of_all}{items} with {count_words(rated_count, 'response')}{of_systems} were rated "
        f"on {'one criterion' if len(project.criteria) == 1 else f'{len(project.criteria)} criteria'}: "
        f"{criteria}."
    )


def _scale(facts: ReportFacts, criterion: str) -> str:
    scale = facts.scores.project.scales[criterion]
    points = len(scale.points())
    ends = f"{scale.low:g} to {scale.high:g}"
    return f"{ends}, {points} points" if points else ends


def _judges_paragraph(facts: ReportFacts) -> str:
    what = "score" if facts.scores.compared is None else "choice"
    imported = [judge for judge in facts.judges if judge.origin == "imported"]
    sentences = [
        describe_judge(judge, facts.uses.get(judge.name))
        for judge in facts.judges
        if judge not in imported or len(imported) == 1
    ]
    if len(imported) > 1:
        names = join_names([f"“{judge.name}”" for judge in imported])
        sentences.insert(0, imported_judgments(names))
    metrics = sorted({row.rater for row in facts.rows if row.rater_kind == "metric"})
    if metrics:
        sentences.append(f"Metrics: {', '.join(metrics)}.")
    missing = sum_missing(facts.scores.unscored.values())
    if missing:
        counted = "is counted" if missing.total == 1 else "are counted"
        reasons = f" ({', '.join(missing.phrases())})" if missing.failed or missing.cannot_judge else ""
        sentences.append(
            f"{count_words(missing.total, 'judgment')} without a {what}{reasons} {counted} as missing."
        )
    return " ".join(sentences) or f"No judge has scored these {facts.units} yet."


def _agreement_paragraph(facts: ReportFacts) -> str:
    recipe = facts.recipe
    names = join_names([*map(coefficient_name, recipe.coefficients)])
    treatment = (
        f"counts as 0, unless this is so in every {GROUPS.get(recipe.level)}"
        if recipe.constant_groups == "zero"
        else "is left out"
    )
    constant_note = (
        ""
        if (group := GROUPS.get(recipe.level)) is None
        else f" {'An' if group == 'item' else 'A'} {group} in which all scores of the judge or metric are "
        f"equal {treatment}; tables/agreement.csv and tables/beside.csv give the number of such {group}s."
    )
    target = aggregate_name(facts.scores.aggregation)
    return (
        f"The human score of a response is the {target} of its kept ratings. "
        f"{decisions_sentence(facts)}{labels_sentence(facts)}Agreement is measured by {names}, "
        f"{LEVEL_WORDS[recipe.level]}.{rounding_sentence(facts)}{constant_note} Intervals are 95 % "
        f"bootstrap intervals over items ({recipe.resamples:,} resamples, seed {recipe.seed}) unless a "
        f"table names another method. "
        f"The human ceiling (“{CEILING}”) is the average agreement of a rater with the {target} of the other "
        "raters, over raters who share at least five responses with others. For comparison, "
        f"judges are treated the same way: each is compared with the {target} of all raters but one, on the "
        f"responses that two or more raters rated. Agreement with the {target} of all raters, on all rated "
        f"responses, is given too. For the same judge it is often higher, because the {target} of more "
        "ratings is less noisy; on a scale with few points, rounding can cancel the gain."
    )


def _baselines_sentence(facts: ReportFacts) -> str:
    """Return which judges are above the best baseline, by the interval of the paired difference."""
    labels = {criterion.key: criterion.label for criterion in facts.scores.project.criteria}
    rows = [
        row
        for row in facts.vs_ceiling
        if row.baseline is not None
        and (row.rater_kind, row.coefficient) == ("judge", facts.first_coefficient)
        and row.criterion in labels
        and row.baseline.difference.value is not None
    ]
    if not rows:
        return ""
    measured: Sequence[AnyAgreementRow] = (*facts.rows, *facts.vs_ceiling)
    baselines = dict.fromkeys(
        str(baseline_label(row.rater)) for row in measured if row.rater_kind == BASELINE
    )
    sides = {"is above 0": True, "it is not above 0": False}
    clauses = [
        f"{side} for {_judges_by_criteria(judges, labels)}"
        for side, is_above in sides.items()
        if (judges := [row for row in rows if beats_baseline(row) is is_above])
    ]
    return (
        f" Baselines that ignore content ({'; '.join(baselines)}) were measured in the same way as judges. "
        f"The 95 % interval of the paired difference in {coefficient_name(facts.first_coefficient)} from "
        f"the best baseline, chosen anew in each resample, {'; '.join(clauses).removeprefix('it ')}. "
        f"{meaning_of_as_good(of_pairs=facts.scores.compared is not None)}"
    )


def _judges_by_criteria(rows: Sequence[VsCeilingRow], labels: Mapping[str, str]) -> str:
    criteria_by_rater: dict[str, list[str]] = {}
    for row in rows:
        criteria_by_rater.setdefault(row.rater, []).append(labels[row.criterion])
    raters_by_criteria: dict[tuple[str, ...], list[str]] = {}
    for rater, names in criteria_by_rater.items():
        raters_by_criteria.setdefault(tuple(names), []).append(f"“{rater}”")
    if len(labels) == 1:
        return join_names([name for names in raters_by_criteria.values() for name in names])
    return ", and for ".join(
        f"{join_names(raters)} on {join_names(list(names))}" for names, raters in raters_by_criteria.items()
    )


def _comparison_sentence(facts: ReportFacts) -> str:
    comparison = facts.comparison
    if comparison is None or not comparison.family:
        return ""
    judged = "scored" if facts.scores.compared is None else "judged"
    return (
        f" All judges and metrics{_not_compared(facts, comparison)} were compared with one another on the "
        f"{facts.units} that all of them {judged}, by {coefficient_name(comparison.coefficient)} with "
        f"the {comparison.target}: "
        f"{comparison.tests_description}."
    )


def _not_compared(facts: ReportFacts, comparison: Comparison) -> str:
    """Return " but" those left out of a comparison or of every test, by criterion if not under all."""
    labels = {criterion.key: criterion.label for criterion in facts.scores.project.criteria}
    criteria_by_rater: dict[str, list[str]] = {}
    for name, criterion in comparison.criteria.items():
        untested = set(comparison.raters) - {
            name for row in criterion.contrasts if row.test.p is not None for name in (row.first, row.second)
        }
        for rater in dict.fromkeys([*criterion.left_out, *sorted(untested)]):
            criteria_by_rater.setdefault(rater, []).append(labels.get(name, name))
    names = [
        f"“{rater}”" if len(criteria) == len(comparison.criteria) else f"“{rater}” ({join_names(criteria)})"
        for rater, criteria in criteria_by_rater.items()
    ]
    return f" but {join_names(names)}" if names else ""
