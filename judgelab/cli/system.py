"""`up`, `worker`, `migrate` and `doctor`: running and checking an installation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from judgelab import __version__
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import masked


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("up")(up)
    app.command("worker")(worker)
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)


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


def migrate() -> None:
    """Update the database to the newest schema; every other command does this automatically."""
    store = shared.store()
    shared.emit({}, as_json=False, text=f"{masked(store.url)} has the newest schema.")


def doctor(as_json: Json = False) -> None:
    """Check settings (passwords hidden), database, workers, keys, packages; exit code 1 if one is broken."""
    from judgelab.doctor.examination import examine
    from judgelab.doctor.setting import masked_settings

    configured = settings()
    values, checks = masked_settings(configured), examine(configured)
    ok = not any(check.state == "broken" for check in checks)
    lines = [f"JudgeLab {__version__}"]
    lines += [f"JUDGELAB_{name.upper()} = {value}" for name, value in values.items()]
    lines.append("")
    lines += [
        f"{check.state:<7} {check.topic}: {check.said}{f' {check.remedy}' if check.remedy else ''}"
        for check in checks
    ]
    data = {
        "judgelab": __version__,
        "ok": ok,
        "settings": values,
        "checks": [asdict(check) for check in checks],
    }
    shared.emit(data, as_json=as_json, text="\n".join(lines))
    if not ok:
        raise typer.Exit(1)
