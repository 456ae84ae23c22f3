"""The address on which a process tells its figures: no sign-in, so it should be private."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from judgelab.errors import InvalidInput
from judgelab.monitoring import process
from judgelab.monitoring.database import Gauges
from judgelab.monitoring.exposition import CONTENT_TYPE
from judgelab.store.db.engine import Store
from judgelab.wording import sentence

log = logging.getLogger("judgelab.monitoring")
PATH = "/metrics"
LOCAL_WORKER = 100  # how far the port of the worker for local models lies from the app's
_served: dict[str, ThreadingHTTPServer] = {}


def serve_app(address: str, store: Store) -> None:
    """Serve the app's figures and the database's from now on; nothing where `address` is empty.

    Raises:
        InvalidInput: the address is none, or is taken.
    """
    if not address:
        return
    gauges = Gauges(store)
    _serve(*_parsed(address), lambda: [*process.lines("app"), *gauges.lines()])


def serve_worker(address: str, name: str) -> None:
    """Serve a worker's figures on the port after the app's: by the number at the end of the worker's name.

    A worker judges all the same where its port is taken.
    """
    if not address:
        return
    host, port = _parsed(address)
    number = name.rpartition("-")[2]
    port += 1 + int(number) if number.isdigit() else LOCAL_WORKER
    try:
        _serve(host, port, lambda: process.lines("worker"))
    except InvalidInput as error:
        log.warning("%s", error)


def _parsed(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65_000:
        raise InvalidInput(
            sentence(
                "JUDGELAB_METRICS_ADDRESS is '{address}'; write HOST:PORT, such as 127.0.0.1:9464.",
                address=address,
            )
        )
    return host.strip("[]"), int(port)


def _serve(host: str, port: int, lines: Callable[[], Iterable[str]]) -> None:
    key = f"{host}:{port}"
    if key in _served:
        return  # the script of the app is imported once more
    try:
        server = _Server((host, port), _handler(lines))
    except OSError as error:
        raise InvalidInput(
            sentence(
                "the figures cannot be served on {address} ({what}); name another JUDGELAB_METRICS_ADDRESS.",
                address=key,
                what=error.strerror or str(error),
            )
        ) from None
    _served[key] = server
    threading.Thread(target=server.serve_forever, daemon=True, name="metrics").start()
    log.info("figures for Prometheus: http://%s%s", key, PATH)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, handler)


def _handler(lines: Callable[[], Iterable[str]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:  # noqa: N802  # the name that the library calls
            if self.path.partition("?")[0] != PATH:
                self.send_error(404)
                return
            body = ("\n".join(lines()) + "\n").encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            log.debug(format, *args)

    return Handler
