"""Features of a response beside the question it answers."""

from __future__ import annotations

import numpy as np

from judgelab.learned.feature_inputs import Columns, FeatureInputs
from judgelab.learned.similarity import Similarity
from judgelab.learned.text_features import FUNCTION_WORDS


def question_features(material: FeatureInputs, near: Similarity) -> Columns:
    """Return one column a feature, one row a response; missing where the item asks nothing."""
    asked = np.array([bool(cut.words) for cut in material.questions])
    if not asked.any():
        return {}
    cosine = near.pairs([one.response for one in material.batch], [one.question for one in material.batch])
    used, echo = [], []
    for response, question in zip(material.responses, material.questions, strict=True):
        wanted = {word for word in question.words if word not in FUNCTION_WORDS}
        own = set(response.words)
        used.append(len(wanted & own) / len(wanted) if wanted else np.nan)
        echo.append(len(wanted & own) / len(own) if own else 0.0)
    columns = {"question_cosine": cosine, "question_words": np.array(used), "question_echo": np.array(echo)}
    return {name: np.where(asked, values, np.nan) for name, values in columns.items()}
