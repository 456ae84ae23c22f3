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
                "its certificate is not trusted here ({why}); for an authority of your own, name its file in "
                "SSL_CERT_FILE",
                why=why,
            )
            return ConnectionObstacle(message, passing=False)
        if isinstance(cause, ssl.SSLError):
            message = sentence(
                "no TLS connection can be made ({why}); a server without TLS has an address with http://",
                why=str(getattr(cause, "reason", "") or cause).replace("_", " ").lower(),
            )
            return ConnectionObstacle(message, passing=False)
        if isinstance(cause, socket.gaierror):
            host = urlsplit(address).hostname or address
            message = sentence(
                "no machine named '{host}' is known to this network; check the address", host=host
            )
            return ConnectionObstacle(message)
    numbers = {cause.errno for cause in chain if isinstance(cause, OSError)}
    if errno.ECONNREFUSED in numbers:
        return ConnectionObstacle(sentence("nothing listens there; start the server, or check the port"))
    if numbers & NO_ROUTE:
        return ConnectionObstacle(
            sentence("there is no route to it; check the network, the proxy or the VPN")
        )
    if any(isinstance(cause, (ConnectionTimeoutError, TimeoutError)) for cause in chain):
        return ConnectionObstacle(
            sentence("nothing answered when it was called; a firewall may stand between")
        )
    last = chain[-1]
    said_by_it = last.strerror if isinstance(last, OSError) and last.strerror else str(last)
    return ConnectionObstacle(" ".join(str(said_by_it).split()) or type(last).__name__)
