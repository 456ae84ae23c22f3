r"""LaTeX's environments of formulas: found in a text without dollars, and as the converter reads them."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

LONGEST = 2_000  # characters between begin and end
# What begins a formula by itself, with or without a star.
BEGIN = re.compile(r"\\begin\{((?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath)\*?)\}")
FORMULA = re.compile(rf"{BEGIN.pattern}[\s\S]{{0,{LONGEST}}}?\\end\{{\1\}}")
# The converter would write these as letters: environments it does not know, labels, and heights of rows.
RENAMED = re.compile(
    r"\\(begin|end)\{(?:(align|flalign|aligned)|(alignat|alignedat)|(eqnarray)|(?:gather|gathered|multline))\*?\}"
)
PAIRS = re.compile(r"\s*\{\d+\}")  # how many columns an `alignat` has
UNPRINTED = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:notag|nonumber)(?![A-Za-z])")
ROW_HEIGHT = re.compile(r"\\\\\*?\[\s*-?[\d.]+\s*[a-z]{2}\s*\]")


def in_known_words(latex: str) -> str:
    """Return the formula without labels and row heights, in environments that the converter reads.

    Equations are not numbered: numbers would begin anew in each formula.
    """
    latex = ROW_HEIGHT.sub(r"\\\\", UNPRINTED.sub("", latex))
    parts: list[str] = []
    at = 0
    for found in RENAMED.finditer(latex):
        parts.append(latex[at : found.start()])
        at = found.end()
        side, aligned, with_pairs, equations = found.groups()
        begins = side == "begin"
        if with_pairs and begins and (pairs := PAIRS.match(latex, at)):
            at = pairs.end()
        if aligned or with_pairs:
            parts.append(f"\\{side}{{align*}}")
        else:
            columns = ("{rcl}" if equations else "{c}") if begins else ""
            parts.append(f"\\{side}{{array}}{columns}")
    return "".join([*parts, latex[at:]])


def environments_plugin(parser: MarkdownIt) -> None:
    """Let the parser find environments of formulas without dollars, on lines of their own or not."""
    parser.block.ruler.before(
        "fence", "environment", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    parser.inline.ruler.before("escape", "environment", _inline)


def _block(state: StateBlock, first: int, last: int, silent: bool) -> bool:  # noqa: FBT001  (markdown-it's signature)
    begin = state.bMarks[first] + state.tShift[first]
    opened = BEGIN.match(state.src, begin)
    if opened is None or state.is_code_block(first):
        return False
    closed = state.src.find(f"\\end{{{opened[1]}}}", begin, begin + LONGEST)
    if closed < 0:
        return False
    end = first + 1
    while end < last and state.bMarks[end] <= closed:
        if state.sCount[end] < state.blkIndent:
            return False
        end += 1
    content = state.getLines(first, end, state.blkIndent, False).strip()
    if not FORMULA.fullmatch(content):  # it ends outside, or words follow it on its last line
        return False
    if not silent:
        state.line = end
        token = state.push("math_block", "math", 0)
        token.block, token.content, token.map = True, content, [first, end]
    return True


def _inline(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  (markdown-it's signature)
    found = FORMULA.match(state.src, state.pos) if state.src.startswith("\\begin{", state.pos) else None
    if found is None:
        return False
    if not silent:
        token = state.push("math_inline_double", "math", 0)
        token.content = found[0]
    state.pos = found.end()
    return True
