"""One score after rated examples: the common part of `one_shot` and `elect`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.domain import Criterion, Demonstration, Task
from judgelab.protocols.core.base import Refusal
from judgelab.protocols.examples.demonstrations import SAVED, SHOTS, demonstration_refusal, demonstrations_for
from judgelab.protocols.examples.single_score import SCORE_EXAMPLES
from judgelab.protocols.single_score import SHARED_OPTIONS, SingleScore, examples_text
from judgelab.scales import Scale


class ShownExamples(SingleScore):
    """One to four rated examples stand before the case.

    Attributes:
        reasoned: whether each example carries its reasoning.
    """

    options = (SHOTS, SAVED, *SHARED_OPTIONS)
    parts = ("task", "output", "criterion", "examples")
    examples = SCORE_EXAMPLES
    reasoned: ClassVar[bool] = False

    def shots(self, options: Mapping[str, Any]) -> int:
        """Return the number of examples shown."""
        return int(self.settle(options)["shots"])

    def refusal(
        self,
        criterion: Criterion,
        options: Mapping[str, Any],
        *,
        kind: Literal["qa", "summarisation"],
        demonstrations: Sequence[Demonstration] = (),
    ) -> Refusal | None:
        """Return why the grammar or the examples do not fit the criterion, or None."""
        return super().refusal(criterion, options, kind=kind) or demonstration_refusal(
            criterion, demonstrations, kind=kind, shots=self.shots(options), reasoned=self.reasoned
        )

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the examples with their scores, and their reasoning for ELECT."""
        shown = demonstrations_for(
            task, scale, shots=options["shots"], reasoned=self.reasoned, version=self.template_version
        )
        return examples_text(task, shown, scale, grammar=options["grammar"], reasoned=self.reasoned)
