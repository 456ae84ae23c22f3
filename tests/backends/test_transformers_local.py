"""Local models against transformers' own figures, with tiny random models; skipped where torch is absent."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from judgelab.backends import Connection, backends
from judgelab.backends.base import Backend
from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from tests import tiny_models
from tests.backends.hub_server import COMMIT, Hub

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = [f"Does flask {n} leak?" + " Score: 3 of 3." * n for n in range(5)]
GREEDY = {"max_tokens": 8, "logprobs": True, "top_logprobs": 3}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models.need_torch()
    folder = tmp_path_factory.mktemp("models")
    tiny_models.make_causal(folder / "causal")
    tiny_models.make_causal(folder / "chat", template=tiny_models.TEMPLATE)
    tiny_models.make_causal(folder / "no-system", template=tiny_models.NO_SYSTEM)
    tiny_models.make_seq2seq(folder / "seq2seq")
    return folder


def ask(model: Path | str, prompts: Sequence[str | list[Message]], **parameters: Any) -> list[Any]:
    """Ask all prompts at once; return the replies, or the error, of each."""

    async def work(backend: Backend) -> list[Any]:
        calls = (
            backend.complete(
                [Message("user", prompt)] if isinstance(prompt, str) else prompt,
                {"model": str(model), **parameters},
                first_sample=0,
            )
            for prompt in prompts
        )
        results = await asyncio.gather(*calls, return_exceptions=True)
        await backend.close()
        return results

    async def run() -> list[Any]:
        return await work(backends.get("transformers")(Connection()))

    return asyncio.run(run())


def _ids(reply: Reply) -> list[int]:
    return list(json.loads(reply.body)["token_ids"])


def _parts(folder: Path) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    kind = AutoModelForSeq2SeqLM if folder.name == "seq2seq" else AutoModelForCausalLM
    return kind.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("name", ["causal", "chat", "seq2seq"])
def test_a_prompt_gets_the_same_reply_alone_and_in_a_batch(models: Path, name: str) -> None:
    batched_replies = ask(models / name, PROMPTS, **GREEDY)
    assert {reply[0].sent["batch"]["size"] for reply in batched_replies} == {len(PROMPTS)}
    assert sorted(reply[0].sent["batch"]["position"] for reply in batched_replies) == [0, 1, 2, 3, 4]
    for prompt, (batched,) in zip(PROMPTS, batched_replies, strict=True):
        ((single,),) = ask(models / name, [prompt], **GREEDY)
        assert _ids(batched) == _ids(single)
        assert [lp for _, lp in batched.logprobs] == pytest.approx(
            [lp for _, lp in single.logprobs], abs=1e-4
        )


@pytest.mark.parametrize("name", ["causal", "seq2seq"])
def test_log_probabilities_equal_a_direct_pass_through_the_model(models: Path, name: str) -> None:
    import torch

    model, tokenizer = _parts(models / name)
    ((reply,),) = ask(models / name, PROMPTS[:1], **GREEDY)
    ids = _ids(reply)
    prompt = tokenizer(PROMPTS[0], return_tensors="pt").input_ids
    with torch.inference_mode():
        if name == "causal":
            logits = model(torch.cat([prompt, torch.tensor([ids])], dim=1)).logits[
                0, prompt.shape[1] - 1 : -1
            ]
        else:
            start = model.config.decoder_start_token_id
            logits = model(input_ids=prompt, decoder_input_ids=torch.tensor([[start, *ids[:-1]]])).logits[0]
    expected = logits.log_softmax(-1)
    assert [lp for _, lp in reply.logprobs] == pytest.approx(
        [float(expected[at, token]) for at, token in enumerate(ids)], abs=1e-4
    )
    for position, best in enumerate(reply.top_logprobs):
        assert [lp for _, lp in best] == pytest.approx(expected[position].topk(3).values.tolist(), abs=1e-4)


def test_beams_come_best_first_with_the_librarys_own_scores(models: Path) -> None:
    from transformers import GenerationConfig

    model, tokenizer = _parts(models / "causal")
    (replies,) = ask(
        models / "causal", PROMPTS[1:2], max_tokens=6, num_beams=5, n=3, logprobs=True, top_logprobs=2
    )
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=1)
    generated = model.generate(
        **tokenizer(PROMPTS[1], return_tensors="pt"),
        max_new_tokens=6,
        num_beams=5,
        num_return_sequences=3,
        output_scores=True,
        return_dict_in_generate=True,
    )
    scores = [json.loads(reply.body)["score"] for reply in replies]
    assert scores == sorted(scores, reverse=True)
    assert scores == pytest.approx(generated.sequences_scores.tolist(), abs=1e-4)
    width = len(tokenizer(PROMPTS[1]).input_ids)
    assert [_ids(reply) for reply in replies] == [
        [token for token in line if token not in (tokenizer.eos_token_id, 1)]
        for line in generated.sequences[:, width:].tolist()
    ]
    for reply in replies:
        assert len(reply.top_logprobs) == len(reply.logprobs) == len(_ids(reply))
        if reply.finish_reason == "length":
            assert sum(lp for _, lp in reply.logprobs) / 6 == pytest.approx(
                json.loads(reply.body)["score"], abs=1e-4
            )


def test_seeds_repeat_in_any_batch_and_move_with_the_sample(models: Path) -> None:
    drawn = {"max_tokens": 8, "temperature": 1.2, "top_p": 0.9, "top_k": 50, "seed": 7}
    in_own_batch = ask(models / "causal", PROMPTS[:1], n=3, **drawn)[0]
    in_larger_batch = ask(models / "causal", [*PROMPTS[1:], PROMPTS[0]], n=3, **drawn)[-1]
    assert [reply.text for reply in in_own_batch] == [reply.text for reply in in_larger_batch]
    assert len({reply.text for reply in in_own_batch}) > 1
    assert [reply.sent["seed"] for reply in in_own_batch] == [7, 8, 9]
    next_seed = ask(models / "causal", PROMPTS[:1], n=1, **{**drawn, "seed": 8})[0]
    assert next_seed[0].text == in_own_batch[1].text
    unseeded = ask(models / "causal", PROMPTS[:1], n=1, **{**drawn, "seed": None})[0][0]
    repeated = ask(models / "causal", PROMPTS[:1], n=1, **{**drawn, "seed": unseeded.sent["seed"]})[0][0]
    assert repeated.text == unseeded.text


def test_samples_follow_the_models_own_distribution(models: Path) -> None:
    import torch

    model, tokenizer = _parts(models / "causal")
    replies = ask(models / "causal", ["Score:"], n=400, max_tokens=1, temperature=0.7, seed=1)[0]
    with torch.inference_mode():
        logits = model(**tokenizer("Score:", return_tensors="pt")).logits[0, -1]
    shares = (logits / 0.7).softmax(-1)
    token = int(shares.argmax())
    share = sum(_ids(reply) == [token] for reply in replies) / 400
    assert share == pytest.approx(float(shares[token]), abs=0.09)


def test_without_drawing_all_samples_are_one_and_its_tokens_count_once(models: Path) -> None:
    (replies,) = ask(models / "causal", PROMPTS[:1], n=3, max_tokens=4)
    assert len({reply.text for reply in replies}) == 1
    assert replies[0].sent["batch"]["size"] == 1
    assert (replies[0].usage.completion_tokens, replies[1].usage.completion_tokens) == (4, None)


def test_a_prompt_longer_than_the_window_is_refused_and_the_others_answered(models: Path) -> None:
    for name in ("causal", "seq2seq"):
        short, long = ask(models / name, ["Yes?", "flask " * 300], max_tokens=4)
        assert short[0].text
        assert isinstance(long, BackendError)
        assert (long.cause, long.retryable, long.stops_run) == ("too_long", False, False)
        assert "reads at most 256; it was not sent, because prompts are never truncated" in str(long)


def test_a_reply_shares_the_window_with_a_long_prompt(models: Path) -> None:
    ((full,),) = ask(models / "causal", ["!" * 250], max_tokens=100)
    assert full.sent["max_tokens"] == 6
    assert full.usage.completion_tokens <= 6


def test_a_reply_ends_at_a_stop_string_or_at_the_end_token(models: Path) -> None:
    ((full,),) = ask(models / "causal", PROMPTS[:1], max_tokens=12)
    mark = full.text[3:5]
    ((cut,),) = ask(models / "causal", PROMPTS[:1], max_tokens=12, stop=[mark], logprobs=True)
    assert cut.text == full.text[: full.text.index(mark)]
    assert cut.finish_reason == "stop"
    assert len(cut.logprobs) == len(_ids(cut)) < 12


def test_a_chat_template_is_used_and_a_system_message_it_refuses_moves(models: Path) -> None:
    talk = [Message("system", "Be brief."), Message("user", "Yes?")]
    moved = [Message("user", "Be brief.\n\nYes?")]
    plain, chat = (ask(models / name, [talk], max_tokens=2)[0][0] for name in ("causal", "chat"))
    assert chat.usage.prompt_tokens > plain.usage.prompt_tokens
    replies = ask(models / "no-system", [talk, moved], max_tokens=6)
    assert _ids(replies[0][0]) == _ids(replies[1][0])


def test_what_was_done_is_recorded(models: Path) -> None:
    ((reply,),) = ask(models / "causal", PROMPTS[:1], max_tokens=2)
    record = reply.sent
    assert (record["dtype"], record["device"]) == ("float32", "cpu") or record["device"].startswith("cuda")
    assert record["revision"].startswith("folder-")
    assert set(record["libraries"]) == {"torch", "transformers", "tokenizers"}


def test_one_model_is_in_memory_at_a_time(models: Path) -> None:
    async def work() -> tuple[list[Reply], Any]:
        backend = backends.get("transformers")(Connection())
        names = ["causal", "seq2seq"] * 3
        calls = (
            backend.complete([Message("user", PROMPTS[0])], {"model": str(models / name), "max_tokens": 2})
            for name in names
        )
        results = await asyncio.gather(*calls)
        loaded_model = backend._gatherer._host.choice.name
        await backend.close()
        return [reply for replies in results for reply in replies], loaded_model

    replies, loaded_model = asyncio.run(work())
    assert [Path(reply.model).name for reply in replies] == ["causal", "seq2seq"] * 3
    assert {reply.sent["batch"]["size"] for reply in replies} == {3}, "all of one model before the next"
    assert loaded_model == str(models / "seq2seq")


def test_where_memory_lacks_again_and_again_batches_shrink_to_one(models: Path) -> None:
    async def work() -> list[Any]:
        backend = backends.get("transformers")(Connection())
        settings = {"model": str(models / "causal"), "max_tokens": 2}
        await backend.complete([Message("user", PROMPTS[0])], settings)
        model = backend._gatherer._host._loaded.model
        answer = model.generate

        def scarce(**arguments: Any) -> Any:
            if len(arguments["input_ids"]) > 1:
                raise MemoryError
            return answer(**arguments)

        model.generate = scarce
        calls = (backend.complete([Message("user", prompt)], settings) for prompt in PROMPTS)
        results = await asyncio.gather(*calls)
        await backend.close()
        return results

    assert [reply.sent["batch"]["size"] for (reply,) in asyncio.run(work())] == [1] * len(PROMPTS)


@pytest.mark.timeout(30)
def test_a_dropped_call_ends_its_batch(models: Path) -> None:
    async def work() -> float:
        backend = backends.get("transformers")(Connection())
        settings = {"model": str(models / "seq2seq"), "max_tokens": 100_000}
        await backend.complete([Message("user", "Yes?")], {**settings, "max_tokens": 1})
        call = asyncio.create_task(backend.complete([Message("user", "Yes?")], settings))
        await asyncio.sleep(0.3)
        assert not call.done()
        call.cancel()
        start_time = asyncio.get_running_loop().time()
        await backend.close()
        return asyncio.get_running_loop().time() - start_time

    assert asyncio.run(work()) < 5


def test_a_missing_model_is_one_sentence_and_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny_models.need_torch()
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    for name, message in ((str(tmp_path), "contains no model"), ("nobody/nothing", "hub can't be reached")):
        (error,) = ask(name, ["Yes?"])
        assert isinstance(error, BackendError)
        assert (error.cause, error.stops_run) == ("no_model", True)
        assert message in str(error)


def test_a_model_too_large_for_the_memory_is_refused_before_it_is_loaded(
    models: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text((models / "causal" / "config.json").read_text())
    header = json.dumps({"w": {"dtype": "F32", "shape": [10**13], "data_offsets": [0, 4 * 10**13]}}).encode()
    (tmp_path / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    (error,) = ask(tmp_path, ["Yes?"])
    assert isinstance(error, BackendError)
    assert error.stops_run
    assert "needs about 46000.0 GB of memory, but only" in str(error)


def test_what_cannot_be_loaded_says_so(models: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "no-such-kind"}')
    (tmp_path / "model.safetensors").write_bytes(bytes(16))
    (error,) = ask(tmp_path, ["Yes?"])
    assert isinstance(error, BackendError)
    assert error.stops_run
    assert "can't load" in str(error)


HUB = """
import json, sys
from judgelab.backends.local.model_lookup import find_model
from judgelab.backends.local.jobs import ModelChoice
from judgelab.backends.local.progress import LoadProgress
from judgelab.errors import BackendError

progress, sizes, said = LoadProgress(), [], []
for name in sys.argv[1:]:
    try:
        found = find_model(ModelChoice(name), progress, sizes.append)
        files = sorted(path.name for path in found.folder.iterdir())
        said.append([found.revision, files, progress.message()])
    except BackendError as error:
        said.append([error.cause, str(error)])
print(json.dumps([sizes, said]))
"""


def _find(url: str, cache: Path, *names: str, **environment: str) -> Any:
    # In a process of its own: the hub's client reads its address when it is imported.
    own = {"HF_ENDPOINT": url, "HF_HOME": str(cache), "NO_PROXY": "127.0.0.1", "HF_HUB_DISABLE_XET": "1"}
    process = subprocess.run(
        [sys.executable, "-c", HUB, *names],
        env={**os.environ, **own, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1])


def test_a_model_is_downloaded_once_from_the_hub_and_found_again_offline(
    models: Path, tmp_path: Path
) -> None:
    names = ["tests/tiny", "tests/closed", "tests/unknown"]
    with Hub(models / "causal") as hub:
        sizes, (downloaded, closed, unknown) = _find(hub.url, tmp_path, *names)
        size = (models / "causal" / "model.safetensors").stat().st_size
        assert sizes == [size], "whether it fits is asked before it is downloaded"
        assert downloaded[0] == COMMIT
        assert downloaded[1] == sorted(hub.files)
        assert downloaded[2].startswith("downloading tests/tiny (0.000")
        assert closed[0] == "no_model" and "request access on its page" in closed[1]
        assert unknown[0] == "no_model" and "was not found" in unknown[1]
        served = len(hub.served)
        _find(hub.url, tmp_path, "tests/tiny")
        assert len(hub.served) == served
    _, (cached, missing) = _find(hub.url, tmp_path, "tests/tiny", "tests/other", HF_HUB_OFFLINE="1")
    assert cached[0] == COMMIT, cached
    assert "hub can't be reached" in missing[1]
