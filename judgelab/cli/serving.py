"""`up` and `worker`: run the app with its workers, or a worker alone, until stopped."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.config import settings
from judgelab.errors import InvalidInput


def register(app: typer.Typer) -> None:
    """Add `up` and `worker`."""
    app.command("up")(up)
    app.command("worker")(worker)


def up(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "",
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 0,
    workers: Annotated[int | None, typer.Option(help="Number of background worker processes.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the browser.")] = True,
) -> None:
    """Start the app and its workers; Ctrl-C stops them all."""
    from judgelab.runs.worker.supervisor import launch

    chosen = settings()
    launch(
        shared.store(),
        chosen.job_engine_url,
        host=host or chosen.host,
        port=port or chosen.port,
        workers=chosen.workers if workers is None else workers,
        browser=browser,
    )


def worker(
    slots: Annotated[
        int | None, typer.Option(help="Number of run chunks processed at the same time.")
    ] = None,
    local: Annotated[bool, typer.Option("--local", help="Only run models on this machine.")] = False,
) -> None:
    """Judge in the background until stopped. Start any number on any machines, one --local per machine."""
    from judgelab.runs.worker.worker import run_worker

    chosen = settings()
    slots = chosen.slots if slots is None else slots
    if slots < 1:
        raise InvalidInput(f"--slots {slots} is not valid; it must be at least 1.")
    run_worker(shared.store(), chosen.job_engine_url, slots=slots, kind="local" if local else "api")
