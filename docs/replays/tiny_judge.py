"""A judge of some hundred thousand weights, made on the spot, for what only a model on this machine can do.

    python docs/replays/tiny_judge.py DATASETS FOLDER

It has the build of T5, is taught by the word counter of `stand_ins.qa_eval` to answer QA-eval's prompts, and
never sees what a person said. Its tokenizer drops the task and the examples, which it could not use. So beams
run as they would with FLAN-T5; what it says says nothing about any model.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import typer
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

sys.path[:0] = [str(Path(__file__).parent)]

import stand_ins  # noqa: E402

from judgelab.domain import Reference, Task  # noqa: E402
from judgelab.protocols import protocols  # noqa: E402
from judgelab.studies import studies  # noqa: E402

LESSONS, STEPS, BATCH, SEED = 600, 120, 16, 11
UNREAD = r"<(task|examples)>[\s\S]*</\1>"
WAYS: Sequence[dict[str, Any]] = ({"shots": 9, "explain": True}, {"shots": 0, "explain": False})


def make(datasets: Path, folder: Path) -> Path:
    """Make the model, teach it, and keep it in a folder."""
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # threads wait for one another on a busy machine
    prompts = _prompts(datasets / "qa-eval-nq301" / "predictions_12systems.jsonl")
    replies = [stand_ins.qa_eval(prompt) for prompt in prompts]
    tokenizer = _tokenizer([*prompts, *replies])
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=tokenizer.pad_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = T5ForConditionalGeneration(config)
    _teach(model, tokenizer, prompts, replies)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _prompts(file: Path) -> list[str]:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    protocol, criteria = protocols.get("qa_eval"), studies.get("qa_eval").criteria
    made = []
    for place, one in enumerate(random.sample(lines, LESSONS)):
        known = [Reference(text) for text in one["answer"]]
        task = Task(one["question"], one["prediction"], criteria, references=known)
        made.append(protocol.build(task, WAYS[place % len(WAYS)])[-1].content)
    return made


def _tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.Replace(Regex(UNREAD), "")
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|end|>", "<|pad|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|end|>", pad_token="<|pad|>", model_max_length=2048
    )


def _teach(
    model: T5ForConditionalGeneration,
    tokenizer: PreTrainedTokenizerFast,
    prompts: Sequence[str],
    replies: Sequence[str],
) -> None:
    ends = [f"{reply}{tokenizer.eos_token}" for reply in replies]
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=STEPS)
    model.train()
    for step in range(STEPS):
        chosen = random.sample(range(len(prompts)), BATCH)
        shown = tokenizer([prompts[one] for one in chosen], padding=True, return_tensors="pt")
        said = tokenizer([ends[one] for one in chosen], padding=True, return_tensors="pt").input_ids
        labels = said.masked_fill(said == tokenizer.pad_token_id, -100)
        loss = model(input_ids=shown.input_ids, attention_mask=shown.attention_mask, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 20 == 19:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    model.eval()


def main(datasets: Path, folder: Path) -> None:
    """Make the tiny judge in a folder."""
    print(make(datasets, folder))


if __name__ == "__main__":
    typer.run(main)
