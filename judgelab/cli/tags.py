"""`judgelab tags`: why judges and people differ, counted."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from judgelab.analysis.failure_modes import FailureModes, failure_modes
from judgelab.cli import shared
from judgelab.store.tags import KINDS, TagInfo


def register(app: typer.Typer) -> None:
    """Add `tags`."""
    app.command("tags")(list_tags)


def list_tags(
    project: str,
    criterion: Annotated[str | None, typer.Option(help="The criterion; the first by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count failure modes for every judge and metric, and list the tags behind them."""
    modes = failure_modes(shared.store(), project, criterion=criterion)
    data = {
        "criterion": modes.criterion,
        "far": modes.far,
        "kinds": list(KINDS),
        "judges": [row.to_json() for row in modes.rows],
        "tags": [_tag(tag) for tag in modes.tags],
    }
    shared.emit(data, as_json=as_json, text="\n".join(_lines(modes)))


def _tag(tag: TagInfo) -> dict[str, Any]:
    return {**vars(tag), "created_at": tag.created_at.isoformat()}


def _lines(modes: FailureModes) -> list[str]:
    states = [tag.state for tag in modes.tags]
    lines = [
        f"{shared.counted(states.count('accepted'), 'tag')} accepted, {states.count('proposed')} proposed, "
        f"{states.count('dismissed')} dismissed"
    ]
    for row in modes.rows:
        if row.tagged:
            lines.append(f"{row.rater}  {KINDS[row.kind]}: wrong on {row.wrong} of {row.tagged} tagged")
    return lines
