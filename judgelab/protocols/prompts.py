"""Functions that build prompts, for new protocols: see `docs/adding-a-protocol.md`."""

from judgelab.protocols.core.prompts import clean, joined, prompt_hash, section, template

__all__ = ["clean", "joined", "prompt_hash", "section", "template"]
