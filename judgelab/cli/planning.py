"""`more`: how many more ratings or comparisons would settle a claim, and which pairs to compare next."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis.comparison import sample_size as planning
from judgelab.analysis.comparison.pairs_to_compare import PairsToCompare, pairs_to_compare
from judgelab.analysis.data.compared_pairs import compared_criteria
from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.analysis import Coefficient, Level
from judgelab.cli.comparing import Criterion, Policy, with_interval
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.wording import sentence


class Claim(StrEnum):
    """The claim that more ratings are to settle."""

    JUDGES = "judges"
    STAND_IN = "stand_in"
    SYSTEMS = "systems"
    BASELINE = "baseline"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("more")(more)


def more(
    project: Annotated[str, typer.Argument(help="The project.")],
    first: Annotated[
        str | None,
        typer.Argument(help="A judge, or a system. With none, the pairs to have compared next are listed."),
    ] = None,
    second: Annotated[str | None, typer.Argument(help="The other judge or system.")] = None,
    claim: Annotated[
        Claim | None, typer.Option(help="Default: `judges` with two names, `stand_in` with one.")
    ] = None,
    criterion: Criterion = None,
    level: Annotated[Level | None, typer.Option(help="For two judges, as in `agreement`.")] = None,
    coefficient: Annotated[Coefficient | None, typer.Option(help="For two judges, as in `compare`.")] = None,
    epsilon: Annotated[float, typer.Option(help="For `stand_in`: the lead allowed to a rater.")] = 0.2,
    most: Annotated[
        int | None, typer.Option(help="The largest number of items, or of pairs, to try.", min=1)
    ] = None,
    policy: Policy = IN_USE,
    comparisons: Annotated[bool, typer.Option(help="Plan comparisons of two responses, not scores.")] = False,
    as_json: Json = False,
) -> None:
    """Estimate how many more items, pairs or raters would settle a claim.

    If nobody rated single responses, comparisons of two are planned. Without a name, the pairs are listed
    whose majority of raters one more choice may change, the most useful first.
    """
    store = shared.store()
    if first is None:
        if not compared_criteria(store, project):
            raise InvalidInput(sentence("name a judge, or two judges or systems."))
        found = pairs_to_compare(store, project, criterion=criterion, policy=policy)
        shared.emit(found.to_json(), as_json=as_json, text="\n".join(_pair_lines(found)))
        return
    chosen_claim = claim or (Claim.STAND_IN if second is None else Claim.JUDGES)
    of_one = chosen_claim in (Claim.STAND_IN, Claim.BASELINE)
    if second is not None and of_one:
        raise InvalidInput(
            sentence("`{claim}` takes one judge, but you named two.", claim=chosen_claim.value)
        )
    if second is None and not of_one:
        raise InvalidInput(sentence("`{claim}` needs two names.", claim=chosen_claim.value))
    if chosen_claim is Claim.BASELINE:
        result = planning.sample_size_for_baseline(
            store, project, first, criterion=criterion, policy=policy, comparisons=comparisons or None,
            most=most,
        )  # fmt: skip
    elif second is None:
        result = planning.sample_size_for_alternative_test(
            store, project, first, criterion=criterion, epsilon=epsilon, policy=policy,
            comparisons=comparisons or None, most=most,
        )  # fmt: skip
    elif chosen_claim is Claim.SYSTEMS:
        result = planning.sample_size_for_systems(
            store, project, first, second, criterion=criterion, policy=policy,
            comparisons=comparisons or None, most=most,
        )  # fmt: skip
    else:
        result = planning.sample_size_for_judges(
            store,
            project,
            first,
            second,
            criterion=criterion,
            level=shared.value_of(level),
            coefficient=shared.value_of(coefficient),
            policy=policy,
            comparisons=comparisons or None,
            most=most,
        )
    recipe = ", ".join(str(result.recipe[word]) for word in ("coefficient", "level") if word in result.recipe)
    n = f", n={shared.counted(result.present.n, result.unit_of_n.removesuffix('s'))}"
    lines = [
        f"now: {with_interval(result.printed(3))}{n}" + (f" ({recipe})" if recipe else ""),
        str(result.answer),
        result.counted,
        *filter(None, (result.rounding, result.one_test, result.two_methods)),
    ]
    for plan in (result.items, result.raters):
        lines += [f"{step.size:>8,} {plan.unit}: {step.percent} %" for step in plan.steps]
    lines.append(f"Ratings: {result.recipe['ratings']}.")
    shared.emit(result.to_json(), as_json=as_json, text="\n".join(lines))


def _pair_lines(found: PairsToCompare) -> Iterator[str]:
    yield (
        f"{found.criterion}: {shared.counted(found.compared, 'pair')} compared by raters, "
        f"{found.without_majority} without a majority; in {found.by_a_vote}, one more choice can undo it"
    )
    if found.adjudicated:
        yield f"  {shared.counted(found.adjudicated, 'pair')} left out, decided by adjudicators"
    if found.judged_only:
        yield f"  {shared.counted(found.judged_only, 'pair')} compared by judges only, not listed"
    if len(found.pairs):
        yield "  first : tie : second by raters, by judges; chance that one more choice changes the majority"
    for pair in found.to_json()["pairs"]:
        systems = f"{pair['first']} - {pair['second']}"
        raters, judges = (" : ".join(map(str, pair[who].values())) for who in ("raters", "judges"))
        yield f"  {pair['item']:<24} {systems:<28} {raters:<10} {judges:<10} {100 * pair['chance']:.0f} %"
