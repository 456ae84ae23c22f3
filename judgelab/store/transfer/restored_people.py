"""Restore people's memberships of a project: role, state, cohort, training and recruitment link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, select, update

from judgelab.money import read_amount
from judgelab.store.models import Membership, StudyLink
from judgelab.store.people.bonuses import Bonus, columns
from judgelab.store.people.people import find_or_create
from judgelab.store.transfer.restored import Cells, RestoreTarget
from judgelab.wording import sentence

FORM_COLUMNS = ("parameters", "background", "exit_answers")  # the last is None if it was not answered
RESTORED_ROLES = frozenset({"annotator", "reader"})


class PeopleRestorer:
    """Writes memberships; existing ones stay as they are.

    A file must not grant rights that the person importing it could not grant, so the researcher and owner
    roles are only restored with `grant_roles`; without it, such people become readers.
    """

    def __init__(self, into: RestoreTarget, *, grant_roles: bool) -> None:
        self._into = into
        self._grant_roles = grant_roles
        self._lowered: list[str] = []

    def memberships(self, rows: Sequence[Cells]) -> None:
        """Store the memberships."""
        names = (
            *("state", "cohort", "most_responses", "training"),
            *("consented_at", "joined_at", "due_at", "left_at"),
        )
        of_project = StudyLink.project_id == self._into.project_id
        rows_of_links = self._into.session.execute(select(StudyLink.name, StudyLink.id).where(of_project))
        links = {name: row_id for name, row_id in rows_of_links}
        values = [
            {
                "project_id": self._into.project_id,
                "person_id": find_or_create(self._into.session, row["person"], role=""),
                "role": self._role(row),
                "study_link_id": links.get(row["study_link"]),
                **{name: row[name] for name in names},
            }
            for row in rows
        ]
        self._into.insert_missing(Membership, values, ("project_id", "person_id"), None)

    def backgrounds(self, rows: Sequence[Cells]) -> None:
        """Store people's backgrounds, platform ids and bonuses, where none are stored yet.

        A platform id that somebody else has at the same link already is kept without the link.
        """
        for row in rows:
            person = find_or_create(self._into.session, row["person"], role="")
            is_member = (Membership.project_id == self._into.project_id) & (Membership.person_id == person)
            stored = self._into.session.execute(
                select(
                    Membership.external_id,
                    Membership.bonus,
                    *(getattr(Membership, name) for name in FORM_COLUMNS),
                ).where(is_member)
            ).first()
            if stored is not None and not any(stored):
                values: dict[str, Any] = {name: row[name] or {} for name in FORM_COLUMNS[:-1]}
                external_id = row["external_id"] or None
                if external_id and self._is_taken(external_id, is_member):
                    values["study_link_id"] = None
                bonus = Bonus(read_amount(row["bonus"] or "0"), row["bonus_reason"] or "")
                self._into.session.execute(
                    update(Membership)
                    .where(is_member)
                    .values(external_id=external_id, exit_answers=row["exit_answers"])
                    .values(**values, **columns(bonus))
                )

    def _is_taken(self, external_id: str, is_member: ColumnElement[bool]) -> bool:
        link = select(Membership.study_link_id).where(is_member).scalar_subquery()
        taken = select(Membership.id).where(
            Membership.study_link_id == link, Membership.external_id == external_id
        )
        return self._into.session.scalar(taken) is not None

    def notices(self) -> Iterator[str]:
        """Yield a sentence that names the people whose roles were lowered."""
        if self._lowered:
            yield sentence(
                "read-only access in the copy: {names}; the copy's owner can restore their roles",
                names=", ".join(sorted(set(self._lowered))),
            )

    def _role(self, row: Cells) -> str:
        if self._grant_roles or row["role"] in RESTORED_ROLES:
            return str(row["role"])
        self._lowered.append(row["person"])
        return "reader"
