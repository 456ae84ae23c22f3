"""The two prompts that find an article's readers, and the roles that a reply to them lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from judgelab.domain import Message
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.store.db.engine import Session
from judgelab.store.prepared.source_texts import SourceText, source_texts
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark

Way = Literal["coarse", "fine"]
WAYS: tuple[Way, ...] = ("coarse", "fine")
HOW_MANY = 5  # roles that each prompt asks for, so that six can be kept of ten
_LINE = re.compile(
    r"^[ \t]*(?:[-*•]|\d{1,2}[.)])?[ \t]*[*_]{0,2}(?P<type>[^:\n]{2,80}?)[*_]{0,2}[ \t]*:"
    r"[*_]*[ \t]*(?P<rest>\S[^\n]*)$",
    re.M,
)
ASKS: Mapping[Way, str] = {
    "coarse": (
        "Which kinds of people would read this {text}, each with an interest in it that is typical of such "
        "people? Think of common occupations and walks of life."
    ),
    "fine": (
        "Which groups of people differ in how much they already know about what this {text} mentions? Think "
        "of those who are directly involved, those who live nearby, and those who have only heard of it."
    ),
}


def role_requests(texts: Sequence[SourceText], task: str) -> list[TextRequest]:
    """Return the two prompts of every item."""
    return [_request(text, way, task) for text in texts for way in WAYS]


def _request(text: SourceText, way: Way, task: str) -> TextRequest:
    return TextRequest(
        f"{text.name} {way}",
        [Message("user", _prompt(text, way, task))],
        text.item_id,
        prompt=f"roles.{way}",
        about=about(text.question, text.context, task=task),
    )


def _prompt(text: SourceText, way: Way, task: str) -> str:
    word = "article" if task == "summarisation" else "question"
    return joined(
        [
            section("task", f"Read the {word}. {ASKS[way].format(text=word)} Name {HOW_MANY} of them."),
            section(
                "output",
                f"Write {HOW_MANY} lines and nothing else, one for each group, in exactly this format:\n"
                "<name of the group>: <one sentence on what they are interested in or what they know>",
            ),
            section("source", clean(text.context)),
            section("question", clean(text.question)),
        ]
    )


def read_roles(text: str) -> list[tuple[str, str]]:
    """Return type and description of each role that a reply lists; none twice.

    >>> read_roles("1. **Fans:** They follow the singer.")
    [('Fans', 'They follow the singer.')]
    """
    by_type: dict[str, tuple[str, str]] = {}
    for line in _LINE.finditer(text):
        kind, rest = line["type"].strip(" *_"), line["rest"].strip(" *_")
        if kind and rest:
            by_type.setdefault(kind.casefold(), (kind, rest))
    return list(by_type.values())


def _sample(way: Way) -> Callable[[Session, ProjectInfo], TextRequest | None]:
    def first(session: Session, project: ProjectInfo) -> TextRequest | None:
        texts = source_texts(session, project.id)
        return _request(texts[0], way, project.task) if texts else None

    return first


TITLES: Mapping[Way, str] = {
    "coarse": mark("Roles by occupation"),
    "fine": mark("Roles by knowledge"),
}
for one in WAYS:
    prompts.register(f"roles.{one}")(
        PreparationPrompt(
            f"roles.{one}",
            TITLES[one],
            ("task", "output"),
            _sample(one),
            signs=((":",),),
            template_version="2",
        )
    )
