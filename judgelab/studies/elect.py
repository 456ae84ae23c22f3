"""ELECT: answers to product questions, written from reviews, scored 0 to 3 (paper section 3.3)."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark

studies.register("elect")(
    Study(
        name="elect",
        title=mark("ELECT: product questions answered from reviews"),
        summary=mark("Does the answer tell the shopper what was asked? One criterion, 0 to 3."),
        task="qa",
        criteria=(
            Criterion(
                key="answers",
                label="Answers the question",
                question="Does it tell the person what they asked?",
                scale={
                    "kind": "ordinal",
                    "low": 0,
                    "high": 3,
                    "labels": {"0": "Irrelevant", "1": "Related only", "2": "Partly", "3": "Answers"},
                    "anchors": {
                        "0": "It has nothing to do with the question.",
                        "1": "It is about the same thing but does not answer the question.",
                        "2": "It answers a part of the question, or answers it with conditions left open.",
                        "3": "It answers the question directly; the shopper can decide.",
                    },
                },
            ),
        ),
        guidelines=(
            "Read the question, then the answer. The reference answers come from owners of the product; "
            "they show what a good answer may say, and yours may differ from them.\n\n"
            "Judge whether the question is answered, not how well the answer is written."
        ),
        group_word="product category",
    )
)
