"""`quality`: which raters and responses the filter removes and its effect; `degrade`: degraded copies."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from judgelab.analysis.data import saved_filters as quality_service
from judgelab.analysis.data.compared_scores import evaluate_scores_or_comparisons
from judgelab.analysis.data.to_json import json_values
from judgelab.analysis.filters.choice_habits import choice_habits
from judgelab.analysis.filters.effect_table import EffectTable, effect_table, load_estimator
from judgelab.annotation.filters import degraded_copies as degrade_service
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy
from judgelab.cli import shared
from judgelab.cli.quality_text import NO_RATINGS, effect_text, outcome_text
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store


class Aggregate(StrEnum):
    """How ratings become one score."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"
    Z_MEAN = "z_mean"
    TRIMMED = "trimmed"
    DAWID_SKENE = "dawid_skene"
    MACE = "mace"


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
    """How much each of the other raters counts in a rater's agreement."""

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
        Method, typer.Option(help="Compare with the other raters one by one, or with their mean.")
    ] = (Method.PAIRWISE),
    passes: Annotated[Passes, typer.Option(help="Order in which raters are removed.")] = Passes.WORST_FIRST,
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
    comparisons: Annotated[
        bool | None,
        typer.Option(
            "--comparisons/--scores",
            help="About comparisons of two responses; the default if nobody rated single responses.",
        ),
    ] = None,
    effect: Annotated[
        bool, typer.Option("--effect", help="Also show the filter's effect on agreement, systems and judges.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show which raters and how many responses or pairs the quality filter removes, and the agreement.

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
    outcome = evaluate_scores_or_comparisons(store, project, policy, comparisons=comparisons)
    if save is not None and not (lock or outcome.coefficients):
        raise InvalidInput(f"{NO_RATINGS} Nothing was saved; add --lock to lock the filter before the first.")
    effects = _effects(store, project, policy, outcome) if effect else []
    rule = None
    if save is not None:
        rule = quality_service.save_filter(store, project, save, policy, lock=lock, reason=reason)
    shared.emit(
        {
            **outcome.to_json(),
            **(_habits(store, project, outcome) if outcome.compared else {}),
            "saved": save,
            "rule": None if rule is None else rule.to_json(),
            **({"effect": [effect.to_json() for effect in effects]} if effect else {}),
        },
        as_json=as_json,
        text="\n".join([outcome_text(outcome, rule), *(effect_text(table, outcome) for table in effects)]),
    )


def _habits(store: Store, project: str, outcome: FilterOutcome) -> dict[str, Any]:
    """Return what only comparisons show of each rater, by criterion."""
    found = {key: choice_habits(store, project, criterion=key) for key in outcome.coefficients}
    return {"choice_habits": json_values(found)}


def _effects(store: Store, project: str, policy: FilterPolicy, outcome: FilterOutcome) -> list[EffectTable]:
    """Return the filter's effect under each criterion that it assesses."""
    return [
        effect_table(
            load_estimator(store, project, policy, criterion=criterion, comparisons=outcome.compared), policy
        )
        for criterion in outcome.agreement_by_criterion
    ]
