"""What a model's server understands, learnt from its refusals instead of from lists of model names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REQUIRED = frozenset({"model", "messages"})
# Servers written before 2024 know only `max_tokens`; newer ones deprecate or refuse it.
RENAMES = {"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"}
REFUSAL_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})


class Abilities:
    """Parameters one model's server refused, and the names it wants instead.

    Args:
        learnt: what an earlier process learnt: `{"dropped": [...], "renamed": {...}, "single": bool}`.
    """

    def __init__(self, learnt: Mapping[str, Any] | None = None) -> None:
        learnt = learnt or {}
        self.dropped = set(learnt.get("dropped", ()))
        self.renamed = dict(learnt.get("renamed", {}))
        self.single = bool(learnt.get("single", False))

    def to_json(self) -> dict[str, Any]:
        """Return what was learnt; empty when nothing was."""
        data: dict[str, Any] = {}
        if self.dropped:
            data["dropped"] = sorted(self.dropped)
        if self.renamed:
            data["renamed"] = dict(self.renamed)
        if self.single:
            data["single"] = True
        return data

    def wire(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as this server takes them; None values are left out."""
        sent: dict[str, Any] = {}
        for name, value in parameters.items():
            name = "max_completion_tokens" if name == "max_tokens" else name
            name = self.renamed.get(name, name)
            if value is not None and name not in self.dropped:
                sent[name] = value
        if self.single or sent.get("n") == 1:
            sent.pop("n", None)
        return sent

    def learn(self, sent: Mapping[str, Any], *, code: str | None, param: str | None, message: str) -> bool:
        """Note what a refusal (400, 422) says of a parameter; return whether to call once more."""
        name = self._blamed(sent, code, param, message)
        if name is None:
            return False
        other = RENAMES.get(name)
        if other and name not in self.renamed.values() and other not in self.renamed:
            self.renamed[name] = other
        elif name == "n":
            self.single = True
        else:
            self.dropped.add(name)
        return True

    def _blamed(
        self, sent: Mapping[str, Any], code: str | None, param: str | None, message: str
    ) -> str | None:
        optional = [name for name in sent if name not in REQUIRED]
        if param in optional and (code in REFUSAL_CODES or code is None):
            return param
        if code is not None and code not in REFUSAL_CODES:
            return None
        # Compatible servers often give no code: the sentence names the parameter they do not know.
        refusal = re.search(
            r"unsupported|not supported|unrecognized|unknown|not permitted|extra", message, re.I
        )
        named = [name for name in optional if re.search(rf"\b{re.escape(name)}\b", message)]
        return named[0] if refusal and named else None
