"""The saved sets of worked examples, for showing them; `demonstrations` drafts, refines and removes."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.store.db.engine import Store
from judgelab.store.prepared import worked_examples
from judgelab.store.prepared.worked_examples import SavedExample


@dataclass(frozen=True)
class CurrentExamples:
    """The examples of a set as they are now, and its version; None where nothing was saved under the name."""

    examples: list[SavedExample]
    version: int | None


def set_names(store: Store, project_id: int) -> list[str]:
    """Return the names of the project's sets of examples."""
    with store.reading() as session:
        return [example_set.name for example_set in worked_examples.example_sets(session, project_id)]


def examples_of_set(store: Store, project_id: int, name: str) -> list[SavedExample]:
    """Return the examples of a set as they are now."""
    with store.reading() as session:
        return list(worked_examples.examples_at(session, project_id, name))


def current_examples(store: Store, project_id: int, name: str) -> CurrentExamples:
    """Return a set with its version."""
    with store.reading() as session:
        examples = list(worked_examples.examples_at(session, project_id, name))
        sets = worked_examples.example_sets(session, project_id)
    version = next((known.version for known in sets if known.name == name), None)
    return CurrentExamples(examples, version)


def example_versions(store: Store, project_id: int, name: str, key: str) -> list[SavedExample]:
    """Return every saved version of one example of a set."""
    with store.reading() as session:
        return list(worked_examples.example_history(session, project_id, name, key))
