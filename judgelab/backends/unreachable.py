"""Why no connection came about, in words that say what to do."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from judgelab.wording import sentence

NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})


class ConnectionObstacle(NamedTuple):
    """What blocks the connection, as a clause, and whether it may resolve by itself."""

    reason: str
    passing: bool = True


def find_obstacle(chain: Sequence[BaseException], address: str) -> ConnectionObstacle:
    """Return why nothing at `address` could be connected to.

    Args:
        chain: the error with its causes, the innermost last.
        address: the endpoint's address.
    """
    from aiohttp import ConnectionTimeoutError

    for cause in reversed(chain):  # the client's own errors name less than what they were made of
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = getattr(cause, "verify_message", "") or str(cause)
            message = sentence(
                "its certificate is not trusted ({why}); if it comes from your own certificate authority, "
                "set SSL_CERT_FILE to that authority's file",
                why=why,
            )
            return ConnectionObstacle(message, passing=False)
        if isinstance(cause, ssl.SSLError):
            message = sentence(
                "the TLS connection failed ({why}); if the server does not use TLS, write its address "
                "with http://",
                why=str(getattr(cause, "reason", "") or cause).replace("_", " ").lower(),
            )
            return ConnectionObstacle(message, passing=False)
        if isinstance(cause, socket.gaierror):
            host = urlsplit(address).hostname or address
            message = sentence("the host name '{host}' is unknown; check the address", host=host)
            return ConnectionObstacle(message)
    numbers = {cause.errno for cause in chain if isinstance(cause, OSError)}
    if errno.ECONNREFUSED in numbers:
        return ConnectionObstacle(
            sentence("no server is running at this address; start the server, or check the port")
        )
    if numbers & NO_ROUTE:
        return ConnectionObstacle(
            sentence("there is no route to the server; check the network, the proxy or the VPN")
        )
    if any(isinstance(cause, (ConnectionTimeoutError, TimeoutError)) for cause in chain):
        return ConnectionObstacle(sentence("no answer to the call; a firewall may block it"))
    last = chain[-1]
    said_by_it = last.strerror if isinstance(last, OSError) and last.strerror else str(last)
    return ConnectionObstacle(" ".join(str(said_by_it).split()) or type(last).__name__)
