"""Scores stated as JSON inside a reply, whatever stands around the object.

Models write JSON as they have seen it in programs: single quotes, a comma after the last value, Python's
`None`, line ends within a text. What can be read in one way only is read.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator
from typing import Any

from judgelab import literals
from judgelab.protocols.reading.doubts import after, conditional, unmeant
from judgelab.protocols.reading.numbers import Stated, clipped, out_of_top
from judgelab.scales import Scale
from judgelab.wording import sentence

REASON_KEYS = ("explanation", "reason", "reasoning", "rationale", "feedback")
LONGEST_MENDED = 20_000  # characters of an object that is no JSON yet looks like one
MOST_MENDED = 20  # braces of one reply at which that is tried
# What the score of another thing than the response stands under.
OTHERS = frozenset(
    (
        "reference references reference_answer gold human ideal example examples previous baseline confidence"
    ).split()
)
MOST_TRIED = 1000  # braces of one reply that open nothing readable; no model means an object after so many
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_MARKS = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_WORDS = re.compile(
    rf"{_STRING}|(?<![\w.])(?:true|false|null)(?![\w.])|[{{,]\s*[A-Za-z_]\w*(?=\s*:)", re.DOTALL
)
_PYTHON = {"true": "True", "false": "False", "null": "None"}


def json_score(text: str, scale: Scale, about: str = "") -> Stated:
    """Return the one score that the reply's JSON states under the key "score", or why none can be read.

    Args:
        text: the reply.
        scale: what a score may be.
        about: the names of what is judged; a score under "confidence" is none unless that is judged.
    """
    others = OTHERS.difference(about.casefold().split())
    try:
        placed = list(placed_objects(text))
        found = list(pairs_of([one for one, _, _ in placed], others))
    except RecursionError:
        return Stated(None, sentence("the JSON is nested too deeply to be read"))
    scores = [value for key, value in found if key == "score"]
    if not scores:
        return Stated(None, sentence("no complete JSON object with a score in the reply"))
    if len({str(value) for value in scores}) > 1:
        return Stated(None, sentence("{count} different scores in the JSON, not one", count=len(scores)))
    holding = [at for one, *at in placed if any(key == "score" for key, _ in pairs_of(one, others))]
    if any(spoken_of(text, *at) for at in holding):
        return Stated(None, sentence("the score in the JSON is only spoken of"))
    if isinstance(scores[0], bool) or not isinstance(scores[0], int | float | str):
        shown = clipped(json.dumps(scores[0], default=str))
        return Stated(None, sentence("the JSON's score is {shown}, not a number", shown=shown))
    reasons = [str(value) for key, value in found if key in REASON_KEYS]
    return out_of_top(str(scores[0]), scale)._replace(rationale=" ".join(reasons))


def spoken_of(text: str, start: int, end: int) -> bool:
    """Return whether an object is not stated: "not {...}", "{...} if it had sources".

    >>> spoken_of('It would be {"score": 5} with sources.', 12, 24)
    True
    """
    return unmeant(text, start, end) or conditional(after(text, end), anywhere=False)


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every complete JSON object in `text`, outermost ones only, in order."""
    return (found for found, _, _ in placed_objects(text))


def placed_objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the same with where each begins and ends."""
    # An int of 5,000 digits is refused by int(), not by float(); a line end within a text does no harm.
    decoder = json.JSONDecoder(parse_int=float, strict=False, object_pairs_hook=_object)
    start, unread = text.find("{"), 0
    while start >= 0 and unread < MOST_TRIED:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            unread += 1
            found, end = _mended(text, start) if unread <= MOST_MENDED else (None, start + 1)
        if found is not None:
            yield found, start, end
        start = text.find("{", end)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as an object; a key that stands there twice holds both values, so neither is taken."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = [found[key], value] if key in found and found[key] != value else value
    return found


def _mended(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that opens at `start` read as a program's literal, and where to look on."""
    end = _closing(text, start)
    if end is None:
        return None, start + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # "\d" within a text
        try:
            tree = literals.tree(_WORDS.sub(_as_python, text[start:end]))
            if any(_doubled(node) for node in ast.walk(tree)):
                return None, end
            found = ast.literal_eval(tree)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None, start + 1
    named = isinstance(found, dict) and all(isinstance(key, str) for key in found)
    return (found, end) if named else (None, start + 1)


def _doubled(node: ast.AST) -> bool:
    keys = [ast.dump(key) for key in node.keys if key] if isinstance(node, ast.Dict) else []
    return len(set(keys)) < len(keys)


def _closing(text: str, start: int) -> int | None:
    """Return the place after the brace that closes the one at `start`; braces within texts do not count."""
    depth = 0
    for match in _MARKS.finditer(text, start, start + LONGEST_MENDED):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return None


def _as_python(match: re.Match[str]) -> str:
    word = match[0]
    if word[0] in "{,":  # a key without quotes
        return f'{word[0]} "{word[1:].strip()}"'
    if word[0] in "\"'":
        return word.replace("\r", "\\r").replace("\n", "\\n")
    return _PYTHON[word]


def pairs_of(value: Any, others: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every key, lower case, with its value, at any depth but below the `others`."""
    nested = value if isinstance(value, list) else ()
    if isinstance(value, dict):
        named = [(str(key).strip().casefold(), inner) for key, inner in value.items()]
        yield from named
        nested = [inner for key, inner in named if key not in others]
    for inner in nested:
        yield from pairs_of(inner, others)
