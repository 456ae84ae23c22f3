"""What a paragraph, heading or cell says, with the place of each character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

from judgelab.rendering.formulas import formula
from judgelab.rendering.source import pieces
from judgelab.rendering.tree import Element, Node, Picture, Piece

TAGS = {"em": "em", "strong": "strong", "s": "del"}
PICTURE = "🖼"
LONGEST_ADDRESS = 120  # characters; the rest of a longer one is shown on pointing
SCHEME = re.compile(r"(?:https?://|mailto:)?(.*?)/?", re.DOTALL)
FORMULAS = {"math_inline": False, "math_inline_double": True}  # whether on a line of their own


class Inline:
    """Goes through a block's content along its tokens, which do not know where they stand.

    Args:
        parser: the parser that made the tokens.
        content: the block without its markers.
        places: the place in the text of each character of the content, and of its end.
        text: the text.
    """

    def __init__(self, parser: MarkdownIt, content: str, places: Sequence[int], text: str) -> None:
        self._parser = parser
        self._content = content
        self._places = places
        self._text = text
        self._at = 0

    def nodes(self, tokens: Sequence[Token]) -> list[Node]:
        """Return the tokens as nodes."""
        open_elements: list[tuple[str, list[Node], tuple[tuple[str, str], ...]]] = [("", [], ())]
        for token in tokens:
            if token.nesting == 1:
                self._skip("[" if token.type == "link_open" and not token.markup else token.markup)
                if token.markup == "autolink":
                    self._skip("<")
                open_elements.append(self._opened(token))
            elif token.nesting == -1:
                tag, children, attributes = open_elements.pop()
                if token.type == "link_close":
                    children += self._address(dict(attributes)["title"], children)
                open_elements[-1][1].append(Element(tag, tuple(children), attributes))
                self._close(token)
            else:
                open_elements[-1][1].extend(self._leaf(token))
        return open_elements[0][1]

    def _opened(self, token: Token) -> tuple[str, list[Node], tuple[tuple[str, str], ...]]:
        if token.type == "link_open":
            return "span", [], (("class", "link"), ("title", str(token.attrGet("href") or "")))
        return TAGS.get(token.tag, "span"), [], ()

    def _address(self, address: str, children: Sequence[Node]) -> list[Node]:
        """Return the address of a link or picture in parentheses; nothing if its text says it already."""
        said = _shown(children, self._text).removeprefix(PICTURE).strip()
        if not address or _compared(address) == _compared(said):
            return []
        shown = address if len(address) <= LONGEST_ADDRESS else f"{address[:LONGEST_ADDRESS]}…"
        place = self._places[min(self._at, len(self._places) - 1)]
        return [Element("span", (Piece(place, place, f" ({shown})"),), (("class", "address"),))]

    def _close(self, token: Token) -> None:
        if token.type != "link_close":
            self._skip(token.markup)
        elif token.markup == "autolink":
            self._skip(">")
        else:
            self._at = self._after_target(self._at)

    def _leaf(self, token: Token) -> list[Node]:
        if token.type == "text":
            return self._said(token.content)
        if token.type == "text_special":
            return self._special(token)
        if token.type in ("softbreak", "hardbreak"):
            return self._line_break()
        if token.type == "code_inline":
            return [Element("code", tuple(self._quoted(token)))]
        if token.type == "image":
            return [self._picture(token)]
        if token.type in FORMULAS:
            return [self._formula(token)]
        return self._said(token.content)

    def _said(self, said: str) -> list[Node]:
        if not said:
            return []
        start = self._content.find(said, self._at)
        if start < 0:  # never expected; the text is still shown
            place = self._places[min(self._at, len(self._places) - 1)]
            return [Piece(place, place, said)]
        self._at = start + len(said)
        return list(pieces(self._places, start, self._at))

    def _special(self, token: Token) -> list[Node]:
        """Return an escaped character, or an entity as what it stands for."""
        start = self._content.find(token.markup, self._at)
        if start < 0:
            return self._said(token.content)
        self._at = start + len(token.markup)
        if token.info == "escape":
            return list(pieces(self._places, start + len(token.markup) - len(token.content), self._at))
        return [Piece(self._places[start], self._places[self._at - 1] + 1, token.content)]

    def _line_break(self) -> list[Node]:
        start = self._content.find("\n", self._at)
        if start < 0:
            return []
        self._at = start + 1
        while self._content.startswith((" ", "\t"), self._at):
            self._at += 1
        return [Piece(self._places[start], self._places[start] + 1, "\n")]

    def _quoted(self, token: Token) -> list[Node]:
        """Return code within a line; of spaces beside its marks, one on each side is not shown."""
        begin = self._content.find(token.markup, self._at)
        end = self._content.find(token.markup, begin + len(token.markup))
        while end >= 0 and self._content.startswith("`", end + len(token.markup)):
            run = end
            while self._content.startswith("`", run):
                run += 1
            end = self._content.find(token.markup, run)
        if begin < 0 or end < 0:
            return self._said(token.content)
        start = begin + len(token.markup)
        self._at = end + len(token.markup)
        if end - start == len(token.content) + 2:
            start, end = start + 1, end - 1
        return list(pieces(self._places, start, end))

    def _picture(self, token: Token) -> Node:
        begin = self._content.find("![", self._at)
        start = begin + 2 if begin >= 0 else self._at
        begin = max(begin, self._at)
        place = self._places[start]
        shown: list[Node] = [
            Piece(place, place, f"{PICTURE} "),
            *pieces(self._places, start, start + len(token.content)),
        ]
        self._at = self._after_target(start + len(token.content))
        address = str(token.attrGet("src") or "")
        shown += self._address(address, shown)
        return Picture(
            "span",
            tuple(shown),
            (("class", "picture"), ("title", address)),
            address=address,
            description="".join(_described(child) for child in token.children or ()),
            whole=(self._places[begin], self._places[self._at - 1] + 1),
        )

    def _formula(self, token: Token) -> Node:
        start = self._content.find(token.content, self._at)
        if start < 0:
            return Element("code", tuple(self._said(token.content)))
        begin, self._at = start - len(token.markup), start + len(token.content) + len(token.markup)
        place = (self._places[begin], self._places[self._at - 1] + 1)
        in_line = not FORMULAS[token.type] or self._text.startswith("\\(", place[0])
        found = formula(token.content.strip(), display=not in_line)
        if found is None:
            return Element("code", pieces(self._places, begin, self._at))
        return Element("span", (found,), (("class", "formula"),), place)

    def _skip(self, markup: str) -> None:
        if markup and self._content.startswith(markup, self._at):
            self._at += len(markup)

    def _after_target(self, at: int) -> int:
        """Return the place after the target of a link whose text ends at `at`: `](…)`, `][…]` or `]`."""
        if not self._content.startswith("]", at):
            return at
        if self._content.startswith("][", at):
            end = self._content.find("]", at + 2)
            return at + 1 if end < 0 else end + 1
        if not self._content.startswith("](", at):
            return at + 1
        at = self._blank(at + 2)
        target = self._parser.helpers.parseLinkDestination(self._content, at, len(self._content))
        at = self._blank(target.pos if target.ok else at)
        title = self._parser.helpers.parseLinkTitle(self._content, at, len(self._content))
        at = self._blank(title.pos if title.ok else at)
        return at + 1 if self._content.startswith(")", at) else at

    def _blank(self, at: int) -> int:
        while self._content[at : at + 1].isspace():
            at += 1
        return at


def _shown(nodes: Sequence[Node], text: str) -> str:
    return "".join(
        _shown(node.children, text)
        if isinstance(node, Element)
        else node.shown or text[node.start : node.end]
        for node in nodes
    )


def _described(token: Token) -> str:
    return " " if token.type in ("softbreak", "hardbreak") else token.content


def _compared(address: str) -> str:
    """Return what tells an address from another one that a reader would take for the same."""
    found = SCHEME.fullmatch(unquote(address))
    return found[1] if found else address
