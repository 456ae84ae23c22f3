"""The paragraph of the methods on the quality filter: its rules, what it removed, and its effect."""

from __future__ import annotations

from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.result import Estimate, printed_ends
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.terms import count_words, join_names, rated_units

METHOD_WORDS = {
    "pairwise": "the mean of their Pearson correlations with the other raters on shared responses",
    "loo": "their Pearson correlation with the mean of all other raters",
}
KAPPA_WORDS = {
    "pairwise": "the mean of their Cohen’s κ with the other raters on what both rated",
    "loo": "their Cohen’s κ with the majority of all other raters",
}
PASSES_WORDS = {
    "worst_first": "the worst rater was removed and the rest assessed again until all passed",
    "one_pass": "all who failed were removed at once",
    "fixpoint": "all who failed were removed and the rest assessed again until all passed",
}


def filter_paragraph(facts: ReportFacts) -> str:
    """Return the quality filter, what it removed and the raters' agreement before and after."""
    policy, outcome = facts.scores.policy, facts.scores.outcome
    if policy is None or outcome is None:
        what = "rating" if facts.scores.compared is None else "comparison"
        return f"No {what} was removed; all results are based on all {what}s."
    compared = facts.scores.compared is not None
    rating, unit = ("comparison", "pair") if compared else ("rating", "response")
    units = "pairs" if compared else rated_units(len(facts.scores.project.criteria))
    used = policy.policy
    answers, ratings = outcome.losses.answers, outcome.losses.ratings

    def lost(reason: str, words: str) -> str:
        n = answers[reason]
        return f" ({words}{count_words(n, units.removesuffix('s'))})" if n else ""

    locked = f" It was {policy.lock_text}." if policy.lock_text else ""
    named = f"The quality filter “{policy.name}” (version {policy.version})"
    sentences = [
        f"{named if facts.saved_filter else 'A quality filter'} was applied.{locked}",
        _rater_filter_sentence(facts, used),
        f"Of {sum(ratings.values()):,} {rating}s, {ratings['by_raters']:,} were removed with their raters"
        f"{lost('by_raters', f'all {rating}s of ')}, "
        f"{ratings['too_few']:,}{lost('too_few', 'of ')} because fewer than {used.min_annotations} {rating}s "
        f"of the {unit} were left, and {ratings['conflict']:,}{lost('conflict', 'of ')} because the "
        f"{rating}s of the {unit} conflicted; "
        f"{ratings['kept']:,} {rating}s of {answers['kept']:,} {units} remain.",
        f"{_agreement_before_after(facts)} (95 % intervals from {RESAMPLES:,} resamples of the items)"
        + ("; removing conflicting responses usually raises r." if ratings["conflict"] else "."),
    ]
    if outcome.stopped:
        sentences.append(f"Interpret with care: {outcome.stopped}.")
    return " ".join(sentences)


def _coefficients(facts: ReportFacts) -> list[str]:
    """Return the coefficients of raters' agreement, r and κ for labels without an order, as far as used."""
    ordered = {facts.scores.project.scales[key].ordered for key in facts.inter_rater}
    return [name for name, used in (("r", True in ordered or not ordered), ("κ", False in ordered)) if used]


def _agreement_before_after(facts: ReportFacts) -> str:
    """Return the raters' agreement before and after the filter, by criterion: a mean would hide a low one."""
    project, agreement = facts.scores.project, facts.inter_rater
    parts: list[str] = []
    for coefficient in _coefficients(facts):
        phrases = [
            f"{_with_interval(stages['before'])} before and {_with_interval(stages['after_items'])} after"
            + (f" on {project.criterion(key).label}" if len(agreement) > 1 else "")
            for key, stages in agreement.items()
            if project.scales[key].ordered == (coefficient == "r")
        ]
        subject = "Mean" if not parts else "mean"
        parts.append(f"{subject} pairwise {coefficient} between raters was {', '.join(phrases)}")
    return ", ".join(parts)


def _rater_filter_sentence(facts: ReportFacts, used: FilterPolicy) -> str:
    if used.control == "hit":
        return (
            f"Raters were assessed by degraded copies and repeats (one-sided test at {used.hit_alpha:g}, at "
            f"least {used.hit_pairs} pairs)."
        )
    compared = facts.scores.compared is not None
    units, ratings = ("Pairs", "comparisons") if compared else ("Responses", "ratings")
    scope = {"each": "separately for each criterion", "all": "for all criteria together"}.get(
        used.criterion, f"for {used.criterion}"
    )
    return (
        f"Raters were removed if {_measure(facts, used)} (at least {used.min_overlap} shared) was below "
        f"{used.threshold:g}; {PASSES_WORDS[used.passes]}, {scope}. {units} with fewer than "
        f"{used.min_annotations} remaining {ratings} were removed, and {_conflict_clause(facts, used)}."
    )


def _measure(facts: ReportFacts, used: FilterPolicy) -> str:
    words = {"r": METHOD_WORDS[used.method], "κ": KAPPA_WORDS[used.method]}
    found = [words[name] for name in _coefficients(facts)]
    return found[0] if len(found) == 1 else f"{found[0]} (of labels without an order, {found[1]})"


def _conflict_clause(facts: ReportFacts, used: FilterPolicy) -> str:
    """Return which conflicting ratings led to removal; two answers to a yes/no criterion never do."""
    project = facts.scores.project
    criteria = [item for item in project.criteria if used.criterion in ("each", "all", item.key)]
    exempt = [item.label for item in criteria if used.conflict_distance(project.scales[item.key]) is None]
    if used.conflict_scope == "off" or len(exempt) == len(criteria):
        return "no response was removed for conflicting ratings"
    except_for = f" (not on {join_names(exempt)}, which has two points)" if len(exempt) == 1 else ""
    if len(exempt) > 1:
        except_for = f" (not on {join_names(exempt)}, which have two points)"
    if used.conflict >= 1:
        return f"so were responses with ratings at both ends of the scale{except_for}"
    return (
        f"so were responses whose ratings differed by at least {100 * used.conflict:z.0f} % of the scale"
        f"{except_for}"
    )


def _with_interval(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    return f"{estimate.value:z.2f}{printed_ends(estimate.ci, 2)}"
