"""Each way of not reaching a server is told apart, in words that say what to do."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
import threading
from collections.abc import Iterator

import pytest

from judgelab.backends.base import Connection
from judgelab.backends.openai_api import OpenAIBackend
from judgelab.backends.unreachable import find_obstacle
from judgelab.domain import Message
from judgelab.errors import BackendError
from tests.runs.openai_profiles import profiled


def _failure(address: str) -> BackendError:
    async def ask() -> None:
        backend = OpenAIBackend(Connection(name="x", base_url=address, timeout=5))
        try:
            await backend.complete([Message("user", "?")], {"model": "tiny"})
        finally:
            await backend.close()

    with pytest.raises(BackendError) as caught:
        asyncio.run(ask())
    return caught.value


@pytest.fixture
def plain_port() -> Iterator[int]:
    """A port that answers in plain text whatever comes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join(5)


def test_a_port_where_nobody_listens_may_open_later() -> None:
    error = _failure("http://127.0.0.1:9/v1")
    assert "no server is running at this address" in str(error)
    assert (error.cause, error.retryable) == ("unreachable", True)


def test_a_name_that_nobody_knows_is_named() -> None:
    error = _failure("http://no-such-host.invalid/v1")
    assert "the host name 'no-such-host.invalid' is unknown" in str(error)


def test_an_address_with_https_for_a_server_without_it_stops_the_run(plain_port: int) -> None:
    error = _failure(f"https://127.0.0.1:{plain_port}/v1")
    assert "the TLS connection failed" in str(error) and "http://" in str(error)
    assert (error.cause, error.stops_run) == ("tls", True)


def test_certificates_routes_and_silence_have_their_words() -> None:
    untrusted = ssl.SSLCertVerificationError("bad")
    untrusted.verify_message = "self-signed certificate"
    obstacle = find_obstacle([untrusted], "https://x/v1")
    assert "self-signed certificate" in obstacle.reason and "SSL_CERT_FILE" in obstacle.reason
    assert not obstacle.passing
    assert "no route" in find_obstacle([OSError(errno.EHOSTUNREACH, "x")], "http://x").reason
    assert "firewall" in find_obstacle([TimeoutError()], "http://x").reason
    assert find_obstacle([OSError(errno.EPIPE, "Broken pipe")], "http://x").reason == "Broken pipe"


def test_an_address_without_v1_is_told_from_a_model_that_is_not_there() -> None:
    with profiled("openai") as server:
        bare = server.url.removesuffix("/v1")
        assert f"try {bare}/v1" in str(_failure(bare))
        server.habits.status = (404, "model_not_found")
        error = _failure(server.url)
    assert str(error).endswith("(check the model's name)")
    assert error.stops_run
