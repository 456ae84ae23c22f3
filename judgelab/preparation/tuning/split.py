"""Which items a model learns from, which ones check it, and which it may judge: never the same ones. Pure."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from judgelab.errors import InvalidInput
from judgelab.store.prepared.rated_rows import RatedRow
from judgelab.wording import sentence


@dataclass(frozen=True)
class ItemSplit:
    """Items by their external ids: `train` and `validation` are learnt from, `held_out` is left to judge.

    `leaking` are items of a training group whose question is also asked among the held-out ones; they are
    neither learnt from nor judged apart.
    """

    train: tuple[str, ...]
    validation: tuple[str, ...]
    held_out: tuple[str, ...]
    leaking: tuple[str, ...] = ()


def split_items(
    rows: Sequence[RatedRow],
    *,
    train: Collection[str] = (),
    validation: Collection[str] = (),
    percent: int = 50,
    validation_percent: int = 10,
    seed: int = 0,
) -> ItemSplit:
    """Return the split of the rated items, by groups (batches) or, where none is named, by drawing items.

    All responses to an item stay together, and so do items that ask the same question.

    Args:
        rows: the rated responses.
        train: groups to learn from; the rest is held out.
        validation: groups that check the training; without, a share of the training items does.
        percent: share of the items to learn from where no group is named.
        validation_percent: share of those that only check.
        seed: of the drawing.

    Raises:
        InvalidInput: a group is named for both, or nothing is left to learn from or to judge.
    """
    shared = sorted(set(train) & set(validation))
    if shared:
        raise InvalidInput(
            sentence(
                "group '{group}' can't be used for both training and validation; name it only once.",
                group=shared[0],
            )
        )
    groups = {row.external_id: row.group for row in rows}
    questions = {row.external_id: _question(row) for row in rows}
    if train:
        learning = [item for item, group in groups.items() if group in train]
        checking = [item for item, group in groups.items() if group in validation]
    else:
        learning, checking = _drawn(questions, percent, seed), []
    used = {*learning, *checking}
    held = [item for item in groups if item not in used]
    held_questions = {questions[item] for item in held}
    leaking = [item for item in (*learning, *checking) if questions[item] in held_questions]
    learning = [item for item in learning if item not in set(leaking)]
    checking = [item for item in checking if item not in set(leaking)]
    if not validation and learning:
        learning_questions = {item: questions[item] for item in learning}
        several = len(set(learning_questions.values())) > 1
        checking = (
            _drawn(learning_questions, validation_percent, seed + 1) if validation_percent and several else []
        )
        learning = [item for item in learning if item not in set(checking)]
    if not learning or not held:
        raise InvalidInput(
            sentence(
                "items to train on: {train}, left to judge: {held}; both must be at least 1. Name other "
                "groups, or change the percentage.",
                train=len(learning),
                held=len(held),
            )
        )
    return ItemSplit(tuple(learning), tuple(checking), tuple(held), tuple(leaking))


def _drawn(question_of: Mapping[str, str], percent: int, seed: int) -> list[str]:
    """Return about so many per cent of the items, drawn question by question."""
    questions = sorted(set(question_of.values()))
    random.Random(seed).shuffle(questions)
    number = max(1, round(len(questions) * percent / 100))
    chosen = set(questions[:number])
    return [item for item, question in question_of.items() if question in chosen]


def _question(row: RatedRow) -> str:
    # Summaries without a question are told apart by their source.
    return " ".join((row.question or row.context or row.external_id).casefold().split())
