"""Checks of what is installed: the encoder and optional packages."""

from __future__ import annotations

import importlib.util
import platform
import sqlite3
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from judgelab.config import Settings
from judgelab.doctor.findings import Finding, broken, look, ok
from judgelab.errors import UserError
from judgelab.metrics import encoder, encoder_files

OPTIONAL = {
    "torch": "models on this machine and the encoder",
    "transformers": "models on this machine and the encoder",
    "peft": "judges fine-tuned on this machine",
    "ot": "MoverScore",
    "nltk": "METEOR with WordNet",
    "tiktoken": "exact token counts in estimates",
}
DISTRIBUTIONS = {"ot": "POT"}


def examine(chosen: Settings) -> Iterator[Finding]:
    """Yield what is found of the installation."""
    yield ok("python", f"{platform.python_version()}, with SQLite {sqlite3.sqlite_version}.")
    yield _encoder(chosen)
    for name, purpose in OPTIONAL.items():
        if importlib.util.find_spec(name) is None:
            yield ok(name, f"not installed; only needed for {purpose}.")
        else:
            yield ok(name, _version(DISTRIBUTIONS.get(name, name)))


def _encoder(chosen: Settings) -> Finding:
    name = encoder.current_encoder()
    if name == encoder.TFIDF:
        return ok("encoder", "TF-IDF needs no model; BERTScore and MoverScore do.")
    if not encoder_files.has_torch():
        return broken("encoder", f"{name} needs torch and transformers.", "Install both, or choose tfidf.")
    try:
        place, local = encoder_files.place_of(name)
    except UserError as error:
        return broken("encoder", str(error))
    if not local:
        return look(
            "encoder", f"{name} is downloaded from the Hugging Face hub at its first use.", "Try it once."
        )
    checked = ", its checksum is correct" if name == encoder_files.OFFLINE else ""
    return ok("encoder", f"{name} is in {place}{checked}.")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "installed"
