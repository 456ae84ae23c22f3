"""The recipes of docs/deploy.md tried on this machine: two apps behind nginx or Caddy, with TLS.

    python deploy/try_proxy.py nginx|caddy [SECONDS]

The configuration is the one beside this file with other ports and a certificate of its own. Raters sign in
and rate through the proxy; in the middle the app that serves them is killed with -9. Exit 1 if anything is
not as the document says.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from judgelab.accounts import global_roles, members  # noqa: E402
from judgelab.runs.worker.child_processes import child_environment  # noqa: E402
from judgelab.runs.worker.supervisor import app_command  # noqa: E402
from judgelab.selftest.simulated_raters import RaterLog, RatingTarget, keep_rating  # noqa: E402
from judgelab.selftest.stored_check import check_stored  # noqa: E402
from judgelab.store.db.engine import Store  # noqa: E402
from judgelab.store.db.schema import open_store  # noqa: E402
from tests.annotation.conftest import make_project  # noqa: E402

# So many raters that a proxy which shares them out by chance gives some to each app.
NAME, HOST, RATERS = "judgelab.example.org", "127.0.0.2", 16
# How long to wait, beyond the time asked for, until a busy machine has done what is looked at.
PATIENCE = 40.0


class _Here(AbstractResolver):
    """Finds every name on this machine."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(hostname=host, host="127.0.0.1", port=port, family=socket.AF_INET, proto=0, flags=0)
        ]

    async def close(self) -> None:
        pass


def main() -> None:
    """Try one proxy and print what was found."""
    proxy, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    if shutil.which(proxy) is None:
        raise SystemExit(f"{proxy} is not installed here.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_store(f"sqlite:///{folder / 'j.db'}")
        global_roles.add(store, "Ann", "owner", "a long pass phrase")
        plain, secure, first, second, gauge, other = _ports(6)
        certificate = _certificate(folder)
        environment = {
            **child_environment(store, f"sqlite:///{folder / 'e.db'}"),
            "JUDGELAB_PUBLIC_URL": f"https://{NAME}:{secure}",
        }
        apps = [_app(environment, port, told) for port, told in ((first, gauge), (second, other))]
        front = None
        try:
            # The proxy starts last: it would leave alone for seconds an app that didn't answer it once.
            asyncio.run(_until_up(*(f"http://{HOST}:{port}" for port in (first, second))))
            front = _front(proxy, folder, plain, secure, (first, second))
            checks = asyncio.run(
                _try(store, (plain, secure), {first: gauge, second: other}, certificate, apps, seconds)
            )
        finally:
            started = [process for process in (front, *apps) if process]
            for process in started:
                process.terminate()
            for process in started:
                process.wait(20)
            store.close()
    for said, fine in checks.items():
        print(f"{'ok' if fine else 'WRONG':<6} {said}")
    raise SystemExit(not all(checks.values()))


async def _try(
    store: Store,
    ports: tuple[int, int],
    told: dict[int, int],
    certificate: Path,
    apps: list[subprocess.Popen[bytes]],
    seconds: float,
) -> dict[str, bool]:
    plain, secure = ports
    address = f"https://{NAME}:{secure}"
    trust = ssl.create_default_context(cafile=str(certificate))
    checks: dict[str, bool] = {}

    def client() -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(resolver=_Here(), ssl=trust)
        return aiohttp.ClientSession(connector=connector, headers={"Origin": address})

    async with client() as one:
        await _answers(one, address)
        async with one.get(f"http://{NAME}:{plain}/x", allow_redirects=False) as answer:
            checks["http leads to https"] = answer.status in (301, 308) and answer.headers[
                "Location"
            ].startswith("https://")
        async with one.get(f"{address}/sign-in", headers={"X-Request-Id": "guessed-by-us"}) as answer:
            checks["an answer carries the id of its request"] = bool(answer.headers.get("X-Request-Id"))
            checks["browsers are told to stay with https"] = "Strict-Transport-Security" in answer.headers
        async with one.get(f"{address}/readyz") as answer:
            checks["readiness is not told to the outside"] = answer.status == 404
        checks["a page of another site opens no connection"] = not await _stream(
            one, address, "https://x.org"
        )
        checks["our own page does"] = await _stream(one, address, address)

    project = make_project(store, answers=4000, raters_per_response=RATERS)
    people = [members.add(store, None, project, f"Rater {n}") for n in range(RATERS)]
    links = [members.new_link(store, None, project, person.id).path for person in people]
    place = RatingTarget(address, "soup-flasks", {"relevance": (0, 1, 2, 3), "fluency": (1, 2, 3, 4, 5)})
    diaries = [RaterLog(person.id) for person in people]
    cookies: list[Any] = []
    over = asyncio.Event()

    async def rate(link: str, diary: RaterLog) -> None:
        async with client() as own:
            async with own.post(address + link, allow_redirects=False) as answer:
                cookies.extend(answer.headers.getall("Set-Cookie", []))
            while not over.is_set():
                await keep_rating(own, time.monotonic() + 1, place, diary, seed=1, pause=0.1)

    async def both_serve() -> bool:
        served = await _served(told)
        return sum(served.values()) > 2 * RATERS and min(served.values()) > 0

    async def kill() -> None:
        await asyncio.sleep(seconds / 2)
        checks["each of several raters stays with one of the apps"] = await _comes_true(both_serve)
        apps[0].kill()
        before = [len(diary.sent) for diary in diaries]

        async def all_go_on() -> bool:
            sent_since = [diary.sent[sent:] for sent, diary in zip(before, diaries, strict=True)]
            return all(since and since[0].acknowledged for since in sent_since)

        await asyncio.sleep(seconds / 2)
        checks["all raters go on at the other app"] = await _comes_true(all_go_on)
        over.set()

    await asyncio.gather(kill(), *(rate(link, diary) for link, diary in zip(links, diaries, strict=True)))
    checks["sign-ins are for https alone and out of reach of scripts"] = all(
        "Secure" in one and "HttpOnly" in one for one in cookies if "judgelab_session" in one
    )
    found = check_stored(store, project, diaries, k=RATERS)
    said = f"{found.acknowledged} ratings, {found.lost} lost, {found.doubled} doubled"
    checks[f"one app killed with -9 in the middle: {said}"] = found.clean and found.acknowledged > RATERS
    return checks


async def _stream(client: aiohttp.ClientSession, address: str, origin: str) -> bool:
    try:
        async with client.ws_connect(f"{address}/_stcore/stream", headers={"Origin": origin}):
            return True
    except aiohttp.ClientError:
        return False


async def _served(told: dict[int, int]) -> Counter[int]:
    found: Counter[int] = Counter()
    async with aiohttp.ClientSession() as client:
        for port, gauge in told.items():
            async with client.get(f"http://127.0.0.1:{gauge}/metrics") as answer:
                text = await answer.text()
            rated = re.search(
                r'judgelab_requests_total\{method="POST",route="/rate/work",status="200"\} (\d+)', text
            )
            found[port] = int(rated[1]) if rated else 0
    return found


async def _until_up(*addresses: str) -> None:
    """Wait until each of the apps takes requests."""
    async with aiohttp.ClientSession() as client:
        for address in addresses:
            await _answers(client, address)


async def _answers(client: aiohttp.ClientSession, address: str) -> None:
    """Wait until the app at an address answers."""

    async def healthy() -> bool:
        try:
            async with client.get(f"{address}/healthz") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False

    if not await _comes_true(healthy):
        raise SystemExit(f"nothing answers at {address}.")


async def _comes_true(is_so: Callable[[], Awaitable[bool]]) -> bool:
    """Return whether something is so before patience ends."""
    end = time.monotonic() + PATIENCE
    while not (found := await is_so()) and time.monotonic() < end:
        await asyncio.sleep(0.2)
    return found


def _app(environment: dict[str, str], port: int, gauge: int) -> subprocess.Popen[bytes]:
    own = {**environment, "JUDGELAB_METRICS_ADDRESS": f"127.0.0.1:{gauge}", "JUDGELAB_LOG_LEVEL": "ERROR"}
    return subprocess.Popen(app_command(HOST, port), env=own, cwd=HERE.parent)


def _front(
    proxy: str, folder: Path, plain: int, secure: int, apps: tuple[int, int]
) -> subprocess.Popen[bytes]:
    quiet = subprocess.DEVNULL
    if proxy == "nginx":
        text = (HERE / "nginx.conf").read_text()
        text = text.replace(f"server {HOST}:8501;", "".join(f"server {HOST}:{port};" for port in apps), 1)
        text = text.replace("listen 80;", f"listen 127.0.0.1:{plain};")
        text = text.replace("listen 443", f"listen 127.0.0.1:{secure}").replace(
            "/etc/ssl/judgelab", str(folder)
        )
        text = text.replace("/var/log/nginx", str(folder))
        head = f"pid {folder}/nginx.pid; error_log stderr crit; events {{}}\nhttp {{\n"
        (folder / "nginx.conf").write_text(f"{head}{text}}}\n")
        command = ["nginx", "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
        return subprocess.Popen(command, cwd=folder)
    text = (HERE / "Caddyfile").read_text().replace(f"{HOST}:8501", " ".join(f"{HOST}:{p}" for p in apps))
    text = text.replace(
        f"{NAME} {{", f"{NAME}:{secure} {{\n\ttls {folder}/fullchain.pem {folder}/privkey.pem", 1
    )
    (folder / "Caddyfile").write_text(
        f"{{\n\tadmin off\n\thttp_port {plain}\n\thttps_port {secure}\n}}\n{text}"
    )
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    return subprocess.Popen(command, env={**os.environ, "HOME": str(folder)}, stdout=quiet, stderr=quiet)


def _certificate(folder: Path) -> Path:
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={NAME}"
    names = ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", "privkey.pem", "-out", "fullchain.pem"]
    subprocess.run([*command.split(), *names], cwd=folder, check=True, capture_output=True)
    return folder / "fullchain.pem"


def _ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    found = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return found


if __name__ == "__main__":
    main()
