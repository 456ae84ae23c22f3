"""QA-eval: short factual answers, right or wrong given the gold answers."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark

studies.register("qa_eval")(
    Study(
        name="qa_eval",
        title=mark("QA-eval: short factual answers"),
        summary=mark("Is the answer right, given the gold answers? Yes or no."),
        task="qa",
        criteria=(
            Criterion(
                "correct",
                "Correct",
                {"kind": "binary", "no": "Wrong", "yes": "Right"},
                "Is it a right answer to the question?",
            ),
        ),
        guidelines=(
            "The gold answers are known to be right, but an answer in other words, or another right answer, "
            "is right as well. Wrong is what misleads the person who asked."
        ),
    )
)
