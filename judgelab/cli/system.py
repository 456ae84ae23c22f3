"""`migrate` and `doctor`: the schema of the database, and checks of the installation."""

from __future__ import annotations

from dataclasses import asdict

import typer

from judgelab import __version__
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.store.db.engine import masked


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)


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
