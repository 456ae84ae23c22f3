"""Storing people's places in a project again: role, standing, cohort, training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import select, update

from judgelab.store.models import Membership
from judgelab.store.people.people import find_or_create
from judgelab.store.transfer.restored import Cells, RestoreTarget
from judgelab.wording import sentence

RESTORED_ROLES = frozenset({"annotator", "reader"})


class PeopleRestorer:
    """Writes memberships; one that is there stays as it is.

    A file must not give anybody rights that whoever imports it could not give, so the rights to research
    and to own a project come back only with `grant_roles`; without it such people may read.
    """

    def __init__(self, into: RestoreTarget, *, grant_roles: bool) -> None:
        self._into = into
        self._grant_roles = grant_roles
        self._lowered: list[str] = []

    def memberships(self, rows: Sequence[Cells]) -> None:
        """Store who belongs to the project."""
        names = ("state", "cohort", "most_responses", "training", "consented_at", "joined_at")
        found = [
            {
                "project_id": self._into.project_id,
                "person_id": find_or_create(self._into.session, row["person"], role=""),
                "role": self._role(row),
                **{name: row[name] for name in names},
            }
            for row in rows
        ]
        self._into.insert_missing(Membership, found, ("project_id", "person_id"), None)

    def backgrounds(self, rows: Sequence[Cells]) -> None:
        """Store what people said of themselves and how a platform names them, where nothing is known."""
        for row in rows:
            person = find_or_create(self._into.session, row["person"], role="")
            of = (Membership.project_id == self._into.project_id) & (Membership.person_id == person)
            known = self._into.session.execute(
                select(Membership.external_id, Membership.parameters, Membership.background).where(of)
            ).first()
            if known is not None and not any(known):
                values = {name: row[name] or {} for name in ("parameters", "background")}
                external_id = row["external_id"] or None
                self._into.session.execute(
                    update(Membership).where(of).values(external_id=external_id, **values)
                )

    def notices(self) -> Iterator[str]:
        """Yield whose rights did not come back."""
        if self._lowered:
            yield sentence(
                "{names} may only read in the copy; whoever owns it can give them their roles again",
                names=", ".join(sorted(set(self._lowered))),
            )

    def _role(self, row: Cells) -> str:
        if self._grant_roles or row["role"] in RESTORED_ROLES:
            return str(row["role"])
        self._lowered.append(row["person"])
        return "reader"
