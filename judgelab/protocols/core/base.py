"""The contract of a protocol: one unit of work becomes a prompt, one reply becomes a reading."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.options import Option, settle
from judgelab.protocols.core.aggregation import aggregate
from judgelab.protocols.core.call import Call, in_turn
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompt_parts import (
    EVERYWHERE,
    OPTION_OF,
    PREFIX,
    REPLYING,
    asking,
    own_texts,
    rewritten,
)
from judgelab.protocols.core.signs import signs_of, unasked
from judgelab.registry import Registry
from judgelab.wording import mark

__all__ = [
    "SHOWN_BY",
    "Call",
    "Example",
    "Heard",
    "ItemText",
    "Option",
    "Protocol",
    "Refusal",
    "in_turn",
    "protocols",
    "register",
]

# What a judge is told and a project may say in its own words, in the usual order of a prompt.
PARTS = ("task", "output", "criterion", "criteria", "steps", "examples")


Need = Literal["reference_list", "roles", "evidence"]
ItemText = Literal["references", "context"]
SHOWN_BY: Mapping[ItemText, str] = {"references": "show_references", "context": "show_context"}


class Example(NamedTuple):
    """A reply and the score it must be read as on `scale`; None when no score may be read.

    `options` are those under which the reply would come.
    """

    reply: str
    score: float | None
    scale: Mapping[str, Any]
    options: Mapping[str, Any] = {}


class Heard(NamedTuple):
    """What was read in one reply, and the call it answers."""

    call: Call
    reading: Reading


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
        judges: "response" = a unit of work is one response, "item" = all of an item's responses together.
        needs: what a task must bring beside the texts: "reference_list", "roles", "evidence".
        own_scale: whether its scores lie on a scale of its own (wins, ranks, votes), not on the criterion's.
        options: what a user may set beside model and sampling.
        parts: the sections of the prompt that a project may say in its own words, in their order; those that
            hold the case (question, answer, references …) are none.
        samples: replies asked for each unit unless the user says otherwise.
        parameters: sampling parameters unless the user says otherwise.
        aggregation: how the samples become one score unless the user says otherwise.
        template_version: changes whenever the wording of the prompt does; see `at`.
        examples: replies of every sort with what must be read in them; conformance tests run them.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    asks: ClassVar[Literal["each", "all"]] = "each"
    judges: ClassVar[Literal["response", "item"]] = "response"
    needs: ClassVar[frozenset[Need]] = frozenset()
    own_scale: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = PARTS
    samples: ClassVar[int] = 1
    parameters: ClassVar[Mapping[str, Any]] = {}
    aggregation: ClassVar[str] = "mean"
    template_version: str = "1"
    examples: ClassVar[tuple[Example, ...]] = ()

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return the calls that one draw of a unit takes, always in the same order; most protocols take one.

        Every sample of a judge asks all of them once.

        Raises:
            InvalidInput: the options do not suit this task.
        """
        return [Call(self.build(task, options))]

    def prompts(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return `calls` as they are sent: with a project's own texts in place of the protocol's.

        Raises:
            InvalidInput: the options, or an own text, do not suit this task.
        """
        calls, own = self.calls(task, options), own_texts(options)
        return [rewritten(call, task, own, self.parts) for call in calls] if own else calls

    def at(self, version: str) -> Self:
        """Return this protocol in the wording of a version, for judges that were made under it."""
        if version == self.template_version:
            return self
        earlier = copy.copy(self)
        earlier.template_version = version
        return earlier

    def part_options(self) -> dict[str, str]:
        """Return the option that carries an own text of each part, in the order of the prompt."""
        known = {option.name for option in self.options}
        system, *others = EVERYWHERE
        return {
            part: OPTION_OF[part] if OPTION_OF.get(part) in known else f"{PREFIX}{part}"
            for part in (system, *self.parts, *others)
        }

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return what the prompt must ask for to be read: words, of each group one must stand in it.

        Unless a protocol says otherwise, what all replies to its first call have in common.
        """
        return signs_of(self.replies(self.calls(task, options)[0], task, options))

    def forgotten(self, task: Task, options: Mapping[str, Any]) -> list[str]:
        """Return what a project's own texts no longer ask for, though the reply is read by it."""
        own = own_texts(options)
        if not REPLYING.intersection(own):
            return []
        return unasked(
            asking(self.calls(task, options), self.prompts(task, options), own, self.parts),
            self.signs(task, options),
        )

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return what is read in the reply to one of the calls; no reply makes it raise."""
        return self.hear(text, tokens, task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return what the replies to all calls of all draws come to, in the order of asking."""
        return aggregate([one.reading for one in heard], aggregation)

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

    def reads(self, options: Mapping[str, Any]) -> frozenset[ItemText]:
        """Return which texts of an item the judge goes by: where all items lack one no run can start."""
        return frozenset(text for text, option in SHOWN_BY.items() if options.get(option))

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

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return replies that a judge may give to a call, from the lowest answer to the highest.

        A judge without a model answers so. Empty where one score in the option `grammar` is the answer.
        """
        return ()

    def span(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the least and the most that a score on the protocol's own scale can be; None if not known.

        Args:
            detail: what is kept with the verdict.
            together: how many responses of the item were judged together.
        """
        return None

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many rated demonstrations the prompt shows; the task should bring as many."""
        return 0

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; raises for one that is unknown or cannot be taken."""
        own = {name: str(options[name]) for name in self.part_options().values() if name in options}
        declared = {option.name for option in self.options}
        rest = {name: value for name, value in options.items() if name in declared or name not in own}
        return settle(self.options, rest) | {
            name: text for name, text in own.items() if name not in declared and text.strip()
        }


protocols: Registry[Protocol] = Registry(mark("protocol"), "judgelab.protocols")

P = TypeVar("P", bound=type[Protocol])


def register(kind: P) -> P:
    """File one instance of the decorated protocol under its name."""
    protocols.register(kind.name)(kind())
    return kind
