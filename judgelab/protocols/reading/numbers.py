"""Find numbers in a reply and check whether one of them is a score of a scale."""

from __future__ import annotations

import re
from typing import NamedTuple

from judgelab.scales import Scale
from judgelab.wording import counted, sentence

# A whole run of letters and digits: the 2 of "H2O" or "2nd" is not a number, but it makes a reply ambiguous.
# A sign counts only where it does not join two words, as in "0-3".
RUN = re.compile(r"(?:(?<![\w-])[-−+])?(?<!\w)\w*\d\w*(?:[.,]\d\w*)*")
PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?")
THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
FRACTION = re.compile(
    r"(?P<value>[-−+]?\d+(?:\.\d+)?)\s*(?:/|out\s+of|of)\s*(?P<top>\d+(?:\.\d+)?)", re.IGNORECASE
)
MAX_SHOWN = 24


class StatedScore(NamedTuple):
    """What a grammar read in a reply: a score of the scale, or the reason why there is none."""

    score: float | None
    reason: str | None = None
    rationale: str = ""


def number(text: str) -> float | None:
    """Return the text as a number, or None; Markdown underscores and asterisks around it are ignored."""
    bare = text.strip(" \t\n_*`\"'").replace("−", "-")
    if THOUSANDS.fullmatch(bare):
        return float(bare.replace(",", ""))
    return float(bare) if PLAIN.fullmatch(bare) else None


def digit_runs(text: str) -> list[str]:
    """Return every run of letters and digits with at least one digit, in order."""
    return RUN.findall(text)


def only_number(text: str, scale: Scale) -> StatedScore:
    """Return the only number in `text`, if it is a score; of several numbers, none is used."""
    numbers = digit_runs(text)
    if not numbers:
        return StatedScore(None, sentence("no number in the reply"))
    if len(numbers) > 1:
        return StatedScore(
            None,
            counted(
                "{n} number in the reply instead of one",
                "{n} numbers in the reply instead of one",
                len(numbers),
            ),
        )
    return on_scale(numbers[0], scale)


def on_scale(text: str, scale: Scale) -> StatedScore:
    """Return the text as a number, if it is a score of `scale`."""
    value = number(text)
    if value is None:
        return StatedScore(None, sentence("'{text}' is not a number", text=clipped(text)))
    reason = scale.reject(value)
    return StatedScore(None, reason) if reason else StatedScore(value)


def score_or_fraction(text: str, scale: Scale) -> StatedScore:
    """Return the score in "4/5" if 5 is the scale's highest, or else the text as a number."""
    fraction = FRACTION.fullmatch(text.strip())
    if not fraction:
        return on_scale(text, scale)
    if number(fraction["top"]) != scale.high:
        return StatedScore(None, wrong_top_reason(fraction["top"], scale))
    return on_scale(fraction["value"], scale)


def wrong_top_reason(top: str, scale: Scale) -> str:
    """Return the reason for a score out of another number than the scale's highest."""
    return sentence(
        "the score is stated out of {top}, not out of {highest}", top=top, highest=f"{scale.high:g}"
    )


def clipped(text: str) -> str:
    """Return `text`, cut if it is too long for a sentence."""
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
