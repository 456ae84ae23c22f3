"""Read the cells of a comparison: the choice, its strength, and the response shown first."""

from __future__ import annotations

from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.checking.remarks import Remarks
from judgelab.imports.checking.response_index import ResponseIndex
from judgelab.imports.core import choice_words
from judgelab.imports.core.cells import is_missing, name_of, score_of, text_of
from judgelab.imports.core.records import ChoiceRecord
from judgelab.wording import sentence


class UnreadChoice(InvalidInput):
    """A cell that is no choice; `asked` is what a person is asked about, the cell or numbers like it."""

    def __init__(self, message: str, asked: str) -> None:
        super().__init__(message)
        self.asked = asked


class ChoiceCells:
    """Reads cells that may name one of the two responses compared.

    Args:
        index: the known responses.
        remarks: notes the cells that are no choice.
        numbers: whether 1 and 2 have their usual meaning, the first and the second response.
    """

    def __init__(self, index: ResponseIndex, remarks: Remarks, *, numbers: bool) -> None:
        self._index = index
        self._remarks = remarks
        self._numbers = numbers

    def choice(self, record: ChoiceRecord, pair: tuple[str, str]) -> tuple[str, int]:
        """Return `a`, `b` or `tie` and the strength; raises `UnreadChoice` for anything else."""
        named = self._named(record, record.value, pair)
        usual = self._numbers and record.numbers.usual
        chosen = (named, 1) if named else choice_words.choice_of(record.value, numbers=usual)
        if chosen is None:
            asked = choice_words.asked(record.value, record.numbers)
            self._remarks.unread_choice(asked)
            raise UnreadChoice(choice_words.refusal(record.value, record.numbers), asked)
        return chosen

    def shown_first(self, record: ChoiceRecord, pair: tuple[str, str]) -> str:
        """Return the response shown first, `a` or `b`; "" if the file does not say."""
        if is_missing(record.first):
            return ""
        shown = self._named(record, record.first, pair) or choice_words.order_of(record.first)
        if shown is None:
            raise InvalidInput(
                sentence("'{first}' is not one of the two responses; write a or b", first=str(record.first))
            )
        return shown

    def _named(self, record: ChoiceRecord, value: Any, pair: tuple[str, str]) -> str:
        """Return which of the two responses a cell names, `a` or `b`, or ""."""
        name = name_of(value)
        joined = self._index.named(record.item_id, name)
        if not joined.reason and joined.response_id in pair:
            return "ab"[pair.index(joined.response_id)]
        return "ab"[record.names.index(name)] if name in record.names else ""


def strength_of(value: Any) -> int:
    """Return how much better a response is said to be, from 1 to 9; raises `InvalidInput`."""
    strength = score_of(text_of(value))
    if not (strength.is_integer() and 1 <= strength <= 9):
        raise InvalidInput(
            sentence(
                "the strength {strength} is not a whole number from 1 to 9; correct it",
                strength=f"{strength:g}",
            )
        )
    return int(strength)
