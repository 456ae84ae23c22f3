"""Keys come from a variable or the keyring, go into one header, and stand nowhere else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from judgelab.backends.base import Connection
from judgelab.backends.keys import key_of, read_keyring, redact_key, write_keyring
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.domain import Message
from judgelab.errors import BackendError, InvalidInput
from judgelab.runs import service
from judgelab.runs.calls.backend_pool import BackendPool
from judgelab.runs.endpoints import probe
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.judge_config import load_judge_config
from judgelab.store.db.engine import Store
from tests.command import judgelab
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_profiles import ProfiledServer, profiled
from tests.runs.projects import flasks

KEY = 'sk-"quoted"/of mine'


class Drawer(KeyringBackend):
    """A keyring in a folder, as a real one keeps secrets outside of JudgeLab."""

    priority = 1.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get_password(self, service: str, username: str) -> str | None:
        path = self.folder / f"{service}-{username}"
        return path.read_text() if path.exists() else None

    def set_password(self, service: str, username: str, password: str) -> None:
        (self.folder / f"{service}-{username}").write_text(password)

    def delete_password(self, service: str, username: str) -> None:
        try:
            (self.folder / f"{service}-{username}").unlink()
        except FileNotFoundError:
            raise PasswordDeleteError("not there") from None


class Locked(KeyringBackend):
    """A keyring that nobody unlocks."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")


@pytest.fixture
def drawer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawer]:
    before = keyring.get_keyring()
    keyring_drawer = Drawer(tmp_path_factory.mktemp("keyring"))
    keyring.set_keyring(keyring_drawer)
    yield keyring_drawer
    keyring.set_keyring(before)


@pytest.fixture
def server() -> Iterator[ProfiledServer]:
    with profiled("azure") as running:
        running.habits.key = KEY
        yield running


def _add(store: Store, server: ProfiledServer) -> None:
    endpoints.add_endpoint(
        store, "closed", base_url=server.url, keyring=True, key_header="api-key", query=server.profile.query
    )


def test_a_key_goes_from_the_keyring_into_the_header_and_nowhere_else(
    store: Store, server: ProfiledServer, drawer: Drawer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    _add(store, server)
    assert "judgelab endpoint key closed" in probe.probe_endpoint(store, "closed", model="tiny").sentence
    endpoints.store_key(store, "closed", f"{KEY}\n")
    assert read_keyring("closed") == KEY
    run = service.create_run(store, flasks(store, 2), spec(endpoint="closed"))
    judge(store, run)
    assert service.run_status(store, run).scored == 2
    assert {headers["api-key"] for headers in server.headers} == {KEY}
    server.habits.key = "another"
    refused = probe.probe_endpoint(store, "closed", model="tiny").sentence
    assert "invalid key ***" in refused and "check the key in the keyring" in refused
    store.close()
    stored_bytes = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    for form in (KEY, KEY.replace('"', '\\"')):
        assert form.encode() not in stored_bytes
        assert form not in caplog.text


def test_a_removed_endpoint_takes_its_key_along_unless_another_needs_it(
    store: Store, server: ProfiledServer, drawer: Drawer
) -> None:
    _add(store, server)
    endpoints.add_endpoint(store, "second", base_url=server.url)
    endpoints.store_key(store, "closed", KEY)
    endpoints.update_endpoint(store, "second", keyring_name="closed")
    assert not endpoints.remove_endpoint(store, "second") and read_keyring("closed") == KEY
    assert endpoints.remove_endpoint(store, "closed") and read_keyring("closed") == ""
    assert endpoints.list_endpoints(store) == []


def test_an_endpoint_that_judges_name_stays_with_its_key(
    store: Store, server: ProfiledServer, drawer: Drawer
) -> None:
    _add(store, server)
    endpoints.store_key(store, "closed", KEY)
    service.create_run(store, flasks(store, 2), spec(endpoint="closed"))
    with pytest.raises(InvalidInput, match="endpoint 'closed' can't be deleted: judges"):
        endpoints.remove_endpoint(store, "closed")
    assert read_keyring("closed") == KEY and endpoints.find_endpoint(store, "closed").keyring_name == "closed"


def test_the_key_is_asked_for_by_a_command_and_shown_by_none(
    store: Store, server: ProfiledServer, drawer: Drawer
) -> None:
    _add(store, server)
    assert "keyring (not stored yet)" in judgelab(store.url, "endpoint", "list").stdout
    process = judgelab(store.url, "endpoint", "key", "closed", stdin=f"{KEY}\n")
    assert process.returncode == 0, process.stderr
    listed = "".join(judgelab(store.url, "endpoint", "list", *flags).stdout for flags in ((), ("--json",)))
    assert "key: keyring" in listed
    assert KEY not in process.stdout + process.stderr + listed
    assert "the key is empty" in judgelab(store.url, "endpoint", "key", "closed", stdin="\n").stderr
    assert judgelab(store.url, "endpoint", "test", "closed", "--model", "tiny").returncode == 0


def test_a_key_that_was_replaced_is_taken_up_without_a_restart(
    store: Store, server: ProfiledServer, drawer: Drawer
) -> None:
    _add(store, server)
    endpoints.store_key(store, "closed", "an older key")
    run = service.create_run(store, flasks(store, 1), spec(endpoint="closed"))
    with store.reading() as session:
        judge_config = load_judge_config(session, run)

    async def take_up() -> list[str]:
        backend_pool, backend_ids = BackendPool(store), []
        for key in ("an older key", "an older key", KEY):
            write_keyring("closed", key)
            backend = backend_pool.backend(judge_config.judge, judge_config.endpoint)
            backend_ids.append(f"{id(backend)}")
            if key == KEY:
                await backend.complete([Message("user", "?")], {"model": "tiny"})
        await backend_pool.close()
        return backend_ids

    first, second, third = asyncio.run(take_up())
    assert first == second != third


@pytest.mark.parametrize("kind", [NoKeyring, Locked])
def test_a_machine_without_an_open_keyring_says_so(kind: type[KeyringBackend]) -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(kind())
    try:
        with pytest.raises(BackendError, match="can't open a keyring on this machine") as caught:
            key_of(Connection(name="closed", keyring_name="closed"))
        assert caught.value.stops_run
        with pytest.raises(InvalidInput, match="--api-key-env"):
            write_keyring("closed", KEY)
    finally:
        keyring.set_keyring(before)


def test_a_key_is_taken_out_of_bodies_in_every_form_it_may_have() -> None:
    text = f"{KEY} {KEY.replace(chr(34), chr(92) + chr(34))} sk-%22quoted%22%2Fof%20mine"
    assert redact_key(text, KEY) == "*** *** ***"
    assert redact_key("nothing", "") == "nothing"


def test_a_reply_that_repeats_the_key_is_kept_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-plain")
    with profiled("openai") as server:
        backend_at = Connection(name="x", base_url=server.url, api_key_env="A_KEY")

        async def ask() -> str:
            backend = OpenAIBackend(backend_at)
            try:
                replies = await backend.complete([Message("user", "Say refuse this")], {"model": "sk-plain"})
                return replies[0].body + replies[0].text
            finally:
                await backend.close()

        assert "sk-plain" not in asyncio.run(ask())
