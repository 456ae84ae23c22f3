"""Prompts for models to write references of decreasing quality, and parsing of the replies. Pure.

The structure is that of LINKAGE's appendix A.2: a golden text is written anew, then others write three worse
ones in sight of three examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judgelab.domain import Message
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.protocols.core.prompts import clean, joined, section, template_table
from judgelab.store.db.engine import Session
from judgelab.store.prepared.source_texts import SourceText, source_texts
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark

VERSION = "2"
LOWER = 3
GOLD, WORSE = "references.gold", "references.lower"
_ANSWER = re.compile(
    r"^[ \t>*_#-]*(?:answer|summary)[ \t]*([1-9])[ \t*_]*[:.)][ \t*_]*", re.IGNORECASE | re.MULTILINE
)


def gold_prompt(question: str, context: str, gold: str, *, summary: bool) -> list[Message]:
    """Return the prompt for the golden text: `gold` written anew, or from nothing where that is empty."""
    words = _words()
    parts = [
        section("task", _told(words["gold" if gold else "gold_of_nothing"], summary=summary)),
        section("source", clean(context)) if summary else "",
        section("question", clean(question)),
        section("reference", clean(gold)),
    ]
    return [Message("user", joined(parts))]


def lower_prompt(question: str, context: str, gold: str, *, summary: bool) -> list[Message]:
    """Return the prompt for three texts worse than the golden one, after three examples."""
    words = _words()
    blocks = []
    for sample in words["example"]:
        answers = "\n".join(f"Answer{place}: {text}" for place, text in enumerate(sample["answers"], start=1))
        parts = [section("question", sample["question"]), section("reference", sample["golden"])]
        blocks.append(section("example", "\n".join([*parts, section("answer", answers)])))
    parts = [
        section("task", _told(words["lower"], summary=summary)),
        section("examples", "\n".join(blocks)),
        section("source", clean(context)) if summary else "",
        section("question", clean(question)),
        section("reference", clean(gold)),
    ]
    return [Message("user", joined(parts))]


def gold_request(item: SourceText, key: str, gold: str, task: str) -> TextRequest:
    """Return the request for an item's golden text."""
    messages = gold_prompt(item.question, item.context, gold, summary=task == "summarisation")
    return _request(item, key, messages, GOLD, gold, task)


def lower_request(item: SourceText, key: str, gold: str, task: str) -> TextRequest:
    """Return the request for three texts worse than the golden one."""
    messages = lower_prompt(item.question, item.context, gold, summary=task == "summarisation")
    return _request(item, key, messages, WORSE, gold, task)


def _request(
    item: SourceText, key: str, messages: Sequence[Message], prompt: str, gold: str, task: str
) -> TextRequest:
    references = [gold] if gold else []
    facts = about(item.question, item.context, task=task, references=references)
    return TextRequest(key, messages, item.item_id, prompt=prompt, about=facts)


def read_gold(text: str) -> str:
    """Return the golden text of a reply; empty where there is none."""
    return re.sub(
        r"^[ \t*_]*(?:golden[ \t]+)?(?:answer|summary)[ \t*_]*:[ \t*_]*", "", text.strip(), flags=re.I
    )


def read_lower(text: str) -> list[str]:
    r"""Return the three texts of a reply, best first; none unless each occurs exactly once.

    >>> read_lower("Answer1: Fair.\nAnswer2: Poor.\nAnswer3: Nonsense.")
    ['Fair.', 'Poor.', 'Nonsense.']
    """
    pieces = _ANSWER.split(text)
    by_grade = dict(zip(pieces[1::2], (piece.strip() for piece in pieces[2::2]), strict=True))
    grades = [str(place) for place in range(1, LOWER + 1)]
    if pieces[1::2] != grades or not all(by_grade.values()):
        return []
    return [by_grade[place] for place in grades]


def _words() -> Mapping[str, Any]:
    return template_table("written_references", VERSION)


def _told(words: str, *, summary: bool) -> str:
    noun = "summary" if summary else "answer"
    filled = words.strip()
    for word, value in (
        ("{texts}", "summaries" if summary else "answers"),
        ("{text}", noun),
        ("{a_text}", "a summary" if summary else "an answer"),
        ("{of}", "of" if summary else "to"),
        ("{Text}", noun.capitalize()),
        ("{case}", "a source text" if summary else "an open-ended (non-factoid) question"),
    ):
        filled = filled.replace(word, value)
    return filled


def _sample(
    make_request: Callable[[SourceText, str, str, str], TextRequest],
) -> Callable[[Session, ProjectInfo], TextRequest | None]:
    def first(session: Session, project: ProjectInfo) -> TextRequest | None:
        for item in source_texts(session, project.id)[:1]:
            return make_request(item, item.name, item.known[0].text if item.known else "", project.task)
        return None

    return first


prompts.register(GOLD)(
    PreparationPrompt(
        GOLD, mark("Reference lists: golden text"), ("task",), _sample(gold_request), template_version=VERSION
    )
)
prompts.register(WORSE)(
    PreparationPrompt(
        WORSE,
        mark("Reference lists: three worse texts"),
        ("task", "examples"),
        _sample(lower_request),
        signs=tuple((f"Answer{place}", f"Summary{place}") for place in range(1, LOWER + 1)),
        template_version=VERSION,
    )
)
