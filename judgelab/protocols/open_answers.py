"""Shared by the judges that LINKAGE compares: open questions, a list of references, their own scale.

Yang et al., "LINKAGE: Listwise Ranking among Varied-Quality References for Non-Factoid QA Evaluation via
LLMs" (2024), sections 3 and 4 and appendix A.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

from judgelab.domain import Criterion, Demonstration, Reference, Task
from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.protocols.core.base import Protocol, Refusal
from judgelab.protocols.core.placeholders import fill_once
from judgelab.protocols.core.prompts import clean, section, template_table
from judgelab.protocols.core.shared_options import CONTEXT, INSTRUCTION
from judgelab.protocols.single_score import only_criterion
from judgelab.wording import mark, sentence

FIRST = "1"  # the version in which task, criterion and qualities are one section
EARLIER_CASE = {"qa": "a question that no single fact answers", "summarisation": "a source text"}
EARLIER_CRITERION = "What counts is {label}: {question}"
SHOTS = Option(
    "shots",
    "int",
    0,
    choices=(0, 1, 3, 5),
    help=mark("How many worked examples the prompt shows before the case."),
)
LIST = Option("list", "text", "references", help=mark("Name of the reference lists."))
DRAW = Option("draw", "int", 1, help=mark("Which draw of the reference lists to use."))
SEED = Option("seed", "int", 0, help=mark("Seed for the order in which the two texts are shown."))


class BuiltInExample(NamedTuple):
    """A built-in worked example, with the right reply of each kind of judge."""

    question: str
    references: Sequence[str]
    answer: str
    rank: int
    score: int
    compared: int
    verdict: str
    why: str


class OpenAnswers(Protocol):
    """Judges one response at a time relative to others, on the protocol's own scale."""

    asks: ClassVar[Literal["each", "all"]] = "each"
    own_scale = True
    # The temperature is from the paper (4.4), top_p from the authors' program.
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.8, "top_p": 0.95}
    options: ClassVar[tuple[Option, ...]] = (SHOTS, CONTEXT, INSTRUCTION)
    parts: ClassVar[tuple[str, ...]] = ("task", "criterion", "qualities", "output", "examples")
    template_version = "3"

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return that lower scores are better or that the examples don't fit summaries, or None."""
        return refusal_for(criterion, self.settle(options), kind)

    def checked_options(self, task: Task, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options, checked against the task.

        Raises:
            InvalidInput: they do not fit the task.
        """
        chosen = self.settle(options)
        refusal = refusal_for(only_criterion(task), chosen, task.kind)
        if refusal is not None:
            raise InvalidInput(
                sentence(
                    "the prompt cannot be built: {why}; choose {instead}.", why=refusal[0], instead=refusal[1]
                )
                if refusal.instead
                else sentence("the prompt cannot be built: {why}.", why=refusal.reason)
            )
        return chosen


def refusal_for(
    criterion: Criterion, chosen: Mapping[str, Any], kind: Literal["qa", "summarisation"]
) -> Refusal | None:
    """Return why no prompt can be built for the criterion, or None."""
    if not criterion.higher_is_better:
        return Refusal(
            sentence("it ranks better responses higher, but for this criterion a lower score is better")
        )
    if kind == "summarisation" and chosen["shots"] and chosen.get("examples", "ours") == "ours":
        return Refusal(sentence("its built-in examples are answers to questions, not summaries"), "shots=0")
    return None


def wording(version: str) -> Mapping[str, Any]:
    """Return the texts of one version of the prompts."""
    return template_table("open_answers", version)


@lru_cache(maxsize=4)
def worked_examples(version: str) -> tuple[BuiltInExample, ...]:
    """Return the built-in worked examples in the order shown."""
    data = template_table("demonstrations_open_answers", version)
    return tuple(BuiltInExample(**fields) for fields in data["demonstration"])


def task_parts(task: Task, chosen: Mapping[str, Any], name: str, version: str) -> list[str]:
    """Return the task in the default wording or the user's, the criterion's question, and the qualities."""
    words = wording(version)
    summary = task.kind == "summarisation"
    number = len(task.reference_list)
    case = words.get("case", EARLIER_CASE)[task.kind]
    task_text = chosen["instruction"] or words[name].strip().replace("{of}", "of" if summary else "to")
    for mark_, value in (
        ("{texts}", "summaries" if summary else "answers"),
        ("{text}", "summary" if summary else "answer"),
        ("{case}", case),
        ("{n}", str(number)),
        ("{last}", str(number + 1)),
    ):
        task_text = task_text.replace(mark_, value)
    criterion = only_criterion(task)
    form = words.get("criterion", EARLIER_CRITERION)
    named = {"label": criterion.label, "question": criterion.question}
    criterion_text = fill_once(form, named) if criterion.question else ""
    if version == FIRST:
        qualities = "" if name == "linkage" else words["qualities"].strip()
        return [section("task", "\n".join(part for part in (task_text, criterion_text, qualities) if part))]
    return [
        section("task", task_text),
        section("criterion", criterion_text),
        section("qualities", words["qualities"].get(name, "")),
    ]


def case_parts(task: Task, chosen: Mapping[str, Any]) -> list[str]:
    """Return the question, with the source or context if it is shown."""
    shows_source = task.kind == "summarisation" or chosen["show_context"]
    return [
        section("source", clean(task.context)) if shows_source else "",
        section("question", clean(task.question)),
    ]


def references_part(texts: Sequence[str]) -> str:
    """Return a section with numbered references, best first."""
    blocks = [
        section("reference", f"{place}. {clean(text) or '(empty)'}")
        for place, text in enumerate(texts, start=1)
    ]
    return section("references", "\n".join(blocks))


def response_part(task: Task) -> str:
    """Return the section with the response; an empty response is marked as empty."""
    name = "summary" if task.kind == "summarisation" else "answer"
    return section(name, clean(task.response) or "(empty)")


def reference_list_of(task: Task) -> Sequence[Reference]:
    """Return the item's list of references, best first.

    Raises:
        InvalidInput: the item has no list.
    """
    if not task.reference_list:
        raise InvalidInput(
            sentence(
                "this item has no reference list; create one on *Preparation* or with `judgelab prepare "
                "PROJECT references`."
            )
        )
    return task.reference_list
