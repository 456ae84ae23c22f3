"""`import`, `export` and `project` as a user types them: messages, exit codes, JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from judgelab.cli import main
from judgelab.config import settings
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from tests.databases import new_sqlite
from tests.imports.pictures import png


class CommandResult(NamedTuple):
    code: int
    out: str
    err: str


Command = Callable[..., CommandResult]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs `judgelab WORDS...` on a new database."""
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(tmp_path / "cli.db"))
    settings.cache_clear()

    def run(*words: str | Path) -> CommandResult:
        monkeypatch.setattr("sys.argv", ["judgelab", *map(str, words)])
        with pytest.raises(SystemExit) as exit_error:
            main()
        output = capsys.readouterr()
        return CommandResult(int(exit_error.value.code or 0), output.out, output.err)

    yield run  # type: ignore[misc]
    settings.cache_clear()


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    path.write_text("item_id,question,system,response\nq1,Who?,a,Ann\nq2,When?,a,Now\n", encoding="utf-8")
    return path


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    path = tmp_path / "ratings.csv"
    rows = "q1,a,r1,quality,1\nq2,a,r1,quality,3\nq1,a,r2,quality,2\n"
    path.write_text(f"item_id,system,rater,criterion,score\n{rows}", encoding="utf-8")
    return path


def test_a_project_is_created_listed_shown_and_deleted(command: Command) -> None:
    created = command("project", "create", "Soup flasks", "--study", "summeval", "--json")
    assert json.loads(created.out)["criteria"] == ["coherence", "consistency", "fluency", "relevance"]
    assert [p["slug"] for p in json.loads(command("project", "list", "--json").out)] == ["soup-flasks"]
    assert json.loads(command("project", "show", "soup-flasks", "--json").out)["items"] == 0
    refused = command("project", "delete", "soup-flasks")
    assert (refused.code, "add --yes" in refused.err) == (1, True)
    assert command("project", "delete", "soup-flasks", "--yes").code == 0
    assert "no projects yet" in command("project", "list").out


def test_a_project_is_found_by_the_name_as_typed_and_by_its_title(command: Command) -> None:
    command("project", "create", "qa_eval")
    command("project", "create", "Soup flasks")
    for name, slug in (("qa_eval", "qa-eval"), ("qa-eval", "qa-eval"), ("Soup  flasks ", "soup-flasks")):
        assert json.loads(command("project", "show", name, "--json").out)["slug"] == slug
    assert command("project", "delete", "Soup flasks", "--yes").code == 0
    with open_store(settings().database_url).writing() as session:
        create_project(session, name="qa_eval", slug="second")
    ambiguous = command("project", "show", "qa_eval")
    assert (ambiguous.code, ambiguous.out) == (1, "")
    assert ambiguous.err == "2 projects have the title 'qa_eval'; use a short name: qa-eval, second.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("project", "show", "soup"), "no project named 'soup'"),
        (
            ("judge", "soup", "nothing", "--model", "m", "--backend", "scripted"),
            "no protocol named 'nothing'",
        ),
        (("project", "create", "p", "--form", "odd"), "odd"),
        (("agreement",), "Missing argument"),
    ],
)
def test_a_refused_command_says_so_in_json_too(
    command: Command, words: tuple[str, ...], message: str
) -> None:
    refused = command(*words, "--json")
    assert refused.code == 1
    assert json.loads(refused.out) == {"error": refused.err.rstrip("\n")}
    assert message in refused.err
    assert command(*words).out == ""


def test_import_prints_the_pinned_words(command: Command, items: Path, ratings: Path) -> None:
    command("project", "create", "p")
    report = json.loads(command("import", "p", items, ratings, "--json").out)
    counts = ("items", "responses", "ratings", "judgments", "preferences", "problems")
    assert {word: report[word] for word in counts} == {
        "items": 2,
        "responses": 2,
        "ratings": 3,
        "judgments": 0,
        "preferences": 0,
        "problems": [],
    }
    second_import = command("import", "p", items, ratings)
    assert second_import.out == "nothing new, 7 unchanged\n"


def test_a_new_criterion_is_announced(command: Command, items: Path, ratings: Path) -> None:
    command("project", "create", "p")
    result = command("import", "p", items, ratings)
    assert "criterion 'quality' is new: its scale (ordinal, 1 to 5) was inferred" in result.err


def test_problems_exit_1_with_one_sentence_and_all_as_json(command: Command, ratings: Path) -> None:
    command("project", "create", "p")
    result = command("import", "p", ratings)
    assert result.code == 1
    assert "row 2" in result.err
    assert result.err.rstrip().endswith("Nothing was stored.")
    as_json = command("import", "p", ratings, "--json")
    assert as_json.code == 1
    assert [problem["row"] for problem in json.loads(as_json.out)["problems"]] == [2, 3, 4]
    assert json.loads(as_json.out)["error"].endswith("Nothing was stored.")


def test_the_answer_column_asks_for_a_choice(command: Command, tmp_path: Path) -> None:
    command("project", "create", "p")
    path = tmp_path / "f.csv"
    path.write_text("question,answer\nWho?,Ann\n", encoding="utf-8")
    assert "--map response=answer or --map reference=answer" in command("import", "p", path).err
    assert command("import", "p", path, "--map", "response=answer").code == 0
    assert "write FIELD=COLUMN" in command("import", "p", path, "--map", "answer").err


def test_a_dry_run_stores_nothing(command: Command, items: Path) -> None:
    command("project", "create", "p")
    assert command("import", "p", items, "--dry-run").out.startswith("would store: 2 items")
    assert json.loads(command("project", "show", "p", "--json").out)["items"] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("import", "p", "no-such.csv"), "there is no file no-such.csv"),
        (("import", "p", ".", "--preset", "sumeval"), "Did you mean 'summeval'?"),
        (("import", "p", "."), "is a folder but not a JudgeLab export, nor one data file with images"),
        (("project", "show", "q"), "no project named 'q'"),
        (("project", "create", "p"), "already"),
        (("project", "create", "x", "--study", "elekt"), "Did you mean 'elect'?"),
        (
            ("export", "p", "out", "--format", "xml"),
            "--format xml is not valid; use one of csv, jsonl, parquet",
        ),
    ],
)
def test_mistakes_are_one_sentence(command: Command, words: tuple[str, ...], message: str) -> None:
    command("project", "create", "p")
    result = command(*words)
    assert result.code == 1
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_folder_without_files_is_named_as_one(command: Command, tmp_path: Path) -> None:
    command("project", "create", "p")
    (tmp_path / "empty").mkdir()
    error = command("import", "p", tmp_path / "empty").err
    assert (
        error == f"the folder {tmp_path / 'empty'} contains no file that can be imported; check the path.\n"
    )


def test_an_export_is_imported_as_a_new_project(
    command: Command, items: Path, ratings: Path, tmp_path: Path
) -> None:
    command("project", "create", "p")
    command("import", "p", items, ratings)
    out = tmp_path / "out"
    exported = json.loads(command("export", "p", out, "--gold", "--json").out)
    assert exported["rows"]["ratings"] == 3
    assert (out / "gold.csv").read_text(encoding="utf-8").splitlines()[1] == "q1,a,a,quality,1.5,2"
    assert json.loads(command("import", "copy", out, "--json").out)["ratings"] == 3
    projects = [json.loads(command("project", "show", slug, "--json").out) for slug in ("p", "copy")]
    assert projects[0]["criteria"] == projects[1]["criteria"]


def test_importing_again_is_told_as_json_too(command: Command, items: Path, ratings: Path) -> None:
    command("project", "create", "p")
    command("import", "p", items, ratings)
    second_report = json.loads(command("import", "p", items, ratings, "--json").out)
    assert second_report["unchanged"] == {"items": 2, "responses": 2, "ratings": 3}
    assert second_report["changed"] == {}


def test_several_problems_are_listed_in_order_and_counted(command: Command, ratings: Path) -> None:
    command("project", "create", "p")
    lines = command("import", "p", ratings).err.splitlines()
    assert [line[:5] for line in lines[:-1]] == ["row 2", "row 3", "row 4"]
    assert lines[-1] == "ratings.csv: 3 problems. Nothing was stored."


def test_an_export_under_a_name_that_is_no_word(command: Command, items: Path, tmp_path: Path) -> None:
    command("project", "create", "p")
    command("import", "p", items)
    command("export", "p", tmp_path / "out")
    refused = command("import", "../p two", tmp_path / "out")
    assert (refused.code, refused.err) == (
        1,
        "'../p two' is not a valid short name for a project; write 'p-two'.\n",
    )
    assert command("import", "p_2", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    ("column", "value"),
    [("score", "high"), ("rater", None), ("rated_at", "soon"), ("criterion", "taste")],
)
def test_an_export_that_was_edited_is_refused(
    command: Command, items: Path, ratings: Path, tmp_path: Path, column: str, value: object
) -> None:
    command("project", "create", "p")
    command("import", "p", items, ratings)
    command("export", "p", tmp_path / "out", "--format", "jsonl")
    path = tmp_path / "out" / "ratings.jsonl"
    rows = [json.loads(line) | {column: value} for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    refused = command("import", "copy", tmp_path / "out")
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    assert refused.err.endswith("export again.\n")
    assert command("project", "show", "copy").code == 1


def test_gold_of_an_earlier_export_does_not_stay_behind(
    command: Command, items: Path, ratings: Path, tmp_path: Path
) -> None:
    command("project", "create", "p")
    command("import", "p", items, ratings)
    command("export", "p", tmp_path / "out", "--gold")
    command("export", "p", tmp_path / "out", "--format", "jsonl")
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {".json", ".jsonl"}


def test_a_project_is_made_for_comparisons_by_its_form(command: Command) -> None:
    created = command("project", "create", "Pairs", "--form", "pairwise", "--json")
    assert json.loads(created.out)["criteria"] == ["overall"]
    assert json.loads(command("project", "show", "pairs", "--json").out)["settings"]["form"] == "pairwise"
    refused = command("project", "create", "Other", "--form", "by-ear")
    assert refused.code == 1 and "pairwise, ranking, best_worst" in refused.err


def test_a_home_that_does_not_exist_is_made(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUDGELAB_DATABASE_URL")
    monkeypatch.setenv("JUDGELAB_HOME", str(tmp_path / "new" / "home"))
    assert command("project", "list").code == 0
    assert (tmp_path / "new" / "home" / "judgelab.db").is_file()
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("JUDGELAB_HOME", str(tmp_path / "file"))
    settings.cache_clear()
    result = command("project", "list")
    assert result.code != 0
    assert f"JUDGELAB_HOME cannot be '{tmp_path / 'file'}'" in result.err


SHOWING = """item_id,question,response_id,system,response
1,What? ![chart](img/a.png),r1,s,Two bars.
2,And?,r2,s,"![mine](img/my%20b.png)"
"""


def test_the_command_line_takes_a_folder_or_images_beside_a_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "set" / "img").mkdir(parents=True)
    (tmp_path / "set" / "items.csv").write_text(SHOWING, encoding="utf-8")
    (tmp_path / "set" / "img" / "a.png").write_bytes(png())
    (tmp_path / "set" / "img" / "my b.png").write_bytes(png((0, 0, 9)))
    for name, words in {
        "whole": ["set"],
        "beside": ["set/items.csv", "set/img"],
        "single": ["set/items.csv", "set/img/a.png", "set/img/my b.png"],
    }.items():
        command("project", "create", name)
        result = command("import", name, *(str(tmp_path / word) for word in words))
        assert "2 items, 2 responses, 2 images new" in result.out, result.err
        assert "not uploaded" not in result.err
    (tmp_path / "set" / "more.csv").write_text(SHOWING, encoding="utf-8")
    assert "nor one data file with images" in command("import", "whole", str(tmp_path / "set")).err


def test_images_are_listed_and_deleted_by_path(command: Command, tmp_path: Path) -> None:
    command("project", "create", "p")
    assert "There are no images" in command("project", "images", "p").out
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(png())
        command("import", "p", str(tmp_path / name))
    listed = json.loads(command("project", "images", "p", "--json").out)
    assert listed == [{"path": name, "bytes": len(png())} for name in ("a.png", "b.png")]
    refused = command("project", "images", "p", "--delete", "a.png", "--delete", "b.pn")
    assert "no image named 'b.pn'; known: a.png, b.png. Did you mean 'b.png'?" in refused.err
    assert "deleted a.png" in command("project", "images", "p", "--delete", "a.png").out
    assert command("project", "images", "p").out.split()[0] == "b.png"
