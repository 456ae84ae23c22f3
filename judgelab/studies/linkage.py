"""LINKAGE: answers to non-factoid questions, graded 0 to 3."""

from judgelab.domain import Criterion
from judgelab.studies.base import GridPreset, JudgePreset, Study, studies
from judgelab.wording import mark

SAMPLING = {"temperature": 0.8, "top_p": 0.95}
MODELS = "Mistral-7B-Instruct-v0.2, gpt-3.5-turbo-16k"

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
        source="Yang, Bi, Cui, Guo and Cheng, Findings of EMNLP 2024",
        question=mark(
            "Is an answer to an open question better judged by its rank in a list of references, ordered "
            "from best to worst, than by a separate score or by pairwise comparisons?"
        ),
        finding=mark(
            "The rank in the list agrees best with people: with Mistral and examples, ρ is .420 on "
            "ANTIQUE and .473 on TREC-DL-NF, compared with .250 and .277 for a separate score and .213 "
            "and .297 for pairwise comparisons. Lists written by a model work just as well; it matters "
            "little which references are drawn."
        ),
        needs=mark(
            "Questions with many graded answers, from which lists are drawn; or questions with one "
            "reference answer or none, for which a model writes the lists. Answers in a list are not "
            "judged."
        ),
        judges=(
            JudgePreset("pointwise", "Pointwise", "pointwise", {}, 1, "", SAMPLING, MODELS),
            JudgePreset(
                "pointwise_refs", "Pointwise with references", "pointwise_refs", {}, 1, "", SAMPLING, MODELS
            ),
            JudgePreset(
                "pairwise_refs", "Pairwise with references", "pairwise_refs", {}, 1, "", SAMPLING, MODELS
            ),
            JudgePreset("linkage_0", "LINKAGE, zero-shot", "linkage", {"shots": 0}, 1, "", SAMPLING, MODELS),
            JudgePreset("linkage_few", "LINKAGE, few-shot", "linkage", {"shots": 3}, 1, "", SAMPLING, MODELS),
        ),
        metrics=("rouge1", "rouge2", "rougeL", "bertscore_f1", "bleu"),
        levels=("item",),
        coefficients=("kendall", "spearman", "pearson"),
        grids=(GridPreset("shots", mark("Number of examples"), "linkage_0", {"shots": (0, 1, 3, 5)}),),
    )
)
