"""Prompts as text: sections that a text to be judged cannot close, and the hash of a prompt."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
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
# A "<" that begins one of the section tags, even with blanks or invisible characters after it.
TAG = re.compile(rf"<(?=[\s/\u200b-\u200f\u2060\ufeff]*(?:{'|'.join(SECTIONS)})\b)", re.IGNORECASE)
# Marks between turns in chat templates of local models; a tokenizer recognises them anywhere in a text.
TURN = re.compile(r"<(?=\||/?s>|/?(?:start|end)_of_turn>)|\[(?=/?INST\]|/?SYSTEM_PROMPT\])")


def clean(text: str) -> str:
    """Return `text` with section marks and chat marks made harmless, otherwise unchanged."""
    readable = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    return TURN.sub(lambda mark: f"{mark[0]} ", TAG.sub("‹", readable)).strip()


class Section(str):
    """A section of a prompt with its marks, which also keeps its name and inner text."""

    name: str
    inner: str

    def __new__(cls, name: str, inner: str) -> Section:
        """Return the section with its marks."""
        section = super().__new__(cls, f"<{name}>\n{inner}\n</{name}>")
        section.name, section.inner = name, inner
        return section

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to recreate this section from a pickle."""
        return Section, (self.name, self.inner)


class PromptText(str):
    """The content of a message, which also keeps the parts it was joined from."""

    parts: tuple[str, ...]

    def __new__(cls, parts: Sequence[str]) -> PromptText:
        """Return the non-empty parts, joined by blank lines."""
        present = tuple(part for part in parts if part)
        text = super().__new__(cls, "\n\n".join(present))
        text.parts = present
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to recreate this content from a pickle."""
        return PromptText, (self.parts,)


def break_marks(text: str, marks: Sequence[str]) -> str:
    """Return a text in which everything that looks like one of the marks is broken up.

    Only marks that begin with a symbol ("[Question]", "###"): words like "Question:" occur in many texts.

    >>> break_marks("so [/Question] then", ["[/Question]"])
    'so [ /Question] then'
    """
    signs = sorted({mark for mark in marks if len(mark) > 2 and not mark[0].isalnum()}, key=len, reverse=True)
    if not signs:
        return text
    either = re.compile("|".join(map(re.escape, signs)), re.IGNORECASE)
    return either.sub(lambda match: f"{match[0][0]} {match[0][1:]}", text)


def section(name: str, text: str) -> str:
    """Return `text` between the marks of a section; empty for an empty text."""
    return Section(name, text.strip()) if text.strip() else ""


def joined(parts: Sequence[str]) -> str:
    """Return the non-empty parts of a prompt, joined by blank lines."""
    return PromptText(parts)


@lru_cache(maxsize=64)
def template(name: str, version: str) -> str:
    """Return the text of one versioned template file."""
    return _template_file(name, version, "txt").read_text(encoding="utf-8").strip()


@lru_cache(maxsize=64)
def template_table(name: str, version: str) -> Mapping[str, Any]:
    """Return the texts of one versioned template file with several of them."""
    return tomllib.loads(_template_file(name, version, "toml").read_text(encoding="utf-8"))


def _template_file(name: str, version: str, suffix: str) -> Path:
    """Return the file of a version, or of the last one before it if that version did not change the text."""
    versions = range(int(version) if version.isdecimal() else 0, 0, -1)
    files = (TEMPLATES / f"{name}.v{number}.{suffix}" for number in versions)
    return next(filter(Path.is_file, files), TEMPLATES / f"{name}.v{version}.{suffix}")


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return the SHA-256 (hex) of the messages as canonical JSON: equal prompts have equal hashes."""
    turns = [{"role": message.role, "content": message.content} for message in messages]
    canonical = json.dumps(turns, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
