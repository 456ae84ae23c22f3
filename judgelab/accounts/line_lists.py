"""Lists that people paste or upload, one entry on each line, with parts separated as spreadsheets do."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from typing import NoReturn

from judgelab.errors import InvalidInput
from judgelab.wording import sentence

LONGEST_LINE = 1000


def decode_list(data: bytes) -> str:
    """Return the text of a file with a list: UTF-8, or UTF-16 as spreadsheets write it.

    Raises:
        InvalidInput: the file has another encoding, or is no text.
    """
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise InvalidInput(sentence("the file is not text in UTF-8; save it as CSV UTF-8.")) from None


def split_lines(text: str, *, too_long: str, delimiter: str = "") -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each line and its parts; `too_long` is the reason against a very long line.

    The parts are separated by `delimiter`, or else by tabs, else by semicolons, else by commas; a part with
    a comma stands in quotation marks.

    Raises:
        InvalidInput: a line is too long, or a quotation mark is not closed.
    """
    # The csv module has a limit too, but one for the whole process, which an import may have raised.
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            refuse_line(number, too_long)
    text = text.removeprefix("\ufeff")
    delimiter = delimiter or next((sign for sign in "\t;" if sign in text), ",")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for parts in reader:
            yield reader.line_num, [part.strip() for part in parts]
    except csv.Error:
        refuse_line(max(reader.line_num, 1), sentence("a quotation mark is not closed."))


def refuse_line(line: int, reason: str) -> NoReturn:
    """Raise `InvalidInput` with the line's number and the reason."""
    raise InvalidInput(sentence("line {line}: {reason}", line=str(line), reason=reason))
