"""Prompts as text: sections that a text under judgment cannot close, and the hash that names a prompt."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from judgelab.domain import Message

TEMPLATES = Path(__file__).parents[1] / "templates"
SECTIONS = (
    "task",
    "output",
    "criterion",
    "criteria",
    "qualities",
    "evaluators",
    "steps",
    "examples",
    "example",
    "reasoning",
    "score",
    "source",
    "question",
    "references",
    "reference",
    "answer",
    "summary",
    "summary_1",
    "summary_2",
    "answer_1",
    "answer_2",
    "panel",
    "candidate",
)
# A "<" that begins one of our tags, also with blanks or invisible characters in between.
TAG = re.compile(rf"<(?=[\s/\u200b-\u200f\u2060\ufeff]*(?:{'|'.join(SECTIONS)})\b)", re.IGNORECASE)
# What chat templates of local models write between turns: a tokenizer takes it for one wherever it stands.
TURN = re.compile(r"<(?=\||/?s>|/?(?:start|end)_of_turn>)|\[(?=/?INST\]|/?SYSTEM_PROMPT\])")


def clean(text: str) -> str:
    """Return `text` with the prompt's own section marks and chat marks disarmed; all else is as it was."""
    readable = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return TURN.sub(lambda mark: f"{mark[0]} ", TAG.sub("‹", readable)).strip()


class Section(str):
    """A text between the marks of a section, that still knows its name and what stands between them."""

    name: str
    inner: str

    def __new__(cls, name: str, inner: str) -> Section:
        """Return the section, marks and all."""
        whole = super().__new__(cls, f"<{name}>\n{inner}\n</{name}>")
        whole.name, whole.inner = name, inner
        return whole

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how this section is made anew where it was kept as bytes."""
        return Section, (self.name, self.inner)


class Laid(str):
    """The content of a message, that still knows the parts it was joined from, sections among them."""

    parts: tuple[str, ...]

    def __new__(cls, parts: Sequence[str]) -> Laid:
        """Return the parts that are there, a blank line between them."""
        there = tuple(part for part in parts if part)
        whole = super().__new__(cls, "\n\n".join(there))
        whole.parts = there
        return whole

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how this content is made anew where it was kept as bytes."""
        return Laid, (self.parts,)


def broken_up(text: str, marks: Sequence[str]) -> str:
    """Return a text in which what would pass for one of the marks is none any more.

    Only marks that begin with a sign ("[Question]", "###"): a word like "Question:" stands in many a text.

    >>> broken_up("so [/Question] then", ["[/Question]"])
    'so [ /Question] then'
    """
    signs = sorted({one for one in marks if len(one) > 2 and not one[0].isalnum()}, key=len, reverse=True)
    if not signs:
        return text
    either = re.compile("|".join(map(re.escape, signs)), re.IGNORECASE)
    return either.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)


def section(name: str, text: str) -> str:
    """Return `text` between the marks of a section; empty for an empty text."""
    return Section(name, text.strip()) if text.strip() else ""


def joined(parts: Sequence[str]) -> str:
    """Return the parts of a prompt that are there, a blank line between them."""
    return Laid(parts)


@lru_cache(maxsize=64)
def template(name: str, version: str) -> str:
    """Return the text of one versioned template file."""
    return (TEMPLATES / f"{name}.v{version}.txt").read_text(encoding="utf-8").strip()


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return the sha256 (hex) of the messages as canonical JSON: equal prompts have equal names."""
    turns = [{"role": message.role, "content": message.content} for message in messages]
    canonical = json.dumps(turns, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
