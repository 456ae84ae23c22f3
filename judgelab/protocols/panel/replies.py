"""What the roles of a panel say in one reply: the vote of each, its reason, and how sure the model was.

Confidence is equation 3 of Wu et al. (2023): exp of the mean log-probability of the tokens in which a role
states its reason and its vote. The tokens of the heading, which only repeat the prompt, are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgelab.domain import PanelRole
from judgelab.protocols.core.expected import Token
from judgelab.protocols.reading.doubts import unmeant
from judgelab.wording import sentence

_LEAD = r"^[ \t#>*_\-\[(]*"
_NUMBER = re.compile(
    rf"{_LEAD}(?:role|reader|person|panelist)?[ \t]*#?(\d{{1,2}})[ \t]*[.):\]\-–][^\n]*", re.M | re.I
)
_REASON = re.compile(r"\breasons?\b[*_]*\s*[:\-–][*_ \t]*", re.I)
_VOTE = re.compile(
    r"\bvote[sd]?\b[\s*_:=\-–\"“'(\[]*(?:(?:for|is|goes|to|the)\b[\s*_:\"“'(\[]*){0,3}"
    r"(?:(?:summary|answer|text|candidate|option)\b[\s*_#\"“'(\[]*)?(?P<vote>[12])(?![\w.,]*\d)\b[\"”'*_)\]]*",
    re.I,
)
_BOTH = re.compile(
    r"[\s,/&]*(?:or|and)[\s,/&]*(?:(?:summary|answer|text)\s*)?[12]\b", re.I
)  # "Vote: summary 1 or summary 2" repeats the instruction
_MARKS = str.maketrans({"\u0120": " ", "\u2581": " ", "\u010a": "\n"})  # how some servers write blanks


@dataclass(frozen=True)
class RoleVote:
    """What one role said: `vote` is the number of the text it chose, 1 or 2; `reason` why there is none."""

    role: PanelRole
    vote: int | None = None
    said: str = ""
    reason: str | None = None
    confidence: float | None = None
    span: tuple[int, int] = (0, 0)


def read_votes(text: str, roles: Sequence[PanelRole]) -> list[RoleVote]:
    """Return what each role said in a reply that all of them share, in their order; never raises."""
    starts = _heads(text, roles)
    ends = sorted(start for start, _ in starts.values())
    found = []
    for place, role in enumerate(roles):
        if place not in starts:
            found.append(RoleVote(role, reason=sentence("the reply says nothing for {role}", role=role.type)))
            continue
        start, body = starts[place]
        end = next((other for other in ends if other > start), len(text))
        found.append(_vote(text, body, end, role))
    return found


def read_vote(text: str, role: PanelRole) -> RoleVote:
    """Return what one role said in a reply of its own."""
    return _vote(text, 0, len(text), role)


def with_confidence(
    votes: Sequence[RoleVote], tokens: Sequence[Token], roles: Sequence[PanelRole], *, batch: bool
) -> list[RoleVote]:
    """Return the votes, each with exp of the mean log-probability of its own tokens (equation 3).

    The reply is read once more as its tokens spell it, because an endpoint may report a letter of several
    bytes in pieces; where that brings other votes, no token can be given to a role and nobody's confidence is
    known.
    """
    spelt = "".join(token.text for token in tokens).translate(_MARKS)
    again = read_votes(spelt, roles) if batch else [read_vote(spelt, roles[0])]
    if not tokens or [one.vote for one in again] != [one.vote for one in votes]:
        return list(votes)
    return [
        replace(one, confidence=_confidence(tokens, other.span))
        for one, other in zip(votes, again, strict=True)
    ]


def _confidence(tokens: Sequence[Token], span: tuple[int, int]) -> float | None:
    at, logs = 0, []
    for token in tokens:
        begin, at = at, at + len(token.text)
        if begin < span[1] and at > span[0]:
            logs.append(math.log(max(token.alternatives.get(token.text, 0.0), 1e-12)))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _heads(text: str, roles: Sequence[PanelRole]) -> dict[int, tuple[int, int]]:
    """Return where each role's part begins, and where it goes on after the heading.

    A heading is a line that begins with the role's number and names it, else one with the number alone where
    the numbers run from 1 to the last once each, else one that begins with the name.
    """
    lines = list(_NUMBER.finditer(text))
    named: dict[int, tuple[int, int]] = {}
    for line in lines:
        place = int(line[1]) - 1
        if 0 <= place < len(roles) and place not in named:
            at = line[0].casefold().find(roles[place].type.casefold())
            if at >= 0:
                named[place] = (line.start(), line.start() + at + len(roles[place].type))
    if len(named) == len(roles):
        return named
    if [int(line[1]) for line in lines] == list(range(1, len(roles) + 1)):
        return {place: (line.start(), line.end(1) + 1) for place, line in enumerate(lines)} | named
    types = [role.type.casefold() for role in roles]
    for place, role in enumerate(roles):
        if place in named or types.count(types[place]) > 1:
            continue
        found = re.search(rf"{_LEAD}{re.escape(role.type)}\b", text, re.M | re.I)
        if found:
            named[place] = (found.start(), found.end())
    return named


def _vote(text: str, start: int, end: int, role: PanelRole) -> RoleVote:
    part = text[start:end]
    cast = [one for one in _VOTE.finditer(part) if not _BOTH.match(part, one.end())]
    stated = [one for one in cast if not unmeant(part, *one.span())]
    label = _REASON.search(part)
    opened = label.end() if label and (not stated or label.end() <= stated[-1].start()) else 0
    said = part[opened : stated[-1].start() if stated else len(part)].strip(" \t\r\n*_:-–#)").lstrip(". ")
    choices = {int(one["vote"]) for one in stated}
    if len(choices) != 1:
        both, none = (
            sentence("{role} votes for both", role=role.type),
            sentence("{role} casts no vote", role=role.type),
        )
        return RoleVote(role, None, said, both if choices else none)
    return RoleVote(role, choices.pop(), said, span=(start + opened, start + stated[-1].end()))
