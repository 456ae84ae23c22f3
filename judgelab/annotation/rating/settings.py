"""A project's settings for assigning units: how many raters, limits, checks, repeats, training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.errors import InvalidInput, NotFound
from judgelab.rendering.formats import FORMATS, TEXTS
from judgelab.wording import mark

EXTRA_PURPOSES = ("attention", "gold", "repeat")
ExtraPurpose = Literal["attention", "gold", "repeat"]
MOST_RATERS = 1000  # of one unit
LARGEST_SCORE = 10_000
LONGEST_WAIT = 600
LARGEST_SHARE = 0.5  # with more than every second unit, a study would hardly rate its own material


@dataclass(frozen=True)
class AssignmentPolicy:
    """How units are assigned to one person in one project.

    Args:
        raters: how many people are to rate each unit (k).
        max_units: how many units one person may get, not counting the training; None for no limit.
        lease_minutes: how long a unit stays reserved for a page that went silent.
        pause_minutes: how long a rater who pauses keeps the units on their screen.
        attention_every: one attention check in each stretch of so many ordinary units; 0 for none.
        gold_share: share of units with a known score among the units assigned.
        repeats: share of the units that are shown a second time.
        repeat_after: how many others are rated before a unit comes again.
        needed: share of right training scores that qualifies.
        tries: how often the training may be done.
        screen_out_after: failed attention checks that end a person's work; 0 for never.
        file_order: units in the order of the file instead of a random one for each rater.
        by_turn: units that the learned judge proposes come first, in the proposed order.
        spread_groups: each rater gets the groups of items in turn.
    """

    raters: int = 3
    max_units: int | None = None
    lease_minutes: float = 30.0
    pause_minutes: float = 60.0
    attention_every: int = 0
    gold_share: float = 0.0
    repeats: float = 0.0
    repeat_after: int = 20
    needed: float = 0.7
    tries: int = 2
    screen_out_after: int = 0
    file_order: bool = False
    by_turn: bool = False
    spread_groups: bool = True

    def units_per_extra(self, extra: str) -> float:
        """Return the average number of ordinary units per `extra`; 0 for never."""
        if extra == "attention":
            return float(self.attention_every)
        share = self.gold_share if extra == "gold" else self.repeats
        # The share of gold units counts the gold units themselves; that of repeats only ordinary units.
        return 0.0 if share <= 0 else (1 - share) / share if extra == "gold" else 1 / share


def assignment_policy(settings: Mapping[str, Any], *, own_limit: int | None = None) -> AssignmentPolicy:
    """Return the assignment policy of a project's settings; `own_limit` is the person's own limit."""
    training = settings.get("training") or {}
    limit = own_limit if own_limit is not None else settings.get("most_responses")
    return AssignmentPolicy(
        raters=max(1, int(settings.get("raters_per_response", 3))),
        max_units=None if limit is None else int(limit),
        lease_minutes=float(settings.get("lease_minutes", 30)),
        pause_minutes=float(settings.get("pause_minutes", 60)),
        attention_every=int(settings.get("attention_every") or 0),
        gold_share=min(float(settings.get("gold_share") or 0), LARGEST_SHARE),
        repeats=min(float(settings.get("repeats") or 0), LARGEST_SHARE),
        repeat_after=int(settings.get("repeat_after", 20)),
        needed=float(training.get("needed", 0.7)),
        tries=max(1, int(training.get("tries", 2))),
        screen_out_after=int(settings.get("screen_out_after") or 0),
        file_order=settings.get("order") == "file",
        by_turn=settings.get("order") == "active",
        spread_groups=bool(settings.get("spread_groups", True)),
    )


def _whole(low: int, high: int, *, optional: bool = False) -> Callable[[str], Any]:
    def read(text: str) -> int | None:
        if optional and text in ("", "none"):
            return None
        if not text.isdigit() or not low <= int(text) <= high:
            none = " or 'none'" if optional else ""
            raise InvalidInput(f"must be a whole number from {low} to {high:,}{none}, not '{text}'.")
        return int(text)

    return read


def _number(low: float, high: float, *, optional: bool = False) -> Callable[[str], Any]:
    def read(text: str) -> float | None:
        if optional and text in ("", "none"):
            return None
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not low <= value <= high:
            raise InvalidInput(f"must be a number from {low:g} to {high:g}, not '{text}'.")
        return value

    return read


def _true_or_false(text: str) -> bool:
    if text not in ("true", "false"):
        raise InvalidInput(f"must be 'true' or 'false', not '{text}'.")
    return text == "true"


def _one_of(*words: str) -> Callable[[str], Any]:
    def read(text: str) -> str:
        if text not in words:
            raise InvalidInput(f"must be one of {', '.join(words)}, not '{text}'.")
        return text

    return read


def _currency(text: str) -> str:
    if not 0 < len(text) <= 8:
        raise InvalidInput("must be a sign or a short code such as GBP.")
    return text


SETTING_READERS: Mapping[str, Callable[[str], Any]] = {
    "raters_per_response": _whole(1, MOST_RATERS),
    "lease_minutes": _number(1, 1440),
    "pause_minutes": _number(0, 1440),
    "most_responses": _whole(1, 1_000_000, optional=True),
    "attention_every": _whole(0, 1000),
    "screen_out_after": _whole(0, 100),
    "gold_share": _number(0, LARGEST_SHARE),
    "repeats": _number(0, LARGEST_SHARE),
    "repeat_after": _whole(0, 10_000),
    "training.needed": _number(0, 1),
    "training.tries": _whole(1, 10),
    "order": _one_of("random", "file", "active"),
    "spread_groups": _true_or_false,
    "pay_per_hour": _number(0, 100_000, optional=True),
    "currency": _currency,
    "form": _one_of("pointwise", "pairwise", "ranking", "best_worst"),
    "show_references": _true_or_false,
    "show_context": _true_or_false,
    "ask_strength": _true_or_false,
    "ask_evidence": _true_or_false,
    "ask_comment": _true_or_false,
    "comment_required.always": _true_or_false,
    "comment_required.below": _number(-LARGEST_SCORE, LARGEST_SCORE, optional=True),
    "comment_required.above": _number(-LARGEST_SCORE, LARGEST_SCORE, optional=True),
    "skip": _true_or_false,
    "least_seconds": _number(0, LONGEST_WAIT),
    "highlight_question": _true_or_false,
    **{f"text_formats.{field}": _one_of(*FORMATS) for field in TEXTS},
}

FORM_OF_SETTING = {  # settings of one form only
    "ask_evidence": "pointwise",
    "ask_strength": "pairwise",
    "comment_required.below": "pointwise",
    "comment_required.above": "pointwise",
}


def read_settings(
    written: Mapping[str, str], present: Mapping[str, Any], *, elsewhere: Sequence[str] = ()
) -> dict[str, Any]:
    """Return settings as they are stored, read from texts such as a command line has.

    Args:
        written: text by the name of the setting; `training.needed` goes into `training`, and so on.
        present: the project's settings; of a nested one, what `written` does not name is kept.
        elsewhere: names of settings that the caller reads itself, listed when a name is unknown.

    Raises:
        NotFound: there is no such setting.
        InvalidInput: the setting cannot have this value, or does not apply to the project's form.
    """
    settings: dict[str, Any] = {}
    switched_on = set()
    for name, text in written.items():
        if name not in SETTING_READERS:
            raise NotFound(mark("setting"), name, (*SETTING_READERS, *elsewhere))
        try:
            value = SETTING_READERS[name](text.strip())
        except InvalidInput as error:
            raise InvalidInput(f"{name}: {error}") from None
        if value is not None and value is not False:
            switched_on.add(name)
        outer, _, inner = name.partition(".")
        if inner:
            settings[outer] = {**(present.get(outer) or {}), **settings.get(outer, {}), inner: value}
        else:
            settings[outer] = value
    form = settings.get("form", present.get("form", "pointwise"))
    for name, form_needed in FORM_OF_SETTING.items():
        if name in switched_on and form != form_needed:
            raise InvalidInput(
                f"{name}: only applies to the form {form_needed}; this project's form is {form}."
            )
    return settings
