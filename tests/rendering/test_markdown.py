"""Texts in Markdown: what is shown, that nothing of it acts, and that every character knows its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from judgelab import rendering
from judgelab.rendering import MARKDOWN, markdown, rendered
from judgelab.rendering.html import to_html
from judgelab.rendering.tree import ATTRIBUTES, MATH_ATTRIBUTES, MATH_TAGS, TAGS, Element, Node, Piece

ADDRESS = ("class", "address")
ANSWER = """## Why *it* rains

| Cause | Share |
| :-- | --: |
| **warm** air | 60 % |
| a\\|b | `x \\| y` |

1. The air rises and
   cools; see [the *page*](https://example.org/rain "Rain rain").
2. Drops form:

   ```python
   def drop(size):  # mm
       return "rain" * size
   ```

> It is *said* that $E = mc^2$ &amp; more.
"""


def _html(text: str) -> str:
    return to_html(rendered(text, MARKDOWN), text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A", '<h5 class="level-1">A</h5>'),
        ("a **b** *c* ~~d~~", "<p>a <strong>b</strong> <em>c</em> <del>d</del></p>"),
        ("- a\n- b", "<ul><li><div>a</div></li><li><div>b</div></li></ul>"),
        ("3. a", '<ol start="3"><li><div>a</div></li></ol>'),
        ("> a", "<blockquote><p>a</p></blockquote>"),
        ("a\nb", "<p>a\nb</p>"),
        ("---", "<hr>"),
        ("`` a`b ``", "<p><code>a`b</code></p>"),
        ("    x = 1", "<pre><code>x = 1</code></pre>"),
        ("```nolanguage\nx\n```", "<pre><code>x</code></pre>"),
        (
            "|a|\n|-|\n|b|",
            "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody></table>",
        ),
        ("1 \\* 2 &lt; 3", "<p>1 * 2 &lt; 3</p>"),
        ("costs $5 and $6", "<p>costs $5 and $6</p>"),
    ],
)
def test_what_is_written_is_shown(text: str, html: str) -> None:
    assert _html(text) == html


def test_code_in_a_known_language_is_highlighted() -> None:
    assert '<span class="code-k">def</span>' in _html(ANSWER) and '<span class="code-c"># mm</span>' in _html(
        ANSWER
    )


@pytest.mark.parametrize("text", ["$x^2$", "\\(x^2\\)", "$$x^2$$", "\\[x^2\\]"])
def test_a_formula_is_mathml(text: str) -> None:
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in _html(text)


@pytest.mark.parametrize(
    "text", ["So\n\\[\nx = 1\n\\]\nand", "1. **Do**:\n   \\[ x = 1 \\]", "So \\[x = 1\\] and"]
)
def test_a_formula_in_brackets_is_one_wherever_it_stands(text: str) -> None:
    assert "<mi>x</mi><mo>=</mo><mn>1</mn>" in _html(text) and "[" not in _html(text)


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("So\n\\begin{align}\nx &= 1\n\\end{align}\nand", "<p>So</p>", "<p>and</p>"),
        ("- a\n  \\begin{align*}\n  x &= 1\n  \\end{align*}", "<ul><li><div>a</div>", "</li></ul>"),
        ("> \\begin{align}\n> x &= 1\n> \\end{align}", "<blockquote>", "</blockquote>"),
        ("So \\begin{align}x &= 1\\end{align}.", "<p>So ", ".</p>"),
    ],
)
def test_an_environment_is_a_formula_without_dollars(text: str, before: str, after: str) -> None:
    html = _html(text)
    assert html.startswith(before) and html.endswith(after)
    assert re.search(r"<mtr>.*<mi>x</mi>.*<mo>=</mo><mn>1</mn>.*</mtr>", html) and "begin" not in html


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{equation}\nx",
        "\\begin{align}\\end{align}",
        "\\begin{tabular}{c}x\\end{tabular}",
        "`\\begin{align}x\\end{align}`",
    ],
)
def test_what_is_no_environment_of_a_formula_is_shown(text: str) -> None:
    assert text.strip("`") in _html(text) and "<math" not in _html(text)


@pytest.mark.parametrize(
    ("latex", "rows", "columns"),
    [
        ("\\begin{aligned}a &= b \\\\[2pt] &= c\\end{aligned}", 2, 4),
        ("\\begin{equation}\\label{eq:one}a\\nonumber\\end{equation}", 0, 0),
        ("\\begin{gather*}a \\\\ b\\end{gather*}", 2, 2),
        ("\\begin{eqnarray}a &=& b \\\\ &=& c\\end{eqnarray}", 2, 6),
        ("\\begin{alignat}{2}a &= b\\end{alignat}", 1, 2),
    ],
)
def test_environments_have_their_rows_and_nothing_unprinted(latex: str, rows: int, columns: int) -> None:
    html = _html(f"$$\n{latex}\n$$")
    assert (html.count("<mtr>"), html.count("<mtd ")) == (rows, columns)
    letters = {*re.findall(r"<m[io][^>]*>([^<]*)</m[io]>", html)} - {""}
    assert letters <= {"a", "b", "c", "="} and "<mn>" not in html


def test_the_label_of_an_equation_is_kept() -> None:
    assert _html("$$x$$ (see below)").endswith(" (see below)</p>")


@pytest.mark.parametrize(
    "text", ["[Ann]: Hello\n[Ben]: Hi", '[1]: https://a.org "Docs"', "[Assistant]: Sure!"]
)
def test_what_looks_like_the_definition_of_a_link_is_shown(text: str) -> None:
    assert _html(text) == f"<p>{text}</p>"


@pytest.mark.parametrize(
    "text", [">" * 5000 + "a", "**a " * 700 + "b**" * 700, "".join(f"{'  ' * n}- {n}\n" for n in range(60))]
)
def test_a_text_nested_too_deep_is_shown_as_typed(text: str) -> None:
    assert _html(text) == f'<div class="typed">{text.replace(">", "&gt;")}</div>'


def test_a_deep_list_and_a_deep_formula_lose_nothing() -> None:
    text = "".join(f"{'  ' * n}- n{n}\n" for n in range(14))
    assert all(f"<div>n{n}</div>" in _html(text) for n in range(14))
    deep = f"${'x^{' * 120}x{'}' * 120}$"
    assert _html(deep) == f"<p><code>{deep}</code></p>"


@pytest.mark.parametrize("text", ["```\r\na\r\nb\r\n```", "    a\r\n    b", "```py\r\na\r\nb\r\n```"])
def test_code_with_line_ends_of_windows_keeps_its_lines(text: str) -> None:
    assert "a\nb" in re.sub(r"<[^>]*>", "", _html(text)).replace("\r", "")


def test_the_screen_builds_the_same_elements() -> None:
    script = (Path(rendering.__file__).parents[1] / "ui" / "rater" / "rendered.js").read_text(
        encoding="utf-8"
    )
    tags, attributes = re.findall(r"new Set\(([^;]*?)\.split", script)
    assert set(re.findall(r"[a-z0-9]+", tags)) == TAGS | MATH_TAGS
    assert set(re.findall(r"[a-z]+", attributes)) == ATTRIBUTES | MATH_ATTRIBUTES


@pytest.mark.parametrize("text", ["$\\frac{a}{$", "$$\n\\begin{foo}\n$$"])
def test_a_formula_that_cannot_be_read_is_shown_as_typed(text: str) -> None:
    assert text.strip("$").strip() in _html(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src="https://example.org/x.png" onerror="alert(1)">',
        "![x](https://example.org/x.png)",
        "[x](javascript:alert(1))",
        '[x](https://example.org "onmouseover=alert(1)")',
        "<https://example.org>",
        "$\\href{javascript:alert(1)}{x}$",
        "$\\style{color:red}{x}$",
        "$\\text{<img src=x>}$",
        "\\begin{align}\\href{javascript:alert(1)}{x}\\text{<img src=x>}\\end{align}",
        '[x](<"><img src=x onerror=alert(1)>>)',
        '```"><script>\nx\n```',
    ],
)
def test_nothing_of_a_text_loads_runs_or_leads_anywhere(text: str) -> None:
    html = _html(text)
    for tag, attributes in re.findall(r"<([a-z0-9]+)((?:\s[^>]*)?)>", html):
        assert tag in TAGS | MATH_TAGS
        assert set(re.findall(r'\s([a-z]+)="[^"]*"', attributes)) <= ATTRIBUTES | MATH_ATTRIBUTES
    assert "<script" not in html and "<img" not in html and "<a " not in html


def _shown(node: Node, text: str) -> str:
    if isinstance(node, Element):
        return "".join(_shown(child, text) for child in node.children)
    return text[node.start : node.end] if node.shown is None else node.shown


def _places(text: str) -> list[tuple[int, int]]:
    return list(_placed(rendered(text, MARKDOWN)))


def _placed(nodes: Sequence[Node]) -> Iterator[tuple[int, int]]:
    """Yield the places of pieces, and of elements that have one in place of pieces."""
    for node in nodes:
        if isinstance(node, Piece):
            if node.end > node.start:
                yield node.start, node.end
        elif node.place is not None:
            yield node.place
        else:
            yield from _placed(node.children)


@pytest.mark.parametrize("said", ["rains", "warm", "60 %", "page", "cools", "drop", "more", "a"])
def test_a_word_shown_is_at_its_place_in_the_text(said: str) -> None:
    shown = {ANSWER[start:end].strip() for start, end in _places(ANSWER)}
    assert any(said in words for words in shown)


def test_a_link_with_the_words_of_the_text_does_not_shift_what_follows() -> None:
    text = '[a](b "c") b c'
    assert _places(text) == [(1, 2), (10, 14)]


@pytest.mark.parametrize(
    "text",
    [
        "> | a | b |\n> |---|---|\n> | 1 | 2 |",
        "> a | b\n> -|-\n> 1 | 2",
        "- | a | b |\n  |---|---|\n  | 1 | 2 |",
        "> 1. > | a | b |\n>    > |---|---|\n>    > | 1 | 2 |",
    ],
)
def test_cells_of_a_table_in_a_quote_or_list_have_places_of_their_own(text: str) -> None:
    assert [text[start:end] for start, end in _places(text)] == ["a", "b", "1", "2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[page](https://a.org/x?y=1)", "page (https://a.org/x?y=1)"),
        ("[https://good.org](https://evil.org)", "https://good.org (https://evil.org)"),
        ("![map](m.png)", "🖼 map (m.png)"),
        ("![](m.png)", "🖼  (m.png)"),
        ("[a.org/ü](https://a.org/%C3%BC/)", "a.org/ü"),
        ("<https://a.org>", "https://a.org"),
        ("<me@a.org>", "me@a.org"),
        ("[**a**]()", "a"),
        (f"[a](https://a.org/{'b' * 300})", f"a (https://a.org/{'b' * 106}…)"),
    ],
)
def test_the_address_is_shown_where_the_text_is_another(text: str, said: str) -> None:
    assert "".join(_shown(node, text) for node in rendered(text, MARKDOWN)) == said


def test_escapes_and_entities_stand_for_what_was_typed() -> None:
    assert _places("a \\* &amp; b") == [(0, 2), (3, 4), (4, 5), (5, 10), (10, 12)]


def test_line_ends_of_windows_do_not_shift_places() -> None:
    text = "# A\r\n\r\n- b\r\n- c"
    assert [text[start:end] for start, end in _places(text)] == ["A", "b", "c"]


MARKS = st.sampled_from(
    [
        "a",
        "b ",
        "1. ",
        "- ",
        "# ",
        "*",
        "**",
        "`",
        "```",
        "\n",
        "\n\n",
        "|",
        "|-|",
        "> ",
        "[",
        "](",
        ")",
        "![",
        "$",
    ]
    + [
        "$$",
        "\\",
        "&amp;",
        "<",
        ">",
        "~~",
        "    ",
        "\t",
        "\\(",
        "\\)",
        "\\begin{align}",
        "\\end{align}",
        "\r\n",
        "é",
        "𝛼",
        "_",
        '"',
        "x y",
        "---",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(MARKS, max_size=25).map("".join))
@example(ANSWER)
@example("$\\end{align}$")
@example("$a\\begin{x} b$")
@example("1. $$$$")
@example("1. a\n\tb \r\n&amp;")
@example("1. &amp;\n\t**a**")
@example("- `a\n\tb`\n\n\t\tc")
def test_places_follow_one_another_and_nothing_shown_is_lost(text: str) -> None:
    places = _places(text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(before[1] <= after[0] for before, after in zip(places, places[1:], strict=False))
    shown = "".join(_shown(node, text) for node in _without_addresses(rendered(text, MARKDOWN)))
    assert _letters(shown) == _letters(_said(markdown._parser().parse(markdown._with_dollars(text))))


def _without_addresses(nodes: Sequence[Node]) -> list[Node]:
    elements = [node for node in nodes if not isinstance(node, Element) or ADDRESS not in node.attributes]
    return [
        replace(node, children=tuple(_without_addresses(node.children)))
        if isinstance(node, Element)
        else node
        for node in elements
    ]


def _said(tokens: Sequence[Token]) -> str:
    said = [_said(token.children) if token.type == "inline" else token.content for token in tokens]
    return "".join(said)


def _letters(text: str) -> list[str]:
    # The words that begin and end a formula are none of its letters; after two backslashes they are.
    return re.findall(r"[^\W_]", re.sub(r"(?<!\\)(?:\\\\)*\\(?:begin|end)\{align\}", "", text))
