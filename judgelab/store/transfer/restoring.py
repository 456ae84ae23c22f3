"""Restore an export as a new project, or add to an existing one what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.orm import Session

from judgelab.domain import Criterion, Reference
from judgelab.errors import InvalidInput
from judgelab.store.models import CriterionRow, FilterPolicyRow, ItemRow, MetricScore, Project
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import DEFAULT_SETTINGS, create_project
from judgelab.store.rating import units
from judgelab.store.rating.criteria import add_criteria, criterion_ids
from judgelab.store.transfer.exporting import CRITERION_FIELDS, POLICY_FIELDS
from judgelab.store.transfer.outdated import delete_outdated
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.store.transfer.restored import Cells, RestoreTarget, with_times
from judgelab.store.transfer.restored_comparisons import ComparisonRestorer
from judgelab.store.transfer.restored_images import restore_images
from judgelab.store.transfer.restored_judging import JudgingRestorer
from judgelab.store.transfer.restored_learned import LearnedRestorer
from judgelab.store.transfer.restored_material import MaterialRestorer
from judgelab.store.transfer.restored_people import PeopleRestorer
from judgelab.store.transfer.restored_work import WorkRestorer
from judgelab.wording import joined, mark, sentence

POLICY_DEFAULTS: Mapping[str, Any] = {
    "sha256": "",
    "lock": {},
}  # of a filter exported before filters had these
# Project-level fields of an export, and what the screen calls them.
PROJECT_FIELDS = {
    "task": mark("kind of items"),
    "study": mark("study"),
    "blind": mark("blinding of raters"),
    "guidelines": mark("guidelines"),
    "settings": mark("settings"),
}
CHECKED_CRITERION_FIELDS = ("label", "question", "scale", "higher_is_better")


def restore_project(session: Session, head: Mapping[str, Any], slug: str) -> ProjectInfo:
    """Create the project that an export describes as `slug`, and return it."""
    record = head["project"]
    info = create_project(
        session,
        name=record["name"],
        study=record["study"],
        task=record["task"],
        settings=record["settings"],
        guidelines=record["guidelines"],
        slug=slug,
    )
    project = session.get_one(Project, info.id)
    project.settings, project.blind = record["settings"], record["blind"]
    project.guidelines_version = record["guidelines_version"]
    project.created_at = datetime.fromisoformat(record["created_at"])
    return info


def differing_settings(session: Session, project_id: int, head: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence about the settings that differ from the export; the project keeps its own."""
    project, record = session.get_one(Project, project_id), head["project"]
    differ = [
        sentence(word)
        for name, word in PROJECT_FIELDS.items()
        if _complete(name, getattr(project, name)) != _complete(name, record[name])
    ]
    criteria = {
        row.key: row for row in session.scalars(select(CriterionRow).filter_by(project_id=project_id))
    }
    changed = [
        criterion["label"]
        for criterion in head["criteria"]
        if criterion["key"] in criteria
        and any(
            getattr(criteria[criterion["key"]], name) != criterion[name] for name in CHECKED_CRITERION_FIELDS
        )
    ]
    differ += [sentence("criterion “{criterion}”", criterion=label) for label in changed]
    if differ:
        yield sentence("the export differs in {what}; this project keeps its own", what=joined(differ))


def _complete(name: str, value: Any) -> Any:
    """Return a field's value; settings get defaults for what an older export lacks."""
    return {**DEFAULT_SETTINGS, **value} if name == "settings" else value


class Restorer:
    """Stores the tables of an export in their order; rows that exist are left as they are.

    Args:
        session: a writing session.
        project_id: the project that receives the rows.
        head: the content of project.json.
        grant_roles: whether people get back researcher and owner roles.
    """

    def __init__(
        self, session: Session, project_id: int, head: Mapping[str, Any], *, grant_roles: bool = False
    ) -> None:
        existing = criterion_ids(session, project_id)
        fresh = [c for c in head["criteria"] if c["key"] not in existing]
        add_criteria(
            session, project_id, [Criterion(**{name: c[name] for name in CRITERION_FIELDS}) for c in fresh]
        )
        self._into = RestoreTarget(session, project_id)
        self.ledger = self._into.ledger
        self._restore_policies(head)
        learned = LearnedRestorer(self._into)
        work, judging = WorkRestorer(self._into), JudgingRestorer(self._into, head)
        comparisons, self._material = ComparisonRestorer(self._into), MaterialRestorer(self._into)
        self._judging, material = judging, self._material
        self._people = PeopleRestorer(self._into, grant_roles=grant_roles)
        self._writers: dict[str, Callable[[Sequence[Cells]], None]] = {
            "items": self._items,
            "references": self._references,
            "responses": self._responses,
            "documents": material.documents,
            "images": lambda rows: restore_images(self.ledger, rows),
            "prepared_replies": material.replies,
            "panel_roles": material.roles,
            "reference_lists": material.lists,
            "worked_examples": material.examples,
            "evaluation_steps": material.steps,
            "wordings": material.wordings,
            "grids": material.grids,
            "study_links": material.links,
            "memberships": self._people.memberships,
            "backgrounds": self._people.backgrounds,
            "gold_scores": comparisons.gold_scores,
            "assignments": work.assignments,
            "ratings": work.ratings,
            "preferences": comparisons.preferences,
            "rankings": comparisons.rankings,
            "decisions": comparisons.decisions,
            "pair_decisions": comparisons.pair_decisions,
            "tags": comparisons.tags,
            "work_list_marks": work.marks,
            "messages": work.messages,
            "rating_events": work.events,
            "judgments": judging.judgments,
            "verdicts": judging.verdicts,
            "completions": judging.completions,
            "failed_calls": judging.failed_calls,
            "judged_pairs": judging.pairs,
            "prompts": judging.prompts,
            "metric_scores": self._metric_scores,
            "learned_models": learned.models,
            "proposals": learned.proposals,
            "log": lambda rows: work.log(rows, judging.runs),
        }

    def store(self, table: str, rows: Sequence[Cells]) -> None:
        """Store some rows of one table."""
        try:
            self._writers[table](rows)
        except StatementError as error:
            if isinstance(error, DBAPIError) and not isinstance(error, (IntegrityError, DataError)):
                raise  # a problem of the database, not of the row
            raise InvalidInput(
                sentence(
                    "the export was changed: {table} contains a row that can't be stored; export again.",
                    table=table,
                )
            ) from error

    def notices(self) -> Iterator[str]:
        """Yield notices for the person who imports; none is an error."""
        yield from self._people.notices()
        yield from self._material.notices()

    def texts_stored(self) -> None:
        """Offer the responses to raters and delete outdated scores; called after the last response."""
        units.offer_units(self.ledger.session, self.ledger.project_id)
        delete_outdated(self.ledger)
        self._judging.selections()

    def _items(self, rows: Sequence[Cells]) -> None:
        names = ("item_id", "question", "context", "group")
        items = (ItemRecord(**{n: row[n] for n in names}, meta=row["meta"] or {}) for row in rows)
        ids = {row["item_id"] for row in rows}
        existing = set(self._into.session.scalars(self._of_project(select(ItemRow.external_id), ids)))
        self._into.texts.write(items, ())
        for row in rows:
            values = {"purpose": row["purpose"] or "data", "cohort": row["cohort"]}
            if row["item_id"] not in existing and values != {"purpose": "data", "cohort": ""}:
                self._into.session.execute(
                    self._of_project(update(ItemRow), {row["item_id"]}).values(**values)
                )

    def _of_project(self, query: Any, items: set[str]) -> Any:
        return query.where(ItemRow.project_id == self._into.project_id, ItemRow.external_id.in_(items))

    def _references(self, rows: Sequence[Cells]) -> None:
        self._into.texts.write(
            (
                ItemRecord(
                    row["item_id"],
                    references=(Reference(row["reference"], row["reference_grade"], row["origin"]),),
                )
                for row in rows
            ),
            (),
        )

    def _responses(self, rows: Sequence[Cells]) -> None:
        self._into.texts.write(
            (),
            (
                ResponseRecord(r["item_id"], r["response_id"], r["system"], r["response"], r["meta"] or {})
                for r in rows
            ),
        )

    def _metric_scores(self, rows: Sequence[Cells]) -> None:
        names = ("metric", "options", "score", "reason", "scored_at")
        values = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                **{name: row[name] for name in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(MetricScore, values, ("response_id", "metric"), "metrics")

    def _restore_policies(self, head: Mapping[str, Any]) -> None:
        query = select(FilterPolicyRow.name, FilterPolicyRow.version)
        existing = {
            (name, version)
            for name, version in self._into.session.execute(
                query.where(FilterPolicyRow.project_id == self._into.project_id)
            )
        }
        for record in head["policies"]:
            if (record["name"], record["version"]) not in existing:
                values = with_times({**POLICY_DEFAULTS, **record}, POLICY_FIELDS)
                values["in_use"] = values["in_use"] and not existing
                self._into.session.add(FilterPolicyRow(project_id=self._into.project_id, **values))
        self._into.session.flush()
