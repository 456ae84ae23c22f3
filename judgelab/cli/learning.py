"""`learn` and `propose`: train the learned judge, and let it propose what to rate next."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.learned_training.active_learning import Proposal, propose
from judgelab.learned_training.evaluation import BY_ENCODER
from judgelab.learned_training.training import LEARNED, SHUFFLES, LearnedReport, Tell, learn

Seed = Annotated[int, typer.Option(help="Random seed of folds, shuffles, trees and draws.")]
Encoder = Annotated[
    str, typer.Option(help="Text encoder for cosines, or tfidf. Default: as in the settings.")
]
Policy = Annotated[str, typer.Option(help="Quality filter: its name, 'in use' or 'none'.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("learn")(learn_command)
    app.command("propose")(propose_command)


def learn_command(
    project: str,
    policy: Policy = IN_USE,
    criterion: Annotated[list[str] | None, typer.Option(help="Only these criteria.")] = None,
    kind: Annotated[str, typer.Option(help="ordinal, ridge or stack.")] = "ordinal",
    seed: Seed = 0,
    later: Annotated[bool, typer.Option("--later", help="Also score unrated responses.")] = False,
    encoder: Encoder = "",
    shuffles: Annotated[
        int, typer.Option(help="Shuffles of the ratings for the null distribution.")
    ] = SHUFFLES,
    name: Annotated[str, typer.Option(help="The judge's name.")] = LEARNED,
    as_json: Json = False,
) -> None:
    """Train a judge on the ratings; it scores each response without having seen ratings of its item."""
    report = learn(
        shared.store(),
        project,
        policy=policy,
        criteria=criterion or (),
        kind=kind,
        seed=seed,
        later=later,
        encoder=encoder,
        shuffles=shuffles,
        name=name,
        tell=_progress(),
    )
    shared.emit(report.to_json(), as_json=as_json, text=_report_text(report))


def propose_command(
    project: str,
    policy: Policy = IN_USE,
    limit: Annotated[int, typer.Option(help="Number of items to list.")] = 20,
    seed: Seed = 0,
    encoder: Encoder = "",
    as_json: Json = False,
) -> None:
    """Propose the items to rate next; raters get them in that order if the project's order is 'active'."""
    proposals = propose(shared.store(), project, policy=policy, seed=seed, encoder=encoder)
    lines = [_proposal_text(rank, item) for rank, item in enumerate(proposals.items[:limit], start=1)]
    lines.append(
        f"{shared.counted(len(proposals.items), 'item')} in order. If the project's order is 'active', "
        "raters get them in this order."
    )
    shared.emit(proposals.to_json(), as_json=as_json, text="\n".join(lines))


def _proposal_text(rank: int, item: Proposal) -> str:
    disagreement = "" if item.disagreement is None else f", judges differ by {item.disagreement:z.2f}"
    return f"{rank:>3}. {item.item}: uncertainty {item.uncertainty:z.2f}{disagreement}"


def _progress() -> Tell:
    if not sys.stderr.isatty():
        return lambda _step, _share: None

    def tell(step: str, share: float) -> None:
        print(f"\r{share:4.0%} {step:<30}", end="\n" if share >= 1 else "", file=sys.stderr, flush=True)

    return tell


def _report_text(report: LearnedReport) -> str:
    lines = [line for criterion in report.criteria for line in _criterion_lines(criterion)]
    lines += [f"left out: {reason}" for reason in report.left_out.values()]
    unrated = f", {report.later:,} of them unrated" if report.later else ""
    lines.append(f"{report.judge}: {report.rated + report.later:,} verdicts{unrated} (run {report.run})")
    return "\n".join(lines)


def _criterion_lines(criterion: Mapping[str, Any]) -> list[str]:
    level = "within each item" if criterion["level"] == "item" else "pooled"
    lines = [
        f"{criterion['criterion']}: {criterion['coefficient']} {level}, {criterion['responses']:,} responses "
        f"to {criterion['items']:,} items, {criterion['features']} features, {criterion['encoder']}, "
        f"{criterion['kind']}, data {criterion['data_hash']}"
    ]
    rows = [row for row in criterion["rows"] if row["coefficient"] == criterion["coefficient"]]
    metrics_shown = ("length", "grounding", criterion["best_metric"])
    for row in rows:
        if row["rater_kind"] == "metric" and row["rater"] not in metrics_shown:
            continue
        interval = shared.interval(row["ci"], digits=3)
        value = row["reason"] if row["value"] is None else f"{row['value']:z.3f}{interval}"
        name = row["rater"]
        if name in BY_ENCODER:
            name = f"feature {name} of this judge ({criterion['encoder']})"
        lines.append(f"    {name:<36} {value}")
    curve = ", ".join(
        f"{point['items']}: {sum(point['values']) / len(point['values']):z.3f}"
        for point in criterion["curve"]
        if point["values"]
    )
    if curve:
        lines.append(f"    by number of rated items             {curve}")
    if criterion["null"]:
        low, high = min(criterion["null"]), max(criterion["null"])
        lines.append(
            f"    ratings shuffled {len(criterion['null'])} times            {low:z.3f} to {high:z.3f}"
        )
    return lines
