"""The habits of servers that people really use, each in its own words: what it takes, refuses, ignores.

`with profiled("ollama") as server: ...` answers as that server would. What a profile does not say is as
OpenAI's own servers have it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.runs.openai_server import Server

NATURAL = 12  # tokens of a reply that no limit ends
THINKING = 300  # tokens that a reasoning model spends before it writes
FORBIDDEN = "forbidden words"  # what Azure's content filter does not let through
REFUSED = "refuse this"  # what the model itself declines


@dataclass(frozen=True)
class Profile:
    """One server's habits.

    Args:
        prefix: path before /chat/completions.
        models: what it lists; None = it has no list.
        key_header: the header in which it looks for the key.
        query: what must stand in the address.
        formats: types of response_format that it heeds.
        format_words: its refusal of the other types; empty = it passes over them without a word.
        limits: names of an output limit that it heeds; others are passed over.
        n: "yes", "ignored", or its words of refusal.
        logprobs: alternatives of a token at most; 0 = passed over.
        refuses: parameters it refuses, with the error as it words it.
        reasons: whether it thinks before it answers.
        request_id: the header that names a call.
        numbers: whether it repeats the status as the code of an error.
    """

    prefix: str = "/v1"
    models: tuple[str, ...] | None = ("tiny",)
    key_header: str = "Authorization"
    query: Mapping[str, str] = field(default_factory=dict)
    formats: tuple[str, ...] = ("json_schema", "json_object")
    format_words: str = ""
    limits: tuple[str, ...] = ("max_completion_tokens", "max_tokens")
    n: str = "yes"
    logprobs: int = 20
    logprobs_words: str = "Invalid value for 'top_logprobs': must be less than or equal to 20."
    refuses: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: bool = False
    request_id: str = ""
    numbers: bool = False


def _unsupported(name: str, message: str, code: str = "unsupported_parameter") -> dict[str, Any]:
    return {"message": message, "type": "invalid_request_error", "param": name, "code": code}


PROFILES: Mapping[str, Profile] = {
    "openai": Profile(models=("text-embedding-3-small", "tiny"), request_id="x-request-id"),
    "vllm": Profile(
        logprobs_words="Requested sample logprobs of 25, which is greater than max allowed: 20",
        numbers=True,
    ),
    "ollama": Profile(limits=("max_tokens",), n="ignored", logprobs=0),
    "llama.cpp": Profile(
        formats=("json_object",),
        format_words='response_format type must be one of "text" or "json_object", but got: json_schema',
        limits=("max_tokens",),
        n="Only one completion choice is allowed",
        numbers=True,
    ),
    "azure": Profile(
        prefix="/openai/deployments/judge",
        models=None,
        key_header="api-key",
        query={"api-version": "2024-06-01"},
        formats=("json_object",),
        format_words=(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
        ),
        request_id="apim-request-id",
    ),
    "reasoning": Profile(
        refuses={
            "temperature": _unsupported(
                "temperature",
                "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) "
                "value is supported.",
                "unsupported_value",
            ),
            "max_tokens": _unsupported(
                "max_tokens",
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.",
            ),
            "logprobs": _unsupported("logprobs", "logprobs is not supported with this model."),
        },
        reasons=True,
        request_id="x-request-id",
    ),
    "ignorant": Profile(formats=(), n="ignored", logprobs=0),
}


def profiled(name: str, **changes: Any) -> ProfiledServer:
    """Return a server with the habits of a profile; `changes` are those of `Server`."""
    return ProfiledServer(profile=PROFILES[name], **changes)


@dataclass
class ProfiledServer(Server):
    """A server with the habits of one that people really use."""

    profile: Profile = field(default_factory=Profile)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.profile.prefix}"

    def app(self) -> web.Application:
        app = web.Application()
        if self.profile.models is not None:
            app.router.add_get(f"{self.profile.prefix}/models", self._models)
        app.router.add_post(f"{self.profile.prefix}/chat/completions", self._complete)
        return app

    async def _models(self, request: web.Request) -> web.Response:
        listed = [{"id": name, "object": "model"} for name in self.profile.models or ()]
        return self._refusal(request) or web.json_response({"object": "list", "data": listed})

    def _refusal(self, request: web.Request) -> web.Response | None:
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        key_sent = request.headers.get(self.profile.key_header, "")
        bearer = "Bearer " if self.profile.key_header == "Authorization" else ""
        if self.habits.key and key_sent != f"{bearer}{self.habits.key}":
            return self._error(
                401, {"message": f"Access denied: invalid key {key_sent}", "code": "invalid_api_key"}
            )
        if any(request.query.get(name) != value for name, value in self.profile.query.items()):
            return self._error(404, {"message": "Resource not found", "code": "404"})
        return super()._refusal(_Unasked(request)) if self.habits.status else None

    def _negotiation(self, body: dict[str, Any]) -> web.Response | None:
        profile = self.profile
        for name, error in profile.refuses.items():
            if name in body:
                return self._error(400, error)
        kind = (body.get("response_format") or {}).get("type")
        if kind and kind not in profile.formats and profile.format_words:
            return self._error(400, {"message": profile.format_words, "param": None, "code": None})
        if kind == "json_object" and "json" not in _prompt(body).lower():
            message = (
                "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'."
            )
            return self._error(400, {"message": message, "param": "messages", "code": None})
        if body.get("n", 1) > 1 and profile.n not in ("yes", "ignored"):
            return self._error(400, {"message": profile.n})
        if body.get("top_logprobs", 0) > profile.logprobs > 0:
            return self._error(400, {"message": profile.logprobs_words, "param": None, "code": None})
        if FORBIDDEN in _prompt(body):
            return self._error(400, {"message": "The response was filtered.", "code": "content_filter"})
        return None

    def _error(self, status: int, error: Mapping[str, Any]) -> web.Response:
        code = status if self.profile.numbers else error.get("code")
        return web.json_response(
            {"error": {"type": "invalid_request_error", "param": None, **error, "code": code}},
            status=status,
            headers=self._named(),
        )

    def _named(self) -> dict[str, str]:
        return {self.profile.request_id: f"req_{self.calls}"} if self.profile.request_id else {}

    def _answer(self, body: dict[str, Any]) -> web.Response:
        self.answered += 1
        count = int(body.get("n") or 1) if self.profile.n == "yes" else 1
        choices = [self._choice(body, index) for index in range(count)]
        thought = THINKING * count if self.profile.reasons else 0
        used = sum(choice.pop("tokens") for choice in choices)
        usage = {
            "prompt_tokens": 40,
            "completion_tokens": used,
            "total_tokens": 40 + used,
            "prompt_tokens_details": {"cached_tokens": 32},
            **({"completion_tokens_details": {"reasoning_tokens": min(thought, used)}} if thought else {}),
        }
        return web.json_response(
            {
                "id": "c",
                "object": "chat.completion",
                "model": "tiny-2026",
                "choices": choices,
                "usage": usage,
            },
            headers=self._named(),
        )

    def _choice(self, body: dict[str, Any], index: int) -> dict[str, Any]:
        limit = next((body[name] for name in self.profile.limits if name in body), None)
        natural = NATURAL + (THINKING if self.profile.reasons else 0)
        message: dict[str, Any] = {"role": "assistant", "content": self._content(body, index)}
        if self.profile.reasons:
            message["reasoning_content"] = "Let me think. 3? No."
        choice = {"index": index, "message": message, "finish_reason": "stop", "tokens": natural}
        if REFUSED in _prompt(body):
            message |= {"content": None, "refusal": "I cannot rate this 1 to 5."}
        if limit is not None and limit < natural:
            visible = 0 if self.profile.reasons else limit
            message["content"] = (message["content"] or "")[:visible] or None
            choice |= {"finish_reason": "length", "tokens": limit}
        if body.get("logprobs") and self.profile.logprobs:
            alternatives = min(int(body.get("top_logprobs") or 0), self.profile.logprobs)
            top = [{"token": str(k), "logprob": -0.1 - k} for k in range(alternatives)]
            choice["logprobs"] = {"content": [{"token": "0", "logprob": -0.1, "top_logprobs": top}]}
        return choice

    def _content(self, body: dict[str, Any], index: int) -> str:
        prompt = _prompt(body)
        digit = hashlib.sha256(f"{prompt}|{index}".encode()).digest()[0] % 4
        kind = (body.get("response_format") or {}).get("type")
        if kind not in self.profile.formats:
            # Left to itself a model talks around the object.
            return f'Sure!\n```json\n{{"score": {digit}}}\n```' if "JSON" in prompt else str(digit)
        if kind == "json_object":
            return json.dumps({"score": digit})
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        return json.dumps({name: _filled(schema, digit) for name, schema in properties.items()})


def _filled(schema: Mapping[str, Any], pick: int) -> Any:
    if "enum" in schema:
        return schema["enum"][pick % len(schema["enum"])]
    return "because" if schema["type"] == "string" else pick


def _prompt(body: Mapping[str, Any]) -> str:
    return "\n".join(str(message["content"]) for message in body["messages"])


class _Unasked:
    """A request whose key was looked at already."""

    def __init__(self, request: web.Request) -> None:
        self.headers = {**request.headers, "Authorization": f"Bearer {request.headers.get('api-key', '')}"}
