"""The answer "cannot judge": how a judge is told that it may give it, and how it is read in a reply."""

from __future__ import annotations

import re

from judgelab.protocols.reading.fences import unfenced
from judgelab.protocols.reading.json_replies import REASON_KEYS, json_objects, key_value_pairs
from judgelab.protocols.reading.numbers import StatedScore
from judgelab.scales import PASSED
from judgelab.wording import sentence

# Alone on a line, after a label such as "Score:", or after the marker [RESULT].
_ALONE = re.compile(
    r"(?:.*\[RESULT\])?\W*(?:(?:my|the|final|overall)\s+)*"
    r"(?:(?:answer|verdict|judge?ment|score|rating|label)\b(?:\s+is)?\W*)?cannot[ _]judge\W*",
    re.IGNORECASE,
)
_WORDS = frozenset({"cannot judge", "cannot_judge"})


def with_passing(stated: StatedScore, text: str) -> StatedScore:
    """Return what was read in a reply, or that it says "cannot judge" on its first or last line or as JSON.

    A reply that says so and states a score has neither.
    """
    lines = [line for line in unfenced(text).splitlines() if line.strip()]
    passing = [line for line in dict.fromkeys((*lines[:1], *lines[-1:])) if _ALONE.fullmatch(line)]
    pairs = [pair for entry in json_objects(text) for pair in key_value_pairs(entry)]
    worded = [value for key, value in pairs if key == "score" and str(value).strip().casefold() in _WORDS]
    if not passing and not worded:
        return stated
    if stated.score is not None:
        return StatedScore(None, sentence("the reply states a score and that it cannot judge"))
    reasons = [str(value) for key, value in pairs if key in REASON_KEYS]
    rest = " ".join(reasons) if worded else "\n".join(line for line in lines if line not in passing)
    return StatedScore(None, PASSED, rest.strip())
