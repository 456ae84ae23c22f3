"""Files changed at random: each is imported or refused with a sentence, and a refused one leaves nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.errors import UserError
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.transfer.importing import project_counts
from tests.databases import new_sqlite
from tests.examples import examples

COLUMNS = ("item_id", "question", "reference", "system", "response", "rater", "criterion", "score")
ROWS = [
    ("q1", "Who?", "Ann", "s1", "Ann, I think", "ada", "quality", "3"),
    ("q1", "Who?", "Ann", "s2", 'She said "Bo"\nand left', "ada", "quality", "1"),
    ("q2", "Wann?", "Mai", "s1", "Im März, größer", "bo", "quality", "2.5"),
]
NESTED = [{"item_id": "q3", "question": "Why?", "responses": [{"system": "s1", "text": "so", "ratings": []}]}]
ODD = (
    b"\x00",
    b'"',
    b"\n",
    b"\r",
    b"\xff\xfe",
    b"{",
    b"[",
    b",",
    b"\t",
    b"1e999",
    b"=x",
    b"\xc3",
    b"null",
    b"-",
)
Change = tuple[str, float, float, bytes]


def _table() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=list(COLUMNS))


def _xlsx() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (COLUMNS, *ROWS):
        book.active.append(list(row))
    book.save(out)
    return out.getvalue()


def _parquet() -> bytes:
    out = io.BytesIO()
    _table().to_parquet(out, index=False)
    return out.getvalue()


SEEDS: dict[str, bytes] = {
    "csv": _table().to_csv(index=False).encode(),
    "tsv": _table().to_csv(index=False, sep="\t").encode("utf-16"),
    "json": json.dumps(NESTED).encode(),
    "jsonl": "\n".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in ROWS).encode(),
    "xlsx": _xlsx(),
    "parquet": _parquet(),
}
changes = st.lists(
    st.tuples(
        st.sampled_from(["cut", "put", "double", "end"]),
        st.floats(0, 1),
        st.floats(0, 0.2),
        st.one_of(st.sampled_from(ODD), st.binary(min_size=1, max_size=6)),
    ),
    min_size=1,
    max_size=4,
)


def changed(data: bytes, steps: list[Change]) -> bytes:
    """Return the data after each change: a piece cut, put in or doubled, or the end taken off."""
    for kind, position, share, piece in steps:
        at = int(position * len(data))
        to = min(len(data), at + max(1, int(share * len(data))))
        pieces = {
            "cut": data[:at] + data[to:],
            "put": data[:at] + piece + data[at:],
            "double": data[:to] + data[at:to] + data[to:],
            "end": data[:at],
        }
        data = pieces[kind]
    return data


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = open_store(new_sqlite(tmp_path_factory.mktemp("fuzz") / "fuzz.db"))
    with store.writing() as session:
        create_project(session, name="p")
    yield store
    store.close()


def counts(store: Store) -> dict[str, int]:
    with store.reading() as session:
        return project_counts(session, find_project(session, "p").id)


@pytest.mark.parametrize("ending", SEEDS)
def test_the_files_are_good_before_they_are_changed(shared: Store, ending: str) -> None:
    report = import_files(shared, "p", [(f"f.{ending}", SEEDS[ending])], dry_run=True)
    assert report.items >= 1 and not report.problems


@pytest.mark.parametrize("ending", SEEDS)
@examples(60)
@given(steps=changes)
def test_a_changed_file_is_stored_whole_or_refused_in_words(
    shared: Store, ending: str, steps: list[Change]
) -> None:
    before = counts(shared)
    try:
        import_files(shared, "p", [(f"f.{ending}", changed(SEEDS[ending], steps))])
    except UserError as error:
        assert str(error).strip(), "a refusal says why"
        assert counts(shared) == before
