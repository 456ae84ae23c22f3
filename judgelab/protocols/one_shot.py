"""One-shot direct prompting: rated examples without reasoning before the case."""

from __future__ import annotations

from judgelab.protocols.core.base import register
from judgelab.protocols.shown_examples import ShownExamples
from judgelab.wording import mark


@register
class OneShot(ShownExamples):
    """ELECT's One-shot DP: one to four examples with their scores."""

    name = "one_shot"
    title = mark("One-shot direct")
    summary = mark("Shows one to four rated examples, then asks directly for the score.")
