"""Batches of local models, and what is known of a model before it is loaded: without torch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgelab.backends.local import files
from judgelab.backends.local.batching import batches, next_batch, padded, tokens
from judgelab.backends.local.encoding import without_system
from judgelab.backends.local.jobs import (
    BatchRow,
    GenerationConfig,
    GenerationJob,
    ModelChoice,
    generation_config,
    stop_words,
)
from judgelab.backends.local.progress import LOADING, LoadProgress
from judgelab.backends.transformers_local import TransformersBackend
from judgelab.domain import Message
from judgelab.errors import BackendError, InvalidInput

SHORT = GenerationConfig(max_tokens=10)


def _rows(*lengths: int, manner: GenerationConfig = SHORT) -> list[BatchRow]:
    job = GenerationJob(ModelChoice("m"), (), manner, (None,))
    return [BatchRow(job, [1] * length, manner, None) for length in lengths]


def test_batches_hold_rows_of_like_length_within_the_budget() -> None:
    formed = batches(_rows(5, 90, 6, 80, 7), budget=220)
    assert [[len(row.ids) for row in batch] for batch in formed] == [[90, 80], [7, 6, 5]]
    for batch in formed:
        assert len(batch) * tokens(len(batch[0].ids), SHORT) <= 220


def test_a_row_larger_than_the_budget_is_asked_alone() -> None:
    assert [len(batch) for batch in batches(_rows(500, 400), budget=100)] == [1, 1]


def test_the_first_row_is_never_left_waiting_and_manners_are_not_mixed() -> None:
    rows = [*_rows(5), *_rows(90, 91), *_rows(6, manner=GenerationConfig(max_tokens=3))]
    batch = next_batch(rows, budget=120)
    assert batch == [rows[0]]


def test_beams_count_as_often_as_they_are_followed() -> None:
    beams = GenerationConfig(max_tokens=10, beams=4, returned=2)
    assert tokens(20, beams, extra=2) == (20 + 10 + 20) * 4


def test_padding_stands_on_the_side_the_model_wants() -> None:
    assert padded([[5, 6], [7]], pad=0, left=False) == ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    assert padded([[5, 6], [7]], pad=0, left=True) == ([[5, 6], [0, 7]], [[1, 1], [0, 1]])


def test_a_rows_random_numbers_depend_on_seed_and_prompt_only() -> None:
    job = GenerationJob(ModelChoice("m"), (), SHORT, (1,))
    first, repeated, other_prompt, next_seed = (
        BatchRow(job, ids, SHORT, seed) for ids, seed in (([1], 7), ([1], 7), ([2], 7), ([1], 8))
    )
    assert first.draw == repeated.draw
    assert len({first.draw, other_prompt.draw, next_seed.draw}) == 3


def test_more_samples_than_beams_stop_the_run() -> None:
    with pytest.raises(BackendError, match="3 samples need at least 3 beams, not 2") as caught:
        generation_config({"num_beams": 2}, samples=3)
    assert caught.value.stops_run


def test_beams_are_not_sampled_and_logprobs_are_noted_when_asked_for() -> None:
    assert not generation_config({"num_beams": 4, "temperature": 1.0}, samples=4).sampled
    assert generation_config({"temperature": 0}, samples=3).alternatives is None
    assert generation_config({"logprobs": True, "top_logprobs": 99}, samples=1).alternatives == 20
    assert stop_words({"stop": "\n"}) == ("\n",)


def test_a_template_that_refuses_system_messages_gets_one_message() -> None:
    messages = [Message("system", "Be brief."), Message("user", "Hello")]
    assert without_system(messages) == [Message("user", "Be brief.\n\nHello")]


def test_the_size_of_a_model_is_read_from_its_heads(tmp_path: Path) -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "BF16", "shape": [10, 100], "data_offsets": [0, 2000]},
        "b": {"dtype": "I64", "shape": [5], "data_offsets": [2000, 2040]},
    }
    text = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(2040))
    assert files.bytes_needed(tmp_path, "float32") == 4040
    assert files.bytes_needed(tmp_path, "bfloat16") == 2040


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(bytes(100))
    before = files.fingerprint(tmp_path)
    assert files.fingerprint(tmp_path) == before
    weights.write_bytes(bytes(99) + b"1")
    assert files.fingerprint(tmp_path) != before


def test_progress_is_measured_when_somebody_asks() -> None:
    progress = LoadProgress()
    assert progress.message() == ""
    progress.begin(LOADING, "tiny", total=2_000_000_000, measure=lambda: 1_200_000_000)
    assert progress.message() == "loading tiny (1.2 of 2.0 GB)"
    progress.end()
    assert progress.message() == ""


def test_a_model_is_a_folder_or_a_name_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny").mkdir()
    assert TransformersBackend.checked_model("tiny") == str(tmp_path / "tiny")
    assert TransformersBackend.checked_model(" Qwen/Qwen3-0.6B ") == "Qwen/Qwen3-0.6B"
    for wrong in ("/nowhere/tiny", "./tiny2", "a/b/c", "two words"):
        with pytest.raises(InvalidInput, match="neither a folder on this machine"):
            TransformersBackend.checked_model(wrong)
