"""Small images and zip archives of them, made here."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping


def png(colour: tuple[int, int, int] = (200, 30, 30), width: int = 40, height: int = 30) -> bytes:
    """Return an image of one colour."""
    rows = b"".join(b"\0" + bytes(colour) * width for _ in range(height))
    size = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", size), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


def archive(members: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive of the members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return packed.getvalue()
