"""Many people invited at once: a pasted list of names, all added or none, and a file of their links."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.accounts.line_lists import refuse_line, split_lines
from judgelab.accounts.member_rights import Actor
from judgelab.accounts.members import DEFAULT_LINK_DAYS, NewLink, add_member, make_link
from judgelab.domain import Role
from judgelab.errors import InvalidInput
from judgelab.escaping import escape_formula
from judgelab.store.db.engine import Store
from judgelab.wording import sentence

MOST_AT_ONCE = 1000
HEADS = ("name", "cohort", "limit", "email")
# What browsers take for an e-mail address (HTML standard): no blanks, control characters, quotation marks.
_MAIL_ADDRESS = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
LONGEST_ADDRESS = 254


@dataclass(frozen=True)
class Invitation:
    """A person to be added, as a line of the list names them.

    Attributes:
        line: number of the line, from 1.
        most_responses: maximum number of responses for this person; None for no limit of their own.
        email: the address for mails to them, which is not stored; empty for none.
    """

    line: int
    name: str
    cohort: str = ""
    most_responses: int | None = None
    email: str = ""


def read_invitations(text: str) -> list[Invitation]:
    """Return the people that a list names, one on each line: name, cohort, limit, e-mail.

    Only the name is needed; a last part with "@" is the e-mail address, wherever it stands. The parts are
    separated by tabs, else by semicolons, else by commas; a name with a comma stands in quotation marks. A
    first line "name" is a heading; empty lines are left out.

    Raises:
        InvalidInput: the list is empty, a quotation mark is not closed, or a line has no name, a wrong
            limit or address, or a name or address that an earlier line has.
    """
    found: list[Invitation] = []
    seen: dict[tuple[str, str], int] = {}
    too_long = sentence("the line is too long; write name, cohort, limit, e-mail.")
    for line, cells in split_lines(text, too_long=too_long):
        if not any(cells) or (not found and cells[0].casefold() == HEADS[0]):
            continue
        person = _invitation(line, cells)
        # Whoever reads one mailbox would have both links.
        for kind, word in (("name", person.name), ("email", person.email)):
            if word and (first := seen.setdefault((kind, word.casefold()), person.line)) != person.line:
                refuse_line(
                    person.line, sentence("'{name}' is already on line {first}.", name=word, first=first)
                )
        found.append(person)
    if not found:
        raise InvalidInput(sentence("enter at least one name, one per line."))
    if len(found) > MOST_AT_ONCE:
        raise InvalidInput(
            sentence("{n} people at once; at most {most} are allowed.", n=len(found), most=MOST_AT_ONCE)
        )
    return found


def is_mail_address(text: str) -> bool:
    """Return whether the text is an e-mail address in ASCII, with nothing that could begin a header."""
    return len(text) <= LONGEST_ADDRESS and _MAIL_ADDRESS.fullmatch(text) is not None


def invite_all(
    store: Store,
    actor: Actor,
    project_id: int,
    invitations: Sequence[Invitation],
    *,
    role: Role = "annotator",
    days: int = DEFAULT_LINK_DAYS,
) -> list[NewLink]:
    """Add all people to the project and return a link for each, in their order; one refusal adds nobody.

    Raises:
        NotAllowed: the actor may not give this role.
        InvalidInput: a person cannot be added; the message names the line.
    """
    links = []
    with store.writing() as session:
        for person in invitations:
            try:
                added = add_member(
                    session,
                    actor,
                    project_id,
                    person.name,
                    role=role,
                    cohort=person.cohort,
                    most_responses=person.most_responses,
                )
            except InvalidInput as error:
                refuse_line(person.line, str(error))
            links.append(make_link(session, actor, project_id, added.id, days=days))
    return links


def links_csv(links: Sequence[NewLink], address: str, mails: Mapping[str, str] | None = None) -> str:
    """Return the links as a CSV file with name, link, days and how often each works.

    Args:
        links: the new links.
        address: the base URL under which people reach the app.
        mails: what became of the mail to each person, by name, as one more column; None without mails.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["name", "link", "days", "works", *([] if mails is None else ["mail"])])
    for link in links:
        often = "once" if link.once else "any number of times"
        mail = [] if mails is None else [escape_formula(mails.get(link.person.name, ""))]
        writer.writerow([escape_formula(link.person.name), address + link.path, link.days, often, *mail])
    return file.getvalue()


def _invitation(line: int, cells: Sequence[str]) -> Invitation:
    if len(cells) > len(HEADS):
        refuse_line(line, sentence("there are {n} parts; write name, cohort, limit, e-mail.", n=len(cells)))
    parts = list(cells)
    if 1 < len(cells) and "@" in cells[-1]:
        parts[-1:] = [*[""] * (len(HEADS) - len(cells)), cells[-1]]
    name, cohort, limit, email = (*parts, "", "", "")[: len(HEADS)]
    if not name:
        refuse_line(line, sentence("the name is missing."))
    if any(sign < " " for sign in name + cohort):
        refuse_line(line, sentence("the name or cohort has a control character or a line break."))
    if limit and not (limit.isdecimal() and 0 < int(limit) <= 1_000_000):
        refuse_line(
            line, sentence("'{limit}' is not a limit; write a whole number, or nothing.", limit=limit)
        )
    if email and not is_mail_address(email):
        refuse_line(line, sentence("'{email}' is not an e-mail address.", email=email))
    return Invitation(line, " ".join(name.split()), cohort, int(limit) if limit else None, email)
