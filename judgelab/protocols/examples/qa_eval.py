"""Example replies to "is the candidate correct?", with the verdict that must be read in them."""

from __future__ import annotations

from judgelab.protocols.core.base import Example

RIGHT = {"kind": "binary"}
BARE = {"explain": False}

QA_EVAL_EXAMPLES = (
    Example("Both name the same year, one of them in words.\nyes", 1, RIGHT),
    Example("The candidate names another composer.\n\nNo.", 0, RIGHT),
    Example("It is a rounded value.\nJudgment: **Yes**", 1, RIGHT),
    Example("```\nThe place is wrong.\nno\n```", 0, RIGHT),
    Example("Explanation: Spelled otherwise, the same man.\nAnswer based on explanation: Yes.", 1, RIGHT),
    Example("Yes, the candidate is correct. Both name the same man.", 1, RIGHT),
    Example("No. 5 was written by Beethoven, and the candidate says so.", None, RIGHT),
    Example("Yes, it is right, I think, though there is no way to tell.", None, RIGHT),
    Example("The candidate may be right.", None, RIGHT),
    Example("The dates differ.\nYes and no.", None, RIGHT),
    Example("", None, RIGHT),
    Example("yes", 1, RIGHT, BARE),
    Example("No, it is not.", 0, RIGHT, BARE),
    Example("It is correct.", None, RIGHT, BARE),
    Example("yes or no", None, RIGHT, BARE),
)
