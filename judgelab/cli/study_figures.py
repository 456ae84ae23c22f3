"""`spread` and `case`: the figures of the papers as text."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.data.filter_info import FilterInfo, ratings_text
from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import NotFound
from judgelab.replication.case_study import Case, case_scores
from judgelab.replication.figures import Spread, spread
from judgelab.replication.material import load
from judgelab.wording import mark

Policy = Annotated[str, typer.Option(help="A saved quality filter, or `none`.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("spread")(spread_command)
    app.command("case")(case_command)


def spread_command(
    project: str,
    judge: Annotated[list[str] | None, typer.Option(help="Only these. Default: all.")] = None,
    criterion: Annotated[str, typer.Option(help="The criterion. Default: the first.")] = "",
    group: Annotated[str, typer.Option(help="Only items of this group, as in ELECT's figure 2.")] = "",
    policy: Policy = IN_USE,
    as_json: Json = False,
) -> None:
    """Show the distribution of raters' and judges' scores over the scale, as shares of the responses."""
    material = load(shared.store(), project, policy=policy, resamples=0)
    if group and group not in material.groups_rated:
        raise NotFound(mark("group"), group, material.groups_rated)
    if criterion:
        criterion = material.project.criterion(criterion).key
    judges = [name for name, kind in material.raters.items() if kind == "judge"]
    for name in judge or ():
        if name not in judges:
            raise NotFound(mark("judge"), name, judges)
    raters = [name for name in judge or judges if name not in material.own_scale]
    result = spread(material, raters, criterion=criterion, group=group)
    data = {
        "criterion": result.criterion,
        "group": group or None,
        "filter": None if material.policy is None else material.policy.to_json(),
        "bins": list(result.bins),
        "raters": [rater.to_json() for rater in result.raters],
    }
    shared.emit(data, as_json=as_json, text=_spread_text(result, group=group, policy=material.policy))


def case_command(
    project: str,
    item: Annotated[str, typer.Argument(help="The item's id.")],
    policy: Policy = IN_USE,
    as_json: Json = False,
) -> None:
    """Show one item's responses with each rater's scores, rescaled from the scale's range to 0 to 10."""
    material = load(shared.store(), project, policy=policy, resamples=0)
    result = case_scores(material, item)
    shown = result.scores.drop(columns="response")
    rows = [
        {name: None if value != value else value for name, value in row.items()}
        for row in shown.to_dict("records")
    ]
    data = {
        "item": item,
        "criterion": result.criterion,
        "filter": None if material.policy is None else material.policy.to_json(),
        "responses": rows,
        "ranges": dict(result.ranges),
        "without": list(result.without),
    }
    shared.emit(data, as_json=as_json, text=_case_text(result, policy=material.policy))


def _spread_text(result: Spread, *, group: str, policy: FilterInfo | None) -> str:
    width = max((len(rater.name) for rater in result.raters), default=0)
    of_group = f" of group {group}" if group else ""
    lines = [f"{result.criterion}: shares of the n responses{of_group} by score"]
    lines += [f"{'':<{width}}  {'n':>6}  " + "  ".join(f"{name:>7}" for name in result.bins)]
    for row in result.raters:
        shares = "  ".join(f"{share:>7.1%}" for share in row.shares)
        missing = f"  ({'; '.join(row.lost.phrases())})" if row.lost else ""
        lines.append(f"{row.name:<{width}}  {row.n:>6,}  {shares}{missing}")
    return "\n".join([*lines, *result.notes, f"Ratings: {ratings_text(policy)}."])


def _case_text(result: Case, *, policy: FilterInfo | None) -> str:
    lines = [f"{result.criterion}: scores, rescaled"]
    for index, row in enumerate(result.scores.to_dict("records"), start=1):
        lines.append(str(row["system"] or index))
        for name in result.ranges:
            value = row[name]
            lines.append(f"  {name}: {'no score' if value != value else format(value, '.1f')}")
    ranges = "; ".join(f"{name} {ends}" for name, ends in result.ranges.items())
    lines.append(f"0 to 10 corresponds to: {ranges}.")
    if result.without:
        lines.append(f"Left out, because the scale has no ends: {', '.join(result.without)}.")
    lines.append(f"Ratings: {ratings_text(policy)}.")
    return "\n".join(lines)
