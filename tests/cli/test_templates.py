"""`judgelab template`: shows the parts of a prompt, replaces them, and resets them."""

from __future__ import annotations

import json
from pathlib import Path

from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.runs.projects import flasks


def test_a_part_is_shown_replaced_and_put_back(store: Store, tmp_path: Path) -> None:
    slug = flasks(store, 2)
    parts = judgelab(store.url, "template", slug, "direct")
    assert "output  (JudgeLab's)\n    Reply with one whole number" in parts.stdout
    file = tmp_path / "own.txt"
    file.write_text("Say what you feel.\n")
    words = ("template", slug, "direct", "--part", "output")
    result = judgelab(store.url, *words, "--file", str(file), "--note", "freer")
    assert (result.returncode, result.stdout.strip()) == (0, "output: version 1, used from now on")
    assert "does not mention number" in result.stderr
    output = judgelab(store.url, *words).stdout
    assert (
        "output  (yours, version 1)" in output and "+Say what you feel." in output and "freer, used" in output
    )
    [stored_part] = json.loads(judgelab(store.url, *words, "--json").stdout)
    assert stored_part["versions"][0]["text"] == "Say what you feel." and stored_part["versions"][0]["used"]
    assert judgelab(store.url, *words, "--reset").stdout.strip() == "Restored JudgeLab's text: output."


def test_a_whole_file_comes_with_what_its_placeholders_mean(store: Store, tmp_path: Path) -> None:
    slug = flasks(store, 2)
    file = tmp_path / "authors.json"
    file.write_text(json.dumps([{"role": "user", "content": "{{Q}}? {{A}}. A number from 0 to 3."}]))
    words = ("template", slug, "direct", "--file", str(file))
    refused = judgelab(store.url, *words, "--placeholder", "{{A}}=response")
    assert refused.returncode == 1 and "{{Q}} in the prompt has no meaning yet" in refused.stderr
    result = judgelab(store.url, *words, "--placeholder", "{{A}}=response", "--placeholder", "{{Q}}=question")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[:2] == [
        "prompt: version 1, used from now on",
        "placeholders: version 1, used from now on",
    ]


def test_mistakes_are_said(store: Store) -> None:
    slug = flasks(store, 1)
    for words, message in (
        (("--part", "nose"), "no part 'nose'"),
        (("--file", "/no/such/file"), "cannot be read"),
        (("--part", "output", "--placeholder", "{a}=response"), "applies to a whole prompt"),
        (("--reset", "--file", "x"), "either --reset or --file"),
    ):
        result = judgelab(store.url, "template", slug, "direct", *words)
        assert result.returncode == 1 and message in result.stderr, words
