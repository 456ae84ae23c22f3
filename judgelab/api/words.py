"""Titles of tables and axes: coefficients by their names, and at which level."""

from __future__ import annotations

from judgelab.reporting.terms import SHORT_LEVEL_WORDS, coefficient_heading


def axis_heading(coefficient: str, level: str, confidence: float = 0.95) -> str:
    """Return what an axis shows: `Spearman's ρ, within items, 95 % interval`."""
    return f"{_measured(coefficient, level)}, {100 * confidence:.6g} % interval"


def heading(coefficient: str, level: str) -> str:
    """Return what a table shows: `Spearman's ρ, within items (level="item")`."""
    return f'{_measured(coefficient, level)} (level="{level}")'


def _measured(coefficient: str, level: str) -> str:
    return f"{coefficient_heading(coefficient)}, {SHORT_LEVEL_WORDS.get(level, level)}"


def default_level(given: str | None, used: str) -> tuple[str, ...]:
    """Return a note on a level that was not asked for and changes values: that within items."""
    if given is not None or used != "item":
        return ()
    return (
        'level="item" is the default, since raters rated three or more responses to some item; level="none" '
        "pools all responses.",
    )


def of_judge(judge: str, text: str) -> str:
    """Return a sentence on a judge after its name: `gpt: it passes …`."""
    starts = text.startswith(("It ", "Its "))
    return f"{judge}: {text[0].lower()}{text[1:]}" if starts else f"{judge}: {text}"
