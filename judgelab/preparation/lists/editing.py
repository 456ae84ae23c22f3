"""Stored lists of references: shown, changed, copied, deleted."""

from __future__ import annotations

from dataclasses import replace

from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.judges import list_judges
from judgelab.store.prepared import reference_lists as lists
from judgelab.store.prepared.reference_lists import ItemList, ListSet
from judgelab.store.projects.projects import find_project
from judgelab.wording import counted, sentence


def list_sets(store: Store, slug: str) -> list[ListSet]:
    """Return the project's sets of lists; raises `NotFound` for a project that is none."""
    with store.reading() as session:
        return lists.list_sets(session, find_project(session, slug).id)


def lists_of_set(store: Store, slug: str, name: str, draw: int) -> list[ItemList]:
    """Return the lists of a set by item; raises `NotFound` for a project that is none."""
    with store.reading() as session:
        return list(lists.lists_of(session, find_project(session, slug).id, name, draw).values())


def list_of_judge(store: Store, project_id: int, judge_name: str, item: str) -> ItemList | None:
    """Return the reference list that the judge placed the item's responses in; None if it uses no lists."""
    with store.reading() as session:
        judges = {judge.name: judge for judge in list_judges(session, project_id)}
        judge = judges.get(judge_name)
        if judge is None or "list" not in judge.options:
            return None
        by_item = lists.lists_of(session, project_id, judge.options["list"], int(judge.options["draw"]))
    return next((item_list for item_list in by_item.values() if item_list.item == item), None)


def edit_entry(store: Store, slug: str, list_id: int, place: int, text: str) -> None:
    """Store another text for the entry at a place (from 0) of a list.

    A response's own text that was changed is no longer that response, which may be judged again.

    Raises:
        UserError: no such list or place, no text, or a run judged with the list.
    """
    if not text.strip():
        raise InvalidInput(sentence("a reference needs a text; to remove it, delete the lists."))
    with store.writing() as session:
        project = find_project(session, slug)
        item_list = lists.list_by_id(session, list_id)
        refuse_used(session, project.id, *lists.set_name_of_list(session, list_id))
        if not 0 <= place < len(item_list.entries):
            raise InvalidInput(sentence("the list has no position {place}.", place=place + 1))
        entries = list(item_list.entries)
        entries[place] = replace(entries[place], text=text.strip(), edited=True, response_id=None)
        lists.change_list(session, list_id, entries)


def copy_set(store: Store, slug: str, name: str, draw: int, *, to: str) -> None:
    """Store a set of lists under another name too, to be changed there.

    Raises:
        UserError: no such set, or the name is taken or empty.
    """
    with store.writing() as session:
        project = find_project(session, slug)
        existing = {(list_set.name, list_set.draw) for list_set in lists.list_sets(session, project.id)}
        if (name, draw) not in existing:
            raise InvalidInput(
                sentence("there are no lists named '{name}', draw {draw}.", name=name, draw=str(draw))
            )
        if not to.strip() or (to.strip(), draw) in existing:
            raise InvalidInput(sentence("choose a name for the copy that no other lists use."))
        lists.copy_lists(session, project.id, name, draw, to=to.strip())


def delete_set(store: Store, slug: str, name: str, draw: int) -> None:
    """Delete a set of lists; raises `UserError` where a run judged with it."""
    with store.writing() as session:
        project = find_project(session, slug)
        refuse_used(session, project.id, name, draw)
        lists.delete_lists(session, project.id, name, draw)


def refuse_used(session: Session, project_id: int, name: str, draw: int) -> None:
    """Raise `InvalidInput` where a run judged with the lists: what it saw must not change behind it."""
    runs = lists.runs_with(session, project_id, name, draw)
    if runs:
        raise InvalidInput(
            counted(
                "{n} run used the lists '{name}', draw {draw}, so they can't be changed; copy them under "
                "another name to make changes.",
                "{n} runs used the lists '{name}', draw {draw}, so they can't be changed; copy them under "
                "another name to make changes.",
                runs,
                name=name,
                draw=str(draw),
            )
        )
