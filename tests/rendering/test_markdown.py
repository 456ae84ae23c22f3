"""Texts in Markdown: what is shown, that nothing of it acts, and that every character knows its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token

from judgelab.rendering import MARKDOWN, markdown, rendered
from judgelab.rendering.html import to_html
from judgelab.rendering.tree import ATTRIBUTES, MATH_ATTRIBUTES, MATH_TAGS, TAGS, Element, Node, pieces_of

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
    return [
        (piece.start, piece.end) for piece in pieces_of(rendered(text, MARKDOWN)) if piece.end > piece.start
    ]


@pytest.mark.parametrize("said", ["rains", "warm", "60 %", "page", "cools", "drop", "more", "a"])
def test_a_word_shown_is_at_its_place_in_the_text(said: str) -> None:
    shown = {ANSWER[start:end].strip() for start, end in _places(ANSWER)}
    assert any(said in words for words in shown)


def test_a_link_with_the_words_of_the_text_does_not_shift_what_follows() -> None:
    text = '[a](b "c") b c'
    assert _places(text) == [(1, 2), (10, 14)]


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
def test_places_follow_one_another_and_nothing_shown_is_lost(text: str) -> None:
    places = _places(text)
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(before[1] <= after[0] for before, after in zip(places, places[1:], strict=False))
    shown = "".join(_shown(node, text) for node in rendered(text, MARKDOWN))
    assert _letters(shown) == _letters(_said(markdown._parser().parse(text)))


def _said(tokens: Sequence[Token]) -> str:
    said = [_said(token.children) if token.type == "inline" else token.content for token in tokens]
    return "".join(said)


def _letters(text: str) -> list[str]:
    return re.findall(r"[^\W_]", text)
