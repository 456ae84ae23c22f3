"""`cache`: the stored replies, which are not paid for twice."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.store.judging import reply_cache
from judgelab.store.judging.endpoints import find_endpoint


def register(app: typer.Typer) -> None:
    """Add `cache`."""
    commands = typer.Typer(help="Cached replies, so that no call is paid for twice.", no_args_is_help=True)
    commands.command("show")(show)
    commands.command("clear")(clear)
    app.add_typer(commands, name="cache")


def show(as_json: Json = False) -> None:
    """Show the number of cached replies per model."""
    with shared.store().reading() as session:
        sizes = reply_cache.cache_sizes(session)
    data = [{**vars(size), "oldest": size.oldest.isoformat()} for size in sizes]
    lines = [
        f"{size.endpoint}  {size.model}  {shared.counted(size.replies, 'reply', 'replies')} "
        f"since {size.oldest:%Y-%m-%d}"
        for size in sizes
    ]
    shared.emit(data, as_json=as_json, text="\n".join(lines) or "There are no cached replies.")


def clear(
    endpoint: Annotated[str | None, typer.Option(help="Only replies of this endpoint.")] = None,
    as_json: Json = False,
) -> None:
    """Delete the cached replies, so that the next run asks the model again. Runs and verdicts are kept."""
    with shared.store().writing() as session:
        endpoint_id = None if endpoint is None else find_endpoint(session, endpoint).id
        count = reply_cache.clear(session, endpoint_id=endpoint_id)
    replies = shared.counted(count, "cached reply", "cached replies")
    shared.emit({"cleared": count}, as_json=as_json, text=f"Cleared: {replies}.")
