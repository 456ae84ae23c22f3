"""Numbers, dates and names as they are written on every page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from babel.dates import format_date, format_skeleton

from judgelab.languages import DEFAULT, _, _n, current_language
from judgelab.metaeval.core.result import digits_of_end
from judgelab.wording import mark

# Streamlit replaces `:name:` and `->` by icons, emoji and arrows even if they are escaped.
REPLACED = re.compile(r":(?=[\w+/-]+:)|(?<!\S)[-<>~](?=[-=>]{1,2}(?!\S))")
# The browser makes these into links even if they are escaped, and they would lead wherever a file says.
LINKED = re.compile(r"https?:(?=//)|\bwww(?=\.)|@(?=[\w-])", re.IGNORECASE)
MARKS = "\\`*_{}[]()<>#+-.!|~:$"  # characters with a meaning in Markdown
NOT_READ_OUT = set(MARKS) - set("-+.()")
ZERO_WIDTH_SPACE = "\u200b"  # a space of no width
NO_BREAK = "\u00a0"
WORD_JOINER = "\u2060"  # no width, no break
# Never broken across lines: an interval with its value, a figure with its symbol, a figure with its unit.
TOGETHER = re.compile(
    r"(?:[\d.,]+(?: %)?\** )?\[[^\[\], ]+, [^\[\], ]+\]"
    r"|\b[A-Za-z] [=<>≥≤] [−\d.,]*\d(?: \w+\Z)?"
    r"|(?<!\w)(?:[rρακD]|τ(?:-[bc])?) \**−?\d"
    r"|\b[Vv]ersion \d"
    r"|\d\** (?:%|(?:s|h|min|ms|MB|GB)\b)"
)
MISSING = "–"
MINUS = "−"

LEVELS = {
    "none": mark("pooled"),
    "item": mark("within each item"),
    "system": mark("one number per system"),
    "system_paired": mark("one number per system, items in common"),
    "sys": mark("within each system"),
    "group": mark("within each group"),
}
COEFFICIENTS = {
    "pearson": mark("Pearson's r"),
    "spearman": mark("Spearman's ρ"),
    "kendall": mark("Kendall's τ-b"),
    "qwk": mark("Quadratic-weighted κ"),
    "kappa": mark("Cohen's κ"),
    "alpha": mark("Krippendorff's α"),
    "exact": mark("Exact agreement"),
    "mae": mark("Mean absolute error"),
    "acc_eq": mark("Pair accuracy with ties"),
    "somers": mark("Somers’ D"),
    "tau_c": mark("Kendall's τ-c"),
    "weighted_tau": mark("Top-weighted τ"),
    "ccc": mark("Lin’s concordance"),
    "kappa_linear": mark("Linearly weighted κ"),
}
ROLES = {
    "owner": mark("owner"),
    "researcher": mark("researcher"),
    "annotator": mark("rater"),
    "reader": mark("reader"),
    "guest": mark("guest"),
}
STATES = {
    "waiting": mark("waiting for a worker"),
    "running": mark("running"),
    "paused": mark("paused"),
    "cancelled": mark("cancelled"),
    "done": mark("done"),
    "stopped": mark("stopped"),
}


PLACES = {
    "active": mark("active"),
    "paused": mark("paused"),
    "released": mark("released"),
    "screened_out": mark("screened out"),
    "returned": mark("place returned"),
    "timed_out": mark("timed out"),
    "finished": mark("finished"),
    "removed": mark("removed"),
    "": mark("from a file"),
}


def level(key: str) -> str:
    """Return the name of a level: `within each item`."""
    return _(LEVELS.get(key, key))


def coefficient(key: str) -> str:
    """Return the name of a coefficient: `Pearson r`."""
    return _(COEFFICIENTS.get(key, key))


def role(key: str) -> str:
    """Return the word for a role: `owner`."""
    return _(ROLES.get(key, key))


def state(key: str) -> str:
    """Return the state of a run in words: `waiting for a worker`."""
    return _(STATES.get(key, key))


def place_state(key: str, since: datetime | None = None) -> str:
    """Return the state of a rater's place in a project and when it ended: `timed out · 14:03`."""
    label = _(PLACES.get(key, key))
    return label if since is None else f"{label} · {when(since)}"


def number(value: float | None, places: int = 2) -> str:
    """Return `value` with a true minus sign, or a dash if it is missing."""
    if value is None or value != value:
        return MISSING
    digits = f"{value:.{places}f}"
    if float(digits) == 0:
        digits = digits.lstrip("-")
    return digits.replace("-", MINUS)


def p_value(value: float | None) -> str:
    """Return a p value: three decimals, `< 0.001` below that, a dash if nothing was tested."""
    return "< 0.001" if value is not None and value < 0.001 else number(value, 3)


def signed(value: float | None, places: int = 1) -> str:
    """Return a difference or offset with its sign; none if it is printed as 0."""
    digits = number(value, places)
    return f"+{digits}" if value is not None and value > 0 and float(digits) else digits


def interval(ci: tuple[float, float] | None, places: int = 2) -> str:
    """Return `[0.62, 0.77]`, or a dash; an end near 0 has the digits that show on which side of 0 it is."""
    if ci is None:
        return MISSING
    low, high = (number(end, digits_of_end(end, places) if places >= 2 else places) for end in ci)
    return f"[{low}, {high}]"


def interval_in_words(ci: tuple[float, float] | None) -> str:
    """Return `[0.62, 0.77]`, or `(no interval)`: in a sentence a dash says nothing."""
    return _("(no interval)") if ci is None else interval(ci)


def with_interval(value: float | None, ci: tuple[float, float] | None) -> str:
    """Return `0.70 [0.62, 0.77]`."""
    return number(value) if ci is None else f"{number(value)} {interval(ci)}"


def count(value: int | None) -> str:
    """Return `1,462`."""
    return MISSING if value is None else f"{value:,}"


def n_range(counts: Iterable[int], *, bare: bool = False) -> str:
    """Return the range of several sample sizes: "n = 164", "n = 100 to 164", "" for none.

    `bare` leaves out "n =".
    """
    distinct = sorted(set(counts))
    if not distinct:
        return ""
    range_text = count(distinct[0])
    if len(distinct) > 1:
        range_text = _("{least} to {most}", least=range_text, most=count(distinct[-1]))
    return range_text if bare else f"n = {range_text}"


def number_range(values: Sequence[float]) -> str:
    """Return the range of several values: "0.61 to 0.81", or "0.72" if all of them are written alike."""
    low, high = number(min(values)), number(max(values))
    return low if low == high else _("{least} to {most}", least=low, most=high)


def points(distance: float) -> str:
    """Return a distance on a scale: `1 point`, `2.5 points`."""
    whole = int(distance) if distance == int(distance) else 2
    return _n("{points} point", "{points} points", whole, points=f"{round(distance, 2):g}")


def share(part: int, whole: int) -> str:
    """Return a share in whole per cent, or a dash if `whole` is 0."""
    return per_cent(part / whole if whole else None)


def per_cent(value: float | None) -> str:
    """Return a share from 0 to 1 as `59 %`, or a dash if it is missing."""
    return MISSING if value is None or value != value else f"{number(100 * value, 0)} %"


def share_with_interval(value: float | None, ci: tuple[float, float] | None) -> str:
    """Return a share from 0 to 1 with its interval, `59 % [52, 66]`."""
    ends = None if ci is None else (100 * ci[0], 100 * ci[1])
    return per_cent(value) if ends is None else f"{per_cent(value)} {interval(ends, 0)}"


def duration(seconds: float | None) -> str:
    """Return `6 min 12 s`, `12 s` or `2 h 5 min`."""
    if seconds is None:
        return MISSING
    whole = round(seconds)
    hours, remaining = divmod(whole, 3600)
    minutes, rest = divmod(remaining, 60)
    if hours:
        return _("{hours} h {minutes} min", hours=hours, minutes=minutes)
    if minutes:
        return _("{minutes} min {seconds} s", minutes=minutes, seconds=rest)
    return _("{seconds} s", seconds=rest)


def money(value: float | None) -> str:
    """Return `$4.61`, or `unknown` if no price is known."""
    return _("unknown") if value is None else f"${value:,.2f}"


def clock(at: datetime | None) -> str:
    """Return the time of day, `14:03:07`, in the server's time zone."""
    return MISSING if at is None else at.astimezone().strftime("%H:%M:%S")


def when(at: datetime | None, *, today: datetime | None = None) -> str:
    """Return `14:03` for today and `20 Nov` for another day."""
    if at is None:
        return MISSING
    local, now = at.astimezone(), (today or datetime.now().astimezone()).astimezone()
    if local.date() == now.date():
        return local.strftime("%H:%M")
    return day(local)


def day(at: datetime) -> str:
    """Return `20 Nov`, as written in the reader's language."""
    language = current_language()
    if language == DEFAULT:
        return str(format_date(at, "d MMM", locale=language))
    return str(format_skeleton("MMMd", at, locale=language))


def listing(words: list[str], limit: int = 3) -> str:
    """Return `Hugo, Farid and 2 more`."""
    named = words[:limit]
    if len(words) > limit:
        return _n("{names} and {n} more", "{names} and {n} more", len(words) - limit, names=", ".join(named))
    if len(named) < 2:
        return "".join(named)
    return _("{names} and {last}", names=", ".join(named[:-1]), last=named[-1])


def quoted_names(names: Sequence[str], limit: int = 3) -> str:
    """Return `“Demo judge A”, “learned” and 2 more`: in a sentence, a name may read like a word."""
    return listing([_("“{name}”", name=name) for name in names], limit)


def capitalised(words: str) -> str:
    """Return a phrase with its first letter in upper case, to begin a sentence."""
    return words[:1].upper() + words[1:]


def keep_together(sentence: str) -> str:
    """Return a sentence in which no `[0.62, 0.77]`, `n = 78`, `95 %` or `τ-b` is broken across lines."""
    kept = TOGETHER.sub(lambda match: match[0].replace(" ", NO_BREAK), sentence)
    return kept.replace("τ-", f"τ-{WORD_JOINER}")


def plain(text: str) -> str:
    """Return uploaded text, or a sentence with such text in it, escaped so that Markdown shows it literally.

    Names of people, systems, judges and groups come from files; in a label or a sentence their brackets,
    stars and colons would otherwise become links, images or icons, and addresses links.
    """
    broken = keep_together(text.replace("\n", " "))
    for pattern in (REPLACED, LINKED):
        broken = pattern.sub(lambda match: match[0] + ZERO_WIDTH_SPACE, broken)
    return "".join(f"\\{letter}" if letter in MARKS else letter for letter in broken)


def for_screen_reader(text: str) -> str:
    """Return uploaded text for a hidden label, with blanks in place of Markdown characters.

    A screen reader reads such a label as it is, including every backslash that `plain` adds. Marks that mean
    something only at the beginning, or after one that is gone, stay inside it.
    """
    words = " ".join("".join(" " if letter in NOT_READ_OUT else letter for letter in text).split())
    return words.lstrip("-+.# ")
