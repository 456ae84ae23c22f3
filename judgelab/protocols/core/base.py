"""The contract of a protocol: it turns a task into prompts and a reply into a reading."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from judgelab.domain import Criterion, Demonstration, Message, Reading, Task
from judgelab.options import Option, settle
from judgelab.protocols.core.aggregation import aggregate, label_kinds
from judgelab.protocols.core.call import Call, continue_conversation
from judgelab.protocols.core.expected import Token
from judgelab.protocols.core.prompt_parts import (
    COMMON_PARTS,
    PART_OPTIONS,
    PREFIX,
    REPLY_PARTS,
    custom_texts,
    instruction_text,
    rewrite_call,
)
from judgelab.protocols.core.signs import common_signs, missing_signs
from judgelab.registry import Registry
from judgelab.scales import scale_from_json, why_no_order
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
    "continue_conversation",
    "protocols",
    "register",
]

# The sections of a prompt that a project may reword, in their usual order.
PARTS = ("task", "output", "criterion", "criteria", "steps", "examples")


Need = Literal["reference_list", "roles", "evidence"]
ItemText = Literal["references", "context"]
SHOWN_BY: Mapping[ItemText, str] = {"references": "show_references", "context": "show_context"}


class Example(NamedTuple):
    """A reply and the score that must be read in it on `scale`; None if no score must be read.

    `options` are the protocol options under which a judge would reply like this.
    """

    reply: str
    score: float | None
    scale: Mapping[str, Any]
    options: Mapping[str, Any] = {}


RENAMED = {
    "sent": "default_parameters",
    "reads": "item_texts",
    "span": "score_range",
    "forgotten": "missing_signs",
}


class Heard(NamedTuple):
    """The reading of one reply, with the call that it answers."""

    call: Call
    reading: Reading


class Refusal(NamedTuple):
    """Why a protocol cannot judge a criterion, as a clause, and what to choose instead.

    `instead` is empty if only another protocol helps; the caller knows which protocols do.
    """

    reason: str
    instead: str = ""


class Protocol(ABC):
    """How a judge is asked and how its replies are read. Pure: it sends nothing.

    Attributes:
        name: the name on the command line.
        title: the name on the screen.
        summary: one sentence for lists.
        asks: "each" for one criterion per prompt, "all" for all criteria in one prompt.
        judges: "response" if a task is one response, "item" if it is all responses of an item.
        needs: what a task must have in addition to its texts: "reference_list", "roles", "evidence".
        own_scale: whether scores are on the protocol's own scale (wins, ranks, votes), not the criterion's.
        judges_labels: whether it can judge criteria whose labels have no order; their samples are combined
            by majority.
        options: what a user may set in addition to model and sampling.
        parts: the sections of the prompt that a project may reword, in their order; sections with the case
            (question, answer, references …) are not among them.
        samples: the default number of replies per unit.
        parameters: the default sampling parameters.
        aggregation: the default way to combine the samples into one score.
        template_version: changes whenever the wording of the prompt does; see `at`.
        examples: replies of every kind with the score that must be read; the conformance tests run them.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    asks: ClassVar[Literal["each", "all"]] = "each"
    judges: ClassVar[Literal["response", "item"]] = "response"
    needs: ClassVar[frozenset[Need]] = frozenset()
    own_scale: ClassVar[bool] = False
    judges_labels: ClassVar[bool] = False
    options: ClassVar[tuple[Option, ...]] = ()
    parts: ClassVar[tuple[str, ...]] = PARTS
    samples: ClassVar[int] = 1
    parameters: ClassVar[Mapping[str, Any]] = {}
    aggregation: ClassVar[str] = "mean"
    template_version: str = "1"
    examples: ClassVar[tuple[Example, ...]] = ()

    def __init_subclass__(cls, **given: Any) -> None:
        """Raise `TypeError` for a method by the name that an earlier version called it by."""
        super().__init_subclass__(**given)
        for earlier, name in RENAMED.items():
            if earlier in vars(cls):
                raise TypeError(f"{cls.__qualname__}.{earlier} is now called {name}; rename it.")

    def calls(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return the calls for one sample of a unit, always in the same order; most protocols need one.

        Every sample sends each of them once.

        Raises:
            InvalidInput: the options do not fit this task.
        """
        return [Call(self.build(task, options))]

    def prompts(self, task: Task, options: Mapping[str, Any]) -> list[Call]:
        """Return `calls` as they are sent, with the project's custom texts in place of the protocol's.

        Raises:
            InvalidInput: the options or a custom text do not fit this task.
        """
        calls, custom = self.calls(task, options), custom_texts(options)
        return [rewrite_call(call, task, custom, self.parts) for call in calls] if custom else calls

    def at(self, version: str) -> Self:
        """Return this protocol with the wording of a version, for judges created under it."""
        if version == self.template_version:
            return self
        earlier = copy.copy(self)
        earlier.template_version = version
        return earlier

    def part_options(self) -> dict[str, str]:
        """Return the name of the option with the custom text of each part, in the order of the prompt."""
        names = {option.name for option in self.options}
        system, *others = COMMON_PARTS
        return {
            part: PART_OPTIONS[part] if PART_OPTIONS.get(part) in names else f"{PREFIX}{part}"
            for part in (system, *self.parts, *others)
        }

    def signs(self, task: Task, options: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return the words the prompt must contain for replies to be readable, at least one of each group.

        By default, what all possible replies to the first call have in common.
        """
        return common_signs(self.replies(self.calls(task, options)[0], task, options))

    def missing_signs(self, task: Task, options: Mapping[str, Any]) -> list[str]:
        """Return which of `signs` the project's custom texts no longer ask for."""
        custom = custom_texts(options)
        if not REPLY_PARTS.intersection(custom):
            return []
        return missing_signs(
            instruction_text(self.calls(task, options), self.prompts(task, options), custom, self.parts),
            self.signs(task, options),
        )

    def hear_call(
        self, call: Call, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]
    ) -> Reading:
        """Return the reading of the reply to one of the calls; never raises."""
        return self.hear(text, tokens, task, options)

    def combine(
        self, heard: Sequence[Heard], task: Task, options: Mapping[str, Any], aggregation: str
    ) -> Reading:
        """Return one reading for the replies to all calls of all samples, given in the order of asking."""
        scales = {c.key: scale_from_json(c.scale) for c in task.criteria}
        return aggregate([answer.reading for answer in heard], aggregation, **label_kinds(scales))

    @abstractmethod
    def build(self, task: Task, options: Mapping[str, Any]) -> list[Message]:
        """Return the prompt for one task.

        Raises:
            InvalidInput: the options do not fit this task (the grammar, the demonstrations).
        """

    @abstractmethod
    def parse(self, text: str, task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the scores stated in `text`, or why there are none; never raises."""

    def hear(self, text: str, tokens: Sequence[Token], task: Task, options: Mapping[str, Any]) -> Reading:
        """Return the reading of a reply whose token probabilities may be known."""
        return self.parse(text, task, options)

    def default_parameters(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the default sampling parameters for these options."""
        return self.parameters

    def item_texts(self, options: Mapping[str, Any]) -> frozenset[ItemText]:
        """Return the item texts that the judge needs; a run starts only if some item has each of them."""
        return frozenset(text for text, option in SHOWN_BY.items() if options.get(option))

    def unsuited(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return `refusal`, or that the criterion's labels have no order and the protocol needs one."""
        if not self.judges_labels and not scale_from_json(criterion.scale).ordered:
            return Refusal(why_no_order(criterion.label))
        return self.refusal(criterion, options, kind=kind, demonstrations=demonstrations)

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why the protocol cannot judge any response under the criterion, or None.

        Checked before a run is created, so that no run starts and then fails unit by unit.

        Args:
            criterion: the criterion with its scale.
            options: the protocol's options.
            kind: what kind of text the responses are.
            demonstrations: the rated examples available in the project.
        """
        return None

    def reply_schema(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the JSON schema of a reply to this task; None if replies are not JSON."""
        return None

    def replies(self, call: Call, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return possible replies to a call, from the lowest score to the highest.

        A dry run replies with them. Empty if a reply is one score in the form of the option `grammar`.
        """
        return ()

    def score_range(self, detail: Mapping[str, Any], *, together: int) -> tuple[float, float] | None:
        """Return the lowest and highest possible score on the protocol's own scale; None if unknown.

        Args:
            detail: the details stored with the verdict.
            together: how many responses of the item were judged together.
        """
        return None

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many rated examples the prompt shows; the task should have as many."""
        return 0

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; raises for an unknown option or an invalid value."""
        custom = {name: str(options[name]) for name in self.part_options().values() if name in options}
        declared = {option.name for option in self.options}
        rest = {name: value for name, value in options.items() if name in declared or name not in custom}
        return settle(self.options, rest) | {
            name: text for name, text in custom.items() if name not in declared and text.strip()
        }


protocols: Registry[Protocol] = Registry(mark("protocol"), "judgelab.protocols")

P = TypeVar("P", bound=type[Protocol])


def register(kind: P) -> P:
    """Register an instance of the decorated protocol class under its name."""
    protocols.register(kind.name)(kind())
    return kind
