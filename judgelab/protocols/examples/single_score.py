"""Example replies to a prompt for one score, with the score that must be read in them."""

from __future__ import annotations

from judgelab.protocols.core.base import Example

ZERO_TO_THREE = {"kind": "ordinal", "low": 0, "high": 3}
ONE_TO_FIVE = {"kind": "ordinal", "low": 1, "high": 5}
PERCENT = {"kind": "numeric", "low": 0, "high": 100}
RIGHT_OR_WRONG = {"kind": "binary"}
EXPLAINED = {"explain": True}

SCORE_EXAMPLES = (
    Example("3", 3, ZERO_TO_THREE),
    Example(" Rating: 2.\n", 2, ZERO_TO_THREE),
    Example("**1**", 1, ZERO_TO_THREE),
    Example("0", 0, RIGHT_OR_WRONG),
    Example("87.5", 87.5, PERCENT),
    Example("", None, ZERO_TO_THREE),
    Example("I cannot rate this.", None, ZERO_TO_THREE),
    Example("10", None, ZERO_TO_THREE),
    Example("-1", None, ZERO_TO_THREE),
    Example("2.5", None, ZERO_TO_THREE),
    Example("2 or 3", None, ZERO_TO_THREE),
    Example("On a scale from 0 to 3 this is a 2.", None, ZERO_TO_THREE),
    Example("H2O is named, so the question is met.", None, ZERO_TO_THREE),
    Example("It names 3 of the 4 facts.\nScore: 2", 2, ZERO_TO_THREE, EXPLAINED),
    Example("Fluent throughout, resulting in a score of 4 out of 5.", 4, ONE_TO_FIVE, EXPLAINED),
    Example("It repeats itself, earning a score of one.", 1, ONE_TO_FIVE, EXPLAINED),
    Example("It kept 2 of 3 names, the rest is well told.", None, ONE_TO_FIVE, EXPLAINED),
    Example("Score: 3 or 4", None, ONE_TO_FIVE, EXPLAINED),
    Example("Score: 8/10", None, ONE_TO_FIVE, EXPLAINED),
    Example("Kane scored 3 goals, it says, and that is true.", None, ONE_TO_FIVE, EXPLAINED),
    Example("It answers half of it. [[2]]", 2, ZERO_TO_THREE, {"grammar": "brackets"}),
    Example("[[1]] or rather [[2]]", None, ZERO_TO_THREE, {"grammar": "brackets"}),
    Example(
        '```json\n{"explanation": "All 5 facts.", "score": 3}\n```', 3, ZERO_TO_THREE, {"grammar": "json"}
    ),
    Example('{"score": "2"}', 2, ZERO_TO_THREE, {"grammar": "json"}),
    Example('{"score": 7}', None, ZERO_TO_THREE, {"grammar": "json"}),
    Example('{"score": true}', None, RIGHT_OR_WRONG, {"grammar": "json"}),
    Example('{"explanation": "cut off', None, ZERO_TO_THREE, {"grammar": "json"}),
    Example("Feedback: names 2 facts of 3. [RESULT] 4", 4, ONE_TO_FIVE, {"grammar": "prometheus"}),
    Example("Feedback: good, I would say 4.", None, ONE_TO_FIVE, {"grammar": "prometheus"}),
    Example("The year is wrong.\nNo", 0, RIGHT_OR_WRONG, {"grammar": "yes_no", "explain": True}),
    Example("Yes.", 1, RIGHT_OR_WRONG, {"grammar": "yes_no"}),
    Example("Yes and no.", None, RIGHT_OR_WRONG, {"grammar": "yes_no"}),
    Example("Yes", None, ZERO_TO_THREE, {"grammar": "yes_no"}),
    Example("D", 4, ONE_TO_FIVE, {"grammar": "abc"}),
    Example("B. It is mostly off the point.", 2, ONE_TO_FIVE, {"grammar": "abc"}),
    Example("F", None, ONE_TO_FIVE, {"grammar": "abc"}),
    Example("A good summary.", None, ONE_TO_FIVE, {"grammar": "abc"}),
)
