"""SummEval: summaries of news articles, four criteria 1 to 5."""

from judgelab.domain import Criterion
from judgelab.studies.base import Study, studies
from judgelab.wording import mark

LABELS = {"1": "Very bad", "2": "Bad", "3": "Fair", "4": "Good", "5": "Very good"}


def _scale(lowest: str, highest: str) -> dict[str, object]:
    return {
        "kind": "ordinal",
        "low": 1,
        "high": 5,
        "labels": LABELS,
        "anchors": {"1": lowest, "5": highest},
    }


studies.register("summeval")(
    Study(
        name="summeval",
        title=mark("SummEval: summaries of articles"),
        summary=mark("Coherence, consistency, fluency and relevance, 1 to 5 each."),
        task="summarisation",
        criteria=(
            Criterion(
                "coherence",
                "Coherence",
                _scale("A heap of sentences.", "The sentences build one well-ordered text."),
                "Do the sentences fit together as a whole?",
            ),
            Criterion(
                "consistency",
                "Consistency",
                _scale("It says what the article does not say.", "Every statement is in the article."),
                "Does it say only what the article says?",
            ),
            Criterion(
                "fluency",
                "Fluency",
                _scale("The sentences are broken.", "Each sentence is well formed."),
                "Is each sentence well written?",
            ),
            Criterion(
                "relevance",
                "Relevance",
                _scale("The important things are missing.", "It holds what matters and nothing else."),
                "Does it hold the important content of the article?",
            ),
        ),
        guidelines="Read the article first. Every criterion stands on its own: fluent may be wrong.",
        source="Fabbri and others, TACL 2021; Liu and others, EMNLP 2023",
        question=mark("Which automatic evaluations of summaries agree with experts, criterion by criterion?"),
        finding=mark(
            "Overlap with references hardly agrees with experts within a document: ρ between .10 and .33 "
            "for ROUGE."
        ),
        needs=mark(
            "Articles with summaries by many systems, several references, and expert scores from 1 to 5."
        ),
        metrics=("rouge1", "rouge2", "rougeLsum"),
        metric_settings={"references": "mean", "stemmer": True, "sentences": "full_stop"},
        levels=("item", "system"),
        coefficients=("spearman", "kendall", "pearson"),
    )
)
