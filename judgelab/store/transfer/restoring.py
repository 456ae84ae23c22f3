"""Storing an export again: the same project, or what an existing one lacks of it."""

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
from judgelab.store.projects.projects import DEFAULT_SETTINGS, ProjectInfo, create_project
from judgelab.store.rating import units
from judgelab.store.rating.criteria import add_criteria, criterion_ids
from judgelab.store.transfer.exporting import CRITERION_FIELDS, POLICY_FIELDS
from judgelab.store.transfer.outdated import delete_outdated
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.store.transfer.restored import Cells, RestoreTarget, with_times
from judgelab.store.transfer.restored_comparisons import ComparisonRestorer
from judgelab.store.transfer.restored_judging import JudgingRestorer
from judgelab.store.transfer.restored_learned import LearnedRestorer
from judgelab.store.transfer.restored_material import MaterialRestorer
from judgelab.store.transfer.restored_people import PeopleRestorer
from judgelab.store.transfer.restored_work import WorkRestorer
from judgelab.wording import joined, mark, sentence

POLICY_DEFAULTS: Mapping[str, Any] = {"sha256": "", "lock": {}}  # of a rule exported before rules had these
# What an export says of a project as a whole.
PROJECT_FIELDS = {
    "task": mark("kind of items"),
    "study": mark("study"),
    "blind": mark("blindness of raters"),
    "guidelines": mark("guidelines"),
    "settings": mark("settings"),
}
CHECKED_CRITERION_FIELDS = ("label", "question", "scale", "higher_is_better")


def restore_project(session: Session, head: Mapping[str, Any], slug: str) -> ProjectInfo:
    """Return the project that an export describes, newly created as `slug`."""
    said = head["project"]
    made = create_project(
        session,
        name=said["name"],
        study=said["study"],
        task=said["task"],
        settings=said["settings"],
        guidelines=said["guidelines"],
        slug=slug,
    )
    project = session.get_one(Project, made.id)
    project.settings, project.blind = said["settings"], said["blind"]
    project.guidelines_version = said["guidelines_version"]
    project.created_at = datetime.fromisoformat(said["created_at"])
    return made


def differing_settings(session: Session, project_id: int, head: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the project here says otherwise than the export; it keeps that."""
    project, said = session.get_one(Project, project_id), head["project"]
    differ = [
        sentence(word)
        for name, word in PROJECT_FIELDS.items()
        if _complete(name, getattr(project, name)) != _complete(name, said[name])
    ]
    here = {row.key: row for row in session.scalars(select(CriterionRow).filter_by(project_id=project_id))}
    changed = [
        one["label"]
        for one in head["criteria"]
        if one["key"] in here
        and any(getattr(here[one["key"]], name) != one[name] for name in CHECKED_CRITERION_FIELDS)
    ]
    differ += [sentence("criterion “{criterion}”", criterion=label) for label in changed]
    if differ:
        yield sentence(
            "the project here keeps its own {what}; the export says otherwise", what=joined(differ)
        )


def _complete(name: str, value: Any) -> Any:
    """Return settings with what an older export does not name."""
    return {**DEFAULT_SETTINGS, **value} if name == "settings" else value


class Restorer:
    """Stores the tables of an export in their order; rows that exist are left as they are.

    Args:
        session: a writing session.
        project_id: the project that takes the rows.
        head: the content of project.json.
        grant_roles: whether people get the rights to research and to own that they had.
    """

    def __init__(
        self, session: Session, project_id: int, head: Mapping[str, Any], *, grant_roles: bool = False
    ) -> None:
        known = criterion_ids(session, project_id)
        fresh = [c for c in head["criteria"] if c["key"] not in known]
        add_criteria(
            session, project_id, [Criterion(**{name: c[name] for name in CRITERION_FIELDS}) for c in fresh]
        )
        self._into = RestoreTarget(session, project_id)
        self.ledger = self._into.ledger
        self._restore_policies(head)
        learned = LearnedRestorer(self._into)
        work, judging = WorkRestorer(self._into), JudgingRestorer(self._into, head)
        compared, self._material = ComparisonRestorer(self._into), MaterialRestorer(self._into)
        self._judging, material = judging, self._material
        self._people = PeopleRestorer(self._into, grant_roles=grant_roles)
        self._writers: dict[str, Callable[[Sequence[Cells]], None]] = {
            "items": self._items,
            "references": self._references,
            "responses": self._responses,
            "documents": material.documents,
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
            "gold_scores": compared.gold_scores,
            "assignments": work.assignments,
            "ratings": work.ratings,
            "preferences": compared.preferences,
            "rankings": compared.rankings,
            "decisions": compared.decisions,
            "tags": compared.tags,
            "rating_events": work.events,
            "judgments": judging.judgments,
            "verdicts": judging.verdicts,
            "completions": judging.completions,
            "failed_calls": judging.failed_calls,
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
                raise  # the database's trouble, not the row's
            raise InvalidInput(
                sentence(
                    "the export was changed: {table} holds a row that cannot be stored; export again.",
                    table=table,
                )
            ) from error

    def notices(self) -> Iterator[str]:
        """Yield what a person should know though nothing is wrong."""
        yield from self._people.notices()
        yield from self._material.notices()

    def texts_stored(self) -> None:
        """Offer the responses to raters and drop what is out of date; called after the last of them."""
        units.offer_units(self.ledger.session, self.ledger.project_id)
        delete_outdated(self.ledger)
        self._judging.selections()

    def _items(self, rows: Sequence[Cells]) -> None:
        names = ("item_id", "question", "context", "group")
        items = (ItemRecord(**{n: row[n] for n in names}, meta=row["meta"] or {}) for row in rows)
        ids = {row["item_id"] for row in rows}
        known = set(self._into.session.scalars(self._of_project(select(ItemRow.external_id), ids)))
        self._into.texts.write(items, ())
        for row in rows:
            values = {"purpose": row["purpose"] or "data", "cohort": row["cohort"]}
            if row["item_id"] not in known and values != {"purpose": "data", "cohort": ""}:
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
        found = [
            {
                "project_id": self._into.project_id,
                "response_id": response,
                **{name: row[name] for name in names},
            }
            for row, response in self._into.with_responses(rows)
        ]
        self._into.insert_missing(MetricScore, found, ("response_id", "metric"), "metrics")

    def _restore_policies(self, head: Mapping[str, Any]) -> None:
        query = select(FilterPolicyRow.name, FilterPolicyRow.version)
        known = {
            (name, version)
            for name, version in self._into.session.execute(
                query.where(FilterPolicyRow.project_id == self._into.project_id)
            )
        }
        for said in head["policies"]:
            if (said["name"], said["version"]) not in known:
                values = with_times({**POLICY_DEFAULTS, **said}, POLICY_FIELDS)
                values["in_use"] = values["in_use"] and not known
                self._into.session.add(FilterPolicyRow(project_id=self._into.project_id, **values))
        self._into.session.flush()
