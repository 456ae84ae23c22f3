"""The whole server in this process: app.py with its routes and middleware, as `streamlit run` serves it."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

from judgelab.accounts import members, signin
from judgelab.config import settings
from judgelab.domain import Role
from judgelab.shipped import shipped
from judgelab.store import signins
from judgelab.store.engine import Store
from judgelab.store.models import now
from judgelab.store.schema import shared_store
from tests.annotation.conftest import make_project
from tests.databases import new_sqlite

HERE = "http://testserver"


class Site:
    """The server, its database with one project, and ways to be somebody there."""

    def __init__(self, client: TestClient, store: Store, project: int) -> None:
        self.client, self.store, self.project = client, store, project

    def owner(self) -> str:
        """Return the cookie of a fresh sign-in of the owner."""
        cookie = signin.redeem(self.store, signin.new_owner_token(self.store))
        assert cookie is not None
        return cookie

    def member(self, name: str, role: Role) -> str:
        """Return the cookie of somebody with a role in the project."""
        person = members.add(self.store, None, self.project, name, role=role).id
        with self.store.writing() as session:
            return signins.start(session, person, until=now() + timedelta(hours=1))

    def drawn(self, page: str, query: str, cookie: str = "") -> list[str]:
        """Return what a browser is sent that opens this page first, as text."""
        asked = BackMsg()
        asked.rerun_script.page_name, asked.rerun_script.query_string = page, query
        headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={cookie}"}
        with self.client.websocket_connect("/_stcore/stream", ["streamlit"], headers=headers) as socket:
            socket.send_bytes(asked.SerializeToString())
            said = []
            while True:
                message = ForwardMsg.FromString(socket.receive_bytes())
                if message.WhichOneof("type") == "script_finished":
                    return said
                said.append(str(message))


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running server."""
    patch = pytest.MonkeyPatch()
    path: Path = tmp_path_factory.mktemp("site") / "judgelab.db"
    patch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(path))
    settings.cache_clear()
    store = shared_store(settings().database_url)
    project = make_project(store)
    app = runpy.run_path(str(shipped("app.py")), run_name="app")["app"]
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Site(client, store, project)
    Runtime._instance = None
    patch.undo()
    shared_store.cache_clear()
    settings.cache_clear()
