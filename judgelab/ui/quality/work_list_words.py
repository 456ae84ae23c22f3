"""The words of the work list: kinds of entries, what a rater wrote or did, and the table of a file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.raters.work_list import WorkListEntry
from judgelab.escaping import escape_formula
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.work_list import Note
from judgelab.ui.kit import text
from judgelab.wording import mark

KIND_WORDS = {
    "message": mark("Message"),
    "flag": mark("Flagged"),
    "comment": mark("Commented"),
    "skip": mark("Skipped"),
    "check": mark("Failed check"),
}
STATES = {"open": mark("open"), "done": mark("done"), "all": mark("all")}


def count_sentence(entries: Sequence[WorkListEntry]) -> str:
    """Return how many entries are open, by kind, and how many are done."""
    still_open = Counter(str(entry.key.kind) for entry in entries if not entry.done)
    done = sum(entry.done for entry in entries)
    if not still_open:
        return _n("Everything is done: {n} entry.", "Everything is done: {n} entries.", done) if done else ""
    counts = [
        words
        for kind, words in (
            ("message", _n("{n} message", "{n} messages", still_open["message"])),
            ("flag", _n("{n} flag", "{n} flags", still_open["flag"])),
            ("comment", _n("{n} comment", "{n} comments", still_open["comment"])),
            ("skip", _n("{n} skip", "{n} skips", still_open["skip"])),
            ("check", _n("{n} failed check", "{n} failed checks", still_open["check"])),
        )
        if still_open[kind]
    ]
    return _("Open: {list}. Done: {n}.", list=", ".join(counts), n=text.count(done))


def note_text(note: Note, project: ProjectInfo, kind: str) -> str:
    """Return what a rater wrote or did, after the criterion's label if it has one."""
    if kind == "skip":
        return (
            _("skipped twice; not shown again") if note.text == "twice" else _("skipped; shown again later")
        )
    words = note.text
    if note.answer:
        return _("Answer by {person}: {text}", person=note.by or _("the command line"), text=words)
    if kind == "check":
        words = _(
            "{score} instead of {known}",
            score=note.text or _("cannot judge"),
            known=note.known or text.MISSING,
        )
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    label = labels.get(note.criterion, note.criterion) if len(labels) > 1 else ""
    return f"{label}: {words}" if label else words


def entry_text(entry: WorkListEntry, project: ProjectInfo) -> str:
    """Return an entry's notes on one line."""
    return " · ".join(note_text(note, project, entry.key.kind) for note in entry.notes)


def entry_frame(entries: Sequence[WorkListEntry], project: ProjectInfo) -> pd.DataFrame:
    """Return one row an entry, in words."""
    return pd.DataFrame(
        {
            "Kind": [_(KIND_WORDS[entry.key.kind]) for entry in entries],
            "Text": [entry_text(entry, project) for entry in entries],
            "Rater": [entry.unit.rater for entry in entries],
            "Item": [entry.unit.item for entry in entries],
            "System": [" – ".join(entry.unit.systems) for entry in entries],
            "When": [text.when(entry.at) for entry in entries],
            "State": [_(STATES["done" if entry.done else "open"]) for entry in entries],
        }
    )


def entries_csv(entries: Sequence[WorkListEntry], project: ProjectInfo) -> str:
    """Return the table as CSV, with the time in full and the note of what is done."""
    frame = entry_frame(entries, project)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    heads = (_("Kind"), _("What the rater wrote or did"), _("Rater"), _("Item"), _("System"), _("When"))
    writer.writerow([*heads, _("State"), _("Note")])
    for row, entry in zip(frame.itertuples(index=False), entries, strict=True):
        cells = [
            *row[:5],
            entry.at.isoformat() if entry.at else "",
            row[6],
            entry.mark.note if entry.mark else "",
        ]
        writer.writerow([escape_formula(str(cell)) for cell in cells])
    return file.getvalue()
