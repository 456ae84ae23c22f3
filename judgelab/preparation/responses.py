"""Responses that a model makes from a pool of documents, as ELECT's answers were made from reviews.

BM25 ranks an item's documents by its question, the best hundred are the context, and a model answers from
them. The answers are responses of a new system, each with its origin: the model, and which documents it read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from judgelab.domain import Message
from judgelab.errors import InvalidInput
from judgelab.preparation.bm25 import best_matches
from judgelab.preparation.generation.generate import OnProgress, WriterModel, generate_all
from judgelab.preparation.generation.prompts import PreparationPrompt, TextRequest, about, prompts
from judgelab.preparation.generation.report import GenerationReport
from judgelab.protocols.core.prompts import clean, joined, section
from judgelab.protocols.reading.fences import unfenced
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.runs import candidates
from judgelab.store.prepared.source_texts import SourceText, source_texts
from judgelab.store.projects.documents import DocumentCounts, count_documents, documents_of
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.transfer.importing import ImportWriter
from judgelab.store.transfer.records import RecordBatch, ResponseRecord
from judgelab.wording import mark, sentence
from judgelab.words import words_of

PURPOSE = "responses"
TOP = 100
MOST_WORDS = 0  # as many as the documents have
Form = Literal["chat", "unifiedqa"]
FORMS: tuple[Form, ...] = ("chat", "unifiedqa")


class ReadPassages(NamedTuple):
    """The documents that an answer is made from: their places in the pool, best first, and their texts."""

    pool_positions: Sequence[int]
    texts: Sequence[str]


@dataclass(frozen=True)
class ResponsesReport:
    """The result of generating responses: responses stored, items left unchanged, and problems.

    `cut` counts items of which fewer documents were read than `top`, because of their words.
    """

    system: str
    written: int
    had_one: int
    without_documents: int
    cut: int
    problems: Mapping[str, str]
    generation: GenerationReport

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        return {
            "system": self.system,
            "written": self.written,
            "had_one": self.had_one,
            "without_documents": self.without_documents,
            "cut": self.cut,
            "problems": dict(self.problems),
            **self.generation.to_json(),
        }


@dataclass(frozen=True)
class DocumentPools:
    """The texts of a project's items, and the documents of those that have some, by the item's row id."""

    texts: Sequence[SourceText]
    documents: Mapping[int, Sequence[str]]


def document_pools(store: Store, project_id: int) -> DocumentPools:
    """Return the project's items with their documents."""
    with store.reading() as session:
        texts = source_texts(session, project_id)
        return DocumentPools(texts, documents_of(session, [text.item_id for text in texts]))


def document_counts(store: Store, project_id: int) -> DocumentCounts:
    """Return how many items have documents, and how many documents there are."""
    with store.reading() as session:
        return count_documents(session, project_id)


def read_passages(question: str, pool: Sequence[str], *, top: int, most_words: int) -> ReadPassages:
    """Return the best documents for a question, as many as `top` and `most_words` (0: any number) allow."""
    places: list[int] = []
    words = 0
    for place in best_matches(question, pool, top):
        words += len(words_of(pool[place]))
        if places and most_words and words > most_words:
            break
        places.append(place)
    return ReadPassages(places, [pool[place] for place in places])


def answer_prompt(text: SourceText, read: ReadPassages, *, form: Form) -> list[Message]:
    """Return the prompt that asks for an answer from the documents.

    Args:
        text: the item.
        read: the documents.
        form: "chat" for models that follow instructions, "unifiedqa" for the question and the context in
            lower case with UnifiedQA's mark between them.
    """
    question = text.question or text.context
    if form == "unifiedqa":
        return [Message("user", f"{question} \\n {' '.join(read.texts)}".lower())]
    listed = "\n".join(f"{place}. {clean(document)}" for place, document in enumerate(read.texts, start=1))
    task = (
        "Answer the question using what the reviews below say. Where they disagree, report what most of them "
        "say; where they do not answer it, say so."
    )
    return [
        Message(
            "user",
            joined(
                [
                    section("task", task),
                    section("output", "Write the answer in one to three sentences and nothing else."),
                    section("source", listed),
                    section("question", clean(question)),
                ]
            ),
        )
    ]


def answer_request(
    text: SourceText, read: ReadPassages, key: str, task: str, *, form: Form, instruction: str = ""
) -> TextRequest:
    """Return the request for one answer; `instruction` is one's own wording of the task for this time."""
    messages = answer_prompt(text, read, form=form)
    if form != "chat":
        return TextRequest(key, messages, text.item_id)
    facts = about(text.question or text.context, text.context, task=task, references=read.texts)
    custom = {"task": instruction} if instruction.strip() else {}
    return TextRequest(key, messages, text.item_id, prompt=PURPOSE, about=facts, own_texts=custom)


def make_responses(
    store: Store,
    slug: str,
    writer: WriterModel,
    *,
    system: str = "",
    top: int = TOP,
    most_words: int = MOST_WORDS,
    form: Form = "chat",
    instruction: str = "",
    progress: OnProgress | None = None,
) -> ResponsesReport:
    """Generate and store a response to every item that the system has not answered yet.

    Args:
        store: the database.
        slug: the project.
        writer: who answers.
        system: the new system's name; empty for the model's.
        top: how many documents are read at most.
        most_words: how many words of them at most, 0 for all; the last ones are left out whole.
        form: how the prompt looks.
        instruction: one's own wording of the task.
        progress: is told how many calls of how many are done.

    Raises:
        UserError: no such project, endpoint or model, or no item has documents.
    """
    named = system.strip() or writer.model.rstrip("/").rsplit("/", 1)[-1]
    if top < 1 or most_words < 0:
        raise InvalidInput(sentence("top must be at least 1 and most_words at least 0."))
    with store.reading() as session:
        project = find_project(session, slug)
        texts = source_texts(session, project.id)
        pools = documents_of(session, [item.item_id for item in texts])
        done = {item.item_id for item in candidates(session, project.id) if item.system == named}
    if not pools:
        raise InvalidInput(
            sentence(
                "no item of project '{project}' has documents to answer from; import some with `judgelab "
                "import {project} FILE --kind documents`.",
                project=slug,
            )
        )
    open_items = [item for item in texts if item.item_id in pools and item.item_id not in done]
    read = {
        item.name: read_passages(
            item.question or item.context, pools[item.item_id], top=top, most_words=most_words
        )
        for item in open_items
    }
    generated = generate_all(
        store,
        project.id,
        PURPOSE,
        writer,
        [
            answer_request(
                item,
                read[item.name],
                f"{named}: {item.name}",
                project.task,
                form=form,
                instruction=instruction,
            )
            for item in open_items
        ],
        progress=progress,
    )
    problems, records = dict(generated.failed), []
    for item in open_items:
        reply = generated.texts.get(f"{named}: {item.name}")
        if reply is None:
            continue
        answer = unfenced(reply.text)
        if not answer:
            problems[item.name] = sentence("the reply is empty")
            continue
        origin = {
            "origin": f"model:{reply.model or reply.asked_model}",
            "documents": list(read[item.name].pool_positions),
        }
        records.append(ResponseRecord(item.name, named, named, answer, origin))
    _store(store, project.id, records)
    cut = sum(len(read[item.name].pool_positions) < min(top, len(pools[item.item_id])) for item in open_items)
    return ResponsesReport(named, len(records), len(done), len(texts) - len(pools), cut, problems, generated)


def _store(store: Store, project_id: int, records: Sequence[ResponseRecord]) -> None:
    with store.writing() as session:
        writer = ImportWriter(session, project_id, criterion_ids=criterion_ids(session, project_id))
        writer.write(RecordBatch(responses=list(records)))
        writer.finish()
        problems = writer.ledger.problems
        if problems:
            raise InvalidInput(problems[0].sentence())


def _sample(session: Session, project: ProjectInfo) -> TextRequest | None:
    texts = source_texts(session, project.id)
    pools = documents_of(session, [item.item_id for item in texts])
    for item in texts:
        if pool := pools.get(item.item_id):
            read = read_passages(item.question or item.context, pool, top=TOP, most_words=MOST_WORDS)
            return answer_request(item, read, item.name, project.task, form="chat")
    return None


prompts.register(PURPOSE)(
    PreparationPrompt(
        PURPOSE, mark("Responses from documents"), ("task", "output"), _sample, template_version="2"
    )
)
