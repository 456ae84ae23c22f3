"""`report`: writes the paper pack of a project; `share`: links that show its results to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgelab.accounts import sharing
from judgelab.analysis.data.scores import IN_USE
from judgelab.cli import shared
from judgelab.cli.analysis import COEFFICIENTS_HELP, LEVEL_HELP, Coefficient, Level
from judgelab.cli.shared import Decisions, Json
from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.reporting.pack import write_pack


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("report")(report)
    app.command("share")(share)


def report(
    project: Annotated[str, typer.Argument(help="The project.")],
    folder: Annotated[Path, typer.Argument(help="A new or empty folder, or one with an earlier report.")],
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    level: Annotated[Level | None, typer.Option(help=LEVEL_HELP)] = None,
    coefficient: Annotated[list[Coefficient] | None, typer.Option(help=COEFFICIENTS_HELP)] = None,
    comparisons: Annotated[
        bool, typer.Option(help="Report choices between two responses, not scores.")
    ] = False,
    decisions: Decisions = False,
    no_data: Annotated[bool, typer.Option("--no-data", help="Leave out the anonymised data.")] = False,
    as_json: Json = False,
) -> None:
    """Write methods, rater flow, tables, figures, anonymised data and the commands that recompute them.

    If nobody rated single responses, choices between two are reported.
    """
    names = write_pack(
        shared.store(),
        project,
        folder,
        policy=policy,
        level=shared.value_of(level),
        coefficients=[choice.value for choice in coefficient or ()],
        comparisons=comparisons or None,
        decisions=decisions,
        data=not no_data,
    )
    shared.emit(
        {"folder": str(folder), "files": names},
        as_json=as_json,
        text=f"wrote {len(names)} files to {folder}; open {folder / 'index.html'}",
    )


def share(
    project: Annotated[str, typer.Argument(help="The project.")],
    days: Annotated[int, typer.Option(help="Number of days the link is valid.")] = sharing.DEFAULT_DAYS,
    note: Annotated[str, typer.Option(help="Recipient.")] = "",
    show: Annotated[bool, typer.Option("--list", help="List the links instead of creating one.")] = False,
    revoke: Annotated[int | None, typer.Option(help="Revoke the link with this number.")] = None,
    as_json: Json = False,
) -> None:
    """Create a link to a project's results, without texts and names; anyone with the link can read them."""
    store = shared.store()
    if revoke is not None:
        if not sharing.revoke(store, None, project, revoke):
            raise InvalidInput(f"{project} has no valid link {revoke}; see its links with --list.")
        shared.emit({"revoked": revoke}, as_json=as_json, text=f"link {revoke} no longer works")
        return
    if show:
        links = sharing.list_shares(store, None, project)
        rows = [
            {
                "id": link.id,
                "note": link.note,
                "by": link.by or None,
                "works": link.works,
                "expires_at": link.expires_at.isoformat(),
            }
            for link in links
        ]
        lines = [
            f"{row['id']}  {'works' if row['works'] else 'ended'}  until {row['expires_at']}  {row['note']}"
            for row in rows
        ]
        shared.emit(rows, as_json=as_json, text="\n".join(lines) or "There are no links yet.")
        return
    new_share = sharing.create(store, None, project, days=days, note=note)
    link = f"{settings().address}{new_share.path}"
    shared.emit({"link": link, "days": new_share.days}, as_json=as_json, text=link)
