"""How judges are asked and how their replies are read; pure functions, one file a protocol."""

from judgelab.protocols.base import Call, Example, Heard, Option, Protocol, Refusal, protocols

__all__ = ["Call", "Example", "Heard", "Option", "Protocol", "Refusal", "protocols"]
