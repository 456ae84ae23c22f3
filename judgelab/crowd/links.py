"""The open links of a project: made, changed, closed and opened again by its researchers; recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from judgelab.accounts.members import Actor
from judgelab.annotation.links.options import LinkOptions, checked_options, options_from_json, options_to_json
from judgelab.errors import InvalidInput, NotAllowed, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import login_attempts, memberships, recruitment_links
from judgelab.store.people.recruitment_links import LinkCounts, RecruitmentLinkInfo
from judgelab.wording import mark, sentence

LONGEST_NAME = 80
JOINS_PER_PLACE = 10  # within an hour
FROM_ONE_ADDRESS = 3  # the same from one address: a class may share one
PROLIFIC = {name: f"{{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}


@dataclass(frozen=True)
class RecruitmentLink:
    """A link with what it asks for and how many came through it.

    `full_addresses` is from how many addresses nobody new gets in for now (`count_join`).
    """

    stored: RecruitmentLinkInfo
    options: LinkOptions
    counts: LinkCounts
    full_addresses: int = 0

    @property
    def state(self) -> str:
        """Whether somebody new gets in: `open`, `full`, `held_up` for an hour or `closed`."""
        if self.stored.closed_at is not None:
            return "closed"
        if self.counts.lately >= most_an_hour(self.options):
            return "held_up"
        return "full" if self.counts.placed >= self.options.places else "open"

    @property
    def address(self) -> str:
        """The path with a place for each parameter, as Prolific writes them; others have their own."""
        filled = (f"{name}={PROLIFIC.get(name, '')}" for name in self.options.parameters)
        return f"{self.stored.path}?{'&'.join(filled)}"


def most_an_hour(options: LinkOptions) -> int:
    """Return how many may join through the link within an hour: who returns makes room for others.

    Ids can be invented; so whoever joins and returns again and again holds the link up for an hour.
    """
    return JOINS_PER_PLACE * options.places


def most_from_one(options: LinkOptions) -> int:
    """Return how many may join through the link from one address within an hour."""
    return FROM_ONE_ADDRESS * options.places


def count_join(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, address: str, *, at: datetime
) -> bool:
    """Count one more who joins from this address; returns whether it had not enough within the hour."""
    since = at - recruitment_links.RECENT
    so_far = login_attempts.count_joins(session, since=since, address=address, link_id=link.id)
    if so_far >= most_from_one(options):
        return False
    login_attempts.record_join(session, address=address, link_id=link.id, before=since)
    return True


def of_project(store: Store, actor: Actor, project_id: int) -> list[RecruitmentLink]:
    """Return the project's links, the newest first; raises `NotAllowed`."""
    with store.reading() as session:
        check_researcher(session, actor, project_id)
        at = now()
        counts = recruitment_links.count_by_link(session, project_id, at=at)
        came = login_attempts.joins_by_address(session, since=at - recruitment_links.RECENT)
        found = []
        for one in recruitment_links.of_project(session, project_id):
            options, addresses = options_from_json(one.options), came.get(one.id, {}).values()
            full = sum(joined >= most_from_one(options) for joined in addresses)
            found.append(RecruitmentLink(one, options, counts.get(one.id, LinkCounts()), full))
        return found


def find(store: Store, actor: Actor, project_id: int, name: str) -> RecruitmentLink:
    """Return the project's link of this name; raises `NotFound` and `NotAllowed`."""
    known = of_project(store, actor, project_id)
    found = next((link for link in known if link.stored.name == name), None)
    if found is None:
        raise NotFound(mark("study link"), name, [link.stored.name for link in known])
    return found


def create(
    store: Store, actor: Actor, project_id: int, name: str, options: LinkOptions
) -> RecruitmentLinkInfo:
    """Make an open link.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the name is empty, too long or taken, or an option cannot be taken.
    """
    stored = options_to_json(checked_options(options))
    with store.writing() as session:
        check_researcher(session, actor, project_id)
        made = recruitment_links.create(session, project_id, _checked_name(session, project_id, name), stored)
        _record(session, "made_study_link", actor, made)
    return made


def change(
    store: Store, actor: Actor, project_id: int, link_id: int, *, name: str, options: LinkOptions
) -> None:
    """Change a link; those who joined before keep the time and the limit that they were told.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the name or an option cannot be taken, or somebody came by another parameter already.
    """
    stored = options_to_json(checked_options(options))
    with store.writing() as session:
        before = _link_of_project(session, actor, project_id, link_id)
        joined = (
            recruitment_links.count_by_link(session, project_id, at=now()).get(link_id, LinkCounts()).joined
        )
        if joined and options_from_json(before.options).person != options.person:
            raise InvalidInput(
                sentence("people came with another parameter already; make a new link for this one.")
            )
        name = _checked_name(session, project_id, name, but=link_id)
        changed = recruitment_links.change(session, link_id, name=name, options=stored)
        _record(session, "changed_study_link", actor, changed)


def close(store: Store, actor: Actor, project_id: int, link_id: int) -> None:
    """Let nobody new in; who joined before goes on."""
    with store.writing() as session:
        _link_of_project(session, actor, project_id, link_id)
        _record(
            session, "closed_study_link", actor, recruitment_links.change(session, link_id, closed_at=now())
        )


def reopen(store: Store, actor: Actor, project_id: int, link_id: int) -> None:
    """Let people in again."""
    with store.writing() as session:
        _link_of_project(session, actor, project_id, link_id)
        _record(
            session, "reopened_study_link", actor, recruitment_links.change(session, link_id, closed_at=None)
        )


def check_researcher(session: Session, actor: Actor, project_id: int) -> None:
    """Raise `NotAllowed` unless the actor is a researcher of the project."""
    if actor is not None and not memberships.has_role(session, actor, project_id, "researcher"):
        raise NotAllowed(sentence("only a researcher of the project may do this."))


def _link_of_project(session: Session, actor: Actor, project_id: int, link_id: int) -> RecruitmentLinkInfo:
    check_researcher(session, actor, project_id)
    found = recruitment_links.get(session, link_id)
    if found.project_id != project_id:
        raise NotFound(mark("study link"), str(link_id))
    return found


def _checked_name(session: Session, project_id: int, name: str, *, but: int | None = None) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(sentence("a study link needs a name of at most {n} characters.", n=LONGEST_NAME))
    if any(one.name == name and one.id != but for one in recruitment_links.of_project(session, project_id)):
        raise InvalidInput(
            sentence("there is a study link '{name}' already; choose another name.", name=name)
        )
    return name


def _record(session: Session, action: str, actor: Actor, link: RecruitmentLinkInfo) -> None:
    detail = {"link": link.name}
    audit.record(session, action, project_id=link.project_id, person_id=actor, detail=detail)
