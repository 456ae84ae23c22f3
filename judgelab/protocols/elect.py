"""ELECT: examples that carry their own worked reasoning (Huang, Ren and Zhang, WWW Companion 2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judgelab.domain import Criterion, Demonstration, Task
from judgelab.protocols.base import Refusal, register
from judgelab.protocols.demonstrations import SHOTS, demonstration_refusal, demonstrations_for
from judgelab.protocols.single_score import SHARED_OPTIONS, SingleScore, examples_text
from judgelab.protocols.single_score_examples import SCORE_EXAMPLES
from judgelab.scales import Scale
from judgelab.wording import mark


@register
class Elect(SingleScore):
    """One to four examples, each reasoned through in four steps up to its score."""

    name = "elect"
    title = "ELECT"
    summary = mark(
        "Shows one to four examples, each reasoned through in four steps, then asks for the score."
    )
    options = (SHOTS, *SHARED_OPTIONS)
    examples = SCORE_EXAMPLES

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
        """Return why the grammar or the examples do not suit the criterion, or None."""
        return super().refusal(criterion, options, kind=kind) or demonstration_refusal(
            criterion, demonstrations, kind=kind, shots=self.shots(options), reasoned=True
        )

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the examples with reasoning and scores."""
        shown = demonstrations_for(task, scale, shots=options["shots"], reasoned=True)
        return examples_text(task, shown, scale, grammar=options["grammar"], reasoned=True)
