"""Contents of a project for browsing, and its recent events."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.store.db import audit
from judgelab.store.db.audit import AuditEvent
from judgelab.store.db.engine import Store
from judgelab.store.projects import contents
from judgelab.store.projects.contents import ImportedFile, ItemPage, ItemTexts, NamedCount
from judgelab.store.projects.overview import Overview, count_people, overview
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.rating_records import any_rated, count_by_origin
from judgelab.wording import Sentence, counted, sentence


@dataclass(frozen=True)
class ProjectContents:
    """Systems and groups with their sizes, and the imported files."""

    systems: list[NamedCount]
    groups: list[NamedCount]
    files: list[ImportedFile]


def project_counts(store: Store, project: ProjectInfo) -> Overview:
    """Return the project's counts."""
    with store.reading() as session:
        return overview(session, project.id, raters_wanted=int(project.settings["raters_per_response"]))


def ratings_by_raters(counts: Overview) -> Sentence:
    """Return how many ratings there are, and by how many people and numbered raters of a file."""
    ratings = counted("{n} rating", "{n} ratings", counts.ratings)
    people = counts.raters - counts.slots
    if people:
        ratings = counted("{ratings} by {n} rater", "{ratings} by {n} raters", people, ratings=ratings)
    if not counts.slots:
        return ratings
    slots = counted(
        "{n} rater slot (numbered in the file, perhaps several people)",
        "{n} rater slots (numbered in the file, perhaps several people each)",
        counts.slots,
    )
    if people:
        return sentence("{ratings} and {slots}", ratings=ratings, slots=slots)
    return sentence("{ratings} in {slots}", ratings=ratings, slots=slots)


def comparisons_by_raters(counts: Overview) -> Sentence:
    """Return how many comparisons there are, and by how many people."""
    return sentence(
        "{comparisons} by {raters}",
        comparisons=counted("{n} comparison", "{n} comparisons", counts.comparisons),
        raters=counted("{n} rater", "{n} raters", counts.comparing),
    )


def count_raters(store: Store, slug: str, *, comparisons: bool = False) -> int:
    """Return how many people rated in the project, or compared two responses."""
    with store.reading() as session:
        return count_people(session, find_project(session, slug).id, comparisons=comparisons)


def count_ratings_by_origin(store: Store, project: ProjectInfo) -> tuple[int, int]:
    """Return how many ratings and comparisons were given in JudgeLab, and how many came from files."""
    with store.reading() as session:
        counts = [count_by_origin(session, project.id, comparisons=pairs) for pairs in (False, True)]
    return sum(in_browser for in_browser, _ in counts), sum(imported for _, imported in counts)


def has_comparisons_alone(store: Store, project: ProjectInfo) -> bool:
    """Return whether people compared two responses at a time and rated none by itself."""
    if project.settings.get("form") in ("ranking", "best_worst"):
        return False
    with store.reading() as session:
        return not any_rated(session, project.id) and any_rated(session, project.id, comparisons=True)


def project_contents(store: Store, project_id: int) -> ProjectContents:
    """Return the project's systems, groups and imported files."""
    with store.reading() as session:
        return ProjectContents(
            contents.count_systems(session, project_id),
            contents.count_groups(session, project_id),
            contents.imported_files(session, project_id),
        )


def item_page(store: Store, project_id: int, *, search: str, size: int, page: int) -> ItemPage:
    """Return a page (from 1) of the items that match a search; page 1 if there is no such page."""
    with store.reading() as session:
        found_page = contents.item_page(
            session, project_id, search=search, limit=size, offset=(page - 1) * size
        )
        if not found_page.lines and found_page.total:
            return contents.item_page(session, project_id, search=search, limit=size)
    return found_page


def item_texts(store: Store, project_id: int, item: str) -> ItemTexts:
    """Return an item with its references and responses; raises `NotFound`."""
    with store.reading() as session:
        return contents.item_texts(session, project_id, item)


def recent_events(store: Store, project_id: int) -> list[AuditEvent]:
    """Return the project's recent events, newest first."""
    with store.reading() as session:
        return audit.recent_events(session, project_id)
