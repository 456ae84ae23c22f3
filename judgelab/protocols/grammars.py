"""The output grammars, for new protocols: see `docs/adding-a-protocol.md`."""

from judgelab.protocols.reading.grammars import GRAMMARS, grammar_named, output_instruction, read

__all__ = ["GRAMMARS", "grammar_named", "output_instruction", "read"]
