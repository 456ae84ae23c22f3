"""The result of every statistic: a number with its counts and method, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.wording import Sentence, mark, sentence

# Counts recorded with a coefficient of systems' means: units per system, and what was left out.
WITHOUT_TEXT = "n_without_text"  # responses left out because their text, and so their length, is not known
ROUNDED_DIFFERENCES = mark("Differences are between the rounded numbers shown; the table has unrounded ones.")
NO_INTERVAL = mark("none: {why}")  # the `ci_method` of a number without an interval
TIED = "n_tied"  # responses left out because several labels are equally frequent or probable
NOT_CONVERGED = "labels_not_converged"  # criteria whose human scores are by a model of raters still changing
OF_SYSTEM_MEANS = ("n_by_system", "n_without_system", "items_left_out", "items_not_of_every_system")


@dataclass(frozen=True, repr=False)
class Estimate:
    """A statistic with its interval, its counts and its settings.

    Args:
        value: the number, or None when it is undefined.
        reason: why there is no number; None when there is one.
        ci: lower and upper end of the 95 % interval, or None.
        ci_method: how the interval was made, or "none: ..." with the reason why there is no interval.
        n: units the number is based on (systems at level "system").
        groups_used: groups that have a coefficient of their own; None when nothing was grouped.
        groups_undefined: groups without one, by reason ("human_constant", "judge_constant", "too_few").
        seed: the seed of the resampling; None when nothing was drawn.
        params: further settings and counts ("n_missing", "constant_groups", ...).
    """

    value: float | None
    reason: str | None = None
    ci: tuple[float, float] | None = None
    ci_method: str = "none"
    n: int = 0
    groups_used: int | None = None
    groups_undefined: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def low(self) -> float | None:
        """Return the lower end of the interval; None without one."""
        return None if self.ci is None else self.ci[0]

    @property
    def high(self) -> float | None:
        """Return the upper end of the interval; None without one."""
        return None if self.ci is None else self.ci[1]

    @property
    def recipe(self) -> dict[str, Any]:
        """Return how it was computed: kind of interval, seed, settings, counts of what was left out."""
        return {"interval": str(self.ci_method), "confidence": 0.95, "seed": self.seed, **self.params}

    def __float__(self) -> float:
        """Return the number; raises `InvalidInput` with the reason if there is none."""
        if self.value is None:
            raise InvalidInput(f"there is no number: {self.reason}.")
        return self.value

    def __format__(self, spec: str) -> str:
        """Return the number as `spec` says, "undefined" without one; the whole estimate without `spec`."""
        if not spec:
            return str(self)
        return "undefined" if self.value is None else format(self.value, spec)

    def __round__(self, digits: int | None = None) -> float:
        """Return the rounded number; raises `InvalidInput` with the reason if there is none."""
        return round(float(self), digits)

    def __repr__(self) -> str:
        if self.value is None:
            return f"Estimate(undefined: {self.reason}, n={self.n:,})"
        return f"Estimate({self.value:z.3f}{printed_ends(self.ci, 3)}, n={self.n:,})"

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as plain JSON values; undefined is null with a reason."""
        return {
            "value": self.value,
            "reason": self.reason,
            "ci": list(self.ci) if self.ci else None,
            "ci_method": self.ci_method,
            "n": self.n,
            **groups_json(self),
            "seed": self.seed,
            "params": dict(self.params),
        }

    def signature(self) -> str:
        """Return one line that identifies the settings: equal signatures on equal data give equal numbers."""
        recipe = {"n": self.n, "ci": self.ci_method, "seed": self.seed, **self.params}
        return "; ".join(f"{key} {value}" for key, value in sorted(recipe.items()))


def no_interval(why: Sentence) -> Sentence:
    """Return the `ci_method` of a number without an interval; `why` is translated with it."""
    return sentence(NO_INTERVAL, why=why)


NOT_ASKED = no_interval(sentence("not asked for"))
NO_VALUE = no_interval(sentence("no value"))


def no_interval_reason(estimate: Estimate) -> Sentence | None:
    """Return why a number has no interval, as a sentence of its own; None if it has one or is undefined."""
    method = estimate.ci_method
    if estimate.ci is not None or not isinstance(method, Sentence) or method.template != NO_INTERVAL:
        return None
    reason: Sentence = method.values["why"]
    return reason


def undefined(reason: str, *, n: int = 0, params: Mapping[str, Any] | None = None) -> Estimate:
    """Return an estimate without a number, with the reason."""
    return Estimate(None, reason, ci_method=NO_VALUE, n=n, params=params or {})


def groups_json(estimate: Estimate) -> dict[str, Any]:
    """Return how many groups have a coefficient, and how many have none and why; null without groups."""
    lost, used = dict(estimate.groups_undefined), estimate.groups_used
    return {
        "groups_used": used,
        "groups_undefined": None if used is None else sum(lost.values()),
        "undefined_reasons": lost,
    }


def digits_of_end(end: float, digits: int) -> int:
    """Return how many digits, 6 at most, show on which side of 0 an end of an interval lies.

    Otherwise [−0.003, 0.14] and [0.004, 0.14] would both be printed [0.00, 0.14], one of them significant.
    """
    shown = digits
    while shown < 6 and float(f"{end:.{shown}f}") == 0:
        shown += 1
    return shown if float(f"{end:.{shown}f}") else digits


def printed_ends(ci: tuple[float, float] | None, digits: int, *, sign: str = "") -> str:
    """Return an interval after a blank, ` [0.12, 0.34]`, or an empty text without one."""
    if ci is None:
        return ""
    low, high = (f"{end:{sign}z.{digits_of_end(end, digits)}f}" for end in ci)
    return f" [{low}, {high}]"


def printed_difference(first: Estimate, second: Estimate, digits: int) -> float | None:
    """Return the difference of two estimates as printed with this many digits; None without both.

    A reader who subtracts the printed numbers gets this one. Example: 0.654 and 0.616 are printed 0.65 and
    0.62, a difference of 0.03, not 0.04.
    """
    if first.value is None or second.value is None:
        return None
    return round(float(f"{first.value:.{digits}f}") - float(f"{second.value:.{digits}f}"), digits)


@dataclass(frozen=True)
class AgreementRow:
    """Agreement of one rater with the human raters: one criterion, one level, one coefficient."""

    rater: str
    rater_kind: str
    criterion: str
    level: str
    coefficient: str
    estimate: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab agreement --json`, with the reasons of undefined groups added."""
        e = self.estimate
        return {
            "rater": self.rater,
            "rater_kind": self.rater_kind,
            "criterion": self.criterion,
            "level": self.level,
            "coefficient": self.coefficient,
            "value": e.value,
            "reason": e.reason,
            "ci": list(e.ci) if e.ci else None,
            "n": e.n,
            **groups_json(e),
            "n_missing": e.params.get("n_missing", 0),
            **{
                name: e.params[name]
                for name in (*OF_SYSTEM_MEANS, WITHOUT_TEXT, TIED, NOT_CONVERGED)
                if name in e.params
            },
            "ci_method": e.ci_method,
            "seed": e.seed,
        }
