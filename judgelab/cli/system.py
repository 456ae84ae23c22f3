"""`migrate` and `doctor`: is everything where it should be?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from judgelab import __version__
from judgelab.cli import shared
from judgelab.config import settings
from judgelab.store.db.engine import masked


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)


def migrate() -> None:
    """Bring the database to the newest schema; every other command does this by itself."""
    store = shared.store()
    shared.emit({}, as_json=False, text=f"{masked(store.url)} has the newest schema.")


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Look at settings (passwords hidden), database, workers, keys, packages; 1 when something is broken."""
    from judgelab.doctor.examination import examine
    from judgelab.doctor.setting import shown

    configured = settings()
    values, checks = shown(configured), examine(configured)
    ok = not any(one.state == "broken" for one in checks)
    lines = [f"JudgeLab {__version__}"]
    lines += [f"JUDGELAB_{name.upper()} = {value}" for name, value in values.items()]
    lines.append("")
    lines += [
        f"{one.state:<7} {one.topic}: {one.said}{f' {one.remedy}' if one.remedy else ''}" for one in checks
    ]
    data = {"judgelab": __version__, "ok": ok, "settings": values, "checks": [asdict(one) for one in checks]}
    shared.emit(data, as_json=as_json, text="\n".join(lines))
    if not ok:
        raise typer.Exit(1)
