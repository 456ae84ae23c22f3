"""Random models of a few hundred kB with a tokenizer of their own, made on the spot."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

WORDS = ["Does flask 1 leak? Flask 2 does not leak.", "Score: 3 of 3. Yes, no, helpful, 0 1 2 3 \n"] * 3
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
WINDOW = 256


def need_torch() -> None:
    """Skip where only the core requirements are installed."""
    if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")):
        pytest.skip("torch and transformers are not installed (requirements.txt)")


def make_causal(folder: Path, *, template: str = "", window: int = WINDOW) -> Path:
    """Make a model like GPT-2, with a chat template if one is given."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _tokenizer(template)
    torch.manual_seed(3)
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=window,
        n_embd=32,
        n_layer=2,
        n_head=2,
        initializer_range=0.4,  # far apart, so that the likeliest token is no matter of the last bit
        bos_token_id=tokenizer.eos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_seq2seq(folder: Path, *, window: int = WINDOW) -> Path:
    """Make a model like T5."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = _tokenizer("", model_max_length=window)
    torch.manual_seed(5)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        initializer_factor=3.0,
        decoder_start_token_id=tokenizer.pad_token_id,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(template: str, **options):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|end|>", "<|pad|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(WORDS, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|end|>", pad_token="<|pad|>", **options
    )
    if template:
        tokenizer.chat_template = template
    return tokenizer
