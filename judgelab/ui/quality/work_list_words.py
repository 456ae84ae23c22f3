"""The words of the work list: kinds of entries, what a rater wrote or did, and the table of a file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.disagreement.conflicts import Conflict
from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.analysis.disagreement.project_conflicts import AnyConflict
from judgelab.analysis.raters.work_list_entry import CONFLICT, WorkListEntry
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
    CONFLICT: mark("Conflict"),
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
            (CONFLICT, _n("{n} conflict", "{n} conflicts", still_open[CONFLICT])),
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
    return _under(note.criterion, words, project)


def conflict_text(conflict: AnyConflict, project: ProjectInfo) -> str:
    """Return which scores or choices are in conflict, after the criterion's label; no system is named."""
    words = (
        _choices(conflict)
        if isinstance(conflict, PairConflict)
        else _("rated {scores}", scores=_scores(conflict, project))
    )
    return _under(conflict.criterion, words, project)


def decision_text(conflict: AnyConflict, project: ProjectInfo) -> str:
    """Return what was decided about a conflict; empty while it is open."""
    if conflict.decision is None:
        return ""
    if isinstance(conflict, PairConflict):
        systems = {conflict.first: conflict.system_first, conflict.second: conflict.system_second}
        if conflict.decision.choice == "tie":
            return _("tie")
        winner = systems.get(conflict.decision.chosen or 0)
        return _("cannot be decided") if winner is None else _("{system} is better", system=winner)
    score = conflict.decision.score
    return _("cannot be decided") if score is None else _score(score, conflict.criterion, project)


def _choices(conflict: PairConflict) -> str:
    more, fewer = sorted((conflict.n_first, conflict.n_second), reverse=True)
    chosen = _("{more} for one response, {fewer} for the other", more=more, fewer=fewer)
    ties = _n("{n} tie", "{n} ties", conflict.n_tie) if conflict.n_tie else ""
    return ", ".join(filter(None, [chosen, ties]))


def _scores(conflict: Conflict, project: ProjectInfo) -> str:
    return ", ".join(_score(score, conflict.criterion, project) for score in conflict.scores)


def _score(score: float, criterion: str, project: ProjectInfo) -> str:
    return project.scale(criterion).label_of(score) or f"{score:g}"


def _under(criterion: str, words: str, project: ProjectInfo) -> str:
    """Return words after the criterion's label, if the project has several criteria."""
    labels = {each.key: each.label for each in project.criteria}
    label = labels.get(criterion, criterion) if len(labels) > 1 else ""
    return f"{label}: {words}" if label else words


def entry_text(entry: WorkListEntry, project: ProjectInfo) -> str:
    """Return an entry's notes on one line."""
    if entry.conflict is not None:
        return conflict_text(entry.conflict, project)
    return " · ".join(note_text(note, project, entry.key.kind) for note in entry.notes)


def rater_text(entry: WorkListEntry) -> str:
    """Return the rater's name; of a conflict, how many raters it is between."""
    return entry.unit.rater or _n("{n} rater", "{n} raters", entry.raters)


def entry_frame(entries: Sequence[WorkListEntry], project: ProjectInfo) -> pd.DataFrame:
    """Return one row an entry, in words."""
    return pd.DataFrame(
        {
            "Kind": [_(KIND_WORDS[entry.key.kind]) for entry in entries],
            "Text": [entry_text(entry, project) for entry in entries],
            "Rater": [rater_text(entry) for entry in entries],
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
    heads = (_("Kind"), _("What raters wrote or did"), _("Rater"), _("Item"), _("System"), _("When"))
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
