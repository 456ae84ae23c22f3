"""A model's folder: what it needs in memory, and a short name for exactly these weights."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WEIGHTS = ("*.safetensors", "*.bin")
SIZES = {"float32": 4, "bfloat16": 2, "float16": 2}
LOOKED_AT = 1 << 20  # bytes read at either end of a file of weights; training changes all of them
LONGEST_HEADER = 100_000_000


def weight_files(folder: Path) -> list[Path]:
    """Return the files with the weights; those in the safe format alone where there are any."""
    for pattern in WEIGHTS:
        if files := sorted(folder.glob(pattern)):
            return files
    return []


def bytes_needed(folder: Path, dtype: str) -> int:
    """Return the bytes that the weights take in memory as `dtype`, or as stored when it is "auto"."""
    return sum(_bytes_of(path, dtype) for path in weight_files(folder))


def _bytes_of(path: Path, dtype: str) -> int:
    size = path.stat().st_size
    if path.suffix != ".safetensors" or dtype not in SIZES:
        return size
    try:
        return sum(_tensor_bytes(entry, SIZES[dtype]) for entry in _entries(path))
    except (OSError, ValueError, KeyError, TypeError):
        return size  # not read by us; loading it will say what is wrong


def _tensor_bytes(entry: Mapping[str, Any], size: int) -> int:
    if str(entry["dtype"]).startswith(("F", "BF")):
        return size * math.prod(int(length) for length in entry["shape"])
    low, high = entry["data_offsets"]
    return int(high) - int(low)


def _entries(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield what a safetensors file says of its tensors: eight bytes of length, then JSON."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > LONGEST_HEADER:
            raise ValueError("no header")
        header = json.loads(file.read(length))
    yield from (entry for name, entry in header.items() if name != "__metadata__")


def fingerprint(folder: Path) -> str:
    """Return a name for the model in a folder that has no commit: the same for the same weights only."""
    digest = hashlib.sha256()
    for path in [folder / "config.json", *weight_files(folder)]:
        size = path.stat().st_size
        digest.update(f"{path.name}|{size}|".encode())
        with path.open("rb") as file:
            digest.update(file.read(LOOKED_AT))
            file.seek(max(0, size - LOOKED_AT))
            digest.update(file.read(LOOKED_AT))
    return f"folder-{digest.hexdigest()[:16]}"


def free_memory() -> int | None:
    """Return the bytes a process may still take on this machine; None where it does not say."""
    sizes = [size for size in (_free_of_machine(), _free_of_group()) if size is not None]
    return min(sizes) if sizes else None


def held_memory() -> int:
    """Return the memory of this process in bytes; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _free_of_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return None
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def _free_of_group() -> int | None:
    """Return what a container's own limit leaves."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        return None if limit == "max" else int(limit) - int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return None
