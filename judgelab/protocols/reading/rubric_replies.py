"""Scores of several criteria stated in one JSON reply: `{"recall": {"score": 4}, ...}`.

The template of the paper lacks commas between its criteria, and models write what they are shown: where no
whole object can be read, each criterion's own object is looked for after its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from judgelab.domain import Criterion, Reading
from judgelab.protocols.reading.fences import nothing_in, unfenced
from judgelab.protocols.reading.json_replies import (
    OTHERS,
    REASON_KEYS,
    objects,
    pairs_of,
    placed_objects,
    spoken_of,
)
from judgelab.protocols.reading.numbers import Stated, clipped, out_of_top
from judgelab.scales import scale_from_json
from judgelab.wording import sentence

SCORE = "score"
LONGEST_LOOSE = 20_000  # characters in which criteria are looked for one by one
_NUMBER = re.compile(r"\s*[\"']?([-+]?\d+(?:\.\d+)?(?:\s*/\s*\d+)?)[\"']?\s*(?=[,}\n]|$)")


def read_rubric(text: str, criteria: Sequence[Criterion]) -> Reading:
    """Return a score for every criterion, with the reasons given; a missing one leaves the reply unscored."""
    bare = unfenced(text)
    if not bare:
        return Reading(reason=nothing_in(text))
    try:
        found = _by_name(bare, [criterion.key for criterion in criteria])
    except RecursionError:
        return Reading(reason=sentence("the JSON is nested too deeply to be read"))
    if any(spoken_of(bare, *at) for one, *at in placed_objects(bare) if _names(one, criteria)):
        return Reading(reason=sentence("the score in the JSON is only spoken of"))
    scores, reasons = {}, []
    for criterion in criteria:
        stated = _stated(found.get(criterion.key.casefold(), []), criterion)
        if stated.score is None:
            return Reading(reason=stated.reason)
        scores[criterion.key] = stated.score
        if stated.rationale:
            reasons.append(f"{criterion.key}: {stated.rationale}" if len(criteria) > 1 else stated.rationale)
    return Reading(scores=scores, rationale="\n".join(reasons))


def _by_name(text: str, keys: Sequence[str]) -> dict[str, list[Any]]:
    """Return what stands under each criterion's name, lower case, in reading order."""
    wanted = {key.casefold() for key in keys}
    whole = list(objects(text))
    found: dict[str, list[Any]] = {}
    for key, value in pairs_of(whole, OTHERS - wanted):
        if key in wanted:
            found.setdefault(key, []).append(value)
    for key in wanted.difference(key for key, _ in pairs_of(whole)):
        loose = list(_loose(text, key))
        if loose:
            found[key] = loose
    return found


def _loose(text: str, key: str) -> Iterator[Any]:
    """Yield the object or number after each `"key":` of a text that is no whole JSON."""
    for name in re.finditer(rf"[\"']{re.escape(key)}[\"']\s*:", text[:LONGEST_LOOSE], re.IGNORECASE):
        rest = text[name.end() : LONGEST_LOOSE]
        if rest.lstrip().startswith("{"):
            inner = next(objects(rest), None)
            if inner is not None and _opens(rest, inner):
                yield inner
        elif number := _NUMBER.match(rest):
            yield number[1]


def _opens(rest: str, inner: Mapping[str, Any]) -> bool:
    """Return whether the first object of `rest` is the one it begins with: an unclosed one is passed over."""
    first = next(iter(inner), "")
    return bool(re.match(rf"\s*{{\s*[\"']?{re.escape(first)}", rest, re.IGNORECASE))


def _stated(values: Sequence[Any], criterion: Criterion) -> Stated:
    scores, reasons = [], []
    for value in values:
        pairs = {str(key).strip().casefold(): inner for key, inner in value.items()} if _is(value) else {}
        if _is(value) and SCORE not in pairs:
            continue
        scores.append(pairs[SCORE] if pairs else value)
        reasons += [str(pairs[key]) for key in REASON_KEYS if isinstance(pairs.get(key), str)]
    if not scores:
        return Stated(None, sentence("no score for {criteria}", criteria=criterion.key))
    if len({str(score) for score in scores}) > 1:
        return Stated(
            None,
            sentence(
                "{count} different scores for {criterion} in the JSON, not one",
                count=len(scores),
                criterion=criterion.key,
            ),
        )
    if isinstance(scores[0], bool) or not isinstance(scores[0], int | float | str):
        shown = clipped(json.dumps(scores[0], default=str))
        return Stated(None, sentence("the JSON's score is {shown}, not a number", shown=shown))
    stated = out_of_top(str(scores[0]), scale_from_json(criterion.scale))
    if stated.score is None:
        reason = sentence("{criterion}: {reason}", criterion=criterion.key, reason=stated.reason or "")
        return Stated(None, reason)
    return stated._replace(rationale=" ".join(dict.fromkeys(reasons)))


def _is(value: Any) -> bool:
    return isinstance(value, Mapping)


def _names(found: Mapping[str, Any], criteria: Sequence[Criterion]) -> bool:
    """Return whether an object holds something under a criterion's name, at any depth."""
    wanted = {criterion.key.casefold() for criterion in criteria}
    return any(key in wanted for key, _ in pairs_of(found))
