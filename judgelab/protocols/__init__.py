"""How judges are asked and how their replies are read: pure functions, one file per protocol."""

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
)

__all__ = ["SHOWN_BY", "Call", "Example", "Heard", "ItemText", "Option", "Protocol", "Refusal", "protocols"]
