"""`patterns`: where a judge and the raters disagree, as on the page *Patterns*."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.scores import IN_USE, project_scores, resolve_criterion
from judgelab.analysis.disagreement.patterns import (
    CUTS,
    DisagreementPatterns,
    SharedDisagreements,
    disagreement_patterns,
    shared_disagreements,
)
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import NotFound
from judgelab.metaeval.judges.large_disagreements import DisagreementRate
from judgelab.wording import mark

CUT_WORDS = {**{cut: cut for cut in CUTS}, "words": "similar responses", "mode": "failure mode"}
RESPONSE_COLUMNS = (
    "response",
    "item",
    "system",
    "human",
    "raters",
    "apart",
    "judges",
    "median",
    "difference",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("patterns")(patterns_command)


def patterns_command(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[str, typer.Option(help="The judge to compare with the raters.")],
    criterion: Annotated[str | None, typer.Option(help="The criterion. Default: the only one.")] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    as_json: Json = False,
) -> None:
    """Show where a judge is far from the raters, and where several judges contradict them together."""
    store = shared.store()
    data = project_scores(store, project, policy=policy)
    key = resolve_criterion(data, criterion)
    judges = sorted(set(data.scores.loc[data.scores["rater_kind"] == "judge", "rater"]))
    if judge not in judges:
        raise NotFound(mark("judge"), judge, judges)
    result = disagreement_patterns(store, project, judge=judge, criterion=key, policy=policy)
    together = shared_disagreements(store, project, criterion=key, policy=policy)
    output = {
        "project": project,
        **result.to_json(),
        "filter": None if data.policy is None else data.policy.to_json(),
        "against_people": {
            "compared": together.compared,
            "rated": together.rated,
            "judges": together.judges,
            "responses": together.rows[list(RESPONSE_COLUMNS)].to_dict("records"),
        },
    }
    ratings = f"Ratings: {ratings_text(data.policy)}."
    lines = [*_pattern_lines(result), *_joint_lines(together), ratings]
    shared.emit(output, as_json=as_json, text="\n".join(lines))


def _pattern_lines(result: DisagreementPatterns) -> list[str]:
    notes = "; ".join([f"n={result.n:,}", *result.left_out])
    lines = [
        f"{result.judge}, {result.criterion}: "
        f"differs by {result.large_from:g} or more on {result.n_large:,}  ({notes})"
    ]
    for cut, parts in result.rates_by_cut.items():
        lines.append(f"  by {CUT_WORDS[cut]}:")
        lines += [f"    {_part_text(part)}" for part in parts]
        if left_out := result.in_no_part[cut]:
            lines.append(
                f"    in no part, or in a part with fewer than five: {shared.counted(left_out, 'response')}"
            )
    if result.family is not None:
        lines.append(f"  p: {result.family.description}")
    return (
        lines if result.rates_by_cut else [*lines, "  The data have no two parts with five responses each."]
    )


def _part_text(part: DisagreementRate) -> str:
    rest, ci = part.elsewhere, part.share.ci
    elsewhere = "" if rest.value is None else f", elsewhere {rest.value:.0%} (n={rest.n:,})"
    interval = f" [{ci[0]:.0%}, {ci[1]:.0%}]" if ci else ""
    return (
        f"{part.name}: {part.far:,} of {part.n:,}, {part.share.value or 0.0:.0%}{interval}{elsewhere}; "
        f"judge minus raters {part.difference:+z.2f}; p {part.test.adjusted:.3g}"
    )


def _joint_lines(together: SharedDisagreements) -> list[str]:
    lines = [
        f"Several judges against the raters: {len(together.rows):,} of "
        f"{shared.counted(together.compared, 'response')} that two or more of {together.judges} judges "
        f"scored ({together.rated - together.compared:,} rated ones left out)"
    ]
    for row in together.rows.to_dict("records"):
        name = ", ".join(filter(None, (str(row["item"]), str(row["system"]))))
        raters = shared.counted(row["raters"], "rater")
        lines.append(
            f"  {name}: raters {row['human']:z.1f} ({raters}, range {row['apart']:z.1f}), "
            f"judges {row['median']:z.1f} ({row['judges']})"
        )
    return lines
