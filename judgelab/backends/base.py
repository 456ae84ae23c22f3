"""The contract of a backend: one attempt to get replies from a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from judgelab.domain import Message, Reply
from judgelab.registry import Registry
from judgelab.wording import mark


@dataclass(frozen=True)
class Connection:
    """Where a model answers.

    Args:
        name: the endpoint's name, for messages.
        base_url: the address up to and including `/v1`; empty for a backend without one.
        api_key_env: name of the environment variable that holds the key; the key itself is never kept.
        keyring_name: the name under which the system's keyring holds the key, in place of a variable.
        key_header: the header that carries the key; "Authorization" as a bearer token, others as it is.
        headers: further headers of every call, as pairs; none of them is secret.
        query: parameters of the address of every call ("api-version"), as pairs.
        timeout: seconds one call may take.
        concurrency: connections held open at most.
        learnt: what earlier calls taught about each model (`Backend.learnt`).
    """

    name: str = ""
    base_url: str = ""
    api_key_env: str | None = None
    keyring_name: str | None = None
    key_header: str = "Authorization"
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    timeout: float = 120.0
    concurrency: int = 64
    learnt: Mapping[str, Any] = field(default_factory=dict, compare=False)


class Backend(ABC):
    """Sends messages to a model and returns its replies.

    An instance belongs to one event loop. It never retries, and need not give up a silent call by itself:
    `judgelab.runs` decides that.

    Attributes:
        title: what a person reads ("OpenAI-compatible endpoint").
        needs_endpoint: whether a judge with this backend names an endpoint.
        origin: the origin of its judges: "run" for a model, "scripted" for written replies.
        own_parameters: parameters only this backend knows, with their defaults.
        kind: which workers ask it: "api", or "local", whose models lie in the worker's own memory. The
            latter's calls take as long as they take, and are dropped when their run halts: they are free.
        batches_known: whether a run can go out as batch files.
        structured: whether `response_format` (a JSON schema) may be among the parameters.
    """

    title: ClassVar[str]
    needs_endpoint: ClassVar[bool] = False
    origin: ClassVar[str] = "run"
    own_parameters: ClassVar[Mapping[str, Any]] = {}
    kind: ClassVar[Literal["api", "local"]] = "api"
    structured: ClassVar[bool] = False
    batches_known: ClassVar[bool] = False

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @classmethod
    def checked_model(cls, model: str) -> str:
        """Return the model's name as every worker understands it; raises `InvalidInput` if it cannot be."""
        return model.strip()

    @property
    def doing(self) -> str:
        """Return what it is busy with before any call can be answered; empty when nothing is in the way."""
        return ""

    @property
    def learnt(self) -> Mapping[str, Any]:
        """Return what the calls so far taught about the models, to be kept with the endpoint."""
        return {}

    @property
    def outdated(self) -> bool:
        """Whether the key was replaced since: whoever opens the way anew gets on with the new one."""
        return False

    def choices_per_call(self, model: str) -> int | None:
        """Return how many replies one call can bring; None when there is no known limit."""
        return None

    @abstractmethod
    async def complete(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int = 0
    ) -> list[Reply]:
        """Return at least one reply and at most `parameters["n"]`.

        Args:
            messages: the prompt.
            parameters: model, n, temperature, top_p, max_tokens, seed, stop, logprobs, and what
                else the model's server understands.
            first_sample: number of the first sample asked for. A fixed seed is moved by it, or samples
                asked one by one would all be the same.

        Raises:
            BackendError: no usable reply came.
        """

    async def close(self) -> None:  # noqa: B027  # most backends hold nothing open
        """Give connections back."""


backends: Registry[type[Backend]] = Registry(mark("backend"), "judgelab.backends")
