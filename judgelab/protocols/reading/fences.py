"""Remove what models write around a reply: code fences, and thoughts before it."""

from __future__ import annotations

import re

from judgelab.wording import sentence

_FENCED = re.compile(r"(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\n(.*?)\n?[ \t]*\1", re.DOTALL)
# Some servers leave out the opening tag because it was part of the prompt.
_THOUGHTS = re.compile(r"\A.*</(?:think|thinking|thought)>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHTS = re.compile(r"\A\s*<(?:think|thinking|thought)>", re.IGNORECASE)


def unfenced(text: str) -> str:
    r"""Return the reply without thoughts, and without blanks and code fences around the whole of it.

    If the thoughts never end, nothing is left: a score stated in them is not a reply.

    >>> unfenced("```json\n3\n```")
    '3'
    >>> unfenced("<think>A 4? No.</think> 3")
    '3'
    """
    bare = _THOUGHTS.sub("", text, count=1).strip()
    if _OPEN_THOUGHTS.match(bare):
        return ""
    while fence := _FENCED.fullmatch(bare):
        bare = fence[2].strip()
    return bare


def empty_reason(text: str) -> str:
    """Return why there is nothing to read in a reply for which `unfenced` returns an empty text."""
    if _THOUGHTS.match(text) or _OPEN_THOUGHTS.match(text):
        return sentence("the reply contains reasoning but no answer")
    return sentence("the reply is empty")
