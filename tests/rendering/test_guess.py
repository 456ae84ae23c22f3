"""In which format texts were written."""

from __future__ import annotations

import pytest

from judgelab.rendering import guess_format

PROSE = "It rains because warm air rises. 2 * 3 = 6, and #1 of 5 costs $5."


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], "plain"),
        (["", "  "], "plain"),
        ([PROSE] * 20, "plain"),
        (["1. January was dry.\nFebruary was wet."], "plain"),
        (["**Because** it does."] * 3 + [PROSE] * 10, "markdown"),
        (["- one\n- two"], "markdown"),
        (["1. one\n\n2. two"], "markdown"),
        (["## Why"], "markdown"),
        (["| a | b |\n|---|---|\n| 1 | 2 |"], "markdown"),
        (["See:\n```\nx = 1\n```"], "markdown"),
        (["Take $$x^2$$."], "markdown"),
        (["def f(x):\n    return x\n", "import os\nfor a in b:\n    print(a)"], "code"),
        (["int main() {\n  return 0;\n}"], "code"),
        (["name      age\nAnn        12\nBo          7"], "preformatted"),
        (["**Because** it does."] + [PROSE] * 10, "plain"),  # one in eleven
        (["It is \\(x^2\\)."], "markdown"),
        (["So\n\\begin{align*}\nx &= 1\n\\end{align*}"], "markdown"),
        (["1) one\n2) two"], "markdown"),
        (
            ["`Yes', he said, and `No', she said.", "f**k and s**t", "x**2 + y**2", "# MondayMotivation"],
            "plain",
        ),
        (["- " + "a()" * 10_000, "x\n" + " " * 50_000 + "x"], "plain"),
    ],
)
def test_the_format_is_that_of_most_signs(texts: list[str], expected: str) -> None:
    assert guess_format(texts) == expected
