"""ELECT: answers to product questions, written from reviews, scored 0 to 3 (paper section 3.3)."""

from judgelab.domain import Criterion
from judgelab.studies.base import GridPreset, JudgePreset, Study, studies
from judgelab.wording import mark

SAMPLING = {"temperature": 1.0}

studies.register("elect")(
    Study(
        name="elect",
        title=mark("ELECT: product questions answered from reviews"),
        summary=mark("Does the answer give shoppers the information they asked for? One criterion, 0 to 3."),
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
                        "2": "It answers the question in some way, or a part of it.",
                        "3": "It answers the question directly.",
                    },
                },
            ),
        ),
        guidelines=(
            "Read the question, then the answer. The reference answers come from owners of the product; "
            "they show what a good answer may say, and yours may differ from them.\n\n"
            "Judge whether the question is answered, not how well the answer is written."
        ),
        source="Huang, Ren and Zhang, WWW Companion 2025",
        question=mark(
            "Can a language model score answers to product questions as people do, without a reference? "
            "And do examples with four steps of reasoning help?"
        ),
        finding=mark(
            "With a direct prompt, GPT-4o comes closest to people (mean ρ .728 over six categories), "
            "ahead of a model trained to judge (.656) and a trained metric (.614). Reasoned examples "
            "raise Llama-3-8B from .563 to .621 over ten categories; more than one example adds little."
        ),
        needs=mark(
            "Questions with one answer each, scores (0 to 3) from several raters, the product category as "
            "the group, and at least one reasoned example. BERTScore needs reference answers."
        ),
        judges=(
            JudgePreset(
                "direct", "DP", "direct", {}, 10, "mean", SAMPLING, "GPT-4o, Prometheus-2-7B, Llama-3-8B"
            ),
            JudgePreset("geval", "G-Eval", "geval", {}, 10, "mean", SAMPLING, "Llama-3-8B"),
            JudgePreset(
                "one_shot", "One-shot DP", "one_shot", {"shots": 1}, 10, "mean", SAMPLING, "Llama-3-8B"
            ),
            JudgePreset(
                "elect",
                "ELECT",
                "elect",
                {"shots": (1, 2, 3, 4)},
                10,
                "mean",
                SAMPLING,
                "Llama-3-8B",
                settings={"shots": 1},
            ),
        ),
        metrics=("bertscore_f1",),
        metric_settings={"references": "mean"},
        levels=("group", "none"),
        coefficients=("spearman", "pearson"),
        grids=(
            GridPreset("shots", mark("Number of examples with reasoning"), "elect", {"shots": (1, 2, 3, 4)}),
        ),
    )
)
