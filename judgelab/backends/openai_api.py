"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp, TGI and others."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.backends.base import Backend, Connection, backends
from judgelab.backends.negotiation import Abilities
from judgelab.backends.openai_errors import broken_body, translated
from judgelab.domain import Message, Reply, Usage
from judgelab.errors import BackendError
from judgelab.wording import mark, sentence

ROUTE = "/chat/completions"
CONNECT_SECONDS = 5.0


@backends.register("openai_api")
class OpenAIBackend(Backend):
    """An OpenAI-compatible endpoint, asked by its chat completions route.

    Parameters that the server refuses are renamed or dropped, remembered per model, and left out of
    `Reply.sent`, which holds what was really sent.
    """

    title = mark("OpenAI-compatible endpoint")
    needs_endpoint = True

    def __init__(self, connection: Connection) -> None:
        # Imported here: the app and most commands list backends without calling one.
        import httpx2
        from openai import AsyncOpenAI, DefaultAioHttpClient

        super().__init__(connection)
        self._response = httpx2.Response
        self._key = _key(connection)
        self._abilities = {model: Abilities(data) for model, data in connection.learnt.items()}
        self._client = AsyncOpenAI(
            base_url=connection.base_url,
            api_key=self._key or "none",  # the client insists on one; local servers take any
            max_retries=0,
            timeout=httpx2.Timeout(connection.timeout, connect=CONNECT_SECONDS),
            http_client=DefaultAioHttpClient(),
        )

    @property
    def learnt(self) -> Mapping[str, Any]:
        """Return what each model's server refused so far."""
        found = {model: abilities.to_json() for model, abilities in self._abilities.items()}
        return {model: data for model, data in found.items() if data}

    def choices_per_call(self, model: str) -> int | None:
        """Return 1 for a server that refused or ignored `n`, else None."""
        return 1 if self._of(model).single else None

    async def complete(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int = 0
    ) -> list[Reply]:
        """Return the choices of one call, negotiating its parameters where the server refuses some."""
        import openai

        wanted = dict(parameters)
        if wanted.get("seed") is not None:
            wanted["seed"] = int(wanted["seed"]) + first_sample
        abilities = self._of(str(wanted["model"]))
        while True:
            sent = abilities.wire(wanted)
            try:
                return await self._call(messages, sent, abilities, asked=int(wanted.get("n") or 1))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                # Each round drops or renames one parameter, so the loop ends.
                if not abilities.learn(sent, code=error.code, param=error.param, message=error.message):
                    raise translated(error, self.connection, self._key, sent) from None
            except (openai.APIError, ValueError, BackendError) as error:
                raise translated(error, self.connection, self._key, sent) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def models(self) -> list[str]:
        """Return the names of the models the server offers."""
        import openai

        try:
            page = await self._client.models.list()
        except (openai.APIError, ValueError) as error:
            raise translated(error, self.connection, self._key) from None
        return [model.id for model in page.data or []]

    def _of(self, model: str) -> Abilities:
        return self._abilities.setdefault(model, Abilities())

    async def _call(
        self, messages: Sequence[Message], sent: dict[str, Any], abilities: Abilities, *, asked: int
    ) -> list[Reply]:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        began = time.perf_counter()
        # Not `chat.completions.create`: checking the types of what we send costs it as much CPU as the call.
        raw = await self._client.post(ROUTE, body={**sent, "messages": chat}, cast_to=self._response)
        latency = time.perf_counter() - began
        replies = _replies(raw.text, sent, latency)
        if len(replies) < asked and "n" in sent:
            abilities.single = True
        return replies[:asked]


def _key(connection: Connection) -> str:
    """Return the key from its environment variable; raises `BackendError` naming the variable."""
    name = connection.api_key_env
    if not name:
        return ""
    key = os.environ.get(name, "").strip()
    if not key:
        raise BackendError(
            sentence(
                "endpoint '{endpoint}' takes its key from the environment variable {variable}, which is not "
                "set where the worker runs; set it and start JudgeLab again.",
                endpoint=connection.name,
                variable=name,
            ),
            cause="bad_key",
            retryable=False,
            stops_run=True,
        )
    return key


def _replies(body: str, sent: Mapping[str, Any], latency: float) -> list[Reply]:
    # Read from the JSON itself: the client's typed objects cost as much CPU as the whole call.
    data = json.loads(body)
    choices = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not choices or not all(isinstance(c, dict) for c in choices):
        raise broken_body(body, _usage((data.get("usage") if isinstance(data, dict) else None) or {}))
    usage = data.get("usage") or {}
    replies = []
    for position, choice in enumerate(choices):
        replies.append(
            Reply(
                text=_text(choice),
                # The whole body is kept once; its other choices keep their own part.
                body=body if position == 0 else json.dumps({"choices": [choice]}, ensure_ascii=False),
                model=str(data.get("model") or ""),
                finish_reason=str(choice.get("finish_reason") or ""),
                usage=_usage(usage) if position == 0 else Usage(),
                latency=latency,
                sent=dict(sent),
                logprobs=_logprobs(choice),
            )
        )
    return replies


def _text(choice: Mapping[str, Any]) -> str:
    # None when the model refused, called a tool, or spent its whole budget on reasoning.
    message = choice.get("message") or {}
    return str(message.get("content") or message.get("refusal") or "")


def _usage(usage: Mapping[str, Any]) -> Usage:
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(
        prompt_tokens=prompt if isinstance(prompt, int) else None,
        completion_tokens=completion if isinstance(completion, int) else None,
    )


def _logprobs(choice: Mapping[str, Any]) -> list[tuple[str, float]] | None:
    content = (choice.get("logprobs") or {}).get("content")
    if not content:
        return None
    return [(str(token["token"]), float(token["logprob"])) for token in content]
