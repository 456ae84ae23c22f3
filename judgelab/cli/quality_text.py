"""What `judgelab quality` prints: what the filter removes, agreement before and after, and its effect."""

from __future__ import annotations

from dataclasses import replace

from judgelab.analysis.data.filter_info import AGGREGATION_LABELS, FilterInfo, aggregate_name
from judgelab.analysis.filters.effect_table import WARNING, EffectTable
from judgelab.annotation.filters.apply_filter import FilterOutcome
from judgelab.cli import shared
from judgelab.metaeval.core.aggregation import aggregation_of_labels
from judgelab.metaeval.core.result import Estimate, printed_difference

NAMES = {"pearson": "r", "kappa": "kappa"}
# What raters are assessed by: by method, then by coefficient.
MEASURES = {
    "pairwise": {
        "pearson": "mean r with the other raters",
        "kappa": "mean kappa with the other raters",
    },
    "loo": {
        "pearson": "r with the mean of the others",
        "kappa": "kappa with the majority of the others",
    },
}
PASSES = {
    "worst_first": "worst first",
    "one_pass": "all at once",
    "fixpoint": "in rounds",
}
UNASSESSED = {"keep": "kept", "drop": "removed"}
NO_RATINGS = "There are no ratings yet."
SCOPES = {"each": "each by itself", "all": "all together"}


def effect_text(table: EffectTable, outcome: FilterOutcome) -> str:
    """Return the filter's effect on agreement, systems and judges under one criterion."""
    none, now = table.comparison.all_ratings, table.comparison.filtered
    mean_of = now.mean_of
    lines = [
        "",
        f"{table.settings.criterion}: {now.raters} of {none.raters} raters and {now.responses:,} of "
        f"{none.responses:,} {_unit(outcome)}s are kept",
        f"{'':<34} {'all ratings':<22} {'this filter':<22} change",
        _change_line(
            f"mean {mean_of} between raters",
            none.people[mean_of],
            now.people[mean_of],
            now.change[mean_of],
        ),
        f"{'  on items not used to filter':<34} {'':<22} {_estimate_text(table.comparison.other_items)}",
        f"{'  raters scoring at random':<34} {'':<22} {_estimate_text(table.comparison.random_raters)}",
        _change_line("Krippendorff's alpha", none.people["alpha"], now.people["alpha"], now.change["alpha"]),
        _change_line("order of systems, tau-b", none.people["ranking"], now.people["ranking"], None),
        *(_change_line(name, none.judges[name], now.judges[name], now.change[name]) for name in now.judges),
        *(
            f"{swap.above} leads {swap.below} by {swap.before:z.2f} before, by {swap.after:z.2f} after "
            f"(not ahead in {swap.share:.0%} of the resamples)"
            for swap in now.swaps
        ),
        *(
            [
                "Order and leads of systems: from means after each item's mean over its responses, all "
                "ratings, is subtracted."
            ]
            if now.people["ranking"].value is not None
            else []
        ),
        f"Judges: {table.settings.coefficient}, level {table.settings.level}, with the "
        f"{_score_name(table, outcome)} of all raters who are kept, not of all but one. This filter: as "
        "above. 95 % bootstrap over items, "
        f"B = {table.settings.resamples:,}, seed {table.settings.seed}.",
        "Changes are between the rounded numbers printed; --json has unrounded ones.",
        WARNING,
    ]
    return "\n".join(lines)


def _score_name(table: EffectTable, outcome: FilterOutcome) -> str:
    """Return what judges are compared with, such as the "mean" of the raters."""
    aggregation = outcome.policy.aggregation
    if outcome.coefficients[table.settings.criterion] == "kappa":
        aggregation = aggregation_of_labels(aggregation)
    return aggregate_name(aggregation)


def _change_line(name: str, none: Estimate, now: Estimate, change: Estimate | None) -> str:
    change_text = ""
    if change is not None:
        if change.value is not None:
            change = replace(change, value=printed_difference(now, none, 2))
        n = f"{now.n:,}" if now.n == none.n else f"{none.n:,} -> {now.n:,}"
        change_text = f"{_estimate_text(change)}  n={n}"
    return f"{name:<34} {_estimate_text(none):<22} {_estimate_text(now):<22} {change_text}".rstrip()


def _estimate_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    return f"{estimate.value:z.2f}{shared.interval(estimate.ci)}"


def outcome_text(outcome: FilterOutcome, rule: FilterInfo | None) -> str:
    """Return what the filter removes and why, the agreement before and after, and how it was saved."""
    lines = [
        f"{verdict.criterion}: {verdict.reason or verdict.rater}"
        for verdict in outcome.raters
        if not verdict.kept
    ]
    lines += [_losses_text(outcome), *_agreement_lines(outcome), f"Filter: {filter_text(outcome)}."]
    if outcome.stopped:
        lines.append(outcome.stopped)
    if rule is not None:
        lines.append(f"Saved as '{rule.name}'; all results now use it.")
    if rule is not None and rule.locked_at is not None:
        lines.append(f"{rule.quoted}, {rule.lock_text}; sha256 {rule.sha256}.")
    return "\n".join(lines)


def filter_text(outcome: FilterOutcome) -> str:
    """Return in words which raters and units the filter removes, and how ratings become one score."""
    policy, rating, unit = outcome.policy, _rating(outcome), _unit(outcome)
    # Which criteria are assessed, and so by which coefficient, is known from the first rating on.
    used = dict.fromkeys(outcome.coefficients.values() or NAMES)
    removed = []
    if policy.control != "agreement":
        removed.append(
            f"raters who fail the tests on degraded copies ({policy.hit_test}, p < {policy.hit_alpha:g}, "
            f"{policy.hit_pairs} copies or more)"
        )
    if policy.control != "hit":
        weighted = ", weighted by them" if policy.weight == "overlap" else ""
        removed.append(
            f"raters whose {' or '.join(MEASURES[policy.method][name] for name in used)} is below "
            f"{policy.threshold:.2f} ({policy.min_overlap} shared {unit}s or more{weighted}, raters with "
            f"fewer are {UNASSESSED[policy.unassessed]}; {PASSES[policy.passes]})"
        )
    removed.append(f"{unit}s with fewer than {policy.min_annotations} {rating}s")
    if policy.conflict_scope != "off" and "pearson" in used:
        two = " and exactly two ratings" if policy.conflict_scope == "exactly_two" else ""
        removed.append(f"responses with ratings {_distance(policy.conflict)} apart{two}, on 3 points or more")
    scope = SCOPES.get(policy.criterion, f"only {policy.criterion}")
    score = "" if policy.aggregate == "mean" else f"; score: {AGGREGATION_LABELS[policy.aggregate]}"
    return f"removes {'; '.join(removed)}. Criteria: {scope}{score}"


def _distance(conflict: float) -> str:
    return "the whole scale" if conflict >= 1 else f"{conflict:g} of the scale"


def _losses_text(outcome: FilterOutcome) -> str:
    """Return how many ratings and responses are removed, by reason, and how many are kept."""
    if not outcome.coefficients:
        return NO_RATINGS
    losses, rating, unit = outcome.losses, _rating(outcome), _unit(outcome)
    reasons = {
        "by_raters": "with their raters",
        "too_few": f"because fewer than {outcome.policy.min_annotations} {rating}s of the {unit} are left",
        "conflict": f"because the {rating}s of the {unit} conflict",
    }
    removed = [
        f"{_ratings_text(outcome, key)} removed {why}." for key, why in reasons.items() if losses.ratings[key]
    ]
    several = len(outcome.agreement_by_criterion) > 1
    note = f"{unit.capitalize()}s are counted once under each criterion." if several else ""
    kept = f"{_ratings_text(outcome, 'kept')} kept."
    return "\n".join(filter(None, [*(removed or [f"No {rating} removed."]), kept, note]))


def _rating(outcome: FilterOutcome) -> str:
    return "comparison" if outcome.compared else "rating"


def _unit(outcome: FilterOutcome) -> str:
    return "pair" if outcome.compared else "response"


def _ratings_text(outcome: FilterOutcome, key: str) -> str:
    """Return a number of ratings, and of the responses that met the same fate with all their ratings."""
    answers = outcome.losses.answers[key]
    units = f" ({shared.counted(answers, _unit(outcome))})" if answers else ""
    return f"{shared.counted(outcome.losses.ratings[key], _rating(outcome))}{units}"


def _agreement_lines(outcome: FilterOutcome) -> list[str]:
    return [
        f"{criterion}: mean {NAMES[outcome.coefficients[criterion]]} between raters "
        f"{_estimate_text(stages['before'])} before, {_estimate_text(stages['after_items'])} after"
        for criterion, stages in outcome.agreement_by_criterion.items()
    ]
