"""Mails with a link: to the people just invited, or to raters who have not finished."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from judgelab.accounts import members
from judgelab.accounts.invitations import Invitation
from judgelab.accounts.member_rights import Actor, check_may_manage
from judgelab.accounts.members import NewLink
from judgelab.errors import InvalidInput, UserError
from judgelab.mailing.smtp import MailConnection, Outcome
from judgelab.mailing.template import Template, Values, fill, mail_language, new_message
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.people import memberships
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

MAILED = "mailed_person"
EXAMPLE_PATH = "/invite/" + "example".center(21, "-")  # of a preview or a test: signs nobody in


@dataclass(frozen=True)
class Letter:
    """What all mails of a round have in common.

    Attributes:
        template: subject and text.
        project: the project that they are about.
        base_url: the address under which people reach the app.
        days: how long the links work.
    """

    template: Template
    project: ProjectInfo
    base_url: str
    days: int = members.DEFAULT_LINK_DAYS

    def filled(self, name: str, path: str = EXAMPLE_PATH) -> Template:
        """Return the letter as one person gets it, by default with a link that is an example."""
        language = mail_language(self.project.settings)
        values = Values(name, self.project.name, self.base_url + path, self.days, language)
        return fill(self.template, values)


@dataclass(frozen=True)
class Addressee:
    """A person and where their mail goes; `link` is None until one is made."""

    person_id: int
    name: str
    address: str
    link: NewLink | None = None


@dataclass(frozen=True)
class Delivery:
    """What became of the mail to one person; `to.link` is the link that was in it, if one was made."""

    to: Addressee
    outcome: Outcome


def addressees(invitations: Sequence[Invitation], links: Sequence[NewLink]) -> list[Addressee]:
    """Return those of the people just invited who have an address, each with their link."""
    return [
        Addressee(link.person.id, link.person.name, person.email, link)
        for person, link in zip(invitations, links, strict=True)
        if person.email
    ]


def send_test(store: Store, actor: Actor, connection: MailConnection, letter: Letter, to: Invitation) -> None:
    """Send the letter with an example of a link to the actor's own address.

    Raises:
        NotAllowed: the actor may not invite people.
        InvalidInput: the server refused the mail.
    """
    with store.reading() as session:
        check_may_manage(session, actor, letter.project.id)
    message = new_message(letter.filled(to.name), connection.server.sender, to.email)
    outcome = connection.send(message, to.email)
    if outcome.state != "sent":
        raise InvalidInput(sentence("the test e-mail was not sent: {why}", why=outcome.reason))


def send(
    store: Store,
    actor: Actor,
    connection: MailConnection,
    letter: Letter,
    people: Iterable[Addressee],
) -> Iterator[Delivery]:
    """Send the letter to each person and yield what became of it.

    Whoever has no link gets one, beside their earlier one, right before their mail: nobody loses a link that
    works because a mail was not sent.

    Raises:
        NotAllowed: the actor may not invite people.
        InvalidInput: the letter is refused (`check_template`).
    """
    with store.reading() as session:
        check_may_manage(session, actor, letter.project.id)
    for person in people:
        yield _send_one(store, actor, connection, letter, person)


def unmailed(
    store: Store, actor: Actor, project_id: int, listed: Sequence[Invitation]
) -> tuple[list[Addressee], list[str]]:
    """Return those of a list to whom no mail was sent since they joined the project, and who had one.

    Raises:
        NotAllowed: the actor may not invite people.
        InvalidInput: somebody on the list is not in the project.
    """
    with store.reading() as session:
        check_may_manage(session, actor, project_id)
        mailed = audit.people_named(session, MAILED, project_id=project_id)
        known = {one.name: one for one in memberships.memberships(session, project_id)}
    waiting, done = [], []
    for person in listed:
        member = known.get(person.name)
        if member is None:
            raise InvalidInput(
                sentence(
                    "'{name}' on line {line} is not in the project; remove the line, or invite this person "
                    "first.",
                    name=person.name,
                    line=person.line,
                )
            )
        if (at := mailed.get(person.name)) is not None and at >= member.joined_at:
            done.append(person.name)
        elif person.email:
            waiting.append(Addressee(member.person_id, person.name, person.email))
    return waiting, done


def _send_one(
    store: Store, actor: Actor, connection: MailConnection, letter: Letter, person: Addressee
) -> Delivery:
    if connection.lost:
        return Delivery(person, Outcome("failed", connection.lost))
    try:
        if person.link is None:
            person = replace(person, link=_new_link(store, actor, letter, person))
        assert person.link is not None
        filled = letter.filled(person.name, person.link.path)
    except UserError as error:
        return Delivery(person, Outcome("failed", error.args[0]))
    # A mail that may have arrived is not sent twice, not even if the process is stopped while it is sent.
    outcome = Outcome("unconfirmed")
    try:
        message = new_message(filled, connection.server.sender, person.address)
        outcome = connection.send(message, person.address)
    finally:
        if outcome.state != "failed":
            detail = {"person": person.name}
            audit.record_done(store, letter.project.slug, MAILED, person_id=actor, detail=detail)
    return Delivery(person, outcome)


def _new_link(store: Store, actor: Actor, letter: Letter, person: Addressee) -> NewLink:
    with store.writing() as session:
        return members.make_link(
            session, actor, letter.project.id, person.person_id, days=letter.days, replace=False
        )
