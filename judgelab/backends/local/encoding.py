"""From messages to tokens and back, for models with and without a chat template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judgelab.backends.local.jobs import BatchRow, GenerationJob
from judgelab.backends.local.loading import LoadedModel
from judgelab.domain import Message
from judgelab.errors import BackendError
from judgelab.wording import counted

WORD_START = "\u2581"  # sentencepiece's sign for the blank before a word


def encode(loaded: LoadedModel, job: GenerationJob) -> None:
    """Give a job its rows, or the reason why it gets none: a prompt is never cut."""
    ids = prompt_ids(loaded.tokenizer, job.messages)
    room = None if loaded.window is None else loaded.window - len(ids)
    if room is not None and (room < 0 or not loaded.seq2seq and room < 1):
        job.error = _too_long(len(ids), loaded)
        return
    manner = job.manner
    if room is not None and not loaded.seq2seq and room < manner.max_tokens:
        # The reply shares the window with the prompt.
        manner = type(manner)(**{**vars(manner), "max_tokens": room})
    # Without drawing all samples are one; beams come together.
    seeds = job.seeds if manner.sampled else (None,)
    job.rows = [BatchRow(job, ids, manner, seed) for seed in seeds]


def prompt_ids(tokenizer: Any, messages: Sequence[Message]) -> list[int]:
    """Return the prompt's tokens as the model wants to read it."""
    if not tokenizer.chat_template:
        text = "\n\n".join(message.content for message in messages)
        return [int(token) for token in tokenizer(text, truncation=False)["input_ids"]]
    from jinja2 import TemplateError

    try:
        return _templated(tokenizer, messages)
    except TemplateError:
        # Some templates refuse a system message: the first person's turn then begins with it.
        return _templated(tokenizer, without_system(messages))


def without_system(messages: Sequence[Message]) -> list[Message]:
    r"""Return the messages with the system's words at the head of the user's first ones.

    >>> without_system([Message("system", "Be brief."), Message("user", "Hello")])
    [Message(role='user', content='Be brief.\n\nHello')]
    """
    instructions = [message.content for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    first = next((at for at, message in enumerate(others) if message.role == "user"), None)
    if first is None:
        return [Message("user", "\n\n".join(instructions)), *others]
    others[first] = Message("user", "\n\n".join([*instructions, others[first].content]))
    return others


def token_text(tokenizer: Any, token: int) -> str:
    """Return a token as an API would write it, with its leading blank."""
    piece = tokenizer.convert_ids_to_tokens(token)
    if isinstance(piece, str) and piece.startswith(WORD_START):
        return piece.replace(WORD_START, " ")
    return str(tokenizer.decode([token], clean_up_tokenization_spaces=False))


def text_of(tokenizer: Any, ids: Sequence[int]) -> str:
    """Return the text of a reply."""
    return str(tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))


def stopped_at(tokenizer: Any, ids: Sequence[int], stop: Sequence[str]) -> tuple[str, int] | None:
    """Return the text before the first stop string, and how many tokens make it; None without one."""
    text = text_of(tokenizer, ids)
    places = [text.find(word) for word in stop if word in text]
    if not places:
        return None
    token_count = next(n for n in range(len(ids) + 1) if len(text_of(tokenizer, ids[:n])) > min(places)) - 1
    return text[: min(places)], max(0, token_count)


def _templated(tokenizer: Any, messages: Sequence[Message]) -> list[int]:
    chat = [{"role": message.role, "content": message.content} for message in messages]
    encoded = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=True)
    return [int(token) for token in encoded["input_ids"]]


def _too_long(length: int, loaded: LoadedModel) -> BackendError:
    assert loaded.window is not None
    return BackendError(
        counted(
            "the prompt has {n} token, but {model} reads at most {window}; it was not sent, because "
            "prompts are never truncated",
            "the prompt has {n} tokens, but {model} reads at most {window}; it was not sent, because "
            "prompts are never truncated",
            length,
            model=loaded.choice.name,
            window=loaded.window,
        ),
        cause="too_long",
        retryable=False,
    )
