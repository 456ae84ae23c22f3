"""`backup` and `restore`: copying the database while people work, and restoring a copy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.config import settings
from judgelab.store.db import backup as copies
from judgelab.store.db.db_errors import database_name


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    file: Annotated[Path, typer.Argument(help="File to write the copy to. It must not exist yet.")],
    as_json: Json = False,
) -> None:
    """Copy the database while JudgeLab is in use, and check the copy."""
    store = shared.store()
    saved = copies.save(store, file)
    size = f"{saved.size / 1e6:,.1f} MB"
    store.close()
    shared.emit(
        asdict(saved),
        as_json=as_json,
        text=f"{file} contains {_contents_text(saved.counts)} ({size}, schema {saved.schema}); checked.",
    )


def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `judgelab backup`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Replace a database that contains projects.")] = False,
    as_json: Json = False,
) -> None:
    """Replace the database with a backup, completely or not at all. Stop JudgeLab first."""
    chosen = settings()
    restored = copies.restore(chosen.database_url, chosen.job_engine_url, file, replace=yes)
    lines = [f"{database_name(chosen.database_url)} now contains {_contents_text(restored.counts)}."]
    if restored.kept:
        lines.append(f"The previous database was saved as {restored.kept}.")
    lines.append(f"Everyone must sign in again ({shared.counted(restored.ended, 'sign-in')} ended).")
    shared.emit(asdict(restored), as_json=as_json, text="\n".join(lines))


def _contents_text(counts: dict[str, int]) -> str:
    people = shared.counted(counts["people"], "person", "people")
    return ", ".join(
        [shared.join_counts({kind: count for kind, count in counts.items() if kind != "people"}), people]
    )
