"""Translating a text into the reader's language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from typing import Any

from babel.dates import format_skeleton

from judgelab.languages.locales import DEFAULT, plural_samples, translations
from judgelab.languages.retranslate import retranslate
from judgelab.wording import Sentence

_language: ContextVar[str | None] = ContextVar("spoken", default=None)
_language_source: list[Callable[[], str | None]] = []


def set_language_source(source: Callable[[], str | None]) -> None:
    """Use this function to find the language wherever `in_language` does not set one."""
    _language_source[:] = [source]


def current_language() -> str:
    """Return the language of the current reader."""
    language = _language.get()
    if language is None and _language_source:
        language = _language_source[0]()
    return language or DEFAULT


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Use one language for every text translated inside the block."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def _(text: str, /, **values: Any) -> str:
    """Return a text in the reader's language; `{name}` is replaced by the value of that name.

    A `Sentence` has its own values; a sentence from the database is recognised by its words. Any other text
    that is not in the catalogue is returned unchanged.
    """
    language = current_language()
    if isinstance(text, Sentence):
        return translate_sentence(text, language)
    translation = translations(language).gettext(text) if text else text
    if translation == text and not values:
        translation = retranslate(text, language) or text
    return translation.format(**_localized_values(values, language)) if values else translation


def _n(singular: str, plural: str, n: int, /, **values: Any) -> str:
    """Return the text for a count in the reader's language; `{n}` is the count, written `1,462`."""
    return translate_sentence(Sentence(singular, plural, {"n": n, **values}), current_language())


def translate_sentence(sentence: Sentence, language: str) -> str:
    """Return a sentence in one language."""
    catalogue = translations(language)
    if sentence.many:
        template = catalogue.ngettext(sentence.template, sentence.many, sentence.values["n"])
    else:
        template = catalogue.gettext(sentence.template) if sentence.template else ""
        if template == sentence.template and not sentence.values:
            template = retranslate(template, language) or template
    return template.format(**_localized_values(sentence.values, language)) if sentence.values else template


def plural_templates(sentence: Sentence) -> dict[str, str]:
    """Return the forms of a counted sentence by plural category, in the reader's language, with `{n}`."""
    catalogue = translations(current_language())
    samples = plural_samples(current_language()).items()
    return {
        category: catalogue.ngettext(sentence.template, sentence.many, count) for category, count in samples
    }


def _localized_values(values: dict[str, Any], language: str) -> dict[str, Any]:
    return {name: _localized_value(value, language) for name, value in values.items()}


def _localized_value(value: Any, language: str) -> Any:
    if isinstance(value, Sentence):
        return translate_sentence(value, language)
    if isinstance(value, date) and language != DEFAULT:
        return format_skeleton("yMMMd", value, locale=language)
    if isinstance(value, date):
        return f"{value.day} {value:%b %Y}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
