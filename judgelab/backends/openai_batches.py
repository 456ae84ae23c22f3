"""OpenAI's Batch API: requests as a file, replies as a file within a day, in any order."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from judgelab.backends.keys import redact_key
from judgelab.backends.negotiation import ServerAbilities
from judgelab.backends.openai_errors import is_filtered, translate_error
from judgelab.backends.openai_replies import filtered_reply, parse_body, read_replies
from judgelab.backends.openai_typed import count, read_answer, word, word_if_any
from judgelab.domain import Exchange, Message, Reply
from judgelab.errors import BackendError
from judgelab.wording import sentence

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from judgelab.backends.base import Connection

MOST_REQUESTS, MOST_BYTES = 50_000, 200_000_000  # what one file may hold
ROUTE: Literal["/v1/chat/completions"] = "/v1/chat/completions"
LABEL = "judgelab"  # in a batch's metadata: the name under which we look for it
PAGE, MOST_LOOKED_AT = 100, 1000
ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
NOT_ASKED = frozenset({"batch_expired", "batch_cancelled"})
STATUSES = range(100, 600)
T = TypeVar("T")


@dataclass(frozen=True)
class BatchProgress:
    """How far a batch is.

    Attributes:
        state: validating, in_progress, finalizing, completed, failed, expired, cancelling or cancelled.
        output, errors: files with what came so far; empty while there is none.
        answered, refused: requests that are done.
        problem: why the whole batch failed.
    """

    id: str
    state: str
    output: str = ""
    errors: str = ""
    answered: int = 0
    refused: int = 0
    problem: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ENDED


@dataclass(frozen=True)
class BatchLine:
    """The result of one request: replies, or an error; neither if it was never sent."""

    custom_id: str
    replies: Sequence[Reply] = ()
    error: BackendError | None = None
    teaches: bool = field(default=False)

    @property
    def asked(self) -> bool:
        """Whether the model, or the server before it, saw the request."""
        return bool(self.replies) or self.error is not None


class BatchApi:
    """The batches of one endpoint; belongs to the event loop of its client.

    Args:
        client: the client of the backend.
        connection: the way to the endpoint, for messages.
        key: the key that is sent; it stands in nothing that is returned.
        headers: headers of each call.
        abilities: what is known about a model's server.
    """

    def __init__(
        self,
        client: AsyncOpenAI,
        connection: Connection,
        key: str,
        *,
        headers: Mapping[str, Any],
        abilities: Callable[[str], ServerAbilities],
    ) -> None:
        self._client = client
        self._connection = connection
        self._key = key
        self._headers: Any = headers
        self._abilities = abilities

    def request(
        self, custom_id: str, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int
    ) -> bytes:
        """Return the line of one request, with the parameters as the server takes them."""
        requested = dict(parameters)
        if requested.get("seed") is not None:
            requested["seed"] = int(requested["seed"]) + first_sample
        chat = [{"role": message.role, "content": message.content} for message in messages]
        sent = self._abilities(str(requested["model"])).wire(requested)
        line = {
            "custom_id": custom_id,
            "method": "POST",
            "url": ROUTE,
            "body": {**sent, "messages": chat},
        }
        return json.dumps(line).encode() + b"\n"

    async def upload(self, name: str, lines: bytes) -> str:
        """Store the requests at the endpoint; return the file's id. Raises `BackendError`."""
        files = self._client.files
        uploaded = files.create(file=(name, lines), purpose="batch", extra_headers=self._headers)
        return await self._told(uploaded, lambda file: word(file.id))

    async def create(self, file_id: str, label: str) -> BatchProgress:
        """Let the endpoint work on a file; raises `BackendError`."""
        batch = self._client.batches.create(
            input_file_id=file_id,
            endpoint=ROUTE,
            completion_window="24h",
            metadata={LABEL: label},
            extra_headers=self._headers,
        )
        return await self._told(batch, _progress)

    async def find(self, file_id: str, label: str) -> BatchProgress | None:
        """Return the batch that was made of a file, if it was; looks through the latest thousand."""
        looked_at, after = 0, ""
        while looked_at < MOST_LOOKED_AT:
            more = {"after": after} if after else {}
            listing: Any = self._client.batches.list(limit=PAGE, extra_headers=self._headers, **more)  # type: ignore[arg-type]  # "after" is text
            batch, after = await self._told(listing, lambda page: _among(page.data, file_id, label))
            if batch or not after:
                return batch
            looked_at += PAGE
        return None

    async def look(self, batch_id: str) -> BatchProgress:
        """Return how far a batch is; raises `BackendError`."""
        batch = self._client.batches.retrieve(batch_id, extra_headers=self._headers)
        return await self._told(batch, _progress)

    async def cancel(self, batch_id: str) -> BatchProgress:
        """Ask the endpoint to end a batch; what is answered comes all the same. Raises `BackendError`."""
        ended = self._client.batches.cancel(batch_id, extra_headers=self._headers)
        return await self._told(ended, _progress)

    async def download(self, file_id: str) -> str:
        """Return the text of a file at the endpoint; raises `BackendError`."""
        content = self._client.files.content(file_id, extra_headers=self._headers)
        return redact_key(await self._told(content, lambda file: str(file.text)), self._key)

    def read(self, text: str, *, sent: Mapping[str, Mapping[str, Any]], model: str) -> Iterator[BatchLine]:
        """Yield what came of each request of an output or error file; broken lines are passed over.

        Args:
            text: the file.
            sent: the parameters of each request, by custom id.
            model: the model that was asked.
        """
        for written in text.split("\n"):  # not splitlines: a reply may hold other line separators unescaped
            try:
                data = parse_body(written)
                custom_id = str(data["custom_id"])
            except (ValueError, KeyError, TypeError):
                continue
            yield self._line(custom_id, data, sent.get(custom_id, {}), self._abilities(model))

    def _line(
        self, custom_id: str, data: Mapping[str, Any], sent: Mapping[str, Any], abilities: ServerAbilities
    ) -> BatchLine:
        import openai

        answer, refusal = (_object(data.get(name)) for name in ("response", "error"))
        if not answer:
            if str(refusal.get("code")) in NOT_ASKED:
                return BatchLine(custom_id)
            reason = sentence(
                "the batch returned no reply: {said}", said=str(refusal.get("message") or refusal)
            )
            exchange = Exchange(
                body=json.dumps(refusal, ensure_ascii=False),
                sent=dict(sent),
                request_id=str(data.get("id") or ""),
            )
            return BatchLine(
                custom_id,
                error=BackendError(reason, cause="server_error", retryable=True, exchange=exchange),
            )
        body = json.dumps(answer.get("body"), ensure_ascii=False)
        number = str(answer.get("request_id") or data.get("id") or "")
        status = _status(answer.get("status_code"))
        try:
            if status >= 400:
                raise self._refusal(status, body, number)
            replies, reasoned = read_replies(body, sent, latency=0.0, request_id=number)
        except openai.APIStatusError as error:
            if is_filtered(error):
                return BatchLine(custom_id, [filtered_reply(body, sent, latency=0.0, request_id=number)])
            refused = isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError))
            teaches = refused and abilities.learn(
                sent, code=error.code, param=error.param, message=error.message
            )
            return BatchLine(
                custom_id, (), translate_error(error, self._connection, self._key, sent), teaches
            )
        except (ValueError, BackendError) as error:
            return BatchLine(custom_id, (), translate_error(error, self._connection, self._key, sent))
        abilities.learn_from_replies(sent, replies, reasoned=reasoned)
        return BatchLine(custom_id, replies)

    def _refusal(self, status: int, body: str, number: str) -> Exception:
        import httpx2

        request = httpx2.Request("POST", self._connection.base_url + ROUTE.removeprefix("/v1"))
        headers = [(b"x-request-id", number.encode()), (b"content-type", b"application/json")]
        response = httpx2.Response(status, headers=headers, text=body, request=request)
        return self._client._make_status_error_from_response(response)

    async def _told(self, call: Awaitable[Any], read: Callable[[Any], T]) -> T:
        return await read_answer(call, read, connection=self._connection, key=self._key)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _status(value: object) -> int:
    """Return the status of a request, which some servers write as text; 200 where none is told."""
    try:
        status = int(value) if isinstance(value, int | float | str) else 200
    except (ValueError, OverflowError):
        return 200
    return status if status in STATUSES else 200


def sent_parameters(text: str) -> dict[str, dict[str, Any]]:
    """Return the parameters of each request of an uploaded file by custom id, without the prompts."""
    sent = {}
    for written in filter(None, text.split("\n")):
        line = json.loads(written)
        sent[str(line["custom_id"])] = {
            name: value for name, value in line["body"].items() if name != "messages"
        }
    return sent


def _among(batches: Sequence[Any], file_id: str, label: str) -> tuple[BatchProgress | None, str]:
    """Return the batch of that file or label, if it is there; else the id after which more may be."""
    for batch in batches:
        if batch.input_file_id == file_id or (batch.metadata or {}).get(LABEL) == label:
            return _progress(batch), ""
    return None, word(batches[-1].id) if len(batches) >= PAGE else ""


def _progress(batch: Any) -> BatchProgress:
    counts = batch.request_counts
    problems = (batch.errors.data if batch.errors else None) or ()
    return BatchProgress(
        id=word(batch.id),
        state=word(batch.status),
        output=word_if_any(batch.output_file_id),
        errors=word_if_any(batch.error_file_id),
        answered=count(counts.completed) if counts else 0,
        refused=count(counts.failed) if counts else 0,
        problem="; ".join(filter(None, (word_if_any(problem.message) for problem in problems))),
    )
