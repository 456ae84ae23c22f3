"""The recruitment links of a project: created, changed, closed and reopened by its researchers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from judgelab.accounts.member_rights import Actor
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
FROM_ONE_ADDRESS = 3  # the same from one network address, which a class may share
PROLIFIC = {name: f"{{{{%{name}%}}}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}


@dataclass(frozen=True)
class RecruitmentLink:
    """A recruitment link with its options and how many people came through it.

    `full_addresses` is the number of network addresses from which nobody new can join for now (`count_join`).
    """

    stored: RecruitmentLinkInfo
    options: LinkOptions
    counts: LinkCounts
    full_addresses: int = 0

    @property
    def state(self) -> str:
        """Whether new people can join: `open`, `full`, `held_up` for an hour or `closed`."""
        if self.stored.closed_at is not None:
            return "closed"
        if self.counts.lately >= max_joins_an_hour(self.options):
            return "held_up"
        return "full" if self.counts.placed >= self.options.places else "open"

    @property
    def address(self) -> str:
        """The path with a placeholder for each parameter as Prolific writes them, empty for other ones."""
        filled = (f"{name}={PROLIFIC.get(name, '')}" for name in self.options.parameters)
        return f"{self.stored.path}?{'&'.join(filled)}"


def max_joins_an_hour(options: LinkOptions) -> int:
    """Return how many may join through the link within an hour.

    More than there are places, since people who return the study free theirs. But ids can be invented, so
    someone who joins and returns again and again must not get far.
    """
    return JOINS_PER_PLACE * options.places


def max_joins_from_address(options: LinkOptions) -> int:
    """Return how many may join through the link from one network address within an hour."""
    return FROM_ONE_ADDRESS * options.places


def count_join(
    session: Session, link: RecruitmentLinkInfo, options: LinkOptions, address: str, *, at: datetime
) -> bool:
    """Count a join from this network address; return False, without counting, if it reached its limit."""
    since = at - recruitment_links.RECENT
    joins = login_attempts.count_joins(session, since=since, address=address, link_id=link.id)
    if joins >= max_joins_from_address(options):
        return False
    login_attempts.record_join(session, address=address, link_id=link.id, before=since)
    return True


def of_project(store: Store, actor: Actor, project_id: int) -> list[RecruitmentLink]:
    """Return the project's links, the newest first; raises `NotAllowed`."""
    with store.reading() as session:
        check_researcher(session, actor, project_id)
        at = now()
        counts = recruitment_links.count_by_link(session, project_id, at=at)
        joins = login_attempts.joins_by_address(session, since=at - recruitment_links.RECENT)
        links = []
        for link in recruitment_links.of_project(session, project_id):
            options, addresses = options_from_json(link.options), joins.get(link.id, {}).values()
            full = sum(count >= max_joins_from_address(options) for count in addresses)
            links.append(RecruitmentLink(link, options, counts.get(link.id, LinkCounts()), full))
        return links


def find(store: Store, actor: Actor, project_id: int, name: str) -> RecruitmentLink:
    """Return the project's link of this name; raises `NotFound` and `NotAllowed`."""
    links = of_project(store, actor, project_id)
    named = next((link for link in links if link.stored.name == name), None)
    if named is None:
        raise NotFound(mark("recruitment link"), name, [link.stored.name for link in links])
    return named


def create(
    store: Store, actor: Actor, project_id: int, name: str, options: LinkOptions
) -> RecruitmentLinkInfo:
    """Create an open link.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the name is empty, too long or taken, or an option is not valid.
    """
    stored = options_to_json(checked_options(options))
    with store.writing() as session:
        check_researcher(session, actor, project_id)
        link = recruitment_links.create(session, project_id, _checked_name(session, project_id, name), stored)
        _record(session, "made_study_link", actor, link)
    return link


def change(
    store: Store, actor: Actor, project_id: int, link_id: int, *, name: str, options: LinkOptions
) -> None:
    """Change a link; people who joined before keep the time and the limit that they were told.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the name or an option is not valid, or people joined with another parameter or pay
                already.
    """
    stored = options_to_json(checked_options(options))
    with store.writing() as session:
        before = _link_of_project(session, actor, project_id, link_id)
        joined = (
            recruitment_links.count_by_link(session, project_id, at=now()).get(link_id, LinkCounts()).joined
        )
        told = options_from_json(before.options)
        if joined and told.pay != stored["pay"]:
            raise InvalidInput(
                sentence(
                    "people have already joined at this pay, so it can't change; create a new link, or give "
                    "bonuses."
                )
            )
        if joined and told.person != options.person:
            raise InvalidInput(
                sentence("people have already joined with another parameter; create a new link for this one.")
            )
        name = _checked_name(session, project_id, name, except_id=link_id)
        changed = recruitment_links.change(session, link_id, name=name, options=stored)
        _record(session, "changed_study_link", actor, changed)


def close(store: Store, actor: Actor, project_id: int, link_id: int) -> None:
    """Close the link to new people; those who joined before can continue."""
    with store.writing() as session:
        _link_of_project(session, actor, project_id, link_id)
        _record(
            session, "closed_study_link", actor, recruitment_links.change(session, link_id, closed_at=now())
        )


def reopen(store: Store, actor: Actor, project_id: int, link_id: int) -> None:
    """Open the link to new people again."""
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
    link = recruitment_links.get(session, link_id)
    if link.project_id != project_id:
        raise NotFound(mark("recruitment link"), str(link_id))
    return link


def _checked_name(session: Session, project_id: int, name: str, *, except_id: int | None = None) -> str:
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(
            sentence("a recruitment link needs a name of at most {n} characters.", n=LONGEST_NAME)
        )
    if any(
        link.name == name and link.id != except_id
        for link in recruitment_links.of_project(session, project_id)
    ):
        raise InvalidInput(
            sentence("there is already a recruitment link '{name}'; choose another name.", name=name)
        )
    return name


def _record(session: Session, action: str, actor: Actor, link: RecruitmentLinkInfo) -> None:
    detail = {"link": link.name}
    audit.record(session, action, project_id=link.project_id, person_id=actor, detail=detail)
