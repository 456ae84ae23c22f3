"""A small proxy before several app processes: who signed in stays with one of them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import zlib
from collections.abc import Sequence

from judgelab.accounts.signin import COOKIE

PART = 65_536


class StickyProxy:
    """Passes connections on, each to the process that its sign-in belongs to.

    A connection without a sign-in goes to the processes in turn. What a process that was killed had begun
    ends with a closed connection, as behind any proxy.

    Args:
        port: where to listen, on this machine only.
        backends: ports of the processes.
    """

    def __init__(self, port: int, backends: Sequence[int]) -> None:
        self.port, self.backends = port, backends
        self._turn = 0
        self._listening, self._over = threading.Event(), asyncio.Event()
        self._connections: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Listen from now on, in a thread of its own."""
        self._thread.start()
        self._listening.wait()

    def stop(self) -> None:
        """Close everything."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(5)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self._listening.set()
        await self._over.wait()
        server.close()
        for connection in self._connections:
            connection.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            head = await reader.readuntil(b"\r\n\r\n")
            upstream, back = await asyncio.open_connection("127.0.0.1", self.backend_of(head))
            self._connections.add(back)
            back.write(head)
            await asyncio.gather(_copy(reader, back), _copy(upstream, writer))
            self._connections.discard(back)
        writer.close()
        self._connections.discard(writer)

    def backend_of(self, head: bytes) -> int:
        """Return the port of the process that a request with these headers goes to."""
        _, cookie, rest = head.partition(f"{COOKIE}=".encode())
        if cookie:
            return self.backends[zlib.crc32(rest.split(b";")[0].split(b"\r")[0]) % len(self.backends)]
        self._turn += 1
        return self.backends[self._turn % len(self.backends)]


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(PART):
            writer.write(part)
            await writer.drain()
    finally:
        writer.close()
