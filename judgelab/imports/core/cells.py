"""Reading single cells: texts, names, lists written into a cell, scores."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from judgelab import literals
from judgelab.errors import InvalidInput
from judgelab.scales.binary import WORDS
from judgelab.wording import sentence

MAX_CELL = 5_000_000  # characters; the longest texts to be rated are books of about a million
MAX_DEPTH = 50  # nested lists and objects
PASSING_WORDS = frozenset({"cannot_judge", "cannot judge"})  # the answer "cannot judge", not a missing score
MAX_SCORE = 1e15  # above this, a float cannot represent every whole number
SHEET_ERRORS = frozenset({"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NULL!", "#NUM!"})
_MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "-", "--", "?", "missing", "nil", "[]", "{}"})
SCORES = frozenset({"rating", "score", "value", "number", "stars", "points", "label"})
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
_EXPLAINED = re.compile(
    r"\s*([+-]?\d+(?:\.\d+)?)\s*(?:[-–—(=:]\s*[^\W\d].*|stars?|points?)\s*", re.IGNORECASE
)
MAX_EXPLAINED = 40  # characters; a longer text is an answer, not a choice
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))


class UncomputedFormula(str):
    """A formula without a stored value; `error` is the stored error, such as "#REF!", if there is one."""

    error: str = ""


def text_of(value: Any) -> str:
    """Return a cell as text; a missing value is an empty text, and 12.0 is "12"."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def name_of(value: Any) -> str:
    """Return a cell as a name: with composed letters and single spaces, without invisible characters."""
    text = text_of(value)
    if text.isascii():
        return text.strip() if "  " not in text else " ".join(text.split())
    return " ".join(unicodedata.normalize("NFC", text).translate(_INVISIBLE).split())


def spelling_key(name: str) -> str:
    """Return a key that is equal for two spellings of the same name."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", name)).casefold()


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty or a word for it ("n/a", "None"); "n/a: resolved" is a label."""
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    if not isinstance(value, str):
        return isinstance(value, (list, tuple, dict)) and not value
    return value.strip().lower() in _MISSING


def passes(value: Any) -> bool:
    """Return whether a cell says "cannot judge": a rater answered, but gave no score."""
    return isinstance(value, str) and value.strip().lower() in PASSING_WORDS


def text_fault(text: str, *, place: str = "") -> str | None:
    """Return why a text cannot be stored, or None if it can; `place` names it in the message."""
    if len(text) <= MAX_CELL and "\0" not in text and text.isascii():
        return None
    place = place or sentence("the cell")
    if len(text) > MAX_CELL:
        return sentence(
            "{place} has {length} characters, more than the {most} allowed; shorten it",
            place=place,
            length=len(text),
            most=MAX_CELL,
        )
    if "\0" in text:
        return sentence("{place} contains a NUL character; remove it", place=place)
    try:
        text.encode()
    except UnicodeEncodeError:
        return sentence(
            "{place} contains half of a two-part character (a lone surrogate); save the text again as UTF-8",
            place=place,
        )
    return None


def cell_fault(value: Any, *, depth: int = 0) -> str | None:
    """Return why a cell, including nested lists and objects, cannot be stored, or None if it can."""
    if depth > MAX_DEPTH:
        return sentence(
            "the cell is nested more than {most} levels deep; write flatter objects", most=MAX_DEPTH
        )
    if isinstance(value, str):
        if isinstance(value, UncomputedFormula):
            return _no_value(value)
        return _error_of_sheet(value.strip()) if value.strip() in SHEET_ERRORS else text_fault(value)
    if isinstance(value, (bytes, bytearray)):
        return sentence("the cell contains raw bytes; save the column as text")
    if isinstance(value, Mapping):
        value = (*value.keys(), *value.values())
    if isinstance(value, (list, tuple)):
        return next((fault for part in value if (fault := cell_fault(part, depth=depth + 1))), None)
    return None


def _error_of_sheet(error: str) -> str:
    return sentence(
        "the cell contains {error} instead of a value; correct it in the spreadsheet", error=error
    )


def _no_value(formula: UncomputedFormula) -> str:
    if formula.error:
        return _error_of_sheet(formula.error)
    return sentence(
        "the cell contains the formula {formula}, but the file does not contain its result; open the file "
        "in a spreadsheet program and save it, or enter the value",
        formula=formula if len(formula) <= 60 else f"{formula[:60]}...",
    )


def list_of(value: Any) -> list[Any]:
    """Return a cell as a list: a list itself, a list literal parsed, anything else as the only element."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if value is None or value == "":
        return []
    if isinstance(value, str) and value.lstrip().startswith("[") and value.rstrip().endswith("]"):
        for read in (json.loads, literals.literal_value):
            try:
                parsed = read(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(parsed, list):
                return parsed
    return [value]


def single_value(value: Any) -> Any:
    """Return the only value in a list or object, also if the cell has it as text.

    >>> single_value([{"rating": 4, "type": "stars"}]), single_value('["5"]'), single_value([1, 2])
    (4, '5', [1, 2])
    """
    if isinstance(value, str):
        return _parsed_value(value)
    for _ in range(MAX_DEPTH):
        inside = list(value) if isinstance(value, (list, tuple)) else _inner_values(value)
        if len(inside) != 1:
            break
        value = inside[0]
    return value


def _inner_values(value: Any) -> list[Any]:
    """Return the only value in an object, or, of several, the numbers under keys for scores."""
    if not isinstance(value, Mapping):
        return []
    if len(value) == 1:
        return list(value.values())
    return [
        part for key, part in value.items() if str(key).lower() in SCORES and isinstance(part, (int, float))
    ]


def _parsed_value(text: str) -> Any:
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    for read in (json.loads, literals.literal_value):
        try:
            value = single_value(read(text))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return text if isinstance(value, (list, tuple, Mapping)) else value
    return text


def is_yes(value: Any) -> bool:
    """Return whether a cell says yes: true, "true", "Yes", "y", 1."""
    return text_of(value).strip().lower() in {"1", "true", "yes", "y"}


def score_of(value: Any, read: Callable[[str], float] | None = None) -> float:
    """Return a cell's score; "yes" and "no" are 1 and 0. Raises `InvalidInput` with the reason.

    A list or object with a single number counts as that number: `[{"rating": 4}]` is 4.

    Args:
        value: the cell.
        read: the scale's function for reading a text; without one, numbers and yes/no words are read.
    """
    value = single_value(value)
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        number = _float(value)
    else:
        text = text_of(value)
        _refuse_odd_number(text)
        number = _number_in(text, read or _plain_score)
    if not math.isfinite(number):
        raise InvalidInput(sentence("'{value}' is not a finite number", value=str(value)))
    if abs(number) > MAX_SCORE:
        raise InvalidInput(sentence("{number} is too large for a score", number=f"{number:g}"))
    return number


def _float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InvalidInput(sentence("the number is too large for a score")) from None


def _refuse_odd_number(text: str) -> None:
    """Refuse texts that could be misread as numbers: a decimal comma, and 1_000 as in Python."""
    if _COMMA.fullmatch(text):
        point = text.strip().replace(",", ".")
        raise InvalidInput(
            sentence("'{text}' has a decimal comma; use a decimal point ({point})", text=text, point=point)
        )
    if "_" in text and text.replace("_", "").strip().isdecimal():
        raise InvalidInput(sentence("'{text}' is not a number", text=text))


def _number_in(text: str, read: Callable[[str], float]) -> float:
    """Return the text as a score, or the number before an explanation: "4 - good" is 4."""
    try:
        return read(text)
    except InvalidInput:
        explained = _EXPLAINED.fullmatch(text)
        if explained is None or len(text) > MAX_EXPLAINED:
            raise
        return float(explained[1])


def _plain_score(text: str) -> float:
    word = text.strip().lower()
    try:
        return float(word)
    except ValueError:
        pass
    if word in WORDS:
        return WORDS[word]
    shown = text if len(text) <= 40 else text[:40] + "..."
    raise InvalidInput(sentence("'{text}' is not a number", text=shown))
