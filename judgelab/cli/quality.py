"""`quality`: which raters and responses the filter removes and its effect; `degrade`: degraded copies."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis.data import saved_filters as quality_service
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.filters.effect_table import WARNING, EffectTable, effect_table, load_estimator
from judgelab.annotation.filters import degraded_copies as degrade_service
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.result import Estimate
from judgelab.store.db.engine import Store


class Aggregate(StrEnum):
    """How ratings become one score."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"
    Z_MEAN = "z_mean"
    TRIMMED = "trimmed"
    DAWID_SKENE = "dawid_skene"


class Method(StrEnum):
    """Which ratings a rater is compared with."""

    PAIRWISE = "pairwise"
    LOO = "loo"


class Passes(StrEnum):
    """In which order raters are removed."""

    WORST_FIRST = "worst_first"
    ONE_PASS = "one_pass"
    FIXPOINT = "fixpoint"


class ConflictScope(StrEnum):
    """Which ratings of a response can conflict."""

    ANY_PAIR = "any_pair"
    EXACTLY_TWO = "exactly_two"
    OFF = "off"


class Unassessed(StrEnum):
    """What happens to raters who share too little with anyone."""

    KEEP = "keep"
    DROP = "drop"


class Weight(StrEnum):
    """How much each other rater counts in a rater's agreement."""

    NONE = "none"
    OVERLAP = "overlap"


class HitTest(StrEnum):
    """The test of a rater's scores of originals against those of their copies."""

    T = "t"
    WILCOXON = "wilcoxon"


class Control(StrEnum):
    """What raters are assessed by."""

    AGREEMENT = "agreement"
    HIT = "hit"
    BOTH = "both"


NAMES = {"pearson": "r", "kappa": "kappa"}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("quality")(quality)
    app.command("degrade")(degrade)


def degrade(
    project: Annotated[str, typer.Argument(help="The project.")],
    copies: Annotated[int, typer.Option(min=1, help="Number of responses that get a degraded copy.")] = 20,
    seed: Annotated[int, typer.Option(help="Random seed of the selection.")] = 0,
    as_json: Json = False,
) -> None:
    """Add degraded copies of responses, which attentive raters score lower (see `quality --control hit`)."""
    added = degrade_service.add_degraded_copies(shared.store(), project, copies=copies, seed=seed)
    shared.emit(
        {"copies": added},
        as_json=as_json,
        text=f"added {added} degraded copies; raters of the originals get them as attention checks",
    )


def quality(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[str, typer.Option(help="A criterion, `each`, or `all`.")] = "each",
    threshold: Annotated[
        float, typer.Option(help="Remove raters below this r, or kappa of labels without an order.")
    ] = 0.4,
    min_overlap: Annotated[
        int, typer.Option(help="Minimum number of responses that two raters must share.")
    ] = 5,
    method: Annotated[
        Method, typer.Option(help="Compare with each other rater, or with the mean of the others.")
    ] = (Method.PAIRWISE),
    passes: Annotated[Passes, typer.Option(help="How raters are removed.")] = Passes.WORST_FIRST,
    conflict: Annotated[
        float, typer.Option(help="Difference at which two scores conflict, as a share of the scale's width.")
    ] = 1.0,
    conflict_scope: Annotated[
        ConflictScope,
        typer.Option(
            help="Which ratings can conflict: any two, only those of responses with exactly two, or none."
        ),
    ] = ConflictScope.ANY_PAIR,
    min_annotations: Annotated[int, typer.Option(help="Minimum number of ratings left per response.")] = 2,
    unassessed: Annotated[
        Unassessed, typer.Option(help="What happens to raters who share too few responses with anyone.")
    ] = Unassessed.KEEP,
    weight: Annotated[
        Weight, typer.Option(help="Weight other raters equally, or by shared responses (pairwise only).")
    ] = Weight.NONE,
    aggregate: Annotated[
        Aggregate, typer.Option(help="How the kept ratings of a response become one score.")
    ] = (Aggregate.MEAN),
    control: Annotated[
        Control, typer.Option(help="Assess raters by agreement, by degraded copies and repeats, or by both.")
    ] = Control.AGREEMENT,
    hit_alpha: Annotated[
        float, typer.Option(help="Significance level of the tests on degraded copies.")
    ] = 0.05,
    hit_pairs: Annotated[
        int, typer.Option(help="Minimum number of copies that a rater rated along with their originals.")
    ] = 5,
    hit_test: Annotated[
        HitTest, typer.Option(help="Paired test of the originals' scores against the copies'.")
    ] = HitTest.T,
    save: Annotated[str | None, typer.Option(help="Save the filter under this name and use it.")] = None,
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock the saved filter, ideally before you see the data.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Reason for replacing a locked filter with this one.")] = "",
    effect: Annotated[
        bool, typer.Option("--effect", help="Also show the filter's effect on agreement, systems and judges.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show which raters and how many responses the quality filter removes, and agreement before and after.

    `--json` names each response that is removed, and why.
    """
    if lock and save is None:
        raise InvalidInput("--lock locks the saved filter; add --save NAME.")
    policy = FilterPolicy(
        threshold=threshold,
        min_overlap=min_overlap,
        method=method.value,
        passes=passes.value,
        conflict=conflict,
        conflict_scope=conflict_scope.value,
        min_annotations=min_annotations,
        unassessed=unassessed.value,
        weight=weight.value,
        criterion=criterion,
        aggregate=aggregate.value,
        control=control.value,
        hit_alpha=hit_alpha,
        hit_pairs=hit_pairs,
        hit_test=hit_test.value,
    )
    store = shared.store()
    outcome = quality_service.evaluate_filter(store, project, policy)
    effects = _effects(store, project, policy, outcome) if effect else []
    rule = None
    if save is not None:
        rule = quality_service.save_filter(store, project, save, policy, lock=lock, reason=reason)
    shared.emit(
        {
            **outcome.to_json(),
            "saved": save,
            "rule": None if rule is None else rule.to_json(),
            **({"effect": [effect.to_json() for effect in effects]} if effect else {}),
        },
        as_json=as_json,
        text="\n".join([_outcome_text(outcome, rule), *map(_effect_text, effects)]),
    )


def _effects(store: Store, project: str, policy: FilterPolicy, outcome: FilterOutcome) -> list[EffectTable]:
    """Return the filter's effect under each criterion that it assesses."""
    return [
        effect_table(load_estimator(store, project, policy, criterion=criterion), policy)
        for criterion in outcome.agreement_by_criterion
    ]


def _effect_text(table: EffectTable) -> str:
    none, now = table.comparison.all_ratings, table.comparison.filtered
    mean_of = now.mean_of
    lines = [
        "",
        f"{table.settings.criterion}: {now.raters} of {none.raters} raters and {now.responses:,} of "
        f"{none.responses:,} responses are kept",
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
        *(["Leads are differences after each item's mean score is subtracted."] if now.swaps else []),
        f"Judges: {table.settings.coefficient}, level {table.settings.level}. 95 % bootstrap over items, "
        f"B = {table.settings.resamples}, seed {table.settings.seed}.",
        WARNING,
    ]
    return "\n".join(lines)


def _change_line(name: str, none: Estimate, now: Estimate, change: Estimate | None) -> str:
    change_text = "" if change is None else f"{_estimate_text(change)}  n={now.n}"
    return f"{name:<34} {_estimate_text(none):<22} {_estimate_text(now):<22} {change_text}".rstrip()


def _estimate_text(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined"
    return f"{estimate.value:z.2f}{shared.interval(estimate.ci)}"


def _outcome_text(outcome: FilterOutcome, rule: FilterInfo | None) -> str:
    lines = [
        f"{verdict.criterion}: {verdict.reason or verdict.rater}"
        for verdict in outcome.raters
        if not verdict.kept
    ]
    lines += [_losses_text(outcome), *_agreement_lines(outcome)]
    if outcome.stopped:
        lines.append(outcome.stopped)
    if rule is not None:
        lines.append(f"Saved as '{rule.name}'; all results now use it.")
    if rule is not None and rule.locked_at is not None:
        lines.append(f"{rule.quoted}, {rule.lock_text}; sha256 {rule.sha256}.")
    return "\n".join(lines)


def _losses_text(outcome: FilterOutcome) -> str:
    """Return how many ratings and responses are removed, by reason, and how many are kept."""
    losses = outcome.losses
    reasons = {
        "by_raters": "with their raters",
        "too_few": f"because fewer than {outcome.policy.min_annotations} ratings of the response are left",
        "conflict": "because the ratings of the response conflict",
    }
    removed = [
        f"{_ratings_text(outcome, key)} removed {why}." for key, why in reasons.items() if losses.ratings[key]
    ]
    several = len(outcome.agreement_by_criterion) > 1
    note = "Responses are counted once under each criterion." if several else ""
    kept = f"{_ratings_text(outcome, 'kept')} kept."
    return "\n".join(filter(None, [*(removed or ["No rating removed."]), kept, note]))


def _ratings_text(outcome: FilterOutcome, key: str) -> str:
    """Return a number of ratings, and of the responses that met the same fate with all their ratings."""
    answers = outcome.losses.answers[key]
    responses = f" ({shared.counted(answers, 'response')})" if answers else ""
    return f"{shared.counted(outcome.losses.ratings[key], 'rating')}{responses}"


def _agreement_lines(outcome: FilterOutcome) -> list[str]:
    return [
        f"{criterion}: mean {NAMES[outcome.coefficients[criterion]]} between raters "
        f"{_estimate_text(stages['before'])} before, {_estimate_text(stages['after_items'])} after"
        for criterion, stages in outcome.agreement_by_criterion.items()
    ]
