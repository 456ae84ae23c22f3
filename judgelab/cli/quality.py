"""`quality`: who and what the quality rule takes out, what that does, and keeping a rule."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis import quality as quality_service
from judgelab.analysis.quality import PolicyInfo
from judgelab.annotation.quality import FilterOutcome, FilterPolicy
from judgelab.cli import shared
from judgelab.errors import InvalidInput

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Aggregate(StrEnum):
    """How ratings become one score."""

    MEAN = "mean"
    MEDIAN = "median"
    MAJORITY = "majority"
    Z_MEAN = "z_mean"
    TRIMMED = "trimmed"
    DAWID_SKENE = "dawid_skene"


class Method(StrEnum):
    """What a rater is compared with."""

    PAIRWISE = "pairwise"
    LOO = "loo"


class Passes(StrEnum):
    """How raters are taken out."""

    WORST_FIRST = "worst_first"
    ONE_PASS = "one_pass"
    FIXPOINT = "fixpoint"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("quality")(quality)


def quality(
    project: Annotated[str, typer.Argument(help="The project.")],
    criterion: Annotated[str, typer.Option(help="A criterion, `each`, or `all`.")] = "each",
    threshold: Annotated[float, typer.Option(help="Raters below this correlation go.")] = 0.4,
    min_overlap: Annotated[int, typer.Option(help="Shared responses two raters need.")] = 5,
    method: Annotated[Method, typer.Option(help="Against each other rater, or the mean of the others.")] = (
        Method.PAIRWISE
    ),
    passes: Annotated[Passes, typer.Option(help="How raters are taken out.")] = Passes.WORST_FIRST,
    conflict: Annotated[
        float, typer.Option(help="Share of the scale's width at which two scores conflict.")
    ] = 1.0,
    aggregate: Annotated[
        Aggregate, typer.Option(help="How the kept ratings of a response become one score.")
    ] = (Aggregate.MEAN),
    save: Annotated[str | None, typer.Option(help="Save the rule under this name and use it.")] = None,
    lock: Annotated[
        bool, typer.Option("--lock", help="Lock the saved rule, best before data are seen.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why a locked rule is set aside for this one.")] = "",
    as_json: Json = False,
) -> None:
    """Show which raters and responses the quality rule takes out, and what that does to agreement."""
    if lock and save is None:
        raise InvalidInput("--lock locks the rule that is saved; add --save NAME.")
    policy = FilterPolicy(
        threshold=threshold,
        min_overlap=min_overlap,
        method=method.value,
        passes=passes.value,
        conflict=conflict,
        criterion=criterion,
        aggregate=aggregate.value,
    )
    store = shared.store()
    outcome = quality_service.evaluate(store, project, policy)
    rule = None
    if save is not None:
        rule = quality_service.save(store, project, save, policy, lock=lock, reason=reason)
    shared.emit(
        {**outcome.to_json(), "saved": save, "rule": None if rule is None else rule.to_json()},
        as_json=as_json,
        text=_text(outcome, rule),
    )


def _text(outcome: FilterOutcome, rule: PolicyInfo | None) -> str:
    lines = [f"{r.criterion}: {r.reason or r.rater}" for r in outcome.raters if not r.kept]
    lines += [f"{len(outcome.kept):,} ratings kept."]
    if outcome.stopped:
        lines.append(outcome.stopped)
    if rule is not None:
        lines.append(f"Saved as '{rule.name}'; every later figure stands on it.")
    if rule is not None and rule.locked_at is not None:
        lines.append(f"{rule.title}, {rule.lock_words}; sha256 {rule.sha256}.")
    return "\n".join(lines)
