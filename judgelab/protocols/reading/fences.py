"""What stands around a reply: code fences that models wrap it in, and the thoughts they write before it."""

from __future__ import annotations

import re

from judgelab.wording import sentence

_FENCED = re.compile(r"(`{3,}|~{3,})[ \t]*[\w+-]*[ \t]*\n(.*?)\n?[ \t]*\1", re.DOTALL)
# Some servers leave out the opening mark: it was part of the prompt.
_THOUGHTS = re.compile(r"\A.*</(?:think|thinking|thought)>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHTS = re.compile(r"\A\s*<(?:think|thinking|thought)>", re.IGNORECASE)


def unfenced(text: str) -> str:
    r"""Return the reply without its thoughts, and without blanks and fences around the whole of it.

    Thoughts that never end leave nothing: what is stated in them is no reply yet.

    >>> unfenced("```json\n3\n```")
    '3'
    >>> unfenced("<think>A 4? No.</think> 3")
    '3'
    """
    bare = _THOUGHTS.sub("", text, count=1).strip()
    if _OPEN_THOUGHTS.match(bare):
        return ""
    while found := _FENCED.fullmatch(bare):
        bare = found[2].strip()
    return bare


def nothing_in(text: str) -> str:
    """Return why nothing can be read in a reply of which `unfenced` leaves nothing."""
    if _THOUGHTS.match(text) or _OPEN_THOUGHTS.match(text):
        return sentence("the reply holds thoughts and no answer")
    return sentence("the reply is empty")
