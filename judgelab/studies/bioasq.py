"""BioASQ: ideal answers to biomedical questions, four criteria 1 to 5."""

from judgelab.domain import Criterion
from judgelab.studies.base import JudgePreset, Study, studies
from judgelab.wording import mark

SAMPLING = {"temperature": 0.0, "top_p": 0.6}
EVIDENCE = ("repscore", "smog", "judge:fine_tuned")  # scores shown to the meta-evaluator (section 4.2.4)


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
        summary=mark(
            "Recall, precision, repetition and readability, compared with reference answers, 1 to 5 each."
        ),
        task="summarisation",
        criteria=(
            Criterion(
                "recall",
                "Information recall",
                _scale("None of what the known answers say is there.", "All of what they say is there."),
                "How much of the information in the known answers does it report?",
            ),
            Criterion(
                "precision",
                "Information precision",
                _scale("Nothing in it is in the known answers.", "Everything in it is in the known answers."),
                "How much of its information is in the known answers?",
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
                _scale(
                    "It cannot be understood, or not be seen to be an answer.",
                    "It is easily understood and plainly an answer to the question.",
                ),
                "Can a person easily understand it, and easily see that it answers the question?",
            ),
        ),
        guidelines="Compare the answer with the known answers. Every criterion stands on its own.",
        source="Hijazi, Mollá, Nguyen and Karimi, BioNLP 2024",
        question=mark(
            "How close do language models come to experts who score summaries of biomedical findings, and "
            "which kind of prompt works best?"
        ),
        finding=mark(
            "With a plain prompt, GPT-3.5 (mean ρ .256) is no better than ROUGE or BERTScore. A model "
            "fine-tuned on human scores (.425) and one that sees the scores of other evaluators (.422) "
            "are better. Six examples helped least."
        ),
        needs=mark(
            "Answers with reference answers, human scores (1 to 5) for four criteria, and the batch as "
            "the group. Fine-tuning and examples need rated answers from other batches."
        ),
        judges=(
            JudgePreset("otb", "OTB", "otb", {}, 3, "mean", SAMPLING, "GPT-3.5"),
            JudgePreset("rts", "CoT (reason then score)", "rts", {}, 3, "mean", SAMPLING, "GPT-3.5"),
            JudgePreset("few_shot", "Few-shot", "few_shot", {}, 3, "mean", SAMPLING, "GPT-3.5"),
            JudgePreset("fine_tuned", "Fine-tuned", "otb", {}, 3, "mean", SAMPLING, "GPT-3.5", tuned=True),
            JudgePreset("meta", "Meta-evaluator", "meta", {}, 3, "mean", SAMPLING, "GPT-4", shown=EVIDENCE),
            JudgePreset(
                "pairwise_rank", "Pairwise ranking", "pairwise_rank", {}, 3, "mean", SAMPLING, "GPT-4"
            ),
        ),
        # The last two have no row in the table; they are shown to the meta-evaluator.
        metrics=("rouge1", "rouge2", "bertscore_p", "bertscore_r", "bertscore_f1", "repscore", "smog"),
        levels=("group",),
        coefficients=("spearman", "qwk"),
    )
)
