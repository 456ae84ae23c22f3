"""Translate stored English sentences by finding the template and values they were made from.

A sentence from the database is plain text: it no longer knows its template or values. It is matched against
the catalogue's templates, the one with the most letters first, and its values are translated in turn.
"""

from __future__ import annotations

import re
import string
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from judgelab.languages import locales
from judgelab.languages.locales import DEFAULT, messages

MIN_LETTERS, MIN_WORDS = 12, 2  # of a template; one with fewer would match unrelated texts
MAX_DEPTH = 4
COUNTED = re.compile(r"(.+)( \([\d,]+\))", re.DOTALL)
MAX_LENGTH = 2000  # characters; stored reasons are shorter, and anything longer was written by a person


class _Template(NamedTuple):
    pattern: re.Pattern[str]
    translation: str


def retranslate(text: str, language: str) -> str | None:
    """Return a text made from a template of the catalogue in a language; None for any other text."""
    if language == DEFAULT or not 0 < len(text) <= MAX_LENGTH:
        return None
    return _retranslate(text, language, locales.FOLDER)


@lru_cache(maxsize=4096)
def _retranslate(text: str, language: str, folder: Path, depth: int = 0) -> str | None:
    translated = messages(language)
    if text in translated:
        return translated[text]
    for template in _templates(language, folder) if depth < MAX_DEPTH else ():
        match = template.pattern.fullmatch(text)
        if match:
            values = {
                name: _retranslate(value, language, folder, depth + 1) or value
                for name, value in match.groupdict().items()
            }
            return template.translation.format(**values)
    return _retranslate_list(text, language, folder, depth)


def _retranslate_list(text: str, language: str, folder: Path, depth: int) -> str | None:
    """Translate a list of reasons, each perhaps with its count: `no score (3); cut off (2)`."""
    parts, counted = text.split("; "), COUNTED.fullmatch(text)
    if len(parts) > 1:
        translations = [_retranslate(part, language, folder, depth + 1) for part in parts]
        if not any(translations):
            return None
        return "; ".join(new or old for new, old in zip(translations, parts, strict=True))
    if counted is None:
        return None
    translated = _retranslate(counted[1], language, folder, depth + 1)
    return None if translated is None else f"{translated}{counted[2]}"


@cache
def _templates(language: str, _folder: Path) -> tuple[_Template, ...]:
    """Return the templates that have fields and enough words, those with the most letters first."""
    ranked = []
    for text, translation in messages(language).items():
        parts = list(string.Formatter().parse(text))
        literals = "".join(literal for literal, *_ in parts)
        names = [name for _, name, *_ in parts if name]
        if (
            not names
            or not all(map(str.isidentifier, names))
            or sum(c.isalpha() for c in literals) < MIN_LETTERS
        ):
            continue
        if len(re.findall(r"[^\W\d_]{2,}", literals)) < MIN_WORDS:
            continue
        ranked.append((len(literals), _Template(re.compile(_pattern(parts), re.DOTALL), translation)))
    ranked.sort(key=lambda pair: -pair[0])
    return tuple(template for _, template in ranked)


def _pattern(parts: list[tuple[str, str | None, str | None, str | None]]) -> str:
    pattern, seen = "", set()
    for literal, name, *_ in parts:
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return pattern
