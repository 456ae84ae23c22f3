"""Members of a zip archive, packed with Deflate or with Zstandard, which Python's zipfile does not unpack."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pyarrow

from judgelab.imports.files.sources import DAMAGED, METHODS, Source, Unreadable
from judgelab.wording import sentence

ZSTANDARD = 93  # the number of the method in a zip archive
MOST_BYTES = 100_000_000  # of a member: it is read as a whole
PIECE = 1 << 16  # bytes unpacked at once
LOCAL_HEADER = 30  # bytes in front of a member's name; the last four are the lengths of name and extra field


def member_names(source: Source) -> tuple[str, ...]:
    """Return the names in the directory of a zip archive; () if the file is none."""
    with source.open() as stream:
        if stream.read(2) != b"PK":
            return ()
        try:
            return tuple(zipfile.ZipFile(stream).namelist())
        except DAMAGED:
            return ()


class PackedFiles:
    """An open zip archive whose members are read one by one."""

    def __init__(self, stream: IO[bytes], archive: zipfile.ZipFile) -> None:
        self._stream, self._archive = stream, archive
        self.names = tuple(archive.namelist())

    def read(self, name: str) -> bytes:
        """Return a member's content; raises `Unreadable` if it is damaged, too large or packed otherwise."""
        info = self._archive.getinfo(name)
        if info.compress_type not in (*METHODS, ZSTANDARD):
            raise Unreadable(
                sentence(
                    "{file} is packed with a method that is not read; zip the files again with the method "
                    "“deflate”",
                    file=name,
                )
            )
        if info.file_size > MOST_BYTES:
            raise Unreadable(
                sentence("{file} has more than {most} MB; split it", file=name, most=MOST_BYTES // 1_000_000)
            )
        try:
            content = self._unpacked(info)
        except DAMAGED:
            content = None
        if content is None or len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            raise Unreadable(
                sentence("{file} in the archive is damaged; save or download the archive again", file=name)
            )
        return content

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        """Return the content, at most one byte more than the archive says it has."""
        if info.compress_type != ZSTANDARD:
            with self._archive.open(info) as member:
                return _first_bytes(member, info.file_size + 1)
        self._stream.seek(info.header_offset)
        header = self._stream.read(LOCAL_HEADER)
        self._stream.seek(sum(struct.unpack("<HH", header[-4:])), 1)
        packed = pyarrow.BufferReader(self._stream.read(info.compress_size))
        with pyarrow.CompressedInputStream(packed, "zstd") as member:
            return _first_bytes(member, info.file_size + 1)


@contextmanager
def packed_files(source: Source) -> Iterator[PackedFiles]:
    """Open a zip archive; raises `Unreadable` if it is damaged."""
    with source.open() as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except DAMAGED:
            raise Unreadable(
                sentence("the file is a damaged zip archive; save or download it again")
            ) from None
        with archive:
            yield PackedFiles(stream, archive)


def _first_bytes(member: IO[bytes], most: int) -> bytes:
    pieces, left = [], most
    while left > 0 and (piece := member.read(min(PIECE, left))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
