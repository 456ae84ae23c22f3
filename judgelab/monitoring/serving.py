"""The address on which a process tells its figures: no sign-in, so it should be private."""

from __future__ import annotations

import logging

from prometheus_client import CollectorRegistry, start_http_server

from judgelab.errors import InvalidInput
from judgelab.monitoring.database import DatabaseFigures
from judgelab.monitoring.process import process_registry
from judgelab.store.db.engine import Store
from judgelab.wording import sentence

log = logging.getLogger("judgelab.monitoring")
PATH = "/metrics"  # any other path gives the same
LOCAL_WORKER = 100  # how far the port of the worker for local models lies from the app's
_served: set[str] = set()


def serve_app(address: str, store: Store) -> None:
    """Serve the app's figures and the database's from now on; nothing where `address` is empty.

    Raises:
        InvalidInput: the address is none, or is taken.
    """
    if not address:
        return
    registry = process_registry("app")
    registry.register(DatabaseFigures(store))
    _serve(*_parsed(address), registry)


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
        _serve(host, port, process_registry("worker"))
    except InvalidInput as error:
        log.warning("%s", error)


def _parsed(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 65_000:
        raise InvalidInput(
            sentence(
                "JUDGELAB_METRICS_ADDRESS '{address}' is not valid; write HOST:PORT, such as 127.0.0.1:9464.",
                address=address,
            )
        )
    return host.strip("[]"), int(port)


def _serve(host: str, port: int, registry: CollectorRegistry) -> None:
    key = f"{host}:{port}"
    if key in _served:
        return  # the script of the app is imported once more
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise InvalidInput(
            sentence(
                "can't serve metrics on {address} ({what}); choose another JUDGELAB_METRICS_ADDRESS.",
                address=key,
                what=error.strerror or str(error),
            )
        ) from None
    _served.add(key)
    log.info("metrics for Prometheus: http://%s%s", key, PATH)
