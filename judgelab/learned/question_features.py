"""Features of a response compared with the question it answers."""

from __future__ import annotations

import numpy as np

from judgelab.learned.feature_inputs import Columns, FeatureInputs
from judgelab.learned.similarity import Similarity
from judgelab.learned.text_features import FUNCTION_WORDS


def question_features(inputs: FeatureInputs, similarity: Similarity) -> Columns:
    """Return one column per feature, one row per response; missing if the item has no question."""
    has_question = np.array([bool(cut.words) for cut in inputs.questions])
    if not has_question.any():
        return {}
    cosine = similarity.pairs(
        [entry.response for entry in inputs.batch], [entry.question for entry in inputs.batch]
    )
    used, echo = [], []
    for response, question in zip(inputs.responses, inputs.questions, strict=True):
        question_words = {word for word in question.words if word not in FUNCTION_WORDS}
        response_words = set(response.words)
        used.append(len(question_words & response_words) / len(question_words) if question_words else np.nan)
        echo.append(len(question_words & response_words) / len(response_words) if response_words else 0.0)
    columns = {"question_cosine": cosine, "question_words": np.array(used), "question_echo": np.array(echo)}
    return {name: np.where(has_question, values, np.nan) for name, values in columns.items()}
