"""Find the encoding of a text file by scanning all of its bytes before it is read."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from charset_normalizer import from_bytes

from judgelab.errors import InvalidInput
from judgelab.imports.files.sources import SAMPLE, Source, Unreadable
from judgelab.wording import sentence

MAX_LINE = 16_000_000  # bytes; a longer line is a file without line ends, not a row

_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HALVES = re.compile(
    "[\udc80-\udcff]"
)  # Python's "surrogateescape" gives these for bytes that cannot be decoded
USUAL = "cp1252"
# Encodings in use today besides UTF-8; DOS code pages fit many short texts by chance.
_KNOWN = (
    *(f"cp125{number}" for number in range(9)),
    *("iso8859_2", "iso8859_5", "iso8859_7", "iso8859_9", "koi8_r", "koi8_u", "cp874"),
    *("gb18030", "big5", "shift_jis", "cp932", "cp949", "euc_jp", "euc_kr"),
)
_IN_PAIRS = ("gb18030", "big5", "shift_jis", "cp932", "cp949", "euc_jp", "euc_kr")
_BEYOND = re.compile(rb"[\x80-\xff]")
_ALONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")


class TextKind(NamedTuple):
    """The encoding of a text file, and a notice if it was guessed."""

    encoding: str
    notice: str = ""


def check_encoding(name: str) -> str:
    """Return the name of an encoding of texts, or "" for none; raises `InvalidInput` for unknown names.

    >>> check_encoding("Windows-1254"), check_encoding("866"), check_encoding("")
    ('cp1254', 'cp866', '')
    """
    try:
        found = codecs.lookup(name.strip()) if name.strip() else None
        if found is not None:
            "".encode(found.name)  # fails for encodings that are not of texts, such as base64
    except (LookupError, ValueError):
        raise InvalidInput(
            sentence(
                "--encoding {name} is not known; use one such as cp1250, cp1254, cp866 or koi8_r.", name=name
            )
        ) from None
    return found.name if found is not None else ""


def text_kind(source: Source) -> TextKind:
    """Return a text file's encoding; raises `Unreadable` for broken bytes, NULs and overlong lines."""
    with source.open() as stream:
        sample = stream.read(SAMPLE)
    for bom, encoding in _WIDE_BOMS:
        if sample.startswith(bom):
            _check_wide(source, encoding)
            return TextKind(encoding)
    _refuse_unmarked_utf16(sample)
    if b"\x1b$" in sample:  # it has no byte beyond ASCII
        return _guessed("iso2022_jp")
    fault = _scan(source)
    if fault is None:
        return TextKind("utf-8-sig" if sample.startswith(codecs.BOM_UTF8) else "utf-8")
    if fault.good >= fault.bad or sample.startswith(codecs.BOM_UTF8):
        raise Unreadable(
            sentence(
                "byte {byte} is not valid UTF-8 (the rest of the file is UTF-8); correct that row, or "
                "save the file as UTF-8 again",
                byte=f"0x{fault.byte:02X}",
            ),
            row=fault.line,
        )
    return TextKind(source.encoding) if source.encoding else _guess(fault.around)


class _Fault(NamedTuple):
    """The first byte that is not UTF-8, and the counts of such bytes and of valid non-ASCII characters."""

    line: int
    byte: int
    bad: int
    good: int
    around: bytes


def _scan(source: Source) -> _Fault | None:
    """Scan every byte once: line lengths, NULs, and whether all of it is UTF-8."""
    lines, length, rest, first, around = 1, 0, b"", None, b""
    bad = good = 0
    for block in source.blocks():
        _refuse_nul(block, lines)
        length = _longest_tail(block, length, lines)
        data = rest + block
        rest = _unfinished(data)
        text = data[: len(data) - len(rest)].decode(errors="surrogateescape")
        if not text.isascii():
            halves = len(_HALVES.findall(text))
            bad, good = bad + halves, good + _beyond_ascii(text) - halves
            if halves and first is None:
                first = _first_half(text, lines)
            if halves and len(around) < SAMPLE:
                around += data
        lines += block.count(b"\n")
    if rest:
        first, bad, around = first or _Place(lines, rest[0]), bad + 1, around + rest
    return first and _Fault(first.line, first.byte, bad, good, around)


class _Place(NamedTuple):
    """A byte and its line number."""

    line: int
    byte: int


def _first_half(text: str, lines: int) -> _Place:
    match = _HALVES.search(text)
    assert match is not None
    return _Place(lines + text[: match.start()].count("\n"), ord(match[0]) - 0xDC00)


def _unfinished(data: bytes) -> bytes:
    """Return the bytes of a character that continues in the next block."""
    for back in range(1, min(3, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[-back:] if back < length else b""
        if byte < 0x80:
            return b""
    return b""


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _check_wide(source: Source, encoding: str) -> None:
    """Scan a UTF-16 or UTF-32 file as `_scan` does with other files."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, length = 1, 0
    try:
        for block in source.blocks():
            text = decoder.decode(block).encode("utf-8", "surrogatepass")
            _refuse_nul(text, lines)
            length = _longest_tail(text, length, lines)
            lines += text.count(b"\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise Unreadable(
            sentence(
                "the file starts as {encoding} but is cut off or damaged here; save it as UTF-8",
                encoding=encoding.upper(),
            ),
            row=lines,
        ) from None


def _refuse_unmarked_utf16(sample: bytes) -> None:
    """Refuse UTF-16 without a byte order mark, in which every other byte of Latin letters is NUL."""
    fewer, more = sorted((sample[::2].count(0), sample[1::2].count(0)))
    if 2 * more > len(sample[::2]) and 4 * fewer < more:
        raise Unreadable(
            sentence(
                "every other byte is NUL, as in UTF-16 without a byte order mark; save the file as UTF-8"
            )
        )


def _refuse_nul(block: bytes, lines: int) -> None:
    at = block.find(b"\0")
    if at >= 0:
        raise Unreadable(
            sentence(
                "the row contains a NUL byte, so the file is not plain text; save it as UTF-8 text or "
                "remove the byte"
            ),
            row=lines + block[:at].count(b"\n"),
        )


def _longest_tail(block: bytes, length: int, lines: int) -> int:
    """Return the length of the last line so far; raises if a line is too long."""
    first = block.find(b"\n")
    if first < 0:
        length += len(block)
        if length > MAX_LINE:
            raise Unreadable(
                sentence(
                    "the line is longer than {size} MB, so the file is not a table with rows; check the "
                    "line endings, or write one row per line",
                    size=MAX_LINE // 1_000_000,
                ),
                row=lines,
            )
        return length
    return len(block) - block.rfind(b"\n") - 1


def _guess(sample: bytes) -> TextKind:
    encoding = _likeliest(sample)
    try:
        sample.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        encoding = "latin-1"
    return _guessed(encoding)


def _guessed(encoding: str) -> TextKind:
    return TextKind(
        encoding,
        sentence(
            "read as {encoding}, not UTF-8; if letters look wrong, give the encoding, such as --encoding "
            "cp1250, or save the file as UTF-8",
            encoding=encoding,
        ),
    )


def _likeliest(sample: bytes) -> str:
    """Return the most plausible code page, preferring the most common one."""
    fitting = from_bytes(sample[:SAMPLE], cp_isolation=list(_KNOWN))
    best = fitting.best()
    if best is None:
        return USUAL
    if best.encoding in _IN_PAIRS:
        # Bytes of East Asian characters come in pairs; umlauts and accents are single among other letters.
        alone = 2 * len(_ALONE.findall(sample)) > len(_BEYOND.findall(sample))
        return USUAL if alone else str(best.encoding)
    as_good = (
        USUAL in match.could_be_from_charset and match.coherence >= best.coherence for match in fitting
    )
    return USUAL if any(as_good) else str(best.encoding)
