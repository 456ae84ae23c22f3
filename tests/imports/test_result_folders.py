"""Result files of evaluation tools in a folder or zip archive: one import; what is left out is said."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from judgelab.imports.import_paths import files_to_import
from judgelab.imports.report import ImportReport
from judgelab.imports.results.base import Example, result_tools
from judgelab.imports.service import import_files
from judgelab.imports.uploads import Files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.imports.test_inspect import archive, sample

OTHER = "question,answer\nWho?,Ann\n"


def _report(store: Store, files: Files) -> ImportReport:
    with store.writing() as session:
        create_project(session, name="p")
    return import_files(store, "p", list(files))


def _files(example: Example) -> dict[str, str]:
    return {**example.files, "notes/other.csv": OTHER, "notes/more.csv": OTHER}


@pytest.mark.parametrize("name", result_tools.names())
def test_a_folder_of_results_is_one_import(name: str, store: Store, tmp_path: Path) -> None:
    example = result_tools.get(name).examples[0]
    for file, text in _files(example).items():
        path = tmp_path / "run" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = _report(store, files_to_import([tmp_path / "run"], preset=None))
    assert (report.items, report.responses) == (example.items, example.responses)
    assert any("2 files in run are of no evaluation tool" in notice for notice in report.notices)


@pytest.mark.parametrize("name", result_tools.names())
def test_a_zipped_folder_of_results_is_one_import(name: str, store: Store) -> None:
    example = result_tools.get(name).examples[0]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for file, text in _files(example).items():
            packed.writestr(f"run/{file}", text)
    report = _report(store, [("run.zip", stream.getvalue())])
    assert (report.items, report.responses) == (example.items, example.responses)
    assert any("2 files in run.zip are of no evaluation tool" in notice for notice in report.notices)


@pytest.mark.parametrize("name", ["log.eval", "log.zip"])
def test_an_archive_that_a_tool_wrote_is_not_unpacked_as_data_files(name: str, store: Store) -> None:
    log = archive([sample(1, "It rains.", "C")], zipfile.ZIP_DEFLATED)
    assert _report(store, [(name, log)]).responses == 1


def test_the_hidden_folder_of_a_tool_is_read(store: Store, tmp_path: Path) -> None:
    example = result_tools.get("deepeval").examples[0]
    (tmp_path / ".deepeval").mkdir()
    (text,) = example.files.values()
    (tmp_path / ".deepeval" / ".latest_run_full.json").write_text(text, encoding="utf-8")
    (tmp_path / ".deepeval" / ".keys.json").write_text("{}", encoding="utf-8")
    for place in (tmp_path, tmp_path / ".deepeval"):
        assert len(files_to_import([place], preset=None)) == 1
    assert _report(store, files_to_import([tmp_path], preset=None)).items == example.items
