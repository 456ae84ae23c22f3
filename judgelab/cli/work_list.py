"""`work-list`: raters' messages, flags, skips, comments, failed checks and conflicts; what is done."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.raters import work_list as lists
from judgelab.analysis.raters.work_list_entry import KINDS, WorkListEntry
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

Ids = Annotated[list[str], typer.Argument(help="IDs of entries, as `judgelab work-list` prints them.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("work-list")(show)
    app.command("work-done")(done)
    app.command("work-answer")(answer)
    app.command("work-reopen")(reopen)


def show(
    project: Annotated[str, typer.Argument(help="The project.")],
    kind: Annotated[str | None, typer.Option(help=f"Only this kind: {', '.join(KINDS)}.")] = None,
    rater: Annotated[str | None, typer.Option(help="Only this rater's entries, without conflicts.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also list entries that are done.")] = False,
    as_json: Json = False,
) -> None:
    """List raters' messages, flags, skips, comments, failed checks and conflicts that are still open.

    A conflict is done once it is decided on the page Conflicts.
    """
    if kind is not None and kind not in KINDS:
        raise InvalidInput(
            sentence(
                "'{kind}' is not a kind of entry; use one of {kinds}.", kind=kind, kinds=", ".join(KINDS)
            )
        )
    entries = lists.work_list(shared.store(), project)
    shown = [
        entry
        for entry in entries
        if (everything or not entry.done)
        and kind in (None, entry.key.kind)
        and rater in (None, entry.unit.rater)
    ]
    data = {
        "project": project,
        "open": sum(not entry.done for entry in entries),
        "done": sum(entry.done for entry in entries),
        "entries": [entry.to_json() for entry in shown],
    }
    summary = f"{data['open']} open, {data['done']} done"
    shared.emit(data, as_json=as_json, text="\n".join([*map(_line, shown), summary]))


def done(
    project: Annotated[str, typer.Argument(help="The project.")],
    entry: Ids,
    note: Annotated[str, typer.Option(help="What was done about them.")] = "",
    as_json: Json = False,
) -> None:
    """Mark entries of the work list as done: all or none. An entry that changes later is open again."""
    n = lists.mark_done(shared.store(), project, entry, by=None, note=note)
    shared.emit({"done": n}, as_json=as_json, text=f"{shared.counted(n, 'entry', 'entries')} marked as done")


def answer(
    project: Annotated[str, typer.Argument(help="The project.")],
    entry: Annotated[str, typer.Argument(help="Id of a message, as `judgelab work-list` prints it.")],
    text: Annotated[str, typer.Option(help="The answer; the rater reads it as from the study team.")],
    as_json: Json = False,
) -> None:
    """Answer a rater's message and mark it as done. A further message of the rater opens it again."""
    lists.answer(shared.store(), project, entry, text, by=None)
    shared.emit({"answered": entry}, as_json=as_json, text=f"{entry} answered")


def reopen(
    project: Annotated[str, typer.Argument(help="The project.")], entry: Ids, as_json: Json = False
) -> None:
    """Reopen entries of the work list: all or none."""
    n = lists.reopen(shared.store(), project, entry, by=None)
    shared.emit({"reopened": n}, as_json=as_json, text=f"{shared.counted(n, 'entry', 'entries')} reopened")


def _line(entry: WorkListEntry) -> str:
    about = " ".join(filter(None, [entry.unit.item, " – ".join(entry.unit.systems)]))
    state = "done" if entry.done else "open"
    rater = entry.unit.rater or f"{entry.raters} raters"  # a conflict has two at least
    return f"{entry.id:<18} {state}  {rater} on {about}: {_words(entry)}"


def _words(entry: WorkListEntry) -> str:
    if entry.key.kind == "skip":
        return f"skipped {entry.notes[0].text}"
    if entry.key.kind == "check":
        parts = [
            f"{note.criterion} {note.text or 'cannot judge'} instead of {note.known}" for note in entry.notes
        ]
    else:
        parts = [
            f"answer: {note.text}" if note.answer else ": ".join(filter(None, [note.criterion, note.text]))
            for note in entry.notes
        ]
    return "; ".join(" ".join(part.split()) for part in parts)
