"""LINKAGE: answers to non-factoid questions, graded 0 to 3."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark

studies.register("linkage")(
    Study(
        name="linkage",
        title=mark("LINKAGE: answers to open questions"),
        summary=mark("How good is the answer to a how or why question? One grade, 0 to 3."),
        task="qa",
        criteria=(
            Criterion(
                "quality",
                "Answer quality",
                {
                    "kind": "ordinal",
                    "low": 0,
                    "high": 3,
                    "labels": {"0": "Off topic", "1": "Weak", "2": "Useful", "3": "Convincing"},
                    "anchors": {
                        "0": "It does not deal with the question.",
                        "1": "It is on the topic but helps little.",
                        "2": "It answers the question but leaves out or muddles something.",
                        "3": "It answers the question fully and can be believed.",
                    },
                },
                "How well does it answer the question?",
            ),
        ),
        guidelines="There is no single right answer. Ask whether the person who asked would be helped.",
    )
)
