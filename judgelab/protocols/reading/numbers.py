"""Numbers as they stand in a reply, and whether one of them is a score of a scale."""

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
LONGEST_SHOWN = 24


class Stated(NamedTuple):
    """What a grammar found in a reply: a score of the scale, or the reason why there is none."""

    score: float | None
    reason: str | None = None
    rationale: str = ""


def number(text: str) -> float | None:
    """Return the number that `text` is, or None; markdown's underscores and stars around it are let go."""
    bare = text.strip(" \t\n_*`\"'").replace("−", "-")
    if THOUSANDS.fullmatch(bare):
        return float(bare.replace(",", ""))
    return float(bare) if PLAIN.fullmatch(bare) else None


def runs(text: str) -> list[str]:
    """Return every run of letters and digits that holds a digit, in order."""
    return RUN.findall(text)


def only_number(text: str, scale: Scale) -> Stated:
    """Return the one number that `text` holds, if it is a score; of several none is taken."""
    found = runs(text)
    if not found:
        return Stated(None, sentence("no number in the reply"))
    if len(found) > 1:
        return Stated(
            None, counted("{n} number in the reply, not one", "{n} numbers in the reply, not one", len(found))
        )
    return on_scale(found[0], scale)


def on_scale(text: str, scale: Scale) -> Stated:
    """Return the number that `text` is, if it is a score of `scale`."""
    value = number(text)
    if value is None:
        return Stated(None, sentence("'{text}' is not a number", text=clipped(text)))
    reason = scale.reject(value)
    return Stated(None, reason) if reason else Stated(value)


def out_of_top(text: str, scale: Scale) -> Stated:
    """Return the score of "4/5" where 5 is the scale's top, else of the number that `text` is."""
    fraction = FRACTION.fullmatch(text.strip())
    if not fraction:
        return on_scale(text, scale)
    if number(fraction["top"]) != scale.high:
        return Stated(None, out_of(fraction["top"], scale))
    return on_scale(fraction["value"], scale)


def out_of(top: str, scale: Scale) -> str:
    """Return that a score is stated out of another number than the scale's highest."""
    return sentence(
        "the score is stated out of {top}, not out of {highest}", top=top, highest=f"{scale.high:g}"
    )


def clipped(text: str) -> str:
    """Return `text` short enough for a sentence."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
