"""`patterns`: the figures of the page *Patterns*, in a terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from judgelab.analysis.data.scores import IN_USE, only_criterion, project_scores
from judgelab.analysis.disagreement.patterns import (
    CUTS,
    DisagreementPatterns,
    SharedDisagreements,
    disagreement_patterns,
    shared_disagreements,
)
from judgelab.cli import shared
from judgelab.errors import NotFound
from judgelab.metaeval.judges.large_disagreements import DisagreementRate
from judgelab.wording import mark

WORDS = {**{cut: cut for cut in CUTS}, "words": "similar responses", "mode": "failure mode"}
COLUMNS = ("response", "item", "system", "human", "raters", "apart", "judges", "median", "difference")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("patterns")(show)


def show(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[str, typer.Option(help="The judge that is compared with the people.")],
    criterion: Annotated[str | None, typer.Option(help="The criterion; the only one by default.")] = None,
    policy: Annotated[str, typer.Option(help="A saved quality rule, or `none`.")] = IN_USE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where a judge is far from the people, and where several judges contradict them together."""
    store = shared.store()
    data = project_scores(store, project, policy=policy)
    key = only_criterion(data, criterion)
    judges = sorted(set(data.scores.loc[data.scores["rater_kind"] == "judge", "rater"]))
    if judge not in judges:
        raise NotFound(mark("judge"), judge, judges)
    found = disagreement_patterns(store, project, judge=judge, criterion=key, policy=policy)
    together = shared_disagreements(store, project, criterion=key, policy=policy)
    said = {
        "project": project,
        **found.to_json(),
        "against_people": {
            **{"compared": together.compared, "rated": together.rated, "judges": together.judges},
            "responses": together.rows[list(COLUMNS)].to_dict("records"),
        },
    }
    shared.emit(said, as_json=as_json, text="\n".join([*_text(found), *_together(together)]))


def _text(found: DisagreementPatterns) -> list[str]:
    noted = "; ".join([f"n={found.n:,}", *found.left_out])
    lines = [f"{found.judge}, {found.criterion}: {found.far:g} or more apart on {found.count:,}  ({noted})"]
    for cut, parts in found.parts.items():
        lines.append(f"  by {WORDS[cut]}:")
        lines += [f"    {_part(part)}" for part in parts]
        if lost := found.outside[cut]:
            lines.append(
                f"    in no part, or in one with fewer than five: {shared.counted(lost, 'response')}"
            )
    if found.family is not None:
        lines.append(f"  p: {found.family.said}")
    return lines if found.parts else [*lines, "  The data have no two parts with five responses each."]


def _part(part: DisagreementRate) -> str:
    elsewhere = part.elsewhere
    there = "" if elsewhere.value is None else f", elsewhere {elsewhere.value:.0%} (n={elsewhere.n:,})"
    ends: Any = part.share.ci
    within = f" [{ends[0]:.0%}, {ends[1]:.0%}]" if ends else ""
    return (
        f"{part.name}: {part.far:,} of {part.n:,}, {part.share.value or 0.0:.0%}{within}{there}; judge minus "
        f"people {part.difference:+z.2f}; p {part.test.adjusted:.3g}"
    )


def _together(found: SharedDisagreements) -> list[str]:
    lines = [
        f"Judges together against the people: {len(found.rows):,} of "
        f"{shared.counted(found.compared, 'response')} that two or more of {found.judges} judges scored "
        f"({found.rated - found.compared:,} rated ones left out)"
    ]
    for row in found.rows.to_dict("records"):
        name = ", ".join(filter(None, (str(row["item"]), str(row["system"]))))
        lines.append(
            f"  {name}: people {row['human']:z.1f} ({row['raters']} raters, {row['apart']:z.1f} "
            "apart), judges "
            f"{row['median']:z.1f} ({row['judges']})"
        )
    return lines
