"""`run enter` and `run reask`: replies without a score, entered by hand or asked again."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.runs import service
from judgelab.runs.execute import manual_scores


def register(run_app: typer.Typer) -> None:
    """Add the commands to those of `run`."""
    run_app.command("enter")(enter)
    run_app.command("reask")(reask)


def enter(
    run: int,
    response: Annotated[str, typer.Argument(help="The response's id, or ITEM/RESPONSE.")],
    score: float,
    criterion: Annotated[str | None, typer.Option(help="Required if several criteria were judged.")] = None,
    reason: Annotated[str, typer.Option(help="Reason, in your own words.")] = "",
    as_json: Json = False,
) -> None:
    """Enter the score of a reply that the parser could not read."""
    store = shared.store()
    manual_scores.enter_score(store, run, response, score, criterion=criterion, reason=reason)
    status = service.run_status(store, run)
    data = {"run": run, "response": response, "score": score, "unscored": status.unscored}
    left = shared.counted(status.unscored, "judgment")
    shared.emit(
        data, as_json=as_json, text=f"Entered by hand: {score:g} for {response}; {left} left unscored."
    )


def reask(
    run: int,
    response: Annotated[list[str] | None, typer.Option(help="Only this response; repeatable.")] = None,
    as_json: Json = False,
) -> None:
    """Ask the model again for unscored judgments; earlier replies are kept."""
    store = shared.store()
    count = manual_scores.ask_again(store, run, response or ())
    state = service.run_status(store, run).state
    text = f"Asked again: {shared.counted(count, 'judgment')} of run {run}."
    if state in ("paused", "stopped"):
        text += f" The run is {state}; resume it with `judgelab run resume {run}`."
    shared.emit({"run": run, "units": count, "state": state}, as_json=as_json, text=text)
