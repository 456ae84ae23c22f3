"""Local mode and account mode: who may use the app at the address it listens on (`design/accounts.md`)."""

from __future__ import annotations

from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Store
from judgelab.store.people import people

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def is_local(address: str | None) -> bool:
    """Return whether an app that listens on `address` can be reached from this machine only."""
    return address in LOOPBACK


def check_address(store: Store, address: str | None) -> None:
    """Refuse to serve other machines while no owner can sign in; a public demo needs no owner.

    Raises:
        InvalidInput: the address is not this machine's own and no owner has a password.
    """
    if is_local(address) or settings().public_demo:
        return
    with store.reading() as session:
        if people.with_password(session, role="owner"):
            return
    raise InvalidInput(
        f"other machines can reach JudgeLab on {address or 'every address'}, but no owner can sign in yet: "
        "run `judgelab user add NAME --role owner` first, or listen on 127.0.0.1."
    )
