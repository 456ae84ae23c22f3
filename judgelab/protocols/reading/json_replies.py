"""Read scores stated as JSON inside a reply, with any text around the object.

Models write JSON as they have seen it in programs: single quotes, a comma after the last value, Python's
`None`, line ends within a text. It is read if there is only one way to understand it.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Collection, Iterator
from typing import Any

from judgelab import literals
from judgelab.protocols.reading.doubts import is_conditional, only_mentioned, sentence_after
from judgelab.protocols.reading.numbers import StatedScore, clipped, score_or_fraction
from judgelab.scales import Scale
from judgelab.wording import sentence

REASON_KEYS = ("explanation", "reason", "reasoning", "rationale", "feedback")
MAX_REPAIR_CHARS = 20_000  # characters of an object that looks like JSON but is not valid
MAX_REPAIRS = 20  # per reply
# Keys of scores that are not for the response.
IGNORED_KEYS = frozenset(
    (
        "reference references reference_answer gold human ideal example examples previous baseline confidence"
        " ideal_answer if_corrected potential maximum max_score revised"
    ).split()
)
# Keys under which an object holds the score of one criterion, and those that name it.
_CRITERIA = frozenset(
    (
        "accuracy clarity coherence completeness conciseness consistency correctness depth engagingness"
        " factuality faithfulness fluency format grammar groundedness helpfulness informativeness"
        " instruction_following language objectivity organization overall_style precision readability recall"
        " relevance repetition safety structure style tone understandability usefulness"
    ).split()
)
_NAMES_CRITERION = ("criterion", "aspect", "dimension", "category")
MAX_UNREADABLE = 1000  # braces per reply without a readable object; nothing is searched after so many
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_MARKS = re.compile(rf"{_STRING}|[{{}}]", re.DOTALL)
_WORDS = re.compile(
    rf"{_STRING}|(?<![\w.])(?:true|false|null)(?![\w.])|[{{,]\s*[A-Za-z_]\w*(?=\s*:)", re.DOTALL
)
_PYTHON = {"true": "True", "false": "False", "null": "None"}


def json_score(text: str, scale: Scale, about: str = "") -> StatedScore:
    """Return the only score under the key "score" in the reply's JSON, or why none can be read.

    Args:
        text: the reply.
        scale: the scale of the score.
        about: the names of the criterion; a score under "confidence" counts only if that is the criterion.
    """
    named = [word[:5] for word in re.findall(r"[^\W_]{4,}", about.casefold())]
    foreign = {key for key in _CRITERIA if named and not any(stem in key for stem in named)}
    others = IGNORED_KEYS.difference(about.casefold().split()) | foreign
    try:
        placed = list(located_objects(text))
        pairs = list(key_value_pairs([entry for entry, _, _ in placed], others))
    except RecursionError:
        return StatedScore(None, sentence("the JSON is nested too deeply to be read"))
    scores = [value for key, value in pairs if key == "score"]
    of_criterion = {str(value).casefold() for key, value in pairs if key in _NAMES_CRITERION}
    if of_criterion & foreign:
        return StatedScore(None, sentence("the JSON's score is for another criterion"))
    if not scores:
        return StatedScore(None, sentence("no complete JSON object with a score in the reply"))
    if len({str(value) for value in scores}) > 1:
        return StatedScore(
            None, sentence("{count} different scores in the JSON instead of one", count=len(scores))
        )
    holding = [
        at for entry, *at in placed if any(key == "score" for key, _ in key_value_pairs(entry, others))
    ]
    if any(object_only_mentioned(text, *at) for at in holding):
        return StatedScore(None, sentence("the score in the JSON is only mentioned, not given"))
    if isinstance(scores[0], bool) or not isinstance(scores[0], int | float | str):
        shown = clipped(json.dumps(scores[0], default=str))
        return StatedScore(None, sentence("the JSON's score is {shown}, not a number", shown=shown))
    reasons = [str(value) for key, value in pairs if key in REASON_KEYS]
    return score_or_fraction(str(scores[0]), scale)._replace(rationale=" ".join(reasons))


def object_only_mentioned(text: str, start: int, end: int) -> bool:
    """Return whether an object is only mentioned, not given: "not {...}", "{...} if it had sources".

    >>> object_only_mentioned('It would be {"score": 5} with sources.', 12, 24)
    True
    """
    return only_mentioned(text, start, end) or is_conditional(sentence_after(text, end), anywhere=False)


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield every complete outermost JSON object in `text`, in order."""
    return (value for value, _, _ in located_objects(text))


def located_objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield every complete outermost JSON object in `text` with its start and end."""
    # int() refuses numbers of 5,000 digits, float() does not; line ends within a text are allowed.
    decoder = json.JSONDecoder(parse_int=float, strict=False, object_pairs_hook=_object_from_pairs)
    start, unread = text.find("{"), 0
    while start >= 0 and unread < MAX_UNREADABLE:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            unread += 1
            value, end = _repaired(text, start) if unread <= MAX_REPAIRS else (None, start + 1)
        if value is not None:
            yield value, start, end
        start = text.find("{", end)


def _object_from_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as an object; a repeated key gets a list of its values, so neither is used."""
    values: dict[str, Any] = {}
    for key, value in pairs:
        values[key] = [values[key], value] if key in values and values[key] != value else value
    return values


def _repaired(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object at `start` read as a Python literal, and the position to continue from."""
    end = _closing_brace(text, start)
    if end is None:
        return None, start + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # "\d" within a text
        try:
            tree = literals.parse_expression(_WORDS.sub(_as_python, text[start:end]))
            if any(_has_duplicate_keys(node) for node in ast.walk(tree)):
                return None, end
            value = ast.literal_eval(tree)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None, start + 1
    named = isinstance(value, dict) and all(isinstance(key, str) for key in value)
    return (value, end) if named else (None, start + 1)


def _has_duplicate_keys(node: ast.AST) -> bool:
    keys = [ast.dump(key) for key in node.keys if key] if isinstance(node, ast.Dict) else []
    return len(set(keys)) < len(keys)


def _closing_brace(text: str, start: int) -> int | None:
    """Return the position after the brace that closes the one at `start`, ignoring braces in strings."""
    depth = 0
    for match in _MARKS.finditer(text, start, start + MAX_REPAIR_CHARS):
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


def key_value_pairs(value: Any, others: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every key in lower case with its value, at any depth except below the keys in `others`."""
    nested = value if isinstance(value, list) else ()
    if isinstance(value, dict):
        named = [(str(key).strip().casefold(), inner) for key, inner in value.items()]
        yield from named
        nested = [inner for key, inner in named if key not in others]
    for inner in nested:
        yield from key_value_pairs(inner, others)
