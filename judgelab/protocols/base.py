"""The names that a new protocol imports: see `docs/adding-a-protocol.md`."""

from judgelab.protocols.core.base import (
    SHOWN_BY,
    Call,
    Example,
    Heard,
    ItemText,
    Option,
    Protocol,
    Refusal,
    protocols,
    register,
)

__all__ = [
    "SHOWN_BY",
    "Call",
    "Example",
    "Heard",
    "ItemText",
    "Option",
    "Protocol",
    "Refusal",
    "protocols",
    "register",
]
