"""How many tokens a text is: counted by the model's own tokenizer where it is known, else estimated."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from judgelab.domain import Message

log = logging.getLogger("judgelab.runs")
BYTES_A_TOKEN = 4.0
PATIENCE_SECONDS = 2.0  # a table is downloaded at its first use; nobody waits for it longer than this
TRIED_AGAIN_SECONDS = 600.0
# Marks around each message and before the reply, as OpenAI's own recipe counts them.
A_MESSAGE, A_REPLY = 3, 3
CACHE = "TIKTOKEN_CACHE_DIR"


@dataclass(frozen=True)
class Tokenizer:
    """A way to count tokens.

    Attributes:
        name: the table it counts by ("o200k_base"); empty where tokens are estimated.
    """

    name: str
    count: Callable[[str], float]

    @property
    def exact(self) -> bool:
        """Whether it is the model's own tokenizer."""
        return bool(self.name)

    def of(self, messages: Sequence[Message]) -> float:
        """Return the tokens of a prompt."""
        frame = A_REPLY + A_MESSAGE * len(messages) if self.exact else 0
        return frame + sum(self.count(message.content) for message in messages)


def tokenizer_of(model: str) -> Tokenizer:
    """Return the model's own tokenizer if it is known and installed, else an estimate.

    A table that is not on this machine is fetched in the background, into the folder `TIKTOKEN_CACHE_DIR`;
    who asks waits two seconds for it at most.
    """
    name = _table_name(model)
    if not name:
        return ESTIMATING
    shelf = _tables.setdefault(name, _TokenTable(name))
    return shelf.tokenizer() or ESTIMATING


def count_loaded_tables() -> int:
    """Return how many tables this process has loaded: an estimate made with fewer may be better now."""
    return sum(shelf.loaded for shelf in list(_tables.values()))


def estimate_tokens(text: str) -> float:
    """Return the tokens of a text at four bytes each."""
    return len(text.encode("utf-8", "replace")) / BYTES_A_TOKEN


ESTIMATING = Tokenizer("", estimate_tokens)


class _TokenTable:
    """One table, loaded once by a thread of its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._found: Tokenizer | None = None
        self._thread: threading.Thread | None = None
        self._began = 0.0

    @property
    def loaded(self) -> bool:
        return self._found is not None

    def tokenizer(self) -> Tokenizer | None:
        with self._lock:
            if self._found is None and self._due():
                self._began = time.monotonic()
                self._thread = threading.Thread(target=self._load, daemon=True)
                self._thread.start()
            thread = self._thread
        if self._found is None and thread is not None:
            thread.join(max(0.0, PATIENCE_SECONDS - (time.monotonic() - self._began)))
        return self._found

    def _due(self) -> bool:
        waited = time.monotonic() - self._began
        return self._thread is None or (not self._thread.is_alive() and waited > TRIED_AGAIN_SECONDS)

    def _load(self) -> None:
        import tiktoken

        # The library's own default is a folder for temporary files, which a restart empties.
        os.environ.setdefault(CACHE, str(_cache_folder()))
        try:
            table = tiktoken.get_encoding(self._name)
        except Exception as error:
            # Whatever the network, a proxy or a full disk says: the estimate stands in.
            log.info("the token table %s is not available (%s); tokens are estimated", self._name, error)
            return
        self._found = Tokenizer(self._name, lambda text: len(table.encode(text, disallowed_special=())))


_tables: dict[str, _TokenTable] = {}


def _table_name(model: str) -> str:
    import tiktoken

    # Gateways put the maker in front: "openai/gpt-4o-mini".
    try:
        return tiktoken.encoding_name_for_model(model.rsplit("/", 1)[-1])
    except KeyError:
        return ""


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "judgelab" / "tiktoken"
