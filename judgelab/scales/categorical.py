"""Labels without an order: supported, contradicted, unclear."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, Setting, scales
from judgelab.wording import mark, sentence

NO_LABEL = mark("none of these")  # the name of the empty set
BETWEEN = " + "  # in the name of a set of labels
FEWEST_LABELS, MOST_LABELS = 2, 9  # one digit key a label


@scales.register("categorical")
class Categorical(Scale):
    """Labels that can only be equal or different; they are stored as 1, 2, ... in the given order.

    With `several`, a response has a set of labels, perhaps none. A set is stored as the sum of 1, 2, 4, ...
    for its labels (`judgelab.metaeval.core.label_sets`), so that it is one score like all others.

    Args:
        labels: 2 to 9 different labels; none is a number or contains a comma. With `several`, none contains
            a vertical bar or a semicolon, which separate labels in a cell, or is called "none of these".
        several: whether a response can have several labels.
    """

    kind = mark("categorical")
    title = mark("labels without order")
    settings = (
        Setting("labels", mark("Labels, separated by commas"), ["Supported", "Contradicted", "Unclear"]),
    )
    widget = "points"
    level = "nominal"

    def __init__(self, labels: Sequence[str], *, several: bool = False) -> None:
        if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
            raise InvalidInput(sentence("the labels of a scale must be a list of texts"))
        self.labels = [label.strip() for label in labels]
        self._values = {label.casefold(): float(place) for place, label in enumerate(self.labels, start=1)}
        if not FEWEST_LABELS <= len(self.labels) <= MOST_LABELS:
            raise InvalidInput(
                sentence(
                    "a scale of labels without order needs 2 to 9 labels, not {number}",
                    number=len(self.labels),
                )
            )
        if len(self._values) < len(self.labels):
            raise InvalidInput(
                sentence("the labels of a scale must differ in more than upper and lower case")
            )
        for label in self.labels:
            if reason := why_no_label(label, several=several):
                raise InvalidInput(reason)
        self.several = several
        self.low, self.high = (0.0, float(2 ** len(self.labels) - 1)) if several else (1.0, len(self.labels))
        if several:
            self.widget = "set"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON for `categorical:LABEL,LABEL,...`, and `:several` for sets; None for others."""
        kind, _colon, labels = text.partition(":")
        if kind.strip().lower() != cls.kind:
            return None
        listed, several = labels.removesuffix(":several"), labels.endswith(":several")
        data = {"kind": cls.kind, "labels": cls.settings[0].read(listed)}
        return {**data, "several": True} if several else data

    @property
    def ordered(self) -> bool:
        """Return False, for two labels too."""
        return False

    def describe(self) -> str:
        """Return the labels in a few words."""
        if self.several:
            return sentence("sets of labels: {labels}", labels=", ".join(self.labels))
        return sentence("labels without order: {labels}", labels=", ".join(self.labels))

    def points(self) -> list[Point]:
        """Return one point per label, or per set of labels."""
        if self.several:
            return [
                Point(float(number), BETWEEN.join(self.members(number)) or NO_LABEL, "")
                for number in range(2 ** len(self.labels))
            ]
        return [Point(float(place), label, "") for place, label in enumerate(self.labels, start=1)]

    def members(self, score: float) -> list[str]:
        """Return the labels of a set, in the order of the scale."""
        return [label for place, label in enumerate(self.labels) if int(score) >> place & 1]

    def prompt_text(self) -> str:
        """Return one line per label."""
        return "\n".join(f"{place} = {label}" for place, label in enumerate(self.labels, start=1))

    def widened(self, low: float, high: float) -> dict[str, Any]:
        """Raise `InvalidInput`, since labels without an order have no ends."""
        raise InvalidInput(sentence("labels without an order have no ends that could be moved"))

    def reject_mean(self, value: float) -> str | None:
        """Return why `value` is not a label, or None; there is nothing between two labels."""
        return self.reject(value)

    def read(self, text: str) -> float:
        """Return the number of a label, in any case, or of its number; raises `InvalidInput`."""
        word = text.strip()
        if self.several:
            return self._read_set(word)
        if word.casefold() in self._values:
            return self._values[word.casefold()]
        try:
            return float(word)
        except ValueError:
            raise InvalidInput(
                sentence(
                    "'{text}' is not one of the labels {labels}", text=text, labels=", ".join(self.labels)
                )
            ) from None

    def _read_set(self, text: str) -> float:
        """Return the set written as `LABEL|LABEL`, as a JSON list, as "none of these" or as its number."""
        try:
            return float(text)
        except ValueError:
            pass
        words = _listed(text)
        places = {self._values.get(word.casefold()) for word in words}
        if None in places:
            wrong = next(word for word in words if word.casefold() not in self._values)
            raise InvalidInput(
                sentence(
                    "'{text}' is not one of the labels {labels}", text=wrong, labels=", ".join(self.labels)
                )
            )
        return float(sum(2 ** (int(place) - 1) for place in places if place))

    def to_json(self) -> dict[str, Any]:
        """Return the scale as JSON."""
        data = {"kind": self.kind, "labels": self.labels}
        return {**data, "several": True} if self.several else data


def _listed(text: str) -> list[str]:
    """Return the labels written in a cell.

    "none" and "[]" mean a missing score in a file, so the empty set is "none of these".

    >>> _listed("a | b"), _listed('["a", "b"]'), _listed("none of these")
    (['a', 'b'], ['a', 'b'], [])
    """
    if text.casefold() == NO_LABEL:
        return []
    if text.startswith("["):
        try:
            return [str(word).strip() for word in json.loads(text)]
        except ValueError:
            pass
    return [word for part in re.split(r"[|;,]", text) if (word := part.strip())]


def majority_set(scores: Sequence[float]) -> float | None:
    """Return the set of the labels in more than half of the sets, or None if a label is in half of them."""
    votes = Counter(2**place for score in scores for place in range(MOST_LABELS) if int(score) >> place & 1)
    if any(2 * n == len(scores) for n in votes.values()):
        return None
    return float(sum(label for label, n in votes.items() if 2 * n > len(scores)))


def why_no_label(word: str, *, several: bool = False) -> str | None:
    """Return why a word cannot be a label, of a set if a response has `several`, or None if it can."""
    if several and (word.casefold() == NO_LABEL or set(word) & {"|", ";"}):
        return sentence(
            "'{label}' can't be one of several labels: '|' and ';' separate labels in a cell, and 'none of "
            "these' means no label",
            label=word,
        )
    if not word or "," in word:
        return sentence("'{label}' can't be a label: it is empty or contains a comma", label=word)
    try:
        float(word)
    except ValueError:
        return None
    return sentence("'{label}' can't be a label: labels are stored by number and must be words", label=word)
