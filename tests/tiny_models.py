"""Models of a few hundred kB with a tokenizer of their own, made on the spot: random and taught ones."""

from __future__ import annotations

import importlib.util
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

WORDS = ["Does flask 1 leak? Flask 2 does not leak.", "Score: 3 of 3. Yes, no, helpful, 0 1 2 3 \n"] * 3
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
WINDOW = 256
END, PAD, UNKNOWN = "<|end|>", "<|pad|>", "<|unknown|>"
PRIVATE = 0xE000  # signs that tell equal words of a taught reply apart; no text shows them
NEVER = -100.0
Replies = Mapping[str, float]  # what a taught model says to a prompt, each with its probability


def need_torch() -> None:
    """Skip where only the core requirements are installed."""
    if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")):
        pytest.skip("torch and transformers are not installed (requirements.txt)")


def make_causal(folder: Path, *, template: str = "", window: int = WINDOW, texts: Sequence[str] = ()) -> Path:
    """Make a model like GPT-2, with a chat template if one is given.

    With some of the `texts` that it is to read, it reads them in whole words, several times as fast.
    """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    tokenizer = _tokenizer(template, texts=texts)
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


def _tokenizer(template: str, *, texts: Sequence[str] = (), **options):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bare_tokenizer = Tokenizer(models.BPE())
    bare_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare_tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=3000 if texts else 340,
        special_tokens=[END, PAD],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bare_tokenizer.train_from_iterator(texts or WORDS, trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bare_tokenizer, eos_token=END, pad_token=PAD, **options
    )
    if template:
        tokenizer.chat_template = template
    return tokenizer


def make_taught(folder: Path, lessons: Mapping[str, Replies], *, seq2seq: bool = False) -> Path:
    """Make a model that knows prompts by heart and answers each as it was taught, word by word.

    A prompt (its messages with an empty line between them) is one token; so is every word of a reply at its
    place. The next token depends on the last one alone, with exactly the probabilities of the lesson; a
    prompt that was not taught gets an empty reply. Built like Llama or, where wanted, like T5.
    """
    import torch

    following = _following(lessons)
    words = {word: at for at, word in enumerate(following)}
    table = torch.full((len(words), len(words)), NEVER)
    for word, probabilities in following.items():
        for after, share in probabilities.items():
            table[words[after], words[word]] = math.log(share)
    model = _recalling_t5(table, words, lessons) if seq2seq else _recalling_llama(table, words)
    model.save_pretrained(folder)
    _whole_prompts(words).save_pretrained(folder)
    return folder


def _following(lessons: Mapping[str, Replies]) -> dict[str, dict[str, float]]:
    """Return each token of the vocabulary with those that may follow it and how likely they are."""
    followers: dict[str, dict[str, float]] = {END: {END: 1.0}, PAD: {END: 1.0}, UNKNOWN: {END: 1.0}}
    tokens: dict[tuple[tuple[tuple[str, float], ...], str], str] = {}
    for prompt, replies in lessons.items():
        reply_shares = tuple(sorted(replies.items()))
        shares: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for reply, share in reply_shares:
            at, begun = prompt, ""
            for word in re.findall(r"\s*\S+", reply):
                begun += word
                # One text at one place of the replies to one kind of prompt is one token.
                token = tokens.setdefault((reply_shares, begun), f"{word}{chr(PRIVATE + len(tokens))}")
                shares[at][token] += share
                at = token
            shares[at][END] += share
        for at, after in shares.items():
            followers[at] = {token: share / sum(after.values()) for token, share in after.items()}
    assert len(tokens) < 6400, "there are no more private signs"
    return followers


def _recalling_llama(table, words: Mapping[str, int]):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    size = len(words)
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=size,
        intermediate_size=1,
        num_hidden_layers=1,
        num_attention_heads=1,
        head_dim=2,
        max_position_embeddings=WINDOW,
        rms_norm_eps=1e-12,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=words[END],
        pad_token_id=words[PAD],
    )
    model = LlamaForCausalLM(config)
    (layer,) = model.model.layers
    with torch.no_grad():
        # Nothing but the token itself goes through the layer; the norm then gives it its length of 1 again.
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
        model.model.embed_tokens.weight.copy_(torch.eye(size))
        model.model.norm.weight.fill_(size**-0.5)
        model.lm_head.weight.copy_(table)
    return model


def _recalling_t5(table, words: Mapping[str, int], lessons: Mapping[str, Replies]):
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    size = len(words)
    config = T5Config(
        vocab_size=size,
        d_model=size,
        d_kv=size,
        d_ff=1,
        num_layers=1,
        num_heads=1,
        layer_norm_epsilon=1e-12,
        tie_word_embeddings=False,
        decoder_start_token_id=words[PAD],
        pad_token_id=words[PAD],
        eos_token_id=words[END],
    )
    model = T5ForConditionalGeneration(config)
    own, across, last = model.decoder.block[0].layer
    with torch.no_grad():
        for attention in (model.encoder.block[0].layer[0].SelfAttention, own.SelfAttention):
            attention.o.weight.zero_()
        for feed in (model.encoder.block[0].layer[1], last):
            feed.DenseReluDense.wo.weight.zero_()
        # The decoder sees the prompt beside its own last token. The first token is all the prompt's choice,
        # each further one that of the token before it.
        across.EncDecAttention.v.weight.copy_(torch.eye(size))
        across.EncDecAttention.o.weight.copy_(torch.eye(size))
        model.shared.weight.copy_(torch.eye(size))
        model.encoder.final_layer_norm.weight.fill_(size**-0.5)
        model.decoder.final_layer_norm.weight.fill_((2 / size) ** 0.5)
        read = table.where((table > NEVER) | torch.tensor([word in lessons for word in words]), 5 * NEVER)
        read[:, words[PAD]] = 0.0
        # As FLAN-T5 has it: the words it writes have weights of their own, not those of the words it reads.
        model.lm_head.weight = torch.nn.Parameter(read)
    return model


def _whole_prompts(words: Mapping[str, int]):
    from tokenizers import Regex, Tokenizer, decoders, models
    from transformers import PreTrainedTokenizerFast

    bare_tokenizer = Tokenizer(models.WordLevel(dict(words), unk_token=UNKNOWN))
    signs = Regex(f"[{chr(PRIVATE)}-{chr(PRIVATE + 6399)}]")
    bare_tokenizer.decoder = decoders.Sequence([decoders.Replace(signs, ""), decoders.Fuse()])
    return PreTrainedTokenizerFast(
        tokenizer_object=bare_tokenizer,
        eos_token=END,
        pad_token=PAD,
        unk_token=UNKNOWN,
        model_max_length=WINDOW,
    )
