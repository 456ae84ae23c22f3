"""BioASQ: ideal answers to biomedical questions, four criteria 1 to 5."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark


def _scale(lowest: str, highest: str) -> dict[str, object]:
    return {
        "kind": "ordinal",
        "low": 1,
        "high": 5,
        "labels": {"1": "Very poor", "2": "Poor", "3": "Fair", "4": "Good", "5": "Very good"},
        "anchors": {"1": lowest, "5": highest},
    }


studies.register("bioasq")(
    Study(
        name="bioasq",
        title=mark("BioASQ: answers to biomedical questions"),
        summary=mark("Recall, precision, repetition and readability against known answers, 1 to 5 each."),
        task="summarisation",
        criteria=(
            Criterion(
                "recall",
                "Information recall",
                _scale("None of what the known answers say is there.", "All of what they say is there."),
                "How much of the known answers does it cover?",
            ),
            Criterion(
                "precision",
                "Information precision",
                _scale("Nothing in it is in the known answers.", "Everything in it is in the known answers."),
                "How much of it is found in the known answers?",
            ),
            Criterion(
                "repetition",
                "Repetition",
                _scale("The same things are said again and again.", "Nothing is said twice."),
                "Is it free of repetition? More points mean less repetition.",
            ),
            Criterion(
                "readability",
                "Readability",
                _scale("It cannot be followed.", "It reads easily and is well put."),
                "Is it easy to read and fluent?",
            ),
        ),
        guidelines="Compare the answer with the known answers. Every criterion stands on its own.",
        group_word="batch",
    )
)
