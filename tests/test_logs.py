"""What stands in the log: lines or JSON, the ids of request and error, and no secret."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from judgelab import logs
from judgelab.config import Settings

PASSWORD = "correct horse"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What a process would write to standard error; the log of the tests is put back."""
    root, ours, output = logging.getLogger(), logging.getLogger("judgelab"), io.StringIO()
    handlers, levels = root.handlers[:], (root.level, ours.level)
    handler = logging.StreamHandler(output)
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    yield output
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


@pytest.mark.parametrize(
    "message",
    [
        "postgresql://jl:correct%20horse@db/x does not answer",
        "connected as correct horse",
        "POST /invite/0123456789abcdef0123 took 3 ms",
        "GET /results/0123456789abcdef0123",
        "headers: {'Authorization': 'Bearer 0123456789abcdef0123'}",
        '{"api_key": "0123456789abcdef0123", "model": "m"}',
        "Cookie: jl_session=0123456789abcdef0123; theme=dark",
        "password=0123456789abcdef0123&name=Ann",
        "Incorrect API key provided: sk-proj-0123456789abcdef0123",
        "the value of our variable is zzz-our-own-value",
    ],
)
@pytest.mark.parametrize("kind", ["plain", "json"])
def test_no_secret_reaches_the_log(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, message: str, kind: str
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "zzz-our-own-value")
    url = "postgresql://jl:correct%20horse@db/x"
    logs.set_up(Settings(database_url=url, log_format=kind))  # type: ignore[arg-type]
    try:
        raise ValueError(message)
    except ValueError:
        logging.getLogger("judgelab.app").exception("it failed: %s", message)
    log_text = stream.getvalue()
    assert "it failed" in log_text and "Traceback" in log_text
    for secret in ("0123456789abcdef0123", "correct%20horse", "correct horse", "zzz-our-own-value"):
        assert secret not in log_text


def test_a_line_of_json_says_when_what_and_for_which_request_and_error(stream: io.StringIO) -> None:
    logs.set_up(Settings(log_format="json"))
    with logs.in_request("r-12345678"):
        logging.getLogger("judgelab.app").error("first\nsecond", extra={"error_id": "ab12cd34"})
    logging.getLogger("judgelab.runs").info("a worker is ready")
    logging.getLogger("another.package").info("of no interest")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["message"], first["request"], first["error"]) == ("first\nsecond", "r-12345678", "ab12cd34")
    assert first["level"] == "ERROR" and first["time"].endswith("+00:00")
    assert "request" not in second and second["logger"] == "judgelab.runs"


def test_a_plain_line_names_the_request(stream: io.StringIO) -> None:
    logs.set_up(Settings())
    with logs.in_request("r-12345678"):
        logging.getLogger("judgelab.app").warning("slow")
    assert stream.getvalue().endswith("WARNING judgelab.app: slow [request r-12345678]\n")


def test_what_other_packages_write_becomes_json_too(stream: io.StringIO) -> None:
    foreign_logger = logging.getLogger("streamlit.of.this.test")
    foreign_logger.addHandler(logging.StreamHandler(stream))
    foreign_logger.propagate = False
    logs.set_up(Settings(log_format="json"))
    foreign_logger.warning("theirs")
    assert json.loads(stream.getvalue())["logger"] == "streamlit.of.this.test"


def test_a_warning_that_lasts_is_written_once_a_minute(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.set_up(Settings())
    log = logging.getLogger("judgelab.runs")
    for _ in range(5):
        log.warning("the database %s does not answer", "x")
    log.warning("the database %s does not answer", "y")
    logging.getLogger("other").warning("again")
    logging.getLogger("other").warning("again")
    lines = [line.partition(": ")[2] for line in stream.getvalue().splitlines()]
    assert lines == ["the database x does not answer", "the database y does not answer", "again", "again"]
    monkeypatch.setattr(logs, "QUIET_SECONDS", 0.0)
    log.warning("the database %s does not answer", "x")
    assert stream.getvalue().splitlines()[-1].endswith("the database x does not answer (as 4 times since)")


def test_an_unknown_level_is_info(stream: io.StringIO) -> None:
    logs.set_up(Settings(log_level="LOUD"))
    assert logging.getLogger("judgelab").level == logging.INFO


@pytest.mark.parametrize("proxy_id", [None, "", "short", "with spaces inside", "x" * 65, "line\nbreak-in-it"])
def test_a_request_gets_an_id_of_its_own_where_the_proxys_is_none(proxy_id: str | None) -> None:
    assert logs.request_id(proxy_id) != proxy_id and len(logs.request_id(proxy_id)) == 32
    assert logs.request_id("a-proxys-own-id") == "a-proxys-own-id"
