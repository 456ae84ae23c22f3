"""`quality` and `agreement`: the numbers of the pages, on the command line."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from judgelab.analysis import quality as quality_service
from judgelab.analysis.agreement import AgreementTable, agreement_table
from judgelab.analysis.scores import IN_USE
from judgelab.annotation.quality import FilterOutcome, FilterPolicy
from judgelab.cli import shared
from judgelab.errors import InvalidInput
from judgelab.metaeval.agreement import AgreementRow

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Level(StrEnum):
    """Levels of agreement."""

    NONE = "none"
    ITEM = "item"
    SYSTEM = "system"
    SYS = "sys"
    GROUP = "group"


class Coefficient(StrEnum):
    """Coefficients of agreement."""

    PEARSON = "pearson"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    QWK = "qwk"
    KAPPA = "kappa"
    ALPHA = "alpha"
    EXACT = "exact"
    MAE = "mae"
    ACC_EQ = "acc_eq"


class Method(StrEnum):
    """What a rater is compared with."""

    PAIRWISE = "pairwise"
    LOO = "loo"


class Passes(StrEnum):
    """How raters are taken out."""

    WORST_FIRST = "worst_first"
    ONE_PASS = "one_pass"
    FIXPOINT = "fixpoint"


class ConstantGroups(StrEnum):
    """What a group in which the judge is constant counts as."""

    ZERO = "zero"
    DROP = "drop"


class _SpreadCoefficients(TyperCommand):
    """Takes `--coefficient pearson spearman` as well as the option given twice."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its words."""
        spread: list[str] = []
        inside = False
        for word in args:
            inside = word == "--coefficient" or (inside and word in set(Coefficient))
            if inside and word != "--coefficient" and spread[-1] != "--coefficient":
                spread.append("--coefficient")
            spread.append(word)
        return super().parse_args(ctx, spread)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("quality")(quality)
    app.command("agreement", cls=_SpreadCoefficients)(agreement)


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
    save: Annotated[str | None, typer.Option(help="Save the rule under this name and use it.")] = None,
    lock: Annotated[bool, typer.Option(help="Lock the saved rule.")] = False,
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
    )
    store = shared.store()
    outcome = quality_service.evaluate(store, project, policy)
    if save is not None:
        quality_service.save(store, project, save, policy, lock=lock)
    shared.emit({**outcome.to_json(), "saved": save}, as_json=as_json, text=_quality_text(outcome, save))


def agreement(
    project: Annotated[str, typer.Argument(help="The project.")],
    level: Annotated[
        Level | None, typer.Option(help="Default: `item`, or `none` for one response an item.")
    ] = None,
    criterion: Annotated[str, typer.Option(help="Only this criterion, or `each`.")] = "each",
    policy: Annotated[str, typer.Option(help="A saved quality rule, or `none`.")] = IN_USE,
    constant_groups: Annotated[
        ConstantGroups, typer.Option(help="A judge constant in a group counts as 0, or is dropped.")
    ] = (ConstantGroups.ZERO),
    coefficient: Annotated[list[Coefficient] | None, typer.Option(help="One or more.")] = None,
    as_json: Json = False,
) -> None:
    """Show how far every judge and metric agrees with the people, beside the people themselves."""
    wanted = coefficient or [Coefficient.PEARSON, Coefficient.SPEARMAN, Coefficient.KENDALL]
    table = agreement_table(
        shared.store(),
        project,
        level=None if level is None else level.value,
        coefficients=[c.value for c in wanted],
        policy=policy,
        criterion=None if criterion == "each" else criterion,
        constant_groups=constant_groups.value,
    )
    rows = [*table.rows, *table.ceiling]
    data = {
        "project": project,
        "filter": None
        if table.policy is None
        else {"name": table.policy.name, "version": table.policy.version},
        "rows": [row.to_json() for row in rows],
        "unscored": table.unscored,
    }
    if not table.rows:
        shared.say(_nothing_compared(table))
    shared.emit(data, as_json=as_json, text=_agreement_text(table))


def _quality_text(outcome: FilterOutcome, saved: str | None) -> str:
    lines = [f"{r.criterion}: {r.reason or r.rater}" for r in outcome.raters if not r.kept]
    lines += [f"{shared.counted(len(outcome.kept), 'rating')} kept."]
    if outcome.stopped:
        lines.append(outcome.stopped)
    if saved:
        lines.append(f"Saved as '{saved}'; every later figure stands on it.")
    return "\n".join(lines)


def _nothing_compared(table: AgreementTable) -> str:
    said = "note: no judge is compared; a judge or metric and people must have scored the same responses"
    if table.policy is not None:
        said += f", and the quality rule '{table.policy.name}' must keep the people's (or --policy none)"
    return said


def _agreement_text(table: AgreementTable) -> str:
    policy = table.policy
    rule = "no quality rule" if policy is None else f"after '{policy.name}', version {policy.version}"
    lines = [_line(row) for row in [*table.rows, *table.ceiling]]
    return "\n".join([*lines, f"Ratings: {rule}."] if lines else lines)


def _line(row: AgreementRow) -> str:
    estimate = row.estimate
    if estimate.value is None:
        said = f"undefined: {estimate.reason}"
    else:
        said = f"{estimate.value:.4f}"
        if estimate.ci is not None:
            said += f" [{estimate.ci[0]:.2f}, {estimate.ci[1]:.2f}]"
    return f"{row.rater:<32} {row.criterion:<16} {row.level:<7} {row.coefficient:<9} {said}  n={estimate.n}"
