"""A project's training data: texts, features, and the raters' scores under a quality rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import project_scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.learned.crossvalidation import Tick
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.features import FeatureTable, features
from judgelab.learned.models import ModelSettings
from judgelab.metrics.base import MetricInput
from judgelab.runs.metrics.embedding_store import EmbeddingStore
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.scoring.metric_scores import texts_of
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class TrainingData:
    """A project's training data; row i of everything is response i.

    Attributes:
        data: the project's scores under the rule.
        responses: one row per response: response, item, system, group, text.
        table: the features.
    """

    data: ProjectScores
    responses: pd.DataFrame
    table: FeatureTable

    @cached_property
    def system(self) -> Ints | None:
        """Return a number for each response's system; None where fewer than three are named."""
        names = self.responses["system"].to_numpy(dtype=str)
        number = len({name for name in names if name})
        if number < 3 or (names == "").any():
            return None
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def _humans(self) -> pd.DataFrame:
        return human_scores(self.data.scores, self.data.aggregation, scales=self.data.project.scales)

    def scores(self, criterion: str) -> Floats:
        """Return the raters' score of each response, NaN if none counts."""
        of_criterion = self._humans[self._humans["criterion"] == criterion].set_index("response")["human"]
        return of_criterion.reindex(self.responses["response"]).to_numpy(dtype=np.float64)

    def scale(self, criterion: str) -> Scale:
        """Return the scale of a criterion."""
        return self.data.project.scales[criterion]

    def model_settings(self, criterion: str, *, kind: str, seed: int) -> ModelSettings:
        """Return the model settings for a criterion."""
        scale = self.scale(criterion)
        points = tuple(float(point.value) for point in scale.points())
        return ModelSettings(kind, float(scale.low), float(scale.high), points, seed)

    def criteria(self, wanted: Sequence[str] = ()) -> list[str]:
        """Return the criteria to learn: the wanted ones, or all that somebody rated.

        Raises:
            NotFound: no such criterion.
            InvalidInput: nobody rated anything.
        """
        keys = [criterion.key for criterion in self.data.project.criteria]
        for key in wanted:
            if key not in keys:
                raise NotFound(mark("criterion"), key, keys)
        rated = set(self._humans["criterion"].unique())
        chosen = [key for key in keys if key in (wanted or rated)]
        if not chosen:
            raise InvalidInput(
                sentence(
                    "'{project}' has no ratings that the quality filter keeps; a judge is learned from "
                    "ratings.",
                    project=self.data.project.slug,
                )
            )
        return chosen


def training_data(
    store: Store, slug: str, *, policy: str, encoder: str = "", tick: Tick = lambda: None
) -> TrainingData:
    """Return a project's training data; stored embeddings are reused.

    Args:
        store: the database.
        slug: the project.
        policy: the quality rule, as `project_scores` takes it.
        encoder: the encoder for cosines; empty for the one in effect.
        tick: called after each block of embeddings; an exception from it ends the reading.

    Raises:
        NotFound: no such project or rule.
        InvalidInput: the project holds no response, or the encoder cannot be loaded.
    """
    data = project_scores(store, slug, policy=policy)
    if not data.aggregation.on_scale:
        raise InvalidInput(
            sentence(
                "the learned judge needs scores on the scale; choose a quality filter that does not "
                "convert ratings to z-scores."
            )
        )
    with store.reading() as session:
        responses = response_frame(session, data.project.id)
        ids = [int(response) for response in responses["response"]]
        texts = {response.response_id: response for response in texts_of(session, ids, from_responses=False)}
    if not ids:
        raise InvalidInput(
            sentence("project '{project}' has no responses; import responses first.", project=slug)
        )
    batch = [
        MetricInput(
            texts[response].text,
            texts[response].references,
            texts[response].question,
            texts[response].context,
        )
        for response in ids
    ]
    item = np.unique(responses["item"].to_numpy(dtype=str), return_inverse=True)[1].astype(np.int64)
    vectors = _Ticking(store, data.project.id, tick)
    return TrainingData(data, responses, features(batch, item, encoder, vectors=vectors))


class _Ticking(EmbeddingStore):
    """An embedding store that calls `tick` whenever it stores some."""

    def __init__(self, store: Store, project_id: int, tick: Tick) -> None:
        super().__init__(store, project_id)
        self._tick = tick

    def keep(self, model: str, vectors: Mapping[str, NDArray[np.float16]]) -> None:
        """Keep vectors."""
        super().keep(model, vectors)
        self._tick()
