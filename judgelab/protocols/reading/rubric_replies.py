"""Read scores of several criteria in one JSON reply: `{"recall": {"score": 4}, ...}`.

The paper's template has no commas between its criteria, and models copy what they are shown. If the whole
object cannot be read, each criterion's own object is searched after its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.domain import Criterion, Reading
from judgelab.protocols.reading.fences import empty_reason, unfenced
from judgelab.protocols.reading.json_replies import (
    IGNORED_KEYS,
    REASON_KEYS,
    json_objects,
    key_value_pairs,
    located_objects,
    object_only_mentioned,
)
from judgelab.protocols.reading.numbers import StatedScore, clipped, score_or_fraction
from judgelab.scales import scale_from_json
from judgelab.wording import sentence

SCORE = "score"
MAX_LOOSE_CHARS = 20_000  # characters in which criteria are searched one by one
_NUMBER = re.compile(r"\s*[\"']?([-+]?\d+(?:\.\d+)?(?:\s*/\s*\d+)?)[\"']?\s*(?=[,}\n]|$)")


def read_rubric(text: str, criteria: Sequence[Criterion]) -> Reading:
    """Return a score for every criterion with its reasons; if one is missing, the reply is unscored."""
    bare = unfenced(text)
    if not bare:
        return Reading(reason=empty_reason(text))
    try:
        values = _by_name(bare, [criterion.key for criterion in criteria])
    except RecursionError:
        return Reading(reason=sentence("the JSON is nested too deeply to be read"))
    if any(
        object_only_mentioned(bare, *at)
        for value, *at in located_objects(bare)
        if _has_criterion(value, criteria)
    ):
        return Reading(reason=sentence("the score in the JSON is only mentioned, not given"))
    scores, reasons = {}, []
    for criterion in criteria:
        stated = _score_of(values.get(criterion.key.casefold(), []), criterion)
        if stated.score is None:
            return Reading(reason=stated.reason)
        scores[criterion.key] = stated.score
        if stated.rationale:
            reasons.append(f"{criterion.key}: {stated.rationale}" if len(criteria) > 1 else stated.rationale)
    return Reading(scores=scores, rationale="\n".join(reasons))


def _by_name(text: str, keys: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values under each criterion's name in lower case, in reading order."""
    names = {key.casefold() for key in keys}
    whole = list(json_objects(text))
    values: dict[str, list[Any]] = {}
    for key, value in key_value_pairs(whole, IGNORED_KEYS - names):
        if key in names:
            values.setdefault(key, []).append(value)
    for key in names.difference(key for key, _ in key_value_pairs(whole)):
        loose = list(_loose_values(text, key))
        if loose:
            values[key] = loose
    return values


def _loose_values(text: str, key: str) -> Iterator[Any]:
    """Yield the object or number after each `"key":` of a text that is not complete JSON."""
    for name in re.finditer(rf"[\"']{re.escape(key)}[\"']\s*:", text[:MAX_LOOSE_CHARS], re.IGNORECASE):
        rest = text[name.end() : MAX_LOOSE_CHARS]
        if rest.lstrip().startswith("{"):
            inner = next(json_objects(rest), None)
            if inner is not None and _opens(rest, inner):
                yield inner
        elif number := _NUMBER.match(rest):
            yield number[1]


def _opens(rest: str, inner: Mapping[str, Any]) -> bool:
    """Return whether `rest` begins with this object; it does not if an unclosed one was skipped."""
    first = next(iter(inner), "")
    return bool(re.match(rf"\s*{{\s*[\"']?{re.escape(first)}", rest, re.IGNORECASE))


def _score_of(values: Sequence[Any], criterion: Criterion) -> StatedScore:
    scores, reasons = [], []
    for value in values:
        pairs = (
            {str(key).strip().casefold(): inner for key, inner in value.items()} if _is_mapping(value) else {}
        )
        if _is_mapping(value) and SCORE not in pairs:
            continue
        scores.append(pairs[SCORE] if pairs else value)
        reasons += [str(pairs[key]) for key in REASON_KEYS if isinstance(pairs.get(key), str)]
    if not scores:
        return StatedScore(None, sentence("no score for {criteria}", criteria=criterion.key))
    if len({str(score) for score in scores}) > 1:
        return StatedScore(
            None,
            sentence(
                "{count} different scores for {criterion} in the JSON instead of one",
                count=len(scores),
                criterion=criterion.key,
            ),
        )
    if isinstance(scores[0], bool) or not isinstance(scores[0], int | float | str):
        shown = clipped(json.dumps(scores[0], default=str))
        return StatedScore(None, sentence("the JSON's score is {shown}, not a number", shown=shown))
    stated = score_or_fraction(str(scores[0]), scale_from_json(criterion.scale))
    if stated.score is None:
        reason = sentence("{criterion}: {reason}", criterion=criterion.key, reason=stated.reason or "")
        return StatedScore(None, reason)
    return stated._replace(rationale=" ".join(dict.fromkeys(reasons)))


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _has_criterion(value: Mapping[str, Any], criteria: Sequence[Criterion]) -> bool:
    """Return whether an object has a criterion's name as a key, at any depth."""
    names = {criterion.key.casefold() for criterion in criteria}
    return any(key in names for key, _ in key_value_pairs(value))
