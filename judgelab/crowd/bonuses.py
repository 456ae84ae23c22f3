"""Bonuses of participants: set for one of them, or for many from a list of platform ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from judgelab.accounts.line_lists import refuse_line, split_lines
from judgelab.accounts.member_rights import Actor
from judgelab.crowd.bulk_files import can_be_listed
from judgelab.crowd.links import check_researcher
from judgelab.errors import InvalidInput
from judgelab.money import read_amount
from judgelab.store.db.engine import Store
from judgelab.store.people import bonuses
from judgelab.store.people.bonuses import Bonus, Payee
from judgelab.store.rating import assignments
from judgelab.wording import sentence

LONGEST_REASON = 200
_DIGITS = re.compile(r"[0-9]+")
HEADS = ("participant_id", "participant id", "external_id")  # of the first column


@dataclass(frozen=True)
class BonusLine:
    """A line of a list: its number, the participant's platform id and the bonus."""

    line: int
    external_id: str
    bonus: Bonus


def read_bonus(amount: str, reason: str = "") -> Bonus:
    """Return the bonus that a person wrote; raises `InvalidInput`."""
    reason = " ".join(reason.replace("\x00", "").split())
    if len(reason) > LONGEST_REASON:
        raise InvalidInput(sentence("a reason can have at most {n} characters.", n=LONGEST_REASON))
    bonus = Bonus(read_amount(amount), reason)
    return bonus if bonus.amount else Bonus(Decimal())


def read_list(text: str) -> list[BonusLine]:
    """Return the bonuses that a list names, one on each line: participant id, amount, reason.

    The reason may be left out. A first line "participant_id" is a heading; empty lines are left out. The
    sign after the first id separates the parts: a tab, semicolon or comma.

    Raises:
        InvalidInput: the list is empty, or a line has no id, a wrong amount, or the id of an earlier line;
            or its parts are separated by commas and an amount seems to have a decimal comma.
    """
    found: list[BonusLine] = []
    seen: dict[str, int] = {}
    separator = re.search(r"[\t;,]", text)
    how = sentence("the line is too long; write participant ID, amount, reason.")
    for line, cells in split_lines(text, too_long=how, delimiter=separator[0] if separator else ","):
        if not any(cells) or (not found and cells[0].casefold() in HEADS):
            continue
        if not cells[0]:
            refuse_line(line, sentence("the participant ID is missing."))
        if not 2 <= len(cells) <= 3:
            refuse_line(line, sentence("write participant ID, amount and an optional reason."))
        if separator and separator[0] == "," and _DIGITS.fullmatch("".join(cells[2:])):
            amount = ",".join(cells[1:])
            refuse_line(
                line, sentence("'{amount}' has a decimal comma; write a decimal point.", amount=amount)
            )
        if (first := seen.setdefault(cells[0], line)) != line:
            refuse_line(line, sentence("'{name}' is already on line {first}.", name=cells[0], first=first))
        try:
            found.append(BonusLine(line, cells[0], read_bonus(*cells[1:])))
        except InvalidInput as error:
            refuse_line(line, str(error))
    if not found:
        raise InvalidInput(sentence("enter at least one line with a participant ID and an amount."))
    return found


def find(store: Store, actor: Actor, project_id: int, person_id: int) -> Payee | None:
    """Return the person with their bonus; None if they came from no crowd platform. Raises `NotAllowed`."""
    with store.reading() as session:
        check_researcher(session, actor, project_id)
        return next((p for p in bonuses.payees(session, project_id) if p.person_id == person_id), None)


def left_out_of_bulk_files(store: Store, actor: Actor, project_id: int, link_id: int) -> int:
    """Return how many participants of a link have ids that bulk files cannot hold; raises `NotAllowed`."""
    with store.reading() as session:
        check_researcher(session, actor, project_id)
        people = bonuses.payees(session, project_id, link_id=link_id)
    return sum(not can_be_listed(payee.external_id) for payee in people)


def set_one(store: Store, actor: Actor, project_id: int, person_id: int, bonus: Bonus) -> int:
    """Set a participant's bonus; an amount of 0 removes it. Return 1 if that changed anything, else 0.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: the person came from no crowd platform.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        check_researcher(session, actor, project_id)
        people = {payee.person_id: payee for payee in bonuses.payees(session, project_id)}
        if person_id not in people:
            raise InvalidInput(sentence("only participants with a platform ID can get a bonus."))
        return bonuses.save(session, project_id, [(people[person_id], bonus)], by=actor)


def set_all(
    store: Store,
    actor: Actor,
    project_id: int,
    lines: Sequence[BonusLine],
    *,
    link_id: int | None = None,
) -> int:
    """Set the bonuses of a list, or none of them; return how many changed. Those not listed keep theirs.

    Args:
        store: the database.
        actor: who sets them.
        project_id: the project.
        lines: the list.
        link_id: the link through which these people joined; None for all links of the project.

    Raises:
        NotAllowed: the actor is no researcher of the project.
        InvalidInput: an id is not, or not only one, participant's; the message names the line.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        check_researcher(session, actor, project_id)
        people: dict[str, list[Payee]] = {}
        for payee in bonuses.payees(session, project_id, link_id=link_id):
            people.setdefault(payee.external_id, []).append(payee)
        return bonuses.save(
            session, project_id, [(_named(people, line), line.bonus) for line in lines], by=actor
        )


def _named(people: dict[str, list[Payee]], line: BonusLine) -> Payee:
    named = people.get(line.external_id, [])
    if not named:
        refuse_line(line.line, sentence("no participant has the ID '{name}'.", name=line.external_id))
    if len(named) > 1:
        reason = sentence(
            "'{name}' joined through more than one link; give the link's name too.", name=line.external_id
        )
        refuse_line(line.line, reason)
    return named[0]
