"""ELECT: examples with worked reasoning (Huang, Ren and Zhang, WWW Companion 2025)."""

from __future__ import annotations

from judgelab.protocols.core.base import register
from judgelab.protocols.shown_examples import ShownExamples
from judgelab.wording import mark


@register
class Elect(ShownExamples):
    """One to four examples, each reasoned through in four steps up to its score."""

    name = "elect"
    title = "ELECT"
    summary = mark(
        "Shows one to four examples, each reasoned through in four steps, then asks for the score."
    )
    reasoned = True
