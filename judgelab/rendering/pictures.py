"""The pictures of a text that are shown: those whose images a project has."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from judgelab.rendering.tree import Element, Node, Picture, Piece, Tree

PICTURE = "!["  # how each picture in Markdown begins
# An address with a scheme, or on another host, is not of ours.
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def image_path(written: str) -> str:
    """Return the path of an image as images are stored: relative, with "/", without "." and in one spelling.

    It is empty for a path that is absolute, leads out of its folder, has a drive, or has a character that no
    database stores: a control character or half of a pair of UTF-16.

    >>> image_path("./img/../a b.png"), image_path("../a.png"), image_path("/a.png")
    ('a b.png', '', '')
    """
    path = unicodedata.normalize("NFC", _with_slashes(written))
    if not path or ELSEWHERE.match(path) or leads_out(path) or not _is_plain(path):
        return ""
    path = posixpath.normpath(path)
    return "" if path == "." else path


def leads_out(written: str) -> bool:
    """Return whether the path of an image is absolute or leads out of its folder.

    >>> leads_out("img/../../a.png"), leads_out("/a.png"), leads_out("https://e.org/a.png")
    (True, True, False)
    """
    path = _with_slashes(written)
    up = path.startswith("/") or posixpath.normpath(path).split("/")[0] == ".."
    return up and not ELSEWHERE.match(path)


def _with_slashes(written: str) -> str:
    return written.strip().replace("\\", "/")


def _is_plain(path: str) -> bool:
    return not any(unicodedata.category(character) in {"Cc", "Cs"} for character in path)


def image_paths(tree: Sequence[Node]) -> frozenset[str]:
    """Return the paths of images to which the tree's pictures refer; those elsewhere have none."""
    return frozenset(path for picture in _pictures(tree) if (path := _path_of(picture)))


def with_images(tree: Sequence[Node], sources: Mapping[str, str], missing: str) -> Tree:
    """Return the tree with images in place of the pictures that have one.

    Args:
        tree: the tree.
        sources: the address of each image by its path.
        missing: what is said of a picture that could have an image, with {name} for its address.
    """
    return tuple(_with_image(node, sources, missing) for node in tree)


def _with_image(node: Node, sources: Mapping[str, str], missing: str) -> Node:
    if isinstance(node, Piece):
        return node
    if not isinstance(node, Picture):
        return replace(node, children=with_images(node.children, sources, missing))
    if ELSEWHERE.match(node.address):
        return node
    source = sources.get(_path_of(node))
    if source is None:
        return _missing(node, missing)
    name = posixpath.basename(unquote(node.address))
    attributes = (("class", "image"), ("src", source), ("alt", node.description.strip() or name))
    return Element("img", (), attributes, node.whole)


def _missing(node: Picture, missing: str) -> Element:
    at = node.whole[1]
    said = Piece(at, at, f" ({missing.format(name=unquote(node.address))})")
    described = tuple(child for child in node.children if isinstance(child, Piece))
    return Element(
        "span", (*described, Element("span", (said,), (("class", "address"),))), (("class", "picture"),)
    )


def _path_of(picture: Picture) -> str:
    address = picture.address
    return "" if ELSEWHERE.match(address) else image_path(unquote(re.split("[?#]", address)[0]))


def _pictures(tree: Sequence[Node]) -> Iterator[Picture]:
    for node in tree:
        if isinstance(node, Picture):
            yield node
        elif isinstance(node, Element):
            yield from _pictures(node.children)
