"""Guessing in which format texts were written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise

from judgelab.rendering.environments import BEGIN
from judgelab.rendering.formats import CODE, MARKDOWN, PLAIN, PREFORMATTED

SAMPLE = 500  # texts looked at
BEGINNING, LONGEST_LINE = 4_000, 300  # characters of a text, and of a line, that are looked at
SHARE_OF_MARKDOWN = 0.2  # of the texts; many answers have no signs although others do
SHARE_OF_CODE = 0.5  # of the texts that must look like code, or be laid out with spaces
FENCE = re.compile(r" {0,3}(```|~~~)")
HEADING = re.compile(r" {0,3}#{2,6} \S")
BOLD = re.compile(r"(?<![\w*])\*\*[^\s*][^*]{0,200}\*\*(?![\w*])")
POINT = re.compile(r" {0,3}([-*+]|\d{1,2}[.)]) \S")
TABLE_RULE = re.compile(r" {0,3}\|?( *:?-{2,}:? *\|)+( *:?-{2,}:? *)?$")
FORMULA = re.compile(rf"\$\$[^$]{{1,300}}\$\$|\\\[|\\\(|{BEGIN.pattern}")
LINK = re.compile(r"\]\(https?://")
IMAGE = re.compile(r"!\[[^\]\n]{0,300}\]\(<?(?P<path>[^)<>\n]{1,300}\.(png|jpe?g|gif|webp))\b", re.IGNORECASE)
CODE_END = (";", "{", "}", ");", "):", ") {", "=>")
CODE_BEGIN = re.compile(
    r"\s*(def \w+\(|class \w+[:({]|import \w|from \w+ import|#include|//|/\*|return\b|public |private )"
)
ALIGNED = re.compile(r"\S {3,}\S|\t\S")


def guess_format(texts: Iterable[str]) -> str:
    """Return the format of `FORMATS` in which the texts were most likely written.

    The beginnings of the first 500 texts are looked at. Code in a fence is Markdown; texts that are code
    throughout are code. If in doubt, they are plain: a sign too many is read over, a missing one is not seen.
    """
    seen = [_lines(text) for text in islice(texts, SAMPLE) if text.strip()]
    if not seen:
        return PLAIN
    fenced = sum(any(map(FENCE.match, lines)) for lines in seen)
    if not fenced and sum(map(_is_code, seen)) / len(seen) >= SHARE_OF_CODE:
        return CODE
    if sum(map(_is_markdown, seen)) / len(seen) >= SHARE_OF_MARKDOWN:
        return MARKDOWN
    if sum(map(_is_aligned, seen)) / len(seen) >= SHARE_OF_CODE:
        return PREFORMATTED
    return PLAIN


def _lines(text: str) -> list[str]:
    """Return the lines with something in them, the first characters of each."""
    return [line[:LONGEST_LINE] for line in text[:BEGINNING].splitlines() if line.strip()]


def _is_markdown(lines: Sequence[str]) -> bool:
    points = [bool(POINT.match(line)) for line in lines]
    if any(first and second for first, second in pairwise(points)):
        return True
    signs = (
        FENCE.match,
        HEADING.match,
        TABLE_RULE.match,
        BOLD.search,
        FORMULA.search,
        LINK.search,
        IMAGE.search,
    )
    return any(sign(line) for line in lines for sign in signs)


def _is_code(lines: Sequence[str]) -> bool:
    found = sum(line.rstrip().endswith(CODE_END) or bool(CODE_BEGIN.match(line)) for line in lines)
    return len(lines) > 1 and found / len(lines) > 0.5


def _is_aligned(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and sum(bool(ALIGNED.search(line)) for line in lines) / len(lines) > 0.5
