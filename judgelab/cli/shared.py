"""What all commands share: the store and the output."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from judgelab.config import settings
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store

# Controls but line ends and tabs, and the marks that turn the direction of writing.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def store() -> Store:
    """Return the database of the settings, migrated."""
    return open_store(settings().database_url)


def emit(data: Any, *, as_json: bool, text: str) -> None:
    """Print `data` as JSON, or `text` for a person."""
    print(_json(data) if as_json else visible(text, sys.stdout.encoding))


def say(text: str) -> None:
    """Print a sentence for a person to stderr."""
    print(visible(text, sys.stderr.encoding), file=sys.stderr)


def counted(number: int, word: str, plural: str | None = None) -> str:
    """Return the number with its word: `1 item`, `1,200 items`."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def span(low: float, high: float, *, digits: int = 0) -> str:
    """Return a range, `1,200 to 1,500`, or one number where both ends read alike."""
    ends = [f"{end:,.{digits}f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def held(counts: Mapping[str, int]) -> str:
    """Return what counts by plural word say: `1 item, 3 responses`."""
    return ", ".join(counted(number, kind.removesuffix("s")) for kind, number in counts.items())


def visible(text: str, encoding: str | None = "utf-8") -> str:
    r"""Return the text as a terminal may show it: what would steer the terminal is written out.

    Names and cells come from other people's files. Left alone, an escape sequence in one could recolour or
    rewrite the screen, and half a letter or one the terminal's encoding lacks would end the command.

    >>> visible("red \x1b[31m")
    'red \\x1b[31m'
    """
    shown = _STEERING.sub(lambda match: ascii(match[0])[1:-1], text)
    encoding = encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=False)
    return text
