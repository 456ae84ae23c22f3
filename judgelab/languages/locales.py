"""The languages of the interface, and what the app needs to know about each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Literal

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

DEFAULT = "en"
FOLDER = Path(__file__).parent
LANGUAGES = (DEFAULT, *sorted(path.stem for path in FOLDER.glob("*.po")))
CATEGORIES = ("zero", "one", "two", "few", "many", "other")  # the order in which gettext numbers plural forms


@cache
def translations(language: str) -> NullTranslations:
    """Return the translations of one language; English has none."""
    catalogue = _catalogue(language)
    if catalogue is None:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)


def messages(language: str) -> dict[str, str]:
    """Return a language's translations by English text; of counted texts, the forms for one and for many."""
    return _messages(language, FOLDER)


@cache
def _messages(language: str, _folder: Path) -> dict[str, str]:
    by_text: dict[str, str] = {}
    for message in _catalogue(language) or ():
        if isinstance(message.id, tuple) and message.string and all(message.string):
            by_text |= {message.id[0]: message.string[0], message.id[1]: message.string[-1]}
        elif (
            message.id and isinstance(message.id, str) and isinstance(message.string, str) and message.string
        ):
            by_text[message.id] = message.string
    return {old: by_text[new] for old, new in _earlier_texts(_folder).items() if new in by_text} | by_text


def _earlier_texts(folder: Path) -> dict[str, str]:
    """Return the present wording of texts that earlier versions stored, by the wording they had then."""
    path = folder / "earlier.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def is_complete(language: str) -> bool:
    """Return whether every text is translated; some languages have only the raters' pages."""
    return _complete(language, FOLDER)


@cache
def _complete(language: str, _folder: Path) -> bool:
    catalogue = _catalogue(language)
    if catalogue is None:
        return language == DEFAULT
    texts = (m.string if isinstance(m.string, tuple) else (m.string,) for m in catalogue if m.id)
    return all(map(all, texts))


def best_language(preferred: Iterable[str | None], *, whole: bool = False) -> str:
    """Return the first of the preferred languages that the interface has (`de` for `de-CH`), or English.

    Args:
        preferred: language tags, most preferred first; None and "" are skipped.
        whole: leave out languages in which only the raters' pages are translated.
    """
    for tag in preferred:
        language = (tag or "").replace("_", "-").split("-")[0].lower()
        if language in LANGUAGES and not (whole and not is_complete(language)):
            return language
    return DEFAULT


def text_direction(language: str) -> Literal["ltr", "rtl"]:
    """Return the direction in which a language is written."""
    return "rtl" if _locale(language).text_direction == "rtl" else "ltr"


def native_name(language: str) -> str:
    """Return a language's name in that language: `Deutsch`."""
    name = _locale(language).get_display_name(language) or language
    return name[:1].upper() + name[1:]


def plural_categories(language: str) -> list[str]:
    """Return a language's plural categories in the order of its catalogue: `["one", "other"]`."""
    tags = _locale(language).plural_form.tags | {"other"}
    return [category for category in CATEGORIES if category in tags]


@cache
def plural_samples(language: str) -> dict[str, int]:
    """Return an example count for each plural category of a language: `{"one": 1, "other": 0}`."""
    form = _locale(language).plural_form
    samples: dict[str, int] = {}
    for count in range(200):  # some languages tell 100 from 11
        samples.setdefault(form(count), count)
    return {category: samples[category] for category in plural_categories(language) if category in samples}


def _catalogue(language: str) -> Catalog | None:
    path = FOLDER / f"{language}.po"
    if language not in LANGUAGES or not path.exists():
        return None
    with path.open("rb") as file:
        return read_po(file, locale=language)


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse(DEFAULT)
