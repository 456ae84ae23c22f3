"""What a model's server understands, learnt from its refusals instead of from lists of model names."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Reply

REQUIRED = frozenset({"model", "messages"})
# Servers written before 2024 know only `max_tokens`; newer ones deprecate or refuse it.
RENAMES = {"max_completion_tokens": "max_tokens", "max_tokens": "max_completion_tokens"}
REFUSAL_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
FORMATS = ("json_schema", "json_object", "text")  # the ladder: from what binds most to nothing
REASONING_BUDGET = 4096  # tokens; thinking counts as output, and a smaller limit leaves no room for an answer
DOUBLED = "budget_doubled"  # our own mark on a call that is tried again with more room; never sent

_REFUSED = re.compile(
    r"unsupported|not supported|unrecognized|unknown|not permitted|not allowed|extra|cannot (?:both )?be|"
    r"does not support|only the default",
    re.IGNORECASE,
)
_ONE_CHOICE = re.compile(r"only (?:one|1|a single) (?:completion )?(?:choice|candidate)", re.IGNORECASE)
_FORMAT = re.compile(
    r"response_format|json_schema|json_object|structured output|guided|grammar|\bschema", re.IGNORECASE
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|<=|max(?:imum)? allowed(?: is)?:?|maximum (?:value )?(?:of|is))"
    r"\s*(\d{1,9})(?!\d)",
    re.IGNORECASE,
)
_CAPPED = frozenset({"top_logprobs", "max_completion_tokens", "max_tokens"})


class ServerAbilities:
    """What one model's server refused or ignored, and what it wants instead.

    Args:
        learnt: what an earlier process learnt (`to_json`).

    Attributes:
        dropped: parameters it does not take.
        renamed: parameters it takes under another name.
        caps: the most it takes of a number.
        single: whether one call brings one reply only.
        format: the step of the ladder `FORMATS` that it understands, as far as is known.
        reasoning: whether the model thinks before it answers.
    """

    def __init__(self, learnt: Mapping[str, Any] | None = None) -> None:
        learnt = learnt or {}
        self.dropped = set(learnt.get("dropped", ()))
        self.renamed = dict(learnt.get("renamed", {}))
        self.caps = dict(learnt.get("caps", {}))
        self.single = bool(learnt.get("single", False))
        self.format = str(learnt.get("format", FORMATS[0]))
        self.reasoning = bool(learnt.get("reasoning", False))
        self._obeyed = False

    def to_json(self) -> dict[str, Any]:
        """Return what was learnt; empty when nothing was."""
        data: dict[str, Any] = {
            "dropped": sorted(self.dropped),
            "renamed": dict(self.renamed),
            "caps": dict(self.caps),
            "single": self.single,
            "format": self.format if self.format != FORMATS[0] else "",
            "reasoning": self.reasoning,
        }
        return {name: value for name, value in data.items() if value}

    def wire(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters as this server takes them; None values are left out."""
        requested = {
            name: value for name, value in parameters.items() if value is not None and name != DOUBLED
        }
        if self.reasoning and not requested.keys() & RENAMES.keys():
            requested["max_tokens"] = REASONING_BUDGET
        sent: dict[str, Any] = {}
        for name, value in requested.items():
            name = "max_completion_tokens" if name == "max_tokens" else name
            name = self.renamed.get(name, name)
            if name in self.dropped:
                continue
            if name == "response_format":
                value = self._format(value)
            if value is not None:
                sent[name] = min(value, self.caps[name]) if name in self.caps else value
        if self.single or sent.get("n") == 1:
            sent.pop("n", None)
        if not sent.get("logprobs"):
            sent.pop("top_logprobs", None)  # no server takes it alone
        return sent

    def learn(self, sent: Mapping[str, Any], *, code: Any, param: str | None, message: str) -> bool:
        """Note what a refusal (400, 422) says of a parameter; return whether to call once more."""
        # Some servers repeat the status as the code; it says nothing.
        code = code if isinstance(code, str) and not code.isdigit() else None
        if code == "context_length_exceeded":
            return False
        if self._caps(sent, param, message):
            return True
        if "response_format" in sent and (param == "response_format" or _FORMAT.search(message)):
            return self.step_down(str(sent["response_format"].get("type")))
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

    def learn_from_replies(
        self, sent: Mapping[str, Any], replies: Sequence[Reply], *, reasoned: bool
    ) -> None:
        """Note what an answer says without a refusal: parameters that were ignored, a model that reasons."""
        self.reasoning = self.reasoning or reasoned
        used, limit = replies[0].usage.completion_tokens, sent.get("max_completion_tokens")
        if limit and used and len(replies) == 1 and used > limit and "max_tokens" not in self.dropped:
            # Older servers pass over the newer name without a word.
            self.renamed.setdefault("max_completion_tokens", "max_tokens")
        whole = [reply.text for reply in replies if reply.text.strip() and reply.finish_reason == "stop"]
        if "response_format" in sent and whole:
            if any(is_object(text) for text in whole):
                self._obeyed = True
            elif not self._obeyed and self.format == sent["response_format"].get("type"):
                self.step_down()

    def _format(self, requested: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the format asked for, no further up the ladder than the server can follow."""
        kind = str(requested.get("type"))
        if kind not in FORMATS:
            return dict(requested)
        step = max(FORMATS.index(kind), FORMATS.index(self.format))
        return None if FORMATS[step] == "text" else dict(requested) if step == 0 else {"type": FORMATS[step]}

    def step_down(self, kind: str = "") -> bool:
        """Ask for the format below `kind` from now on, or below the present one; False when none is left."""
        step = max(FORMATS.index(name) for name in (self.format, kind) if name in FORMATS) + 1
        if step == len(FORMATS):
            return False
        self.format, self._obeyed = FORMATS[step], False
        return True

    def _caps(self, sent: Mapping[str, Any], param: str | None, message: str) -> bool:
        limit = _MOST.search(message)
        if not limit:
            return False
        for name in _CAPPED & sent.keys():
            # A limit that depends on the length of the prompt is none of the model's.
            names_parameter = param == name or (name in message and "context" not in message)
            if names_parameter and 0 < int(limit[1]) < sent[name]:
                self.caps[name] = int(limit[1])
                return True
        return False

    def _blamed(
        self, sent: Mapping[str, Any], code: str | None, param: str | None, message: str
    ) -> str | None:
        optional = [name for name in sent if name not in REQUIRED]
        if param in optional and (code in REFUSAL_CODES or code is None):
            return param
        if "n" in optional and _ONE_CHOICE.search(message):
            return "n"
        if code is not None and code not in REFUSAL_CODES:
            return None
        # Compatible servers often give no code: the sentence names the parameter they do not know.
        named = [name for name in optional if _names(message, name)]
        if not named or not _REFUSED.search(message):
            return None
        if {"temperature", "top_p"} <= set(named):
            return "top_p"  # "cannot both be given"
        return max(named, key=len)


def is_object(text: str) -> bool:
    """Return whether the text is one JSON object and nothing else."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _names(message: str, parameter: str) -> bool:
    """Return whether the message names the parameter; one of a letter or two must look like a name."""
    name = re.escape(parameter)
    if len(parameter) > 2:
        return bool(re.search(rf"(?<!\w){name}(?!\w)", message))
    return bool(
        re.search(rf"['\"`]{name}['\"`]|(?:field|parameter|argument|property|option) {name}\b", message)
    )
