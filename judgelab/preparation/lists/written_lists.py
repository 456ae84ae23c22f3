"""Texts of falling quality that models write: the golden one first, then three worse ones by each model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.preparation.generation.generate import (
    GenerationEstimate,
    OnProgress,
    WriterModel,
    estimate_generation,
    generate_all,
)
from judgelab.preparation.generation.prompts import TextRequest
from judgelab.preparation.generation.report import GenerationReport
from judgelab.preparation.lists.patterns import GradedText
from judgelab.preparation.lists.written_texts import LOWER, gold_request, lower_request, read_gold, read_lower
from judgelab.store.db.engine import Store
from judgelab.store.prepared.replies import PreparedText
from judgelab.store.prepared.source_texts import SourceText
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence

PURPOSE = "references"
TRIES = 3  # replies of one model to one prompt that may be unreadable before it is given up


@dataclass
class WritingCost:
    """The cost of writing; `cost` is None if any call's cost is unknown, `stopped` why it ended early."""

    calls: int = 0
    reused: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    stopped: str = ""

    def add(self, report: GenerationReport) -> None:
        """Take in what one round of asking took."""
        self.calls += report.calls
        self.reused += report.reused
        self.seconds += report.seconds
        self.stopped = self.stopped or report.stopped
        self.cost = None if self.cost is None or report.cost is None else self.cost + report.cost

    def to_json(self) -> dict[str, Any]:
        """Return the bill as `prepare --json` prints it."""
        return {**vars(self), "seconds": round(self.seconds, 3)}


def write_texts(
    store: Store,
    project: ProjectInfo,
    items: Sequence[SourceText],
    golds: Mapping[int, GradedText | None],
    *,
    writer: WriterModel,
    lower: Sequence[WriterModel] = (),
    progress: OnProgress | None = None,
) -> tuple[dict[int, list[GradedText]], Counter[str], WritingCost]:
    """Return the texts of each item with grades 3 (golden) to 0, why items have none, and what it took.

    Args:
        store: the database; every reply is stored in it as it comes.
        project: the project.
        items: the items.
        golds: what the golden text is written from, by item; None for nothing. Other items get no text.
        writer: writes the golden text.
        lower: each writes three worse ones; the writer where nobody is named.
        progress: is told how many texts of how many are there, in each round anew.

    Raises:
        UserError: no such endpoint, model or script.
    """
    bill, skipped = WritingCost(), Counter[str]()
    items_with_gold = [item for item in items if item.item_id in golds]
    if len(items_with_gold) < len(items):
        skipped[sentence("there is no reference or rated response to start from")] = len(items) - len(
            items_with_gold
        )

    def golden(item: SourceText, key: str) -> TextRequest:
        given = golds[item.item_id]
        return gold_request(item, key, given.text if given else "", project.task)

    ask = _ListWriter(store, project.id, bill, progress)
    replies = ask.until_read(writer, items_with_gold, "gold", golden, read_gold)
    texts: dict[int, list[GradedText]] = {}
    for item in items_with_gold:
        if item.item_id in replies:
            reply, text = replies[item.item_id]
            given = golds[item.item_id]
            source = given.response_id if given else None
            texts[item.item_id] = [
                GradedText(text, LOWER, None, source, _origin(writer), reply.id),
            ]
    _skip(skipped, sentence("no golden text was written"), len(items_with_gold) - len(texts))

    def worse_than(item: SourceText, key: str) -> TextRequest:
        return lower_request(item, key, texts[item.item_id][0].text, project.task)

    with_gold = [item for item in items_with_gold if item.item_id in texts]
    for model in lower or (writer,):
        worse = ask.until_read(model, with_gold, "lower", worse_than, read_lower)
        for item_id, (reply, answers) in worse.items():
            texts[item_id] += [
                GradedText(text, LOWER - place, None, None, _origin(model), reply.id)
                for place, text in enumerate(answers, start=1)
            ]
    whole = {item_id: item_texts for item_id, item_texts in texts.items() if len(item_texts) > 1}
    _skip(skipped, sentence("no reply contained three worse texts"), len(texts) - len(whole))
    return whole, skipped, bill


def estimate_writing(
    store: Store,
    project: ProjectInfo,
    items: Sequence[SourceText],
    golds: Mapping[int, GradedText | None],
    *,
    writer: WriterModel,
    lower: Sequence[WriterModel] = (),
) -> GenerationEstimate:
    """Return what `write_texts` would take where every reply can be read; nothing is sent.

    The worse texts' prompts hold a golden text that is not there yet: the one it is written from stands in.
    """
    with_gold = [item for item in items if item.item_id in golds]
    estimates = []
    for place, model in enumerate((writer, *(lower or (writer,)))):
        requests = []
        for item in with_gold:
            given = golds[item.item_id]
            text = given.text if given else ""
            make = lower_request if place else gold_request
            requests.append(make(item, _key(item, "lower" if place else "gold", 1), text, project.task))
        estimates.append(estimate_generation(store, project.id, PURPOSE, model, requests))
    costs = [estimate.cost for estimate in estimates if estimate.cost is not None]
    return GenerationEstimate(
        calls=sum(estimate.calls for estimate in estimates),
        reused=sum(estimate.reused for estimate in estimates),
        prompt_tokens=sum(estimate.prompt_tokens for estimate in estimates),
        completion_tokens=sum(estimate.completion_tokens for estimate in estimates),
        cost=sum(costs) if len(costs) == len(estimates) else None,
    )


class _ListWriter:
    """Rounds of asking about items, until each reply can be read or was tried often enough."""

    def __init__(self, store: Store, project_id: int, bill: WritingCost, progress: OnProgress | None) -> None:
        self._store, self._project_id = store, project_id
        self._bill, self._progress = bill, progress

    def until_read(
        self,
        writer: WriterModel,
        items: Sequence[SourceText],
        what: str,
        request: Callable[[SourceText, str], TextRequest],
        read: Callable[[str], Any],
    ) -> dict[int, tuple[PreparedText, Any]]:
        """Return for each item the reply that could be read, and what was read in it."""
        read_texts: dict[int, tuple[PreparedText, Any]] = {}
        left = list(items)
        for round_ in range(1, TRIES + 1):
            if not left or self._bill.stopped:
                break
            requests = [request(item, _key(item, what, round_)) for item in left]
            generated = generate_all(
                self._store, self._project_id, PURPOSE, writer, requests, progress=self._progress
            )
            self._bill.add(generated)
            for item in left:
                reply = generated.texts.get(_key(item, what, round_))
                value = read(reply.text) if reply else None
                if reply and value:
                    read_texts[item.item_id] = (reply, value)
            left = [item for item in left if item.item_id not in read_texts]
        return read_texts


def _key(item: SourceText, what: str, round_: int) -> str:
    return f"{item.name} {what}" if round_ == 1 else f"{item.name} {what} {round_}"


def _origin(writer: WriterModel) -> str:
    return f"model:{writer.model}"


def _skip(skipped: Counter[str], reason: str, count: int) -> None:
    if count:
        skipped[reason] += count
