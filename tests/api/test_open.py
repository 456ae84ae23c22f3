"""`jl.open`: what the app holds, read beside it, and never written to."""

from __future__ import annotations

import os
import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

import judgelab as jl
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.juries import make_jury
from judgelab.analysis.data.scores import project_scores
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.config import settings
from judgelab.errors import InvalidInput, NotFound, StoreUnavailable
from judgelab.imports.service import import_files
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from tests.compared import pairs_project
from tests.databases import load_demo, new_sqlite

RATINGS = "item_id,system,response,rater,criterion,score\n" + "".join(
    f"q{item},{system},words of {system} {item},{rater},clear,{1 + (item * step + shift) % 5}\n"
    for item in range(8)
    for system in ("new", "old")
    for step, shift, rater in ((1, 0, "Ann"), (1, 1, "Bea"), (2, 0, "Cid"))
)
VERDICTS = "item_id,system,judge,criterion,score\n" + "".join(
    f"q{item},{system},{judge},clear,{1 + (item + shift) % 5}\n"
    for item in range(8)
    for system in ("new", "old")
    for judge, shift in (("j1", 0), ("j2", 2))
)


def _study(store: Store) -> str:
    with store.writing() as session:
        create_project(session, name="Study")
    for name, content in (("people.csv", RATINGS), ("judges.csv", VERDICTS)):
        import_files(store, "study", [(name, content.encode())])
    return "study"


def _address(store: Store) -> str:
    return store.engine.url.render_as_string(hide_password=False)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_frames_and_scores_of_a_project(any_store: Store) -> None:
    slug = _study(any_store)
    with jl.open(_address(any_store)) as db:
        assert db.projects[["project", "items", "responses"]].values.tolist() == [["study", 8, 16]]
        project = db.project("Study")
        assert len(project.items) == 8 and len(project.responses) == 16 and len(project.ratings) == 48
        assert project.criteria.loc[0, ["criterion", "low", "high"]].tolist() == ["clear", 1.0, 5.0]
        assert project.judges["judge"].tolist() == ["j1", "j2"]
        assert sorted(project.runs["judge"]) == ["j1", "j2"] and set(project.runs["state"]) == {"done"}
        assert len(project.filters) == len(project.comparisons) == 0
        s = project.scores()
    assert db._opened is None and len(s) == 80  # what was read stays
    assert s.humans == ("Ann", "Bea", "Cid") and s.judges == ("j1", "j2")
    assert set(s.frame["response"]) == {"new", "old"}
    app = project_scores(any_store, slug)
    assert s.frame["score"].tolist() == app.scores["score"].tolist()
    assert pickle.loads(pickle.dumps(s)).frame.equals(s.frame)


def project_responses(s: jl.Scores) -> list[str]:
    return s._responses["response_id"].tolist()


def test_filters(any_store: Store) -> None:
    slug = _study(any_store)
    strict = FilterPolicy(threshold=0.9, unassessed="keep", min_annotations=1)
    saved_filters.save_filter(any_store, slug, "strict", strict)
    project = jl.open(_address(any_store)).project(slug)
    assert project.filters[["filter", "version", "in_use", "threshold"]].values.tolist() == [
        ["strict", 1, True, 0.9]
    ]
    in_use, named, given, unfiltered = (
        project.scores(chosen) for chosen in ("in use", "strict", strict, "none")
    )
    assert len(unfiltered) == 80 and len(in_use) < 80
    assert in_use.frame.equals(named.frame) and in_use.frame.equals(given.frame)
    assert in_use.about.split("\n")[1:] == [
        "Project study.",
        f"Quality filter “strict”, version 1 keeps {len(in_use) - 32} of 48 ratings.",
    ]
    assert unfiltered.about.split("\n")[1:] == ["Project study."]
    again = in_use.filter(FilterPolicy(threshold=-1.0, min_annotations=1, conflict_scope="off"))
    said = "The quality filter given keeps {} of 48 ratings."
    assert again.about.split("\n")[1:] == ["Project study.", said.format(48)]
    assert given.about.split("\n")[2] == said.format(len(given) - 32)
    with pytest.raises(NotFound, match="strict"):
        project.scores("stric")


def test_comparisons_are_read_where_nobody_rated(any_store: Store) -> None:
    project = jl.open(_address(any_store)).project(pairs_project(any_store))
    s = project.scores()
    assert "10 pairs of responses" in s.about and len(project.comparisons) == 30
    assert len(project.scores(FilterPolicy(threshold=-1.0, min_annotations=1))) == len(s)
    with pytest.raises(NotFound, match="known: pairs"):
        jl.open(_address(any_store)).project("nothing")


def test_nothing_can_be_written(any_store: Store) -> None:
    _study(any_store)
    db = jl.open(_address(any_store))
    with pytest.raises(StoreUnavailable, match="read-only"), db._store.reading() as session:
        session.execute(text("DELETE FROM rating"))
    with pytest.raises(InvalidInput, match="reading only"), db._store.writing():
        pass
    assert len(db.project("study").ratings) == 48


def test_no_file_is_made_or_changed(tmp_path: Path) -> None:
    store = Store(new_sqlite(tmp_path / "mine.db"))
    _study(store)
    store.close()
    before = _files(tmp_path)
    with jl.open(tmp_path / "mine.db") as db:
        jl.agreement(db.project("study").scores(), n_resamples=20)
        assert _files(tmp_path) == before  # also before it is closed
    assert _files(tmp_path) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    store = Store(new_sqlite(folder / "mine.db"))
    _study(store)
    store.close()
    (folder / "mine.db").chmod(0o400)
    folder.chmod(0o500)
    try:
        assert len(jl.open(folder / "mine.db").project("study").items) == 8
    finally:
        folder.chmod(0o700)


def test_beside_a_running_app(any_store: Store) -> None:
    """The app writes while the database is open, and the next call reads what it wrote."""
    _study(any_store)
    db = jl.open(_address(any_store))
    project = db.project("study")
    assert len(project.scores()) == 80
    with any_store.writing() as session:  # neither waits for the other
        session.execute(text("UPDATE rating SET score = 5"))
        session.flush()
        assert project.scores().frame["score"].sum() < 5 * 80
    ratings = project.scores().frame.query("kind == 'human'")["score"]
    assert set(ratings) == {5.0}


def test_juries_are_as_they_are_stored(any_store: Store) -> None:
    slug = _study(any_store)
    make_jury(any_store, slug, "both", members=["j1", "j2"], way="mean")
    s = jl.open(_address(any_store)).project(slug).scores()
    assert s.judges == ("j1", "j2") and "the scores of both are older" in s.about.lower()
    with jl.open(_address(any_store), write=True) as db:
        assert "both" in db.project(slug).scores().judges
    s = jl.open(_address(any_store)).project(slug).scores()
    assert "both" in s.judges and "older" not in s.about


def test_a_database_of_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.db"
    new_sqlite(path)
    for schema, said in (("0001", "judgelab migrate"), ("ffff", "newer")):
        schema = _oldest() if schema == "0001" else schema
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = ?", [schema])
            connection.commit()
        for write in (False, True):
            before = path.read_bytes()
            with pytest.raises(StoreUnavailable, match=said):
                jl.open(path, write=write)
            assert path.read_bytes() == before


def _oldest() -> str:
    from judgelab.store.db.revisions import head_schema, known_schemas

    return min(known_schemas() - {head_schema() or ""})


def test_the_folder_of_the_settings_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGELAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("JUDGELAB_DATABASE_URL", raising=False)
    settings.cache_clear()
    try:
        with pytest.raises(StoreUnavailable, match="there is no database"):
            jl.open()
    finally:
        settings.cache_clear()
    assert not (tmp_path / "home").exists()


def test_a_relative_file_stays_the_same_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_sqlite(tmp_path / "mine.db")
    monkeypatch.chdir(tmp_path)
    db = jl.open("mine.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert db.projects.empty and repr(db) == "Database: mine.db, read only"


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is a folder; name the file in it"):
        jl.open(tmp_path)
    for nothing in (3, ""):
        with pytest.raises(InvalidInput, match='call jl.open\\("judgelab.db"\\)'):
            jl.open(nothing)  # type: ignore[arg-type]
    with pytest.raises(StoreUnavailable, match="there is no database"):
        jl.open(tmp_path / "mine.db")
    assert not list(tmp_path.iterdir())
    (tmp_path / "text.db").write_text("item,score\n" * 200)
    with pytest.raises(StoreUnavailable, match=r"not a JudgeLab database; name another file\."):
        jl.open(tmp_path / "text.db")
    for url in ("sqlite://", "nothing://x", "postgresql://ann@127.0.0.1:1/none"):
        with pytest.raises(StoreUnavailable, match="address") as caught:
            jl.open(url)
        assert "JUDGELAB_DATABASE_URL" not in str(caught.value)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE item (id)")
    with pytest.raises(StoreUnavailable, match="not a database of JudgeLab"):
        jl.open(tmp_path / "other.db")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cret@127.0.0.1:1/none",
        "postgresql://ann:s3cret@127.0.0.1:port/none",
        "postgresql://ann:s3cret/with:signs@@@",
        "oracle9://ann:s3cret@host/none",
    ],
)
def test_a_password_is_in_no_error(url: str) -> None:
    with pytest.raises(StoreUnavailable) as caught:
        jl.open(url)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in str(error)
        error = error.__cause__ or error.__context__


@pytest.mark.postgres
def test_a_password_is_not_shown(migrated_postgres_url: str) -> None:
    url = make_url(migrated_postgres_url).set(password="s3cret").render_as_string(hide_password=False)
    db = jl.open(url)
    assert "s3cret" not in f"{db!r} {db._repr_html_()}" and "***" in repr(db)


def test_the_database_of_the_settings_and_a_closed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(tmp_path / "app.db"))
    settings.cache_clear()
    try:
        db = jl.open()
        assert db.projects.empty and "app.db, read only" in repr(db)
        project_of_none = db.projects
        db.close()
        db.close()
        assert project_of_none.empty
        with pytest.raises(InvalidInput, match="closed"):
            db.projects  # noqa: B018
        assert "closed" in repr(db) and "closed" in db._repr_html_()
    finally:
        settings.cache_clear()


def test_the_sample_project(store: Store) -> None:
    load_demo(store, "kitchen")
    project = jl.open(_address(store)).project("demo-kitchen")
    assert "ELECT" in project.scores().about and "<table>" in project._repr_html_()
    assert jl.agreement(project.scores(), n_resamples=0)["learned", "spearman"].value is not None
