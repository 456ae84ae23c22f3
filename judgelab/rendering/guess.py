"""Guessing in which format texts were written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from judgelab.rendering.formats import CODE, MARKDOWN, PLAIN, PREFORMATTED

SAMPLE = 500  # texts looked at
SHARE = 0.05  # of the texts that must have signs of Markdown; many answers have none although others do
SHARE_OF_CODE = 0.5  # of the texts that must look like code, or be laid out with spaces
# Hardly ever typed with another meaning: a heading, a fence, bold, a list of two points, a table, a formula.
MARKDOWN_SIGNS = re.compile(
    r"^ {0,3}#{1,6} \S|^ {0,3}(```|~~~)|\*\*\S[^*\n]*\S\*\*"
    r"|^ {0,3}([-*+]|\d+\.) \S.*\n(\s*\n)?\s*([-*+]|\d+\.) \S"
    r"|^ *\|?( *:?-{2,}:? *\|)+( *:?-{2,}:? *)?$|`[^`\n]+`|\$\$[^$]+\$\$|\]\(https?://",
    re.MULTILINE,
)
CODE_LINE = re.compile(
    r"[;{}]\s*$|^\s*(def|class|import|from|return|for|if|while|#include|function|const|let|var|public|private)\b"
    r".*[:;({]?\s*$|^\s*(//|/\*|\*/)|=>|::|\w\(.*\)\s*[;:{]?\s*$"
)
ALIGNED = re.compile(r"\S {3,}\S|\t\S")


def guess_format(texts: Iterable[str]) -> str:
    """Return the format of `FORMATS` in which the texts were most likely written.

    The first 500 texts are looked at. Code in a fence is Markdown; texts that are code throughout are code.
    """
    seen = [text for text in islice(texts, SAMPLE) if text.strip()]
    if not seen:
        return PLAIN
    of_code = sum(map(_is_code, seen)) / len(seen)
    fenced = sum(bool(re.search(r"^ {0,3}(```|~~~)", text, re.MULTILINE)) for text in seen)
    if of_code >= SHARE_OF_CODE and not fenced:
        return CODE
    if sum(bool(MARKDOWN_SIGNS.search(text)) for text in seen) / len(seen) >= SHARE:
        return MARKDOWN
    if sum(_is_aligned(text) for text in seen) / len(seen) >= SHARE_OF_CODE:
        return PREFORMATTED
    return PLAIN


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and sum(bool(CODE_LINE.search(line)) for line in lines) / len(lines) > 0.5


def _is_aligned(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and sum(bool(ALIGNED.search(line)) for line in lines) / len(lines) > 0.5
