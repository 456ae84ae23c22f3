"""The contract of a protocol: one unit of work becomes a prompt, one reply becomes a reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.options import Option, settle
from judgelab.protocols.expected import Token
from judgelab.registry import Registry
from judgelab.wording import mark

__all__ = ["Example", "Option", "Protocol", "Refusal", "protocols", "register"]


class Example(NamedTuple):
    """A reply and the score it must be read as on `scale`; None when no score may be read.

    `options` are those under which the reply would come.
    """

    reply: str
    score: float | None
    scale: Mapping[str, Any]
    options: Mapping[str, Any] = {}


class Refusal(NamedTuple):
    """Why a protocol cannot serve a criterion, as a clause, and what to choose instead.

    `instead` is empty where only another protocol helps: whoever asks knows which ones serve.
    """

    reason: str
    instead: str = ""


class Protocol(ABC):
    """How a judge is asked, and how its replies are read. Pure: it sends nothing.

    Attributes:
        name: the word on the command line.
        title: the name people read.
        summary: one sentence for lists.
        asks: "each" = one criterion a prompt, "all" = all of them in one.
        options: what a user may set beside model and sampling.
        samples: replies asked for each unit unless the user says otherwise.
        parameters: sampling parameters unless the user says otherwise.
        aggregation: how the samples become one score unless the user says otherwise.
        template_version: changes whenever the wording of the prompt does.
        examples: replies of every sort with what must be read in them; conformance tests run them.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    asks: ClassVar[Literal["each", "all"]] = "each"
    options: ClassVar[tuple[Option, ...]] = ()
    samples: ClassVar[int] = 1
    parameters: ClassVar[Mapping[str, Any]] = {}
    aggregation: ClassVar[str] = "mean"
    template_version: ClassVar[str] = "1"
    examples: ClassVar[tuple[Example, ...]] = ()

    @abstractmethod
    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt for one unit of work.

        Raises:
            InvalidInput: the options do not suit this task (the grammar, the demonstrations).
        """

    @abstractmethod
    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the scores that `text` states, or the reason for none; no reply makes it raise."""

    def hear(self, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]) -> Reading:
        """Return what is read in a reply of which the probabilities of its tokens may be known too."""
        return self.parse(text, task, options)

    def sent(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the sampling parameters that these options call for unless the user says otherwise."""
        return self.parameters

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why no prompt can be built for any response under the criterion, or None.

        Asked before a run exists, so that none starts and then fails unit by unit.

        Args:
            criterion: the criterion with its scale.
            options: the protocol's options.
            kind: what sort of text the responses are.
            demonstrations: the rated examples that the project can give.
        """
        return None

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the JSON schema of a reply to this task; None where a reply is no JSON."""
        return None

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many rated demonstrations the prompt shows; the task should bring as many."""
        return 0

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; raises for one that is unknown or cannot be taken."""
        return settle(self.options, options)


protocols: Registry[Protocol] = Registry(mark("protocol"), "judgelab.protocols")

P = TypeVar("P", bound=type[Protocol])


def register(kind: P) -> P:
    """File one instance of the decorated protocol under its name."""
    protocols.register(kind.name)(kind())
    return kind
