"""A text in Markdown as a tree whose pieces know their places in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from judgelab.rendering.code import code_block
from judgelab.rendering.environments import environments_plugin
from judgelab.rendering.formulas import formula
from judgelab.rendering.inline import Inline
from judgelab.rendering.source import Lines
from judgelab.rendering.tree import Element, Node, Piece, Tree

LONGEST = 100_000  # characters; a longer text is shown as typed
DEEPEST = 40  # elements within one another; a text with more is shown as typed
# LaTeX's own marks of formulas are as long as dollars, so that every place stays the same.
LATEX_MARKS = re.compile(
    r"(?<!\\)\\\[((?:(?!\\[\[\]])[\s\S]){1,2000})\\\]|(?<!\\)\\\(((?:(?!\\[()])[^\n]){1,2000})\\\)"
)
HEADINGS = 4  # levels that the page itself uses
BLOCKS = frozenset("p ul ol li blockquote table thead tbody tr th td".split())
# What may stand before a table's row; before the first row in a point of a list stands the point's mark.
BEFORE_ROW = {"blockquote": re.compile(r"\s*>"), "li": re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")}
FORMULA_BEGIN = re.compile(r"\$\$|\\begin|\\\[")
ALIGNED = re.compile(r"text-align:(left|center|right)")


def markdown_tree(text: str) -> Tree:
    """Return the text as CommonMark with tables, strikethrough and formulas.

    HTML is text. Links lead nowhere and say their address; pictures are not loaded. A line break is kept, as
    chats show it. A block whose characters are not found in the text, such as one indented with tabs, is one
    piece that stands for all of it. A text that is longer or nested deeper than anybody writes is shown as
    typed.
    """
    as_typed: Tree = (Element("div", (Piece(0, len(text)),), (("class", "typed"),)),)
    if len(text) > LONGEST or not text.strip():
        return as_typed
    parsed = _with_dollars(text)
    tokens = _parser().parse(parsed)
    if any(token.level > DEEPEST or _depth(token) > DEEPEST for token in tokens):
        return as_typed
    return _Blocks(text, parsed).tree(tokens)


def _with_dollars(text: str) -> str:
    """Return the text with formulas in dollars that are in LaTeX's brackets or parentheses."""
    return LATEX_MARKS.sub(lambda found: f"$${found[1] or found[2]}$$", text)


def _depth(token: Token) -> int:
    depth = deepest = 0
    for child in token.children or ():
        depth += child.nesting
        deepest = max(deepest, depth)
    return deepest


class _Blocks:
    """The blocks of a text, one inside the other."""

    def __init__(self, text: str, parsed: str) -> None:
        self._text = text
        self._parsed = parsed  # the text as the parser saw it, of the same length
        self._lines = Lines.of(parsed)
        self._open: list[tuple[str, list[Node], tuple[tuple[str, str], ...]]] = [("", [], ())]
        self._cells: list[list[int]] = []  # of the row of a table that is open: the places of its cells

    def tree(self, tokens: Sequence[Token]) -> Tree:
        for token in tokens:
            self._take(token)
        return tuple(self._open[0][1])

    def _take(self, token: Token) -> None:
        if token.nesting == 1:
            self._begin(token)
        elif token.nesting == -1:
            tag, children, attributes = self._open.pop()
            self._add(Element(tag, tuple(children), attributes))
        elif token.type == "inline":
            self._inline(token)
        elif token.type in ("fence", "code_block"):
            self._code(token)
        elif token.type.startswith("math_block"):
            self._formula(token)
        elif token.type == "hr":
            self._add(Element("hr"))
        elif token.content:
            self._add(Element("p", (self._whole(token),)))

    def _begin(self, token: Token) -> None:
        tag, attributes = token.tag, []
        if token.type == "heading_open":
            tag = f"h{min(int(token.tag[1]) + HEADINGS, 6)}"
            attributes.append(("class", f"level-{token.tag[1]}"))
        elif tag not in BLOCKS:
            tag = "div"
        if tag == "ol" and (start := token.attrGet("start")) is not None:
            attributes.append(("start", str(start)))
        if found := ALIGNED.match(str(token.attrGet("style") or "")):
            attributes.append(("class", f"to-{found[1]}"))
        if token.type == "paragraph_open" and token.hidden:  # of a list without blank lines
            tag, attributes = "div", []
        if tag == "tr" and token.map:
            containers = [name for name, _children, _attributes in self._open if name in BEFORE_ROW]
            self._cells = cell_places(self._lines, token.map[0], containers)
        self._open.append((tag, [], tuple(attributes)))

    def _add(self, node: Node) -> None:
        self._open[-1][1].append(node)

    def _inline(self, token: Token) -> None:
        """Add what a paragraph, heading or cell says."""
        if not token.content:
            if self._open[-1][0] in ("th", "td") and self._cells:
                self._cells.pop(0)
            return
        places = self._places(token)
        if places is None:
            self._add(self._whole(token))
            return
        inline = Inline(_parser(), token.content, places, self._text)
        self._open[-1][1].extend(inline.nodes(token.children or []))

    def _places(self, token: Token) -> list[int] | None:
        if self._open[-1][0] in ("th", "td"):
            places = self._cells.pop(0) if self._cells else []
            said = "".join(self._parsed[place] for place in places[:-1])
            return places if said == token.content else None
        first = token.map[0] if token.map else 0
        if self._open[-1][0] not in ("h5", "h6"):
            return self._lines.places(token.content, first)
        if "\n" in token.content:  # a heading underlined on the next line
            return self._lines.places(token.content, first)
        at = self._lines.lines[first].rfind(token.content)
        begin = self._lines.starts[first] + at
        return None if at < 0 else list(range(begin, begin + len(token.content) + 1))

    def _code(self, token: Token) -> None:
        first, last = token.map or (0, 0)
        language = (token.info.split() or [""])[0] if token.type == "fence" else ""
        content = token.content.removesuffix("\n")
        places = self._lines.places(content, first + (token.type == "fence")) if content else [0]
        self._add(code_block(content, places, language, self._place(first, last)))

    def _formula(self, token: Token) -> None:
        place = self._place(*(token.map or (0, 0)))
        found = formula(token.content.strip(), display=True)
        if found is None:
            markers = FORMULA_BEGIN.search(self._text, *place)  # those of a list or quote stand before it
            self._add(Element("pre", (Piece(markers.start() if markers else place[0], place[1]),)))
        else:
            self._add(Element("div", (found,), (("class", "formula"),), place))

    def _whole(self, token: Token) -> Piece:
        first, last = token.map or (0, 0)
        return Piece(*self._place(first, last), token.content)

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """Return the place of lines `first` to `last` without the end of the last one."""
        if last <= first:
            return self._lines.starts[first], self._lines.starts[first]
        return self._lines.starts[first], self._lines.starts[last - 1] + len(self._lines.lines[last - 1])


def cell_places(lines: Lines, number: int, containers: Sequence[str]) -> list[list[int]]:
    r"""Return the places of the characters of each cell of a table's row, and of the cell's end.

    The backslash of `\|` is in no cell.

    Args:
        lines: the lines of the text.
        number: the row's line.
        containers: the block quotes and points of lists around the table, the outermost first.
    """
    line, start = lines.lines[number], lines.starts[number]
    cells: list[list[int]] = [[]]
    at = 0
    for container in containers:
        if before := BEFORE_ROW[container].match(line, at):
            at = before.end()
    while at < len(line):
        if line[at] == "|":
            cells.append([])
        elif line.startswith("\\|", at):
            at += 1
            cells[-1].append(at)
        else:
            cells[-1].append(at)
        at += 1
    if cells and not any(line[at].strip() for at in cells[0]):
        cells.pop(0)
    return [_trimmed(line, cell, start) for cell in cells]


def _trimmed(line: str, cell: Sequence[int], start: int) -> list[int]:
    said = "".join(line[at] for at in cell)
    begin, end = len(said) - len(said.lstrip()), len(said.rstrip())
    kept = [start + at for at in cell[begin:end]]
    return [*kept, kept[-1] + 1] if kept else []


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 3 * DEEPEST})
    parser.enable(["table", "strikethrough"])
    # A definition such as "[Speaker]: Hello" would not be shown at all.
    parser.disable(["html_inline", "html_block", "text_join", "reference"])
    parser.use(environments_plugin)
    return parser.use(
        dollarmath_plugin, allow_space=False, allow_digits=False, allow_labels=False, double_inline=True
    )
