"""References that a model writes where a data set has none (CNN2022 and BBC2022 of Wu et al. 2023)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Message
from judgelab.errors import InvalidInput, NotFound
from judgelab.options import Option
from judgelab.preparation.generation.generate import OnProgress, WriterModel, generate_all
from judgelab.preparation.generation.items import items_of
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.preparation.generation.report import GenerationReport
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.reading.fences import unfenced
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.source_texts import SourceText, add_reference, source_texts
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark, sentence

PURPOSE = "written_references"
PROMPT = "references.generated"
ORIGIN = "model:"  # before the model's name in a reference's origin
SENTENCES = Option(
    "sentences",
    "int",
    3,
    help=mark(
        "Number of sentences in a written summary; the paper's CNN summaries have 3, its BBC summaries 1."
    ),
)


@dataclass(frozen=True)
class WrittenReport:
    """The result of writing: references stored, items that already had one, and problems."""

    written: int
    had_one: int
    problems: Mapping[str, str]
    generation: GenerationReport

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        return {
            "written": self.written,
            "had_one": self.had_one,
            "problems": dict(self.problems),
            **self.generation.to_json(),
        }


def reference_requests(texts: Sequence[SourceText], task: str, *, sentences: int) -> list[TextRequest]:
    """Return the prompt of each item."""
    return [
        TextRequest(
            item.name,
            [Message("user", _prompt(item, task, sentences))],
            item.item_id,
            prompt=PROMPT,
            about=about(item.question, item.context, task=task),
            fields={"sentences": str(sentences)},
        )
        for item in texts
    ]


def _prompt(text: SourceText, task: str, sentences: int) -> str:
    length = "one sentence" if sentences == 1 else f"{sentences} sentences"
    question = {
        True: f"Summarise the article in {length}. Use only what the article says and add nothing.",
        False: f"Answer the question in at most {length}, as correctly and completely as you can.",
    }[task == "summarisation"]
    word = "summary" if task == "summarisation" else "answer"
    return joined(
        [
            section("task", question),
            section("output", f"Write the {word} and nothing else."),
            section("source", clean(text.context)),
            section("question", clean(text.question)),
        ]
    )


def write_references(
    store: Store,
    slug: str,
    writer: WriterModel,
    *,
    sentences: int = 3,
    group: str = "",
    progress: OnProgress | None = None,
) -> WrittenReport:
    """Write a reference for every item that has none; each is stored with its model.

    Args:
        store: the database.
        slug: the project.
        writer: who writes.
        sentences: how long a reference is.
        group: only items of this group; empty for all.
        progress: is told how many calls of how many are done.

    Raises:
        UserError: no such project, endpoint or model; `sentences` is below 1; the project has no item.
    """
    if not 1 <= sentences <= 30:
        raise InvalidInput(SENTENCES_REFUSED)
    with store.reading() as session:
        project, texts = items_of(session, slug)
    groups = sorted({item.group for item in texts if item.group})
    if group and group not in groups:
        raise NotFound(mark("group"), group, groups)
    bare = [item for item in texts if not item.known and group in ("", item.group)]
    generated = generate_all(
        store,
        project.id,
        PURPOSE,
        writer,
        reference_requests(bare, project.task, sentences=sentences),
        progress=progress,
    )
    problems, written = dict(generated.failed), {}
    for item in bare:
        reply = generated.texts.get(item.name)
        if reply is None:
            continue
        text = unfenced(reply.text)
        if text and reply.finish_reason != "length":
            written[item.item_id] = (text, f"{ORIGIN}{reply.model or reply.asked_model}")
        else:
            problems[item.name] = sentence("the reply is empty or cut off; raise max_tokens")
    with store.writing() as session:
        still = {item.item_id for item in source_texts(session, project.id) if not item.known}
        for item_id, (text, origin) in written.items():
            if item_id in still:
                add_reference(session, item_id, text, origin=origin)
    had_one = sum(bool(item.known) for item in texts)
    return WrittenReport(len(written), had_one, problems, generated)


SENTENCES_REFUSED = sentence("sentences must be between 1 and 30.")


def _sample(session: Session, project: ProjectInfo) -> TextRequest | None:
    texts = source_texts(session, project.id)
    return next(iter(reference_requests(texts[:1], project.task, sentences=SENTENCES.default)), None)


prompts.register(PROMPT)(
    PreparationPrompt(
        PROMPT,
        mark("Missing references"),
        ("task", "output"),
        _sample,
        ("sentences",),
        template_version="2",
    )
)
