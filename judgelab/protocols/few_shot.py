"""OTB after six rated examples, chosen by percentile from another split (BioASQ study, section 4.2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judgelab.domain import Criterion, Demonstration, Task
from judgelab.errors import InvalidInput
from judgelab.protocols.core.base import Refusal, register
from judgelab.protocols.core.prompts import clean, section
from judgelab.protocols.core.shared_options import APART, EXAMPLES_FROM
from judgelab.protocols.examples.rubric import RUBRIC_EXAMPLES
from judgelab.protocols.percentiles import MAX_CRITERIA, PERCENTILES
from judgelab.protocols.rubric import RUBRIC_OPTIONS, Rubric, format_rubric
from judgelab.wording import mark, sentence


@register
class FewShot(Rubric):
    """BioASQ's FS: examples at the 15th and 80th percentile of recall, precision and readability.

    The examples' groups are not judged in the same run unless the user wants it or there are no others; the
    examples' questions are never judged, whatever system answered them.
    """

    name = "few_shot"
    title = mark("Few-shot")
    summary = mark(
        "“Out of the box” with six rated examples: low and high ones under three criteria, from other groups."
    )
    options = (EXAMPLES_FROM, APART, *RUBRIC_OPTIONS)
    parts = ("task", "criteria", "output", "examples")
    examples = RUBRIC_EXAMPLES

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return how many examples are shown if the project has three criteria or more."""
        return MAX_CRITERIA * len(PERCENTILES)

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return that the project has no rated example to show, or None."""
        self.settle(options)
        if demonstrations:
            return None
        return Refusal(sentence("it needs rated examples, and this project has none that can be shown"))

    def middle(self, task: Task, options: Mapping[str, Any]) -> Sequence[str]:
        """Return the examples with their human scores."""
        shown = [
            example
            for example in task.demonstrations
            if (example.question, example.response) != (task.question, task.response)
        ]
        if not shown:
            raise InvalidInput(
                sentence(
                    "the prompt cannot be built: {why}; choose 'otb'.",
                    why=sentence("it needs rated examples, and this project has none that can be shown"),
                )
            )
        return (section("examples", "\n".join(_example(task, example) for example in shown)),)


def _example(task: Task, example: Demonstration) -> str:
    summary = task.kind == "summarisation"
    scores = example.scores or {criterion.key: example.score for criterion in task.criteria}
    references = [section("reference", clean(text)) for text in example.references]
    parts = [
        section("source", clean(example.context)) if summary else "",
        section("question", clean(example.question)),
        section("references", "\n".join(references)),
        section("summary" if summary else "answer", clean(example.response) or "(empty)"),
        section("score", format_rubric(task.criteria, scores)),
    ]
    return section("example", "\n".join(part for part in parts if part))
