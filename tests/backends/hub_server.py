"""A hub of our own: real HTTP in the form that huggingface_hub asks, with one folder to download."""

from __future__ import annotations

import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Serves the folder as `tests/tiny`; `tests/closed` is gated, all else is not found."""

    def __init__(self, folder: Path) -> None:
        self.files = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.served: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Hub:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(body=True)

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def _answer(self, *, body: bool) -> None:
            path = self.path.partition("?")[0]
            if "/closed" in path:
                self._send(403, b"{}", {"X-Error-Code": "GatedRepo"}, body=body)
            elif path.startswith("/api/models/tests/tiny/tree/"):
                entries = [
                    {"type": "file", "path": name, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                    for name, data in hub.files.items()
                ]
                self._send(200, json.dumps(entries).encode(), {}, body=body)
            elif path.startswith("/api/models/tests/tiny"):
                siblings = [{"rfilename": name, "size": len(data)} for name, data in hub.files.items()]
                model_info = {"id": "tests/tiny", "sha": COMMIT, "siblings": siblings}
                self._send(200, json.dumps(model_info).encode(), {}, body=body)
            elif path.startswith(f"/tests/tiny/resolve/{COMMIT}/"):
                name = path.rsplit("/", 1)[1]
                if body:
                    hub.served.append(name)
                data = hub.files[name]
                heads = {"ETag": f'"{hashlib.sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT}
                self._send(200, data, heads, body=body)
            else:
                self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"}, body=body)

        def _send(self, status: int, data: bytes, heads: dict[str, str], *, body: bool) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **heads}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if body:
                self.wfile.write(data)

    return Handler
