"""Custom prompt texts, stored as versions so that a judge always names the texts it was called with."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from judgelab.protocols import protocols
from judgelab.protocols.core.prompt_parts import PREFIX
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.templates import TemplateInfo, save_template, templates
from judgelab.store.projects.projects import find_project

SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+")


def known_versions(store: Store, slug: str, protocol: str) -> list[TemplateInfo]:
    """Return the versions a project has of a protocol's parts, newest first."""
    with store.reading() as session:
        return templates(session, find_project(session, slug).id, protocol=protocol)


def with_versions(session: Session, project_id: int, judge: JudgeInfo) -> JudgeInfo:
    """Return the judge with the versions of its own wordings named after that of the shipped prompt.

    A wording that is not kept yet becomes the next version. Example: "1, instruction 2".
    """
    named = [judge.template_version]
    for option in protocols.get(judge.protocol).part_options().values():
        text, part = str(judge.options.get(option) or "").strip(), stored_as(option)
        if text:
            version = save_template(session, project_id, judge.protocol, part, text)
            named.append(f"{part} {version.version}")
    return replace(judge, template_version=", ".join(named))


def stored_as(option: str) -> str:
    """Return the name under which versions of the text are kept that this option carries."""
    return option.removeprefix(PREFIX)


def describe_difference(ours: str, own: str) -> str:
    """Return the own wording against ours, sentence by sentence, as a unified diff without its head.

    An instruction is often one long line, of which a line by line comparison would show all as changed.
    """
    lines = difflib.unified_diff(_sentences(ours), _sentences(own), lineterm="", n=999)
    return "\n".join(list(lines)[3:])


def _sentences(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in SENTENCE_END.split(line)]
