"""The sections of a prompt, for a protocol of your own: see `docs/adding-a-protocol.md`."""

from judgelab.protocols.core.prompts import clean, joined, prompt_hash, section, template

__all__ = ["clean", "joined", "prompt_hash", "section", "template"]
