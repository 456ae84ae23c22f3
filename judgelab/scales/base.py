"""The contract of a scale, and the way from JSON to a scale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.registry import Registry
from judgelab.wording import Sentence, mark, sentence

CANNOT_JUDGE = "cannot_judge"
PASSED = sentence("cannot judge")  # an answer without a score, and the reason why there is none
Level = Literal["nominal", "ordinal", "interval"]


class Point(NamedTuple):
    """One point of a scale: its value, its short label, and the sentence that anchors it."""

    value: float
    label: str
    anchor: str


class Setting(NamedTuple):
    """One setting of a kind of scale, an argument of its class: its name, its label in a form, its default.

    The default's type is the setting's: a text, a whole number, any number, or a list of texts, which are
    written with commas between them.
    """

    name: str
    label: str
    default: str | int | float | list[str]

    def write(self, value: Any) -> str:
        """Return the value as a person writes it."""
        return ", ".join(value) if isinstance(self.default, list) else f"{value}"

    def read(self, text: str) -> str | int | float | list[str]:
        """Return the value written as text; raises `InvalidInput`."""
        if isinstance(self.default, list):
            return [part.strip() for part in text.split(",") if part.strip()]
        try:
            return type(self.default)(text.strip())
        except ValueError:
            raise InvalidInput(sentence("'{text}' is not a number", text=text)) from None


ENDS = (Setting("low", mark("Lowest"), 1.0), Setting("high", mark("Highest"), 5.0))


class Scale(ABC):
    """Which scores a criterion allows. Its class is the kind; everything that depends on the kind is here.

    Attributes:
        kind: the name in the scale's JSON and in `--scale NAME=KIND:...`.
        title: what the form calls the kind.
        settings: the settings that the form asks for.
        has_point_texts: whether the points can have a label and an anchor each, the arguments `labels` and
            `anchors`.
        mean_is_share: whether the scores are 0 for no and 1 for yes, so that their mean is a share.
        widget: how a rater enters it: "points" (one digit key a point), "number", "set" (labels on or off) or
            "spans" (errors marked in the text).
        level: the measurement level Krippendorff's alpha uses.
        several: whether a score is a set of labels, as the number whose binary digits name them.
        low: the lowest value.
        high: the highest value.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    settings: ClassVar[tuple[Setting, ...]] = ENDS
    has_point_texts: ClassVar[bool] = False
    mean_is_share: ClassVar[bool] = False
    widget: str = "number"
    level: ClassVar[Level] = "interval"
    several: bool = False
    low: float
    high: float

    @property
    def ordered(self) -> bool:
        """Whether a higher score means more of something.

        Scores without an order are equal or different; they have no mean, distance or rank.
        """
        return self.level != "nominal" or len(self.points()) == 2

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON of the scale that a person wrote as `KIND:SETTING:SETTING`; None for other kinds.

        Raises:
            InvalidInput: it is this kind, but a setting is not valid.
        """
        kind, *values = text.split(":")
        if kind.strip().lower() != cls.kind or len(values) != len(cls.settings):
            return None
        return {
            "kind": cls.kind,
            **{
                setting.name: setting.read(value) for setting, value in zip(cls.settings, values, strict=True)
            },
        }

    @abstractmethod
    def points(self) -> Sequence[Point]:
        """Return the points a rater can choose from, lowest first; empty for a continuous scale."""

    @abstractmethod
    def prompt_text(self) -> str:
        """Return the scale as lines of a judge's prompt."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `scale_from_json` reads back as an equal scale."""

    def label_of(self, score: float) -> str:
        """Return the label that a score stands for on a scale without an order; empty on all others."""
        if self.ordered:
            return ""
        return next((point.label for point in self.points() if point.value == score), "")

    def describe(self) -> str:
        """Return the scale in a few words, `ordinal, 1 to 5`."""
        return sentence(
            "{kind}, {low} to {high}", kind=sentence(self.kind), low=f"{self.low:g}", high=f"{self.high:g}"
        )

    def __repr__(self) -> str:
        return f"<{self.describe()}>"

    def step(self) -> float | None:
        """Return the distance between neighbouring points; None if there are none or it varies."""
        values = [point.value for point in self.points()]
        steps = {round(after - before, 9) for before, after in zip(values, values[1:], strict=False)}
        return steps.pop() if len(steps) == 1 else None

    def widened(self, low: float, high: float) -> dict[str, Any]:
        """Return the JSON of this scale with ends further out; every score of it remains valid."""
        return {**self.to_json(), "low": low, "high": high}

    def reject(self, value: float) -> str | None:
        """Return why `value` is not a score of this scale, or None if it is."""
        values = [p.value for p in self.points()]
        if values and value not in values:
            return sentence(
                "{value} is not one of {values}",
                value=f"{value:g}",
                values=", ".join(f"{v:g}" for v in values),
            )
        if not self.low <= value <= self.high:
            return self._outside(value)
        return None

    def reject_mean(self, value: float) -> str | None:
        """Return why `value` cannot be a mean of scores, or None; a mean may lie between points."""
        if not self.low <= value <= self.high:
            return self._outside(value)
        return None

    def _outside(self, value: float) -> str:
        return sentence(
            "{value} is outside {low} to {high}",
            value=f"{value:g}",
            low=f"{self.low:g}",
            high=f"{self.high:g}",
        )

    def read(self, text: str) -> float:
        """Return the score in a cell of a file; raises `InvalidInput` with the reason."""
        try:
            value = float(text.strip())
        except ValueError:
            raise InvalidInput(sentence("'{text}' is not a number", text=text)) from None
        return value


scales: Registry[type[Scale]] = Registry(mark("scale"), "judgelab.scales")


def unordered(scales: Mapping[str, Scale]) -> frozenset[str]:
    """Return the keys of the criteria whose scale has no order."""
    return frozenset(key for key, scale in scales.items() if not scale.ordered)


def why_no_order(criterion: str) -> Sentence:
    """Return why a statistic that needs an order is undefined under a criterion whose labels have none."""
    return sentence("the labels of '{criterion}' have no order", criterion=criterion)


def may_pass(data: Mapping[str, Any]) -> bool:
    """Return whether a rater may say "cannot judge" instead of a score on the scale that `data` describes."""
    return bool(data.get(CANNOT_JUDGE))


def scale_from_json(data: Mapping[str, Any]) -> Scale:
    """Return the scale that `data` describes: `{"kind": "ordinal", "low": 0, "high": 3, ...}`.

    `"cannot_judge": true` beside them lets raters say that they cannot judge (`may_pass`).

    Raises:
        NotFound: no such kind.
        InvalidInput: the kind's own values do not fit together.
    """
    options = {key: value for key, value in data.items() if key not in ("kind", CANNOT_JUDGE)}
    kind = scales.get(str(data.get("kind", "")))
    try:
        return kind(**options)
    except TypeError as error:
        raise InvalidInput(
            sentence("scale {scale}: {error}", scale=repr(dict(data)), error=str(error))
        ) from error


def widened(data: Mapping[str, Any], *, low: float | None, high: float | None) -> dict[str, Any]:
    """Return the JSON of the scale with further points at its ends; every earlier score remains valid.

    Yes or no becomes ordered points, of which 0 and 1 keep their labels if these are custom ones.

    Raises:
        InvalidInput: an end lies inside the present scale, or the kind cannot go so far.
    """
    scale = scale_from_json(data)
    ends = {"low": scale.low if low is None else low, "high": scale.high if high is None else high}
    if ends["low"] > scale.low or ends["high"] < scale.high:
        raise InvalidInput(
            sentence(
                "the scale goes from {low} to {high} and can only be widened, because scores depend on "
                "its points",
                low=f"{scale.low:g}",
                high=f"{scale.high:g}",
            )
        )
    if ends == {"low": scale.low, "high": scale.high}:
        return dict(data)
    if scale.points() and not all(float(end).is_integer() for end in ends.values()):
        raise InvalidInput(sentence("the ends of a scale of points must be whole numbers"))
    passing = {CANNOT_JUDGE: data[CANNOT_JUDGE]} if CANNOT_JUDGE in data else {}
    widened_json = {**scale.widened(ends["low"], ends["high"]), **passing}
    scale_from_json(widened_json)
    return widened_json


def whole_ends(low: float, high: float) -> dict[str, int]:
    """Return the ends of a scale of whole points as JSON; raises `InvalidInput` for other numbers."""
    if not (float(low).is_integer() and float(high).is_integer()):
        raise InvalidInput(sentence("the ends of a scale of points must be whole numbers"))
    return {"low": int(low), "high": int(high)}


def parse_scale(text: str) -> dict[str, Any]:
    """Return the JSON of a scale as people write it: `1:5`, `number:0:100`, `yes/no` or `KIND:SETTING:...`.

    `:cannot_judge` at the end lets raters say that they cannot judge.

    >>> parse_scale("0:3"), parse_scale("number:0:1")
    ({'kind': 'ordinal', 'low': 0, 'high': 3}, {'kind': 'numeric', 'low': 0.0, 'high': 1.0})
    >>> parse_scale("1:5:cannot_judge")
    {'kind': 'ordinal', 'low': 1, 'high': 5, 'cannot_judge': True}

    Raises:
        InvalidInput: no kind of scale is written like this, or its settings do not fit together.
    """
    written = text.strip()
    passing = written.lower().endswith(f":{CANNOT_JUDGE}")
    written = written[: -len(CANNOT_JUDGE) - 1] if passing else written
    for _name, kind in scales.items():
        data = kind.parse(written)
        if data is not None:
            scale_from_json(data)
            return {**data, CANNOT_JUDGE: True} if passing else data
    raise InvalidInput(
        f"'{text}' is not a scale; write LOW:HIGH (1:5), number:LOW:HIGH (number:0:100), yes/no, "
        "categorical:LABEL,LABEL (categorical:supported,contradicted) or mqm, and :cannot_judge at the end "
        "if raters may say that they cannot judge."
    )
