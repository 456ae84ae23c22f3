"""Read the votes of a panel's roles in a reply: each vote, its reason and the model's confidence.

Confidence follows equation 3 of Wu et al. (2023): exp of the mean log-probability of the tokens in which a
role states its reason and its vote. Tokens of the heading, which only repeat the prompt, are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgelab.domain import PanelRole
from judgelab.protocols.core.expected import Token
from judgelab.protocols.reading.doubts import only_mentioned
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
    """One role's vote: the number of the chosen text, 1 or 2, or the `reason` why there is none."""

    role: PanelRole
    vote: int | None = None
    rationale: str = ""
    reason: str | None = None
    confidence: float | None = None
    span: tuple[int, int] = (0, 0)


def read_votes(text: str, roles: Sequence[PanelRole]) -> list[RoleVote]:
    """Return the vote of each role in a reply for all of them, in their order; never raises."""
    starts = _heads(text, roles)
    ends = sorted(start for start, _ in starts.values())
    votes = []
    for place, role in enumerate(roles):
        if place not in starts:
            votes.append(
                RoleVote(role, reason=sentence("the reply contains nothing for {role}", role=role.type))
            )
            continue
        start, body = starts[place]
        end = next((other for other in ends if other > start), len(text))
        votes.append(_vote(text, body, end, role))
    return votes


def read_vote(text: str, role: PanelRole) -> RoleVote:
    """Return the vote in a reply for a single role."""
    return _vote(text, 0, len(text), role)


def with_confidence(
    votes: Sequence[RoleVote], tokens: Sequence[Token], roles: Sequence[PanelRole], *, batch: bool
) -> list[RoleVote]:
    """Return the votes with exp of the mean log-probability of each one's tokens (equation 3).

    The text of the tokens is read again, because an endpoint may report a letter of several bytes in pieces.
    If that gives different votes, tokens cannot be assigned to roles and no confidence is known.
    """
    spelt = "".join(token.text for token in tokens).translate(_MARKS)
    again = read_votes(spelt, roles) if batch else [read_vote(spelt, roles[0])]
    if not tokens or [vote.vote for vote in again] != [vote.vote for vote in votes]:
        return list(votes)
    return [
        replace(vote, confidence=_confidence(tokens, other.span))
        for vote, other in zip(votes, again, strict=True)
    ]


def _confidence(tokens: Sequence[Token], span: tuple[int, int]) -> float | None:
    at, logs = 0, []
    for token in tokens:
        begin, at = at, at + len(token.text)
        if begin < span[1] and at > span[0]:
            logs.append(math.log(max(token.alternatives.get(token.text, 0.0), 1e-12)))
    return math.exp(sum(logs) / len(logs)) if logs else None


def _heads(text: str, roles: Sequence[PanelRole]) -> dict[int, tuple[int, int]]:
    """Return where each role's part begins, and where its heading ends.

    A heading is a line that begins with the role's number and has its name; or else a line with the number
    alone, if the numbers run from 1 to the last once each; or else a line that begins with the name.
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
        heading = re.search(rf"{_LEAD}{re.escape(role.type)}\b", text, re.M | re.I)
        if heading:
            named[place] = (heading.start(), heading.end())
    return named


def _vote(text: str, start: int, end: int, role: PanelRole) -> RoleVote:
    part = text[start:end]
    cast = [match for match in _VOTE.finditer(part) if not _BOTH.match(part, match.end())]
    stated = [match for match in cast if not only_mentioned(part, *match.span())]
    label = _REASON.search(part)
    opened = label.end() if label and (not stated or label.end() <= stated[-1].start()) else 0
    rationale = (
        part[opened : stated[-1].start() if stated else len(part)].strip(" \t\r\n*_:-–#)").lstrip(". ")
    )
    choices = {int(match["vote"]) for match in stated}
    if len(choices) != 1:
        both, none = (
            sentence("{role} votes for both", role=role.type),
            sentence("{role} casts no vote", role=role.type),
        )
        return RoleVote(role, None, rationale, both if choices else none)
    return RoleVote(role, choices.pop(), rationale, span=(start + opened, start + stated[-1].end()))
