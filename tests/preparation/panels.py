"""A server that makes roles, writes summaries and votes as a panel, in the words that were asked for."""

from __future__ import annotations

import hashlib
import re

from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow
from judgelab.store.projects.projects import create_project

THEMES = ("law", "trade", "health", "school", "sport")


def part(prompt: str, name: str) -> str:
    """Return what stands in one section of a prompt; empty without it."""
    match = re.search(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.S)
    return match[1] if match else ""


def speaks(prompt: str) -> str:
    """Answer whatever is asked; a summary that says "good" wins most votes, by a hash of role and texts."""
    task = part(prompt, "task")
    if "Which kinds of people" in task:
        return "\n".join(
            f"{n}. **People of {theme}**: They work in {theme} and read about {theme}."
            for n, theme in enumerate(THEMES, 1)
        )
    if "how much they already know" in task:
        return "\n".join(
            f"- Knowers of {theme}: They know much of {theme} already, in {theme}." for theme in THEMES
        )
    if "Summarise the article" in task:
        return f"A written summary of {part(prompt, 'source')[:20]}."
    roles = [line.split(". ", 1)[-1].split(":")[0] for line in part(prompt, "panel").splitlines()]
    votes = [vote(role, prompt) for role in roles or [""]]
    if "<number>" not in part(prompt, "output"):
        return f"Reason: It reads well.\nVote: summary {votes[0]}"
    return "\n\n".join(
        f"{number}. {role}\nReason: {role} found it clear.\nVote: summary {choice}"
        for number, (role, choice) in enumerate(zip(roles, votes, strict=True), 1)
    )


def vote(role: str, prompt: str) -> int:
    texts = [part(prompt, "summary_1"), part(prompt, "summary_2")]
    utilities = [_worth(text) + 0.35 * _noise(role, text) for text in texts]
    return 1 if utilities[0] > utilities[1] else 2


def _worth(text: str) -> float:
    return 1.0 if "good" in text else 0.0 if "poor" in text else 0.5


def _noise(role: str, text: str) -> float:
    return hashlib.sha256(f"{role}|{text}".encode()).digest()[0] / 128 - 1


def news(store: Store, items: int, *, references: bool = True) -> str:
    """Store a project of news with a good and a poor summary of each article; return its slug."""
    with store.writing() as session:
        project = create_project(
            session,
            name="News",
            task="summarisation",
            study="drpe",
            criteria=[Criterion("overall", "Overall", {"kind": "binary"})],
        )
        for n in range(items):
            item = ItemRow(
                project_id=project.id, external_id=f"a{n}", context=f"Article {n} tells of case {n}."
            )
            session.add(item)
            session.flush()
            if references:
                session.add(
                    ReferenceRow(item_id=item.id, position=0, grade=None, text=f"Known {n}.", origin="human")
                )
            for system, word in (("one", "good"), ("two", "poor")):
                session.add(
                    ResponseRow(
                        project_id=project.id,
                        item_id=item.id,
                        external_id=system,
                        system=system,
                        text=f"A {word} summary of article {n}.",
                    )
                )
    return project.slug
