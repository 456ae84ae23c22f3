"""Raters at work on a real server: waiting times, memory, two processes, a peer under the same load.

    python benchmarks/bench_raters.py [--raters 20] [--items 10000] [--seconds 20] [--only NAME ...]
        [--url postgresql://...] [--potato PATH] [--potato-order random|fixed_order]

Each line is a server of its own with an empty database. `route` sends ratings to our route as the browser
does; `judged` has a judge's run beside the raters. `connected` are 100 open pages whose raters send a
rating every 20 s. With a database at `--url` (PostgreSQL, empty) `two` runs two app processes behind a
sticky proxy and kills them in the middle; it needs that database for itself. `peer` is the load of `route`
on potato, another annotation tool, where its command is installed (see `peer_potato.py`).

Processor time is the app's own and hardly moves with what else the machine does; waiting times do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import peer_potato  # noqa: E402
from judgelab.selftest.run import SelftestPlan, SelftestReport, run_selftest  # noqa: E402
from judgelab.selftest.simulated_raters import RaterLog, RatingTarget, keep_rating, rate_until, sign_in  # noqa: E402

ANSWER_SECONDS = 60.0
OPENING_SECONDS = 60.0  # about, for a hundred pages
ONE_PAGE_AT_A_TIME = asyncio.Semaphore(1)


class Screen:
    """The rating page as a browser holds it: its websocket, and what the rating component was told last."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, project: str) -> None:
        self._socket, self._query = socket, urlencode({"project": project})
        self.data: Mapping[str, Any] = {}

    async def open(self) -> None:
        """Run the page."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = "rate"
        await self._run(message)

    async def _run(self, message: BackMsg) -> None:
        await self._socket.send_bytes(message.SerializeToString())
        while True:
            received = await self._socket.receive(timeout=ANSWER_SECONDS)
            if received.type != aiohttp.WSMsgType.BINARY:
                raise RuntimeError("the server closed the page.")
            said = ForwardMsg.FromString(received.data)
            kind = said.WhichOneof("type")
            if kind == "delta":
                self._take(said)
            elif kind == "script_finished" and self.data:
                return

    def _take(self, said: ForwardMsg) -> None:
        component = said.delta.new_element.bidi_component
        if component.component_name.endswith("judgelab_rater"):
            self.data = json.loads(component.json or component.mixed.json)


async def with_open_page(
    end: float, place: RatingTarget, link: str, diary: RaterLog, *, seed: int, pause: float
) -> None:
    """Rate by the route beside a page that is open; pages are opened one after the other."""
    jar, headers = aiohttp.CookieJar(unsafe=True), {"Origin": place.address}
    async with aiohttp.ClientSession(headers=headers, cookie_jar=jar) as client:
        await sign_in(client, place, link)
        async with client.ws_connect(f"{place.address}/_stcore/stream", protocols=("streamlit",)) as socket:
            async with ONE_PAGE_AT_A_TIME:
                await Screen(socket, place.project).open()
            await asyncio.sleep(random.Random(seed).uniform(0, pause))
            await keep_rating(client, end, place, diary, seed=seed, pause=pause)


def line(name: str, report: SelftestReport) -> str:
    found = report.findings
    wrong = f"lost {found.lost} altered {found.altered} doubled {found.doubled} over k {found.over_k}"
    times = f"p50 {1000 * (report.p50 or 0):5.0f} ms   p95 {1000 * (report.p95 or 0):5.0f} ms"
    used = f"{report.processor_ms:5.1f} ms" if report.processor_ms else "      –"
    held = f"{report.memory:4.0f} MB" if report.memory else "–"
    return (
        f"{name:<10} {found.acknowledged:6,} ratings  {report.a_second:5.1f}/s  {times}   "
        f"processor {used} a rating   memory {held}   {wrong}"
    )


def peer(plan: SelftestPlan, command: str, strategy: str) -> Iterator[str]:
    found = shutil.which(command)
    if found is None:
        yield f"peer       skipped: there is no command {command!r} (pip install potato-annotation; --potato)"
        return
    for name, server in peer_potato.servers(found).items():
        report = peer_potato.measure(server, plan, strategy=strategy)
        said = f"   ({peer_potato.version(found)}, {name}, {strategy})"
        if report.refusals:
            said += f"   asked again {report.findings.repeated} times ({', '.join(report.refusals)})"
        yield line("peer", report) + said


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", nargs="*", default=["route", "judged", "connected", "two", "peer"])
    parser.add_argument("--url")
    parser.add_argument("--potato", default="potato", help="the command of potato-annotation")
    parser.add_argument("--potato-order", default="random", choices=["random", "fixed_order"])
    asked = parser.parse_args()
    busy, alone = SelftestPlan(asked.raters, asked.items, asked.seconds), {"judge": False}
    plans: dict[str, tuple[SelftestPlan, Any, str | None]] = {
        "route": (SelftestPlan(asked.raters, asked.items, asked.seconds, **alone), rate_until, None),
        "judged": (busy, rate_until, None),
        "connected": (
            SelftestPlan(100, asked.items, OPENING_SECONDS + max(asked.seconds, 60.0), pause=20.0, **alone),
            with_open_page,
            None,
        ),
        "two": (
            SelftestPlan(asked.raters, asked.items, asked.seconds, kill=True, processes=2, **alone),
            rate_until,
            asked.url,
        ),
    }
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in asked.only:
        if name == "peer":
            for said in peer(plans["route"][0], asked.potato, asked.potato_order):
                print(said, flush=True)
            continue
        plan, way, url = plans[name]
        if name == "two" and url is None:
            print("two        skipped: it needs an empty PostgreSQL database (--url)")
            continue
        print(line(name, run_selftest(plan, url=url, way=way)), flush=True)


if __name__ == "__main__":
    main()
