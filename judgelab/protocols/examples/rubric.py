"""Example replies to a prompt for all criteria, with the score that must be read in them."""

from __future__ import annotations

from judgelab.protocols.core.base import Example

ZERO_TO_THREE = {"kind": "ordinal", "low": 0, "high": 3}
ONE_TO_FIVE = {"kind": "ordinal", "low": 1, "high": 5}
PERCENT = {"kind": "numeric", "low": 0, "high": 100}
RIGHT_OR_WRONG = {"kind": "binary"}

RUBRIC_EXAMPLES = (
    Example('{"quality": {"score": 4}}', 4, ONE_TO_FIVE),
    Example('```json\n{"quality": {"score": 2}}\n```', 2, ONE_TO_FIVE),
    Example('Here is my judgment:\n{"quality": {"score": 5}}\nI hope this helps.', 5, ONE_TO_FIVE),
    Example('{"Quality": {"Score": "3"}}', 3, ONE_TO_FIVE),
    Example('{"quality": {"score": "4/5"}}', 4, ONE_TO_FIVE),
    Example("{'quality': {'score': 1,},}", 1, ZERO_TO_THREE),
    Example('{"quality": 3}', 3, ZERO_TO_THREE),
    Example('{"evaluation": {"quality": {"score": 2}}}', 2, ZERO_TO_THREE),
    Example('{"quality": {"explanation": "All 5 facts.", "score": 4}}', 4, ONE_TO_FIVE),
    Example('{"quality": {"explanation": "Fine.", "score": 4}\n"style": {"score": 2}', 4, ONE_TO_FIVE),
    Example('{"quality": {"score": 87.5}}', 87.5, PERCENT),
    Example('{"recall": {"score": 4}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": 7}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": 3.5}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": "8/10"}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": true}}', None, RIGHT_OR_WRONG),
    Example('{"quality": {"score": null}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": [4]}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": 4}} {"quality": {"score": 2}}', None, ONE_TO_FIVE),
    Example('{"quality": {"score": 2}} With sources: {"quality": {"score": 5}}', None, ONE_TO_FIVE),
    Example('It would be {"quality": {"score": 5}} if it had sources.', None, ONE_TO_FIVE),
    Example('{"example": {"quality": {"score": 5}}}', None, ONE_TO_FIVE),
    Example('{"reference": {"quality": 5}, "quality": 3}', 3, ONE_TO_FIVE),
    Example('{"quality": {"explanation": "cut off', None, ONE_TO_FIVE),
    Example('{"quality": {"explanation": "cut, "style": {"score": 2}}', None, ONE_TO_FIVE),
    Example("The quality is 4.", None, ONE_TO_FIVE),
    Example("", None, ONE_TO_FIVE),
)
