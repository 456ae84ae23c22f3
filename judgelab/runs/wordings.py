"""Own wordings of prompts: kept as versions, so that a judge names what it was asked with for ever."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from judgelab.domain import Message
from judgelab.protocols.prompts import inside
from judgelab.store.engine import Session, Store
from judgelab.store.judges import JudgeInfo
from judgelab.store.people import record
from judgelab.store.projects import find_project
from judgelab.store.templates import TemplateInfo, keep_template, templates

# The option that carries an own wording, and the section of the prompt that it stands in.
SECTIONS = {"instruction": "task", "steps": "steps"}
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+")


def save(
    store: Store,
    slug: str,
    protocol: str,
    part: str,
    text: str,
    *,
    note: str = "",
    person_id: int | None = None,
) -> TemplateInfo:
    """Keep a wording as the next version of a part; the same text is the version it was."""
    with store.writing() as session:
        project = find_project(session, slug)
        kept = keep_template(
            session,
            project.id,
            protocol,
            part,
            text.strip(),
            note=" ".join(note.split()),
            person_id=person_id,
        )
        detail = {"protocol": protocol, "part": part, "version": kept.version}
        record(session, "saved_template", project_id=project.id, person_id=person_id, detail=detail)
        return kept


def known(store: Store, slug: str, protocol: str) -> list[TemplateInfo]:
    """Return the versions a project has of a protocol's parts, newest first."""
    with store.reading() as session:
        return templates(session, find_project(session, slug).id, protocol=protocol)


def with_versions(session: Session, project_id: int, judge: JudgeInfo) -> JudgeInfo:
    """Return the judge with the versions of its own wordings named after that of the shipped prompt.

    A wording that is not kept yet becomes the next version. Example: "1, instruction 2".
    """
    named = [judge.template_version]
    for part in SECTIONS:
        text = str(judge.options.get(part) or "").strip()
        if text:
            kept = keep_template(session, project_id, judge.protocol, part, text)
            named.append(f"{part} {kept.version}")
    return replace(judge, template_version=", ".join(named))


def shipped(messages: Sequence[Message], part: str) -> str:
    """Return what a prompt without own wordings says in a part; empty where it has none."""
    return inside(messages, SECTIONS[part])


def difference(ours: str, own: str) -> str:
    """Return the own wording against ours, sentence by sentence, as a unified diff without its head.

    An instruction is often one long line, of which a line by line comparison would show all as changed.
    """
    lines = difflib.unified_diff(_sentences(ours), _sentences(own), lineterm="", n=999)
    return "\n".join(list(lines)[3:])


def _sentences(text: str) -> list[str]:
    return [one for line in text.splitlines() for one in SENTENCE_END.split(line)]
