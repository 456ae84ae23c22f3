"""Keys, passwords and what signs in: in no export, report or backup, even where a reply repeats them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from judgelab.accounts import members, password_sign_in, sharing, signin
from judgelab.crowd import links
from judgelab.imports.exports import export_project
from judgelab.reporting.pack import write_pack
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db import backup
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Invite, Person, SignIn
from judgelab.store.projects.projects import find_project
from tests.crowd.conftest import OPTIONS
from tests.databases import new_sqlite
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks, rate

KEY, PASSWORD = "sk-key-of-mine", "twelve horses in a row"
RESPONSES = 6


class StoredSecrets(NamedTuple):
    """A database, its only project, and what nobody else may read."""

    store: Store
    project: str
    secrets: dict[str, str]
    hashes: dict[str, str]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredSecrets]:
    patch = pytest.MonkeyPatch()
    patch.setenv("A_KEY", KEY)
    store = open_store(new_sqlite(tmp_path_factory.mktemp("kept") / "judgelab.db"))
    slug = flasks(store, RESPONSES)
    for rater in ("Ann", "Ben"):
        rate(store, slug, {n: n % 4 for n in range(1, RESPONSES + 1)}, rater=rater)
    with Server() as server:
        server.habits.answers = [f"Your key is {KEY}. My score is 2."]
        endpoints.add_endpoint(store, "local", base_url=server.url, api_key_env="A_KEY")
        run = service.create_run(store, slug, spec())
        judge(store, run)
    assert service.run_status(store, run).scored == RESPONSES
    secrets = {"key": KEY, "password": PASSWORD, **_ways_in(store, slug)}
    with store.reading() as session:
        hashes = {f"password of {row.name}": row.password_hash for row in session.query(Person)}
        hashes |= {f"link {row.id}": row.token_hash for row in session.query(Invite)}
        hashes |= {f"sign-in {row.id}": row.token_hash for row in session.query(SignIn)}
    yield StoredSecrets(store, slug, secrets, {name: digest for name, digest in hashes.items() if digest})
    store.close()
    patch.undo()


def _ways_in(store: Store, slug: str) -> dict[str, str]:
    """Make one of each thing that signs somebody in or shows results; return them."""
    with store.reading() as session:
        project = find_project(session, slug).id
    cookie = signin.redeem(store, signin.new_owner_token(store))
    owner = signin.whoami(store, cookie)
    assert cookie is not None and owner is not None
    password_sign_in.change(store, owner.id, present="", new=PASSWORD, cookie=cookie)
    person = members.add(store, None, project, "Cleo").id
    return {
        "cookie": cookie,
        "unused link": signin.new_owner_token(store),
        "a rater's link": members.new_link(store, None, project, person).path.rpartition("/")[2],
        "results": sharing.create(store, None, slug).path.rpartition("/")[2],
        "crowd": links.create(store, None, project, "Platform", OPTIONS).token,
    }


def _found(folder: Path, texts: dict[str, str]) -> set[str]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    contents = b"".join(path.name.encode() + path.read_bytes() for path in files)
    assert len(contents) > 1_000
    return {name for name, secret in texts.items() if secret.encode() in contents}


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_an_export_holds_no_key_no_password_and_nothing_that_signs_in(
    stored: StoredSecrets, tmp_path: Path, file_format: str
) -> None:
    export_project(stored.store, stored.project, tmp_path / "out", file_format=file_format, backgrounds=True)
    assert _found(tmp_path / "out", {"a reply": "Your key is ***", "a text": "does not leak"}) == {
        "a reply",
        "a text",
    }
    assert _found(tmp_path / "out", stored.secrets | stored.hashes) == set()


def test_a_report_holds_none_either(stored: StoredSecrets, tmp_path: Path) -> None:
    write_pack(stored.store, stored.project, tmp_path / "pack")
    assert _found(tmp_path / "pack", {"a reply": "Your key is ***"}) == {"a reply"}
    assert _found(tmp_path / "pack", stored.secrets | stored.hashes) == set()


def test_a_backup_holds_hashes_and_the_addresses_that_are_published_and_no_more(
    stored: StoredSecrets, tmp_path: Path
) -> None:
    backup.save(stored.store, tmp_path / "copy")
    assert _found(tmp_path, {"a reply": "Your key is ***"}) == {"a reply"}
    assert _found(tmp_path, stored.hashes) == set(stored.hashes)
    assert _found(tmp_path, stored.secrets) == {"crowd"}
