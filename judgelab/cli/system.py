"""`migrate` and `doctor`: is everything where it should be?"""

from __future__ import annotations

import importlib.util
import platform
from typing import Annotated, Any

import typer

from judgelab import __version__
from judgelab.cli import shared
from judgelab.config import settings
from judgelab.errors import StoreUnavailable
from judgelab.store.engine import masked
from judgelab.store.schema import open_store
from judgelab.store.workers import live_workers

OPTIONAL = {"torch": "local models", "transformers": "local models"}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("migrate")(migrate)
    app.command("doctor")(doctor)


def migrate() -> None:
    """Bring the database to the newest schema; every other command does this by itself."""
    store = shared.store()
    shared.emit({}, as_json=False, text=f"{masked(store.url)} has the newest schema.")


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show the settings (passwords masked), the database, the workers, and what is installed."""
    found: dict[str, Any] = {
        "judgelab": __version__,
        "python": platform.python_version(),
        "settings": {
            **settings().model_dump(),
            "database_url": masked(settings().database_url),
            "engine_url": masked(settings().job_engine_url),
        },
        "installed": {name: importlib.util.find_spec(name) is not None for name in OPTIONAL},
    }
    try:
        store = open_store(settings().database_url)
        found["database"] = "ready"
        with store.reading() as session:
            found["workers"] = len(live_workers(session))
    except StoreUnavailable as error:
        found["database"], found["workers"] = str(error), 0
    shared.emit(found, as_json=as_json, text=_as_text(found))


def _as_text(found: dict[str, Any]) -> str:
    lines = [f"JudgeLab {found['judgelab']}, Python {found['python']}"]
    lines += [f"JUDGELAB_{name.upper()} = {value}" for name, value in found["settings"].items()]
    lines.append(f"database: {found['database']}")
    lines.append(
        f"workers: {found['workers']}" + ("" if found["workers"] else " (start them with `judgelab up`)")
    )
    for name, purpose in OPTIONAL.items():
        lines.append(
            f"{name}: {'installed' if found['installed'][name] else f'not installed; needed for {purpose}'}"
        )
    return "\n".join(lines)
