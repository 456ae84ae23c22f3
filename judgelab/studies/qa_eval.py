"""QA-eval: short factual answers, right or wrong given the gold answers."""

from collections.abc import Mapping
from typing import Any

from judgelab.domain import Criterion
from judgelab.studies.base import GridPreset, JudgePreset, Study, studies
from judgelab.wording import mark

# Without explanations, a prompt has no examples either; the paper calls this "zero-shot".
REASONED: Mapping[str, Any] = {"shots": tuple(range(1, 10)), "explain": True}
BARE: Mapping[str, Any] = {"shots": 0}
BEAMS = {"num_beams": 10, "temperature": 0.0}
DRAWN = {"temperature": 0.7, "top_p": 0.95}
GREEDY = {"temperature": 0.0}
OPEN, CLOSED = "FLAN-T5-large, Mistral-7B-Instruct, Zephyr-7B", "GPT-3.5-turbo, GPT-4-turbo, GPT-4"


def _judge(
    key: str,
    title: str,
    options: Mapping[str, Any],
    samples: int,
    parameters: Mapping[str, Any],
    models: str,
    *,
    beams: bool = False,
) -> JudgePreset:
    distinct = ("samples", "num_beams") if beams else ("samples",)
    settings = {} if options["shots"] else {"explain": False}
    return JudgePreset(
        key, title, "qa_eval", options, samples, "majority", parameters, models, distinct, settings=settings
    )


studies.register("qa_eval")(
    Study(
        name="qa_eval",
        title=mark("QA-eval: short factual answers"),
        summary=mark("Is the answer right, given the reference answers? Yes or no."),
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
            "The reference answers are known to be right, but an answer in other words, or another right "
            "answer, is right as well. Wrong is what misleads the person who asked."
        ),
        source="Kamalloo, Upadhyay and Lin, SIGIR 2024",
        question=mark(
            "Can open models decide whether a short answer is right, given reference answers, well enough to "
            "rank question answering systems as people do?"
        ),
        finding=mark(
            "Exact match and token F1 rank twelve systems poorly (ρ .22 and .30). Reasoned examples and a "
            "majority vote over three replies bring a 7B model to .93, compared with .97 for GPT-4-turbo."
        ),
        needs=mark(
            "The answers of several systems to the same questions, reference answers, and a human label, "
            "right or wrong, for each answer."
        ),
        judges=(
            _judge("few_shot", "Few-shot, vote of three", REASONED, 3, BEAMS, OPEN),
            _judge("zero_shot", "Zero-shot, vote of three", BARE, 3, BEAMS, OPEN),
            _judge("few_shot_1", "Few-shot, one reply", REASONED, 1, GREEDY, CLOSED),
            _judge("zero_shot_1", "Zero-shot, one reply", BARE, 1, GREEDY, CLOSED),
            _judge("few_shot_beam1", "Few-shot, one beam reply", REASONED, 1, BEAMS, OPEN, beams=True),
            _judge("zero_shot_beam1", "Zero-shot, one beam reply", BARE, 1, BEAMS, OPEN, beams=True),
            _judge("few_shot_beam9", "Few-shot, vote of nine beams", REASONED, 9, BEAMS, OPEN, beams=True),
            _judge("few_shot_beam3", "Few-shot, vote of three beams", REASONED, 3, BEAMS, OPEN, beams=True),
            _judge("zero_shot_beam3", "Zero-shot, vote of three beams", BARE, 3, BEAMS, OPEN, beams=True),
            _judge("few_shot_nucleus", "Few-shot, three drawn replies", REASONED, 3, DRAWN, OPEN, beams=True),
        ),
        metrics=("exact_match", "token_f1"),
        levels=("system",),
        coefficients=("spearman", "kendall"),
        grids=(
            GridPreset(
                "votes",
                mark("Reasoned examples and votes"),
                "few_shot",
                {"shots": (0, 9), "samples": (1, 3, 9)},
            ),
        ),
    )
)
