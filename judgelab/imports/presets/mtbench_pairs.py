"""MT-bench: pairs of models' answers in two turns, with the choices of three named people and six LLMs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.domain import Criterion, RaterKind
from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import list_of
from judgelab.imports.core.records import ChoiceRecord, RecordChunk
from judgelab.imports.presets.base import SIZE, Folder, Preset, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

PAIRS, PEOPLE = "mtbench_pairs.jsonl", "mtbench_human_annotations.json"
JUDGES = "mtbench_llm_annotations.json"
PREFERRED = Criterion(
    "preferred",
    "Preferred answer",
    {"kind": "ordinal", "low": 1, "high": 10},
    "Which assistant answers the user better?",
)


@presets.register("mtbench-pairs")
class MtbenchPairs(Preset):
    """Each turn of a question is an item, and a model's answer in that turn is a response.

    In the second turn, the judged answer follows the model's first one, which is therefore included. The
    file does not say in which order the answers were shown.
    """

    title = sentence("MT-bench (pairs)")
    summary = mark(
        "Pairs of answers to 42 questions in two turns, with the choices of three named people and six "
        "language models."
    )
    needs = (PAIRS, PEOPLE)

    def criteria(self, folder: Folder) -> tuple[Criterion, ...]:
        """Return the only criterion, by which the answers were compared."""
        return (PREFERRED,)

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield the questions with their answers, then the choices."""
        chunk = RecordChunk(source=PAIRS)
        for row in folder.rows(PAIRS, "id", "conversation_a", "conversation_b"):
            _add_pair(chunk, row.cells, row=row.number)
            if len(chunk) >= SIZE:
                yield chunk
                chunk = RecordChunk(source=PAIRS)
        yield chunk
        yield _choices(folder, PEOPLE, "human")
        if JUDGES in folder.names():
            yield _choices(folder, JUDGES, "judge")


def _choices(folder: Folder, name: str, kind: RaterKind) -> RecordChunk:
    chunk = RecordChunk(source=name)
    for rater, choices in folder.document(name).items():
        for pair, choice in choices.items():
            item, models = _named(pair)
            chunk.choices.append(
                ChoiceRecord(item, rater, choice, models, kind=kind, criterion=PREFERRED.key)
            )
    return chunk


def _named(pair: str) -> tuple[str, tuple[str, str]]:
    """Return the item and the two models of a pair such as `82__gpt-4__llama-13b__2` (2 is the turn)."""
    parts = pair.split("__")
    if len(parts) != 4:
        raise InvalidInput(
            sentence(
                "the pair '{pair}' in {file} does not have the form QUESTION__MODEL__MODEL__TURN.",
                file=PAIRS,
                pair=pair,
            )
        )
    question, model_a, model_b, turn = parts
    return f"{question}-{turn}", (model_a, model_b)


def _add_pair(chunk: RecordChunk, cells: Mapping[str, Any], *, row: int) -> None:
    item, models = _named(cells["id"])
    second = item.endswith("-2")
    for model, column in zip(models, ("conversation_a", "conversation_b"), strict=True):
        texts = [turn["content"] for turn in list_of(cells[column])]
        questions, answers = texts[: 3 if second else 1 : 2], texts[1 : 4 if second else 2 : 2]
        chunk.items.append(
            ItemRecord(item, "\n\n".join(questions), group=f"turn {2 if second else 1}", row=row)
        )
        chunk.responses.append(ResponseRecord(item, model, model, "\n\n---\n\n".join(answers), {}, row))
