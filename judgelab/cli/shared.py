"""What all commands share: the database, options, exit codes and output."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.config import settings
from judgelab.domain import ROLES, Role
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.result import printed_ends
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store

# Control characters except line ends and tabs, and marks that change the direction of writing.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Decisions = Annotated[
    bool, typer.Option("--decisions", help="Adjudicators' decisions replace ratings, or raters' majority.")
]
USER_MISTAKE = 1  # exit code
INCOMPLETE = 2  # exit code: something was left unscored, failed or could not be had
ROUNDED_DIFFERENCES = "Differences are between the rounded numbers printed; --json has unrounded ones."


def store() -> Store:
    """Return the database of the settings, with the newest schema."""
    return open_store(settings().database_url)


def emit(data: Any, *, as_json: bool, text: str) -> None:
    """Print `data` as JSON or `text` for people."""
    print(_to_json(data) if as_json else escape_controls(text, sys.stdout.encoding))


def say(text: str) -> None:
    """Print a message for people to stderr."""
    print(escape_controls(text, sys.stderr.encoding), file=sys.stderr)


def counted(number: int, word: str, plural: str | None = None) -> str:
    """Return the number with its noun: `1 item`, `1,200 items`."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def decided_lines(count: int | None, *, of_pairs: bool) -> list[str]:
    """Return a sentence on how many decisions replace ratings or choices; none if they are not used."""
    if count is None:
        return []
    if not of_pairs:
        return [f"{counted(count, 'adjudicated score')} {'replaces' if count == 1 else 'replace'} ratings."]
    have = "has its" if count == 1 else "have their"
    return [f"{counted(count, 'adjudicated pair')} {have} decision in place of the raters' majority."]


def number_range(low: float, high: float, *, digits: int = 0) -> str:
    """Return a range, `1,200 to 1,500`, or one number if both ends print the same."""
    ends = [f"{end:,.{digits}f}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def join_counts(counts: Mapping[str, int]) -> str:
    """Return counts by plural noun as a list: `1 item, 3 responses`."""
    return ", ".join(counted(number, kind.removesuffix("s")) for kind, number in counts.items())


def escape_controls(text: str, encoding: str | None = "utf-8") -> str:
    r"""Return the text with control characters and letters that the encoding lacks written out.

    Names and cells come from other people's files: an escape sequence in one could rewrite the screen, and a
    letter that the terminal cannot encode would end the command.

    >>> escape_controls("red \x1b[31m")
    'red \\x1b[31m'
    """
    shown = _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)
    encoding = encoding or "utf-8"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def interval(ends: tuple[float, float] | None, *, digits: int = 2, sign: str = "") -> str:
    """Return an interval after a blank, ` [0.12, 0.34]`, or an empty text without one."""
    return printed_ends(ends, digits, sign=sign)


def parse_role(word: str) -> Role:
    """Return the role of this name; raises `InvalidInput` with the names of all."""
    for role in ROLES:
        if role == word:
            return role
    raise InvalidInput(f"'{word}' is not a role; known: {', '.join(ROLES)}.")


def value_of(choice: StrEnum | None) -> str | None:
    """Return the value of an option with fixed choices, None if it was not given."""
    return None if choice is None else choice.value


def backend_name(backend: str | None, endpoint: str | None) -> str:
    """Return the backend that the options name; an endpoint alone means an OpenAI-compatible server."""
    name = backend or ("openai_api" if endpoint else None)
    if name is None:
        raise InvalidInput("name the model's endpoint or backend: --endpoint NAME or --backend NAME.")
    return name


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Raise `InvalidInput` if the file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror or error}.") from None


def progress_line(describe: Callable[..., str]) -> Callable[..., None] | None:
    """Return a function that keeps rewriting a line on stderr; None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        return None
    return lambda *state: print(f"\r{describe(*state)}  ", end="", file=sys.stderr, flush=True)


def _to_json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, allow_nan=False)
    return text
