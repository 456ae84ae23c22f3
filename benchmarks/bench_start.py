"""From `judgelab up` to the first page, and what app and worker hold in memory then.

python -m benchmarks.bench_start [--ratings 100000] [--rounds 3]

Each page is the first of a server of its own, asked for as a browser does: over HTTP, then by its websocket.
`--pause` is what a browser takes between the two to start the app; Chromium took 1.1 s.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_raters_page import SLUG, FilterPolicy, fill, save_filter  # noqa: E402
from judgelab.accounts import signin  # noqa: E402
from judgelab.config import address_of  # noqa: E402
from judgelab.store.db.engine import Store  # noqa: E402
from judgelab.store.db.schema import shared_store  # noqa: E402

PAGES = ("rate", "project", "quality", "agree", "judge")
WAIT = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served:
    """`judgelab up` as a person starts it."""

    def __init__(self, folder: Path, url: str) -> None:
        self.port = free_port()
        self.address = address_of("127.0.0.1", self.port)
        command = [sys.executable, "-m", "judgelab", "up", "--port", str(self.port)]
        environment = {**os.environ, "JUDGELAB_DATABASE_URL": url}
        with (folder / "up.log").open("ab") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait(WAIT)

    def megabytes(self, word: str, *, own: bool = False) -> float:
        """Return what the process under this one holds whose command has the word.

        Args:
            word: of its command.
            own: without what it has read of libraries' files, which others share and the system takes back.
        """
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        held = 0.0
        for pid in children:
            if word in Path(f"/proc/{pid}/cmdline").read_text():
                resident, of_files = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
                held += (resident - of_files * own) * os.sysconf("SC_PAGE_SIZE") / 2**20
        return held


async def answers(client: aiohttp.ClientSession, address: str) -> None:
    """Wait until the server answers at all."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            async with client.get(f"{address}/_stcore/health") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            await asyncio.sleep(0.02)
    raise RuntimeError("the server did not start")


async def opened(client: aiohttp.ClientSession, address: str, page: str, *, pause: float) -> float:
    """Open a page; return the seconds that its script took, from the message that asks for it."""
    query = f"project={SLUG}"
    async with client.get(f"{address}/{page}?{query}") as answer:
        await answer.read()
    await asyncio.sleep(pause)
    async with client.ws_connect(f"{address}/_stcore/stream", protocols=("streamlit",)) as browser:
        message = BackMsg()
        message.rerun_script.page_name, message.rerun_script.query_string = page, query
        begun = time.perf_counter()
        await browser.send_bytes(message.SerializeToString())
        while True:
            said = ForwardMsg.FromString((await browser.receive(timeout=WAIT)).data)
            if said.WhichOneof("type") == "script_finished":
                return time.perf_counter() - begun


async def measure(store: Store, folder: Path, page: str, *, pause: float) -> tuple[float, ...]:
    """Return seconds until the server answers and until the page, those of its script, and megabytes."""
    cookie = signin.redeem(store, signin.new_owner_token(store))
    begun = time.perf_counter()
    served = Served(folder, store.url)
    try:
        headers = {"Origin": served.address, "Cookie": f"{signin.COOKIE}={cookie}"}
        async with aiohttp.ClientSession(headers=headers) as client:
            await answers(client, served.address)
            up = time.perf_counter() - begun
            app, worker = served.megabytes("judgelab.ui"), served.megabytes("judgelab.runs")
            script = await opened(client, served.address, page, pause=pause)
            until = time.perf_counter() - begun
            whole, own = (served.megabytes("judgelab.ui", own=only) for only in (False, True))
            return up, until, script, app, worker, whole, own
    finally:
        served.stop()


def main() -> None:
    """Print one line a page: medians over the rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ratings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds that a browser needs to start")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        store = shared_store(f"sqlite:///{folder / 'bench.db'}")
        fill(store, folder, ratings=asked.ratings, raters=200)
        save_filter(store, SLUG, "rule", FilterPolicy())
        for page in PAGES:
            rounds = [
                asyncio.run(measure(store, folder, page, pause=asked.pause)) for _ in range(asked.rounds)
            ]
            up, until, script, app, worker, after, own = map(statistics.median, zip(*rounds, strict=True))
            print(
                f"{page:<8} answers {up:4.1f} s   page {until:4.1f} s, of which its script {script:4.2f} s   "
                f"app {app:3.0f} MB, worker {worker:3.0f} MB   app with the page {after:3.0f} MB, "
                f"{own:3.0f} of its own",
                flush=True,
            )
        store.close()


if __name__ == "__main__":
    main()
