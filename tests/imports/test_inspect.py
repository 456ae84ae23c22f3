"""Inspect's logs: archives packed with Deflate or Zstandard, epochs, and what has no value."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

import pyarrow
import pytest

from judgelab.imports.files.packed import ZSTANDARD
from judgelab.store.db.engine import Store
from tests.imports.conftest import Refused
from tests.imports.result_files import imported

HEADER = {
    "eval_id": "e",
    "task": "t",
    "model": "local/red",
    "scorers": [{"name": "model_graded_qa", "options": {"model": "local/owl"}}],
}


def sample(epoch: int, answer: str, grade: Any) -> dict[str, Any]:
    """Return a sample that a judge graded."""
    score = {"value": grade, "explanation": "because"}
    return {
        "id": "a",
        "epoch": epoch,
        "input": "Why?",
        "target": "Rain.",
        "output": {"completion": answer},
        "scores": {"model_graded_qa": score},
    }


def archive(samples: list[dict[str, Any]], method: int) -> bytes:
    """Return a log as Inspect writes it; its members are packed with Zstandard where zipfile cannot."""
    members = {"header.json": json.dumps({"version": 2, "status": "success", "eval": HEADER})}
    members |= {f"samples/{one['id']}_epoch_{one['epoch']}.json": json.dumps(one) for one in samples}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            content = text.encode()
            if method != ZSTANDARD:
                archive.writestr(name, content, method)
                continue
            archive.writestr(name, pyarrow.compress(content, "zstd", asbytes=True))
            info = archive.getinfo(name)
            info.compress_type, info.file_size, info.CRC = ZSTANDARD, len(content), zlib.crc32(content)
    return stream.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD])
def test_epochs_of_an_archive_are_responses_with_scores_of_their_own(method: int, store: Store) -> None:
    samples = [sample(1, "It rains.", "C"), sample(2, "It rains.", "I"), sample(3, "No idea.", "N")]
    held = imported(store, {"log.eval": archive(samples, method)})
    assert (held.items, held.responses, held.unscored) == ({"a"}, 3, 1)
    assert sorted(held.scores["score"]) == [0, 1]
    assert set(held.scores["rater"]) == {"local/owl"}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTANDARD])
def test_a_damaged_archive_is_refused(method: int, refused: Refused) -> None:
    content = bytearray(archive([sample(1, "It rains. " * 50, "C")], method))
    place = content.index(b"samples/a_epoch_1.json") + len("samples/a_epoch_1.json") + 20
    content[place] ^= 0xFF
    (problem,) = refused(bytes(content), "log.eval")
    assert "samples/a_epoch_1.json in the archive is damaged" in problem.message


def test_other_methods_are_refused_by_name(refused: Refused) -> None:
    (problem,) = refused(archive([sample(1, "It rains.", "C")], zipfile.ZIP_BZIP2), "log.eval")
    assert "zip the files again" in problem.message


def test_numbers_that_inspect_gave_are_no_ids(store: Store) -> None:
    numbered = {**sample(1, "It rains.", "C"), "id": 1}
    header = {**HEADER, "dataset": {"sample_ids": [1]}}
    log = {"version": 2, "status": "success", "eval": header, "samples": [numbered]}
    held = imported(store, {"log.json": json.dumps(log).encode()})
    assert held.items.isdisjoint({"1"})
