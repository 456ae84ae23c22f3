"""One-shot direct prompting: rated examples, without reasoning, before the case."""

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
class OneShot(SingleScore):
    """ELECT's One-shot DP: one to four examples with their scores."""

    name = "one_shot"
    title = mark("One-shot direct")
    summary = mark("Shows one to four rated examples, then asks for the score at once.")
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
            criterion, demonstrations, kind=kind, shots=self.shots(options)
        )

    def middle(self, task: Task, scale: Scale, options: Mapping[str, Any]) -> str:
        """Return the examples with their scores."""
        shown = demonstrations_for(task, scale, shots=options["shots"])
        return examples_text(task, shown, scale, grammar=options["grammar"])
