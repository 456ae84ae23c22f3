"""Prompts as text: sections that a text under judgment cannot close, and the hash that names a prompt."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from judgelab.domain import Message

TEMPLATES = Path(__file__).parent / "templates"
SECTIONS = (
    "task",
    "output",
    "criterion",
    "criteria",
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


def section(name: str, text: str) -> str:
    """Return `text` between the marks of a section; empty for an empty text."""
    return f"<{name}>\n{text.strip()}\n</{name}>" if text.strip() else ""


def inside(messages: Sequence[Message], name: str) -> str:
    """Return what stands in the first section of that name; empty where there is none."""
    for message in messages:
        found = re.search(rf"<{re.escape(name)}>\n(.*?)\n</{re.escape(name)}>", message.content, re.DOTALL)
        if found:
            return found[1]
    return ""


def joined(parts: Sequence[str]) -> str:
    """Return the parts of a prompt that are there, a blank line between them."""
    return "\n\n".join(part for part in parts if part)


@lru_cache(maxsize=64)
def template(name: str, version: str) -> str:
    """Return the text of one versioned template file."""
    return (TEMPLATES / f"{name}.v{version}.txt").read_text(encoding="utf-8").strip()


def prompt_hash(messages: Sequence[Message]) -> str:
    """Return the sha256 (hex) of the messages as canonical JSON: equal prompts have equal names."""
    turns = [{"role": message.role, "content": message.content} for message in messages]
    canonical = json.dumps(turns, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
