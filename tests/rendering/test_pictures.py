"""Pictures in Markdown: an image if the project has it, words if not, and nothing from elsewhere."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from judgelab.rendering import rendered
from judgelab.rendering.html import to_html
from judgelab.rendering.pictures import image_path, image_paths, with_images
from judgelab.rendering.tree import Element, to_json

SOURCES = {"img/a.png": "/images/p/1", "img/my b.png": "/images/p/2"}


def html(text: str) -> str:
    tree = with_images(rendered(text, "markdown"), SOURCES, "Image not uploaded: {name}")
    return to_html(tree, text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![A *bar* chart](img/a.png)", '<img class="image" src="/images/p/1" alt="A bar chart">'),
        ("![](./img/x/../a.png)", '<img class="image" src="/images/p/1" alt="a.png">'),
        ("![b](img/my%20b.png)", '<img class="image" src="/images/p/2" alt="b">'),
        ("![b](<img/my b.png> 'title')", '<img class="image" src="/images/p/2" alt="b">'),
        ("![b](img\\my%20b.png)", '<img class="image" src="/images/p/2" alt="b">'),
        (
            '![say "x" & y](img/a.png)',
            '<img class="image" src="/images/p/1" alt="say &quot;x&quot; &amp; y">',
        ),
        ("![two\nlines](img/a.png)", '<img class="image" src="/images/p/1" alt="two lines">'),
        ("![c](img/c.png)", "🖼 c" + '<span class="address"> (Image not uploaded: img/c.png)</span>'),
        ("![c](../a.png)", "(Image not uploaded: ../a.png)"),
        ("![c](/img/a.png)", "(Image not uploaded: /img/a.png)"),
    ],
)
def test_an_image_of_the_project_is_shown_or_said_to_be_missing(text: str, shown: str) -> None:
    assert shown in html(text)


@pytest.mark.parametrize(
    "address",
    ["https://e.org/img/a.png", "//e.org/img/a.png", "data:image/png;base64,AAAA", "file:img/a.png"],
)
def test_nothing_elsewhere_is_an_image(address: str) -> None:
    text = f"![c]({address})"
    assert "<img" not in html(text) and "not uploaded" not in html(text)
    assert html(text) == to_html(rendered(text, "markdown"), text)
    assert image_paths(rendered(text, "markdown")) == frozenset()


@pytest.mark.parametrize("text", ["![c](img/a.png)", "- x 😀\n  > ![multi\n  > line](<img/a.png> 't') y"])
def test_an_image_stands_for_the_characters_of_the_picture(text: str) -> None:
    tree = with_images(rendered(text, "markdown"), SOURCES, "")
    (image,) = _images(tree)
    assert image.place is not None
    typed = text[slice(*image.place)]
    assert typed.startswith("![") and typed.endswith(")")
    assert '"src": "/images/p/1"' in str(to_json(tree, text)).replace("'", '"')


def test_a_path_of_two_spellings_is_one() -> None:
    assert image_path("U\u0308ber.png") == image_path("Über.png") == "Über.png"


@pytest.mark.parametrize("address", ["a%00.png", "img/%1f.png", "a%7F.png", "a%C2%85.png"])
def test_a_path_with_a_character_that_no_database_stores_is_none(address: str) -> None:
    assert image_path(unquote(address)) == ""
    assert image_paths(rendered(f"![c]({address})", "markdown")) == frozenset()
    assert image_path("a\ud800.png") == ""


def _images(nodes: object) -> list[Element]:
    found = []
    for node in nodes if isinstance(nodes, tuple) else ():
        if isinstance(node, Element):
            found += [node] if node.tag == "img" else _images(node.children)
    return found
