"""Code fences around a whole reply: models wrap what they were asked to write."""

from __future__ import annotations

import re

_FENCED = re.compile(r"(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\n(.*?)\n?[ \t]*\1", re.DOTALL)


def unfenced(text: str) -> str:
    r"""Return the reply without blanks and fences around the whole of it.

    >>> unfenced("```json\n3\n```")
    '3'
    """
    bare = text.strip()
    while found := _FENCED.fullmatch(bare):
        bare = found[2].strip()
    return bare
