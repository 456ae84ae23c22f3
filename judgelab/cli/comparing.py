"""`compare`, `means`, `more`: judges against one another, systems with few ratings, and how many more."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from judgelab.analysis.comparison import sample_size as planning
from judgelab.analysis.comparison import system_means
from judgelab.analysis.comparison.judge_comparison import Comparison, compare_judges
from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.analysis import COEFFICIENT_HELP, Coefficient, Json, Level
from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.left_out import left_out
from judgelab.metaeval.core.result import Estimate
from judgelab.wording import sentence

Criterion = Annotated[str | None, typer.Option(help="A criterion; needed where a project has several.")]
Policy = Annotated[str, typer.Option(help="A saved quality rule, or `none`.")]


class Correction(StrEnum):
    """How p-values of several comparisons are corrected."""

    HOLM = "holm"
    BH = "bh"
    BY = "by"
    BONFERRONI = "bonferroni"
    NONE = "none"


class Significance(StrEnum):
    """Tests of no difference between two judges."""

    PERMUTATION = "permutation"
    PERM_BOTH = "perm_both"
    PERM_INPUTS = "perm_inputs"
    PERM_SYSTEMS = "perm_systems"
    PERM_CELL = "perm_cell"
    WILLIAMS = "williams"
    STEIGER = "steiger"
    MENG = "meng"


class Claim(StrEnum):
    """What is to be settled."""

    JUDGES = "judges"
    STAND_IN = "stand_in"
    SYSTEMS = "systems"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("compare")(compare)
    app.command("means")(means)
    app.command("more")(more)


def compare(
    project: Annotated[str, typer.Argument(help="The project.")],
    raters: Annotated[
        list[str] | None, typer.Argument(help="Judges or metrics; all of them if none is named.")
    ] = None,
    baseline: Annotated[str | None, typer.Option(help="Compare all others with this one only.")] = None,
    level: Annotated[Level | None, typer.Option(help="As in `agreement`.")] = None,
    coefficient: Annotated[Coefficient | None, typer.Option(help=COEFFICIENT_HELP)] = None,
    criterion: Annotated[str | None, typer.Option(help="Only this criterion.")] = None,
    test: Annotated[Significance, typer.Option(help="The test of no difference.")] = Significance.PERMUTATION,
    correction: Annotated[Correction, typer.Option(help="For several comparisons.")] = Correction.HOLM,
    policy: Policy = IN_USE,
    as_json: Json = False,
) -> None:
    """Compare judges on the responses that all of them scored: differences, intervals, tests, clusters."""
    found = compare_judges(
        shared.store(),
        project,
        raters=raters or None,
        baseline=baseline,
        level=None if level is None else level.value,
        coefficient=None if coefficient is None else coefficient.value,
        criterion=criterion,
        test=test.value,
        correction=correction.value,
        policy=policy,
    )
    shared.emit(found.to_json(), as_json=as_json, text=_compared(found))


def means(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[
        str | None, typer.Argument(help="A judge or metric that scored everything; none: the people alone.")
    ] = None,
    criterion: Criterion = None,
    random: Annotated[
        bool | None,
        typer.Option(
            "--random/--not-random",
            help="Whether the rated items are a random sample; is kept with the project.",
        ),
    ] = None,
    policy: Policy = IN_USE,
    as_json: Json = False,
) -> None:
    """Show system means by people, by a judge, and by both together (prediction-powered)."""
    store = shared.store()
    found = system_means.estimate_means(
        store, project, judge, criterion=criterion, at_random=random, policy=policy
    )
    if random is not None:
        system_means.record_random_sampling(store, project, found.criterion, at_random=random)
    shared.emit(found.to_json(), as_json=as_json, text=_means_text(found))


def _means_text(found: system_means.SystemMeans) -> str:
    heads = ["people", *(["people, judged", "judge alone", "both"] if found.judge else [])]
    counts = "rated, of them judged, judged only" if found.judge else "rated"
    lines = [f"{'system':<28} {' '.join(f'{head:>22}' for head in heads)}  {counts}"]
    for row in found.systems:
        mean = row.mean
        cells = [row.people, *([mean.human, mean.judge, mean.powered] if mean else [])]
        n = [row.rated, *([row.both, row.judged_only] if mean else [])]
        said = " ".join(f"{_with_interval(cell):>22}" for cell in cells)
        lines.append(f"{row.system or '(no system)':<28} {said}  {', '.join(map(str, n))}")
    made = [row.mean for row in found.systems if row.mean is not None]
    why = next((one.powered.reason for one in made if one.powered.reason), None)
    return "\n".join([*lines, *([f"Both: {why}."] if why else [])])


def more(
    project: Annotated[str, typer.Argument(help="The project.")],
    first: Annotated[str, typer.Argument(help="A judge, or a system.")],
    second: Annotated[str | None, typer.Argument(help="The other judge or system.")] = None,
    claim: Annotated[
        Claim | None, typer.Option(help="Default: `judges` with two names, `stand_in` with one.")
    ] = None,
    criterion: Criterion = None,
    level: Annotated[Level | None, typer.Option(help="For two judges, as in `agreement`.")] = None,
    coefficient: Annotated[Coefficient | None, typer.Option(help="For two judges, as in `compare`.")] = None,
    epsilon: Annotated[float, typer.Option(help="For `stand_in`: the lead a rater may have.")] = 0.2,
    most: Annotated[int | None, typer.Option(help="The largest number of items to try.", min=1)] = None,
    policy: Policy = IN_USE,
    as_json: Json = False,
) -> None:
    """Say how many more items or raters would settle a claim."""
    asked = claim or (Claim.STAND_IN if second is None else Claim.JUDGES)
    if second is not None and asked is Claim.STAND_IN:
        raise InvalidInput(sentence("`stand_in` is about one judge, and two were named."))
    if second is None and asked is not Claim.STAND_IN:
        raise InvalidInput(sentence("`{claim}` needs two names.", claim=asked.value))
    store = shared.store()
    if second is None:
        found = planning.sample_size_for_alternative_test(
            store, project, first, criterion=criterion, epsilon=epsilon, policy=policy, most=most
        )
    elif asked is Claim.SYSTEMS:
        found = planning.sample_size_for_systems(
            store, project, first, second, criterion=criterion, policy=policy, most=most
        )
    else:
        found = planning.sample_size_for_judges(
            store,
            project,
            first,
            second,
            criterion=criterion,
            level=None if level is None else level.value,
            coefficient=None if coefficient is None else coefficient.value,
            policy=policy,
            most=most,
        )
    how = ", ".join(str(found.recipe[word]) for word in ("coefficient", "level") if word in found.recipe)
    lines = [f"now: {_with_interval(found.present)}" + (f" ({how})" if how else ""), str(found.said)]
    for plan in (found.items, found.raters):
        lines += [
            f"{step.size:>8,} {plan.unit}: {100 * (step.power.value or 0):z.0f} %" for step in plan.steps
        ]
    shared.emit(found.to_json(), as_json=as_json, text="\n".join(lines))


def _compared(found: Comparison) -> str:
    lines: list[str] = []
    for criterion in found.criteria.values():
        lost = f" ({criterion.lost} scored by some of them only, left out)" if criterion.lost else ""
        lines.append(
            f"{criterion.criterion}: {found.coefficient}, {found.level}, n={criterion.n} responses{lost}"
        )
        for row in sorted(criterion.placed, key=lambda row: row.cluster or 99):
            cluster = "-" if row.cluster is None else row.cluster
            noted = "; ".join([f"n={row.estimate.n}", *left_out(row.estimate)])
            lines.append(f"  {cluster} {row.rater:<32} {_with_interval(row.estimate)}  {noted}")
        for contrast in criterion.contrasts:
            p = contrast.test.adjusted
            said = f"p={p:z.4f}" if p is not None else f"no test: {contrast.test.reason}"
            ahead = f", {contrast.better} is better" if contrast.better else ""
            between = f"{contrast.first} - {contrast.second}"
            lines.append(f"    {between:<44} {_with_interval(contrast.difference)} {said}{ahead}")
        lines += [f"  left out: {name}: {why}" for name, why in criterion.left_out.items()]
    if not lines:
        return "Nobody has scored what people scored."
    return "\n".join([*lines, *([f"{found.tests_said}."] if found.family else [])])


def _with_interval(found: Estimate) -> str:
    if found.value is None:
        return "-"
    ends = "" if found.ci is None else f" [{found.ci[0]:z.3f}, {found.ci[1]:z.3f}]"
    return f"{found.value:z.3f}{ends}"
