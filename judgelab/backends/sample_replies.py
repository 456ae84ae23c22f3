"""The replies of the demo's invented judges as scripts: what they "say" when a run asks them again."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.package_files import package_path
from judgelab.wording import sentence

SAMPLE_DATA = package_path("sample_data")
PREFIX = "demo:"  # of a script's name: `demo:FOLDER/JUDGE`


def sample_script(name: str) -> dict[str, list[str]]:
    """Return the script `demo:FOLDER/JUDGE`: the case as a prompt shows it -> that judge's replies to it.

    Question and answer stand in the key together, because one answer may quote what another prompt holds.

    Raises:
        InvalidInput: there is no such folder, or it has no replies of such a judge.
    """
    folder, _, judge = name.removeprefix(PREFIX).partition("/")
    replies = _replies(folder)
    if judge not in replies:
        raise InvalidInput(sentence("the sample data have no replies by '{judge}'.", judge=name))
    return replies[judge]


@cache
def _replies(folder: str) -> dict[str, dict[str, list[str]]]:
    items, judgments = _lines(folder, "items.jsonl"), _lines(folder, "judgments.jsonl")
    cases = {
        (item["item_id"], row["system"]): case(item["question"], row["response"])
        for item in items
        for row in item["responses"]
    }
    replies: dict[str, dict[str, list[str]]] = {}
    for row in judgments:
        replies.setdefault(row["rater"], {})[cases[row["item_id"], row["system"]]] = row["samples"]
    return replies


def case(question: str, answer: str) -> str:
    """Return what of a prompt names one case: question and answer between their marks."""
    return f"<question>\n{question.strip()}\n</question>\n\n<answer>\n{answer.strip()}\n</answer>"


def _lines(folder: str, name: str) -> list[dict[str, Any]]:
    path = SAMPLE_DATA / folder / name
    file_names = {entry.name for entry in SAMPLE_DATA.iterdir()} if SAMPLE_DATA.is_dir() else set[str]()
    if folder not in file_names or not path.is_file():  # a name typed by a user is no path
        raise InvalidInput(sentence("the sample data have no folder '{folder}'.", folder=folder))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
