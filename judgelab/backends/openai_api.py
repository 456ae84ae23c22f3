"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, Ollama, llama.cpp, TGI and others."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.backends.base import Backend, Connection, backends
from judgelab.backends.bounded_client import bounded_client
from judgelab.backends.keys import key_of, redact_key
from judgelab.backends.negotiation import DOUBLED, REASONING_BUDGET, ServerAbilities
from judgelab.backends.openai_batches import BatchApi
from judgelab.backends.openai_errors import is_filtered, request_id, translate_error
from judgelab.backends.openai_replies import filtered_reply, is_cut_off, read_replies
from judgelab.backends.openai_route import HttpRoute
from judgelab.backends.openai_tuning import TuningApi
from judgelab.backends.openai_typed import read_answer, word
from judgelab.domain import Exchange, Message, Reply
from judgelab.errors import BackendError
from judgelab.wording import mark, sentence

ROUTE = "/chat/completions"
CONNECT_SECONDS = 5.0
BEARER = "authorization"


@backends.register("openai_api")
class OpenAIBackend(Backend):
    """An OpenAI-compatible endpoint, asked by its chat completions route.

    Parameters that the server refuses are renamed or dropped, remembered per model, and left out of
    `Reply.sent`, which holds what was really sent.
    """

    title = mark("OpenAI-compatible endpoint")
    needs_endpoint = True
    structured = True
    batches_known = True

    def __init__(self, connection: Connection) -> None:
        # Imported here: the app and most commands list backends without calling one.
        import httpx2
        from openai import AsyncOpenAI, Omit

        super().__init__(connection)
        self._key = key_of(connection)
        self._abilities = {model: ServerAbilities(data) for model, data in connection.learnt.items()}
        # The key is known to the connection alone: nothing that the client logs or raises can hold it.
        carried = dict(connection.headers)
        if self._key:
            bearer = connection.key_header.lower() == BEARER
            carried[connection.key_header] = f"Bearer {self._key}" if bearer else self._key
        self._unsaid: Any = {"Authorization": Omit()}  # the client's own header; it insists on a key
        connections = bounded_client(connection, carried)
        self._client = AsyncOpenAI(
            base_url=connection.base_url,
            api_key="none",
            max_retries=0,
            timeout=httpx2.Timeout(connection.timeout, connect=CONNECT_SECONDS),
            default_query=dict(connection.query) or None,
            http_client=connections,
        )
        self._route = HttpRoute(self._client, connections, ROUTE, connect=CONNECT_SECONDS)

    @property
    def learnt(self) -> Mapping[str, Any]:
        """Return what each model's server refused so far."""
        learnt = {model: abilities.to_json() for model, abilities in self._abilities.items()}
        return {model: data for model, data in learnt.items() if data}

    @property
    def outdated(self) -> bool:
        """Whether the stored key has changed."""
        return key_of(self.connection) != self._key

    def abilities(self, model: str) -> ServerAbilities:
        """Return what is known about a model's server."""
        return self._abilities.setdefault(model, ServerAbilities())

    def choices_per_call(self, model: str) -> int | None:
        """Return 1 for a server that refused or ignored `n`, else None."""
        return 1 if self.abilities(model).single else None

    async def complete(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int = 0
    ) -> list[Reply]:
        """Return the choices of one call, negotiating its parameters where the server refuses some."""
        import openai

        requested = dict(parameters)
        if requested.get("seed") is not None:
            requested["seed"] = int(requested["seed"]) + first_sample
        abilities = self.abilities(str(requested["model"]))
        while True:
            sent = abilities.wire(requested)
            began = time.perf_counter()
            try:
                return await self._call(messages, sent, abilities, requested=requested)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if is_filtered(error):
                    body, latency = redact_key(error.response.text, self._key), time.perf_counter() - began
                    number = request_id(error.response.headers)
                    return [filtered_reply(body, sent, latency=latency, request_id=number)]
                if abilities.wire(requested) != sent:
                    continue  # another call was refused meanwhile and taught more
                # Each round drops, renames or lowers one parameter, so the loop ends.
                if not abilities.learn(sent, code=error.code, param=error.param, message=error.message):
                    raise translate_error(error, self.connection, self._key, sent) from None
            except (openai.APIError, ValueError, BackendError) as error:
                raise translate_error(error, self.connection, self._key, sent) from None

    def batches(self) -> BatchApi:
        """Return the endpoint's batches."""
        return BatchApi(
            self._client, self.connection, self._key, headers=self._unsaid, abilities=self.abilities
        )

    def tuning(self) -> TuningApi:
        """Return the endpoint's fine-tuning jobs."""
        return TuningApi(self._client, self.connection, self._key, headers=self._unsaid)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def models(self) -> list[str]:
        """Return the names of the models the server offers."""
        return await read_answer(
            # Not parsed by the client, which loses the text of a reply that is no JSON.
            self._client.models.with_raw_response.list(extra_headers=self._unsaid),
            lambda raw: [word(model.get("id")) for model in json.loads(raw.text).get("data") or ()],
            connection=self.connection,
            key=self._key,
        )

    async def _call(
        self,
        messages: Sequence[Message],
        sent: dict[str, Any],
        abilities: ServerAbilities,
        *,
        requested: Mapping[str, Any],
    ) -> list[Reply]:
        chat = [{"role": message.role, "content": message.content} for message in messages]
        began = time.perf_counter()
        raw = await self._route.post({**sent, "messages": chat})
        latency = time.perf_counter() - began
        text, number = redact_key(raw.text, self._key), request_id(raw.headers)
        replies, reasoned = read_replies(text, sent, latency=latency, request_id=number)
        abilities.learn_from_replies(sent, replies, reasoned=reasoned)
        if not requested.get(DOUBLED) and is_cut_off(replies, wants_object="response_format" in sent):
            raise _cut_off(replies[0], requested)
        reply_count = int(requested.get("n") or 1)
        if len(replies) < reply_count and "n" in sent:
            abilities.single = True
        return replies[:reply_count]


def _cut_off(first: Reply, requested: Mapping[str, Any]) -> BackendError:
    """Return the error that lets the call be made once more, with twice the room."""
    room = 2 * int(requested["max_tokens"]) if requested.get("max_tokens") else 0
    if not room:
        room = max(2 * REASONING_BUDGET, 2 * (first.usage.completion_tokens or 0))
    return BackendError(
        sentence("the reply was cut off at the token limit before it contained an answer"),
        cause="truncated",
        retryable=True,
        exchange=Exchange(
            status=200,
            request_id=first.request_id,
            body=first.body,
            usage=first.usage,
        ),
        instead={"max_tokens": room, DOUBLED: True},
    )


def load_client() -> None:
    """Import the client now, which takes a second; otherwise the first call does it."""
    import openai.types.chat  # noqa: F401
