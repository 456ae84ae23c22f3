"""Saying a text in the language of whoever reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from typing import Any

from babel.dates import format_skeleton

from judgelab.languages.locales import DEFAULT, plural_samples, translations
from judgelab.languages.retranslate import recalled
from judgelab.wording import Sentence

_spoken: ContextVar[str | None] = ContextVar("spoken", default=None)
_asked: list[Callable[[], str | None]] = []


def ask(who_knows: Callable[[], str | None]) -> None:
    """Ask this function for the language wherever `speaking` does not say it: the screen knows its reader."""
    _asked[:] = [who_knows]


def current() -> str:
    """Return the language of whoever reads what is said now."""
    said = _spoken.get()
    if said is None and _asked:
        said = _asked[0]()
    return said or DEFAULT


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Say everything within the block in one language."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def _(text: str, /, **values: Any) -> str:
    """Return a text in the reader's language, with `{name}` filled in where values are given.

    A `Sentence` of the core brings its own values; one that was stored is recognised by its words. Any other
    string that the catalogue does not know is returned as it is.
    """
    language = current()
    if isinstance(text, Sentence):
        return translated(text, language)
    said = translations(language).gettext(text) if text else text
    if said == text and not values:
        said = recalled(text, language) or text
    return said.format(**_spoken_values(values, language)) if values else said


def _n(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the form for a count in the reader's language; `{n}` is the count: `1,462`."""
    return translated(Sentence(one, many, {"n": n, **values}), current())


def translated(said: Sentence, language: str) -> str:
    """Return a sentence of the core in one language."""
    known = translations(language)
    if said.many:
        template = known.ngettext(said.template, said.many, said.values["n"])
    else:
        template = known.gettext(said.template) if said.template else ""
    return template.format(**_spoken_values(said.values, language)) if said.values else template


def templates(said: Sentence) -> dict[str, str]:
    """Return the forms of a counted sentence in the reader's language, by plural category, `{n}` open."""
    known = translations(current())
    samples = plural_samples(current()).items()
    return {category: known.ngettext(said.template, said.many, count) for category, count in samples}


def _spoken_values(values: dict[str, Any], language: str) -> dict[str, Any]:
    return {name: _spoken_value(value, language) for name, value in values.items()}


def _spoken_value(value: Any, language: str) -> Any:
    if isinstance(value, Sentence):
        return translated(value, language)
    if isinstance(value, date) and language != DEFAULT:
        return format_skeleton("yMMMd", value, locale=language)
    if isinstance(value, date):
        return f"{value.day} {value:%b %Y}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
