"""Small file systems: in memory, which fill up, and in a file, whose power can go."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fault_trials.outcome import NotHere

MEGABYTES = 60
PATIENCE_SECONDS = 10.0
SHUT_DOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN of Linux
WITHOUT_THE_LOG = 2  # nothing more reaches the disk, not even the file system's own log


@contextmanager
def in_memory() -> Iterator[Path]:
    """A small file system in memory."""
    if os.geteuid() != 0:
        raise NotHere("small file systems are mounted by root alone")
    with tempfile.TemporaryDirectory() as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}M", "tmpfs", name]
        if subprocess.run(command).returncode:
            raise NotHere("this machine lets nobody mount such a file system")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


@contextmanager
def in_a_file(megabytes: int = MEGABYTES) -> Iterator[Path]:
    """A small file system in a file, as it would be on a disk."""
    if os.geteuid() != 0:
        raise NotHere("small file systems are mounted by root alone")
    with tempfile.TemporaryDirectory() as name:
        image, folder = Path(name) / "image", Path(name) / "disk"
        folder.mkdir()
        Path(name).chmod(0o711)  # PostgreSQL runs as a user of its own
        with image.open("wb") as file:
            file.truncate(megabytes * 1_000_000)
        for words in (["mkfs.ext4", "-q", str(image)], ["mount", "-o", "loop", str(image), str(folder)]):
            if shutil.which(words[0]) is None or subprocess.run(words).returncode:
                raise NotHere("this machine lets nobody make such a file system")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def cut(folder: Path) -> None:
    """Let nothing more reach the disk, as when its power goes; raises `NotHere` where none can be cut so."""
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.ioctl(number, SHUT_DOWN, struct.pack("I", WITHOUT_THE_LOG))
    except OSError as error:
        if error.errno in (errno.ENOTTY, errno.EOPNOTSUPP):
            raise NotHere("this system cannot cut a file system off") from error
        raise
    finally:
        os.close(number)


def switch_on(folder: Path) -> None:
    """Mount a disk anew that was cut; nobody may have a file of it open."""
    insist("umount", str(folder))
    insist("mount", "-o", "loop", str(folder.with_name("image")), str(folder))


def insist(*words: str) -> None:
    """Run a command until it succeeds; raises `NotHere` when it never does."""
    end = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run(words, capture_output=True).returncode:
        if time.monotonic() > end:
            raise NotHere(f"this machine does not do: {' '.join(words)}")
        time.sleep(0.05)
