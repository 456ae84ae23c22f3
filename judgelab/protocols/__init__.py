"""How judges are asked and how their replies are read; pure functions, one file a protocol."""

from judgelab.protocols.base import Example, Option, Protocol, Refusal, protocols

__all__ = ["Example", "Option", "Protocol", "Refusal", "protocols"]
