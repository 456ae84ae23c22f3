"""The whole server in this process: app.py with its routes and middleware, as `streamlit run` serves it."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime

from judgelab.accounts import members, signin
from judgelab.config import settings
from judgelab.domain import Role
from judgelab.package_files import package_path
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.store.models import now
from judgelab.store.people import sessions
from judgelab.store.projects.projects import find_project
from judgelab.ui.cache import page_run
from tests.annotation.conftest import make_project
from tests.databases import new_sqlite

HERE = "http://testserver"


class Site:
    """The server, its database with the project of Soup flasks, and ways to be somebody there."""

    def __init__(self, client: TestClient, store: Store, project: int) -> None:
        self.client, self.store, self.project = client, store, project

    def owner(self) -> str:
        """Return the cookie of a fresh sign-in of the owner."""
        cookie = signin.redeem(self.store, signin.new_owner_token(self.store))
        assert cookie is not None
        return cookie

    def member(self, name: str, role: Role, slug: str = "soup-flasks") -> str:
        """Return the cookie of somebody with a role in a project."""
        with self.store.reading() as session:
            project = find_project(session, slug).id
        person = members.add(self.store, None, project, name, role=role).id
        with self.store.writing() as session:
            return sessions.start_session(session, person, until=now() + timedelta(hours=1))

    def drawn(self, page: str, query: str, cookie: str = "") -> list[str]:
        """Return what a browser is sent that opens this page first, as text."""
        with self.tab(cookie) as tab:
            return [str(message) for message in tab.open(page, query)]

    @contextmanager
    def tab(self, cookie: str) -> Iterator[Tab]:
        """Open a tab with this cookie."""
        headers = {"Origin": HERE, "Cookie": f"{signin.COOKIE}={cookie}"}
        with self.client.websocket_connect("/_stcore/stream", ["streamlit"], headers=headers) as socket:
            yield Tab(socket)


class Tab:
    """A page as a browser holds it, which sends whatever it likes."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self._socket = socket
        self._asked = BackMsg()

    def open(self, page: str, query: str) -> list[ForwardMsg]:
        """Run the page; return what is sent."""
        self._asked.rerun_script.page_name, self._asked.rerun_script.query_string = page, query
        return self._run(self._asked)

    def open_whole(self, page: str, query: str) -> list[ForwardMsg]:
        """Run the page until what is computed beside it is there too; return what is sent last."""
        messages = self.open(page, query)
        while any(message.auto_rerun.interval == page_run.LOOK_SECONDS for message in messages):
            messages = self.open(page, query)
        return messages

    def press(self, button: str, fragment: str = "") -> list[ForwardMsg]:
        """Press a button by its id, within the fragment that it stands in."""
        request = BackMsg.FromString(self._asked.SerializeToString())
        request.rerun_script.fragment_id = fragment
        widget_state = request.rerun_script.widget_states.widgets.add()
        widget_state.id, widget_state.trigger_value = button, True
        return self._run(request)

    def look(self, fragment: str) -> list[ForwardMsg]:
        """Run a fragment again, as a browser does where it is to look from time to time."""
        request = BackMsg.FromString(self._asked.SerializeToString())
        request.rerun_script.fragment_id, request.rerun_script.is_auto_rerun = fragment, True
        return self._run(request)

    def _run(self, request: BackMsg) -> list[ForwardMsg]:
        self._socket.send_bytes(request.SerializeToString())
        messages: list[ForwardMsg] = []
        while True:
            messages.append(ForwardMsg.FromString(self._socket.receive_bytes()))
            is_finished = messages[-1].WhichOneof("type") == "script_finished"
            # What ends early goes on by itself, on another page for example, and would meet the next message.
            if is_finished and messages[-1].script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return messages


@contextmanager
def served() -> Iterator[TestClient]:
    """Serve the app in this process, as `streamlit run` does."""
    app = runpy.run_path(str(package_path("app.py")), run_name="app")["app"]
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A running server."""
    patch = pytest.MonkeyPatch()
    path: Path = tmp_path_factory.mktemp("site") / "judgelab.db"
    patch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(path))
    settings.cache_clear()
    store = shared_store(settings().database_url)
    project = make_project(store)
    with served() as client:
        yield Site(client, store, project)
    Runtime._instance = None
    patch.undo()
    shared_store.cache_clear()
    settings.cache_clear()
