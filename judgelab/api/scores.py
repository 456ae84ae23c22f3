"""`jl.scores` and what it returns: the scores of raters, judges and metrics, understood once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores, unit_tables_of
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import names_listed, refuse_nested_cells
from judgelab.api.filtered import filter_note, filtered_data
from judgelab.api.frames import long_columns
from judgelab.api.given_frames import as_frame
from judgelab.api.html import html_table
from judgelab.api.kinds import with_kinds
from judgelab.api.loading import of_pairs, of_responses
from judgelab.api.shapes import of_dictionaries, of_vectors
from judgelab.api.understood import summary
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.statistic_defaults import LENGTH, defaults_for_scale
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale
from judgelab.wording import sentence

if TYPE_CHECKING:
    from judgelab.api.projects import Project


@dataclass(frozen=True, repr=False, eq=False)
class Scores:
    """Scores of raters, judges and metrics: what every function of JudgeLab takes.

    Made by `judgelab.scores`, `judgelab.read` or a project of `judgelab.open`. It does not change: a function
    that keeps a part of it returns a new one. It can be pickled.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores({"ann": {"q1": 1, "q2": 5}}, judges={"gpt": {"q1": 2, "q2": 5}})
        >>> s
        Scores: 1 rater, 1 judge, 2 items, 2 responses; score (ordinal, 1 to 5).
        >>> s.humans, s.judges, len(s)
        (('ann',), ('gpt',), 4)
    """

    _data: ProjectScores
    _words: pd.Series[Any] | None = None
    _responses: pd.DataFrame = field(default_factory=pd.DataFrame)
    _notes: tuple[str, ...] = ()
    _project: Project | None = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_project": None}  # a database cannot be pickled

    @property
    def criteria(self) -> tuple[str, ...]:
        """Return the names of the criteria, in order."""
        return tuple(criterion.key for criterion in self._data.project.criteria)

    @property
    def scales(self) -> dict[str, Scale]:
        """Return the scale of each criterion; `describe()` says it in words."""
        return self._data.project.scales

    @property
    def raters(self) -> pd.DataFrame:
        """Return one row a rater, judge or metric: rater, kind, and n, the number of its scores."""
        scores = self._data.scores
        counts = scores.groupby(["rater", "rater_kind"], sort=False, observed=True)["score"].count()
        return counts.rename("n").reset_index().rename(columns={"rater_kind": "kind"})

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the names of the judges and metrics, judges first."""
        raters = self.raters
        of_kind = [raters.loc[raters["kind"] == kind, "rater"] for kind in ("judge", "metric")]
        return tuple(str(name) for names in of_kind for name in names)

    @property
    def humans(self) -> tuple[str, ...]:
        """Return the names of the human raters."""
        raters = self.raters
        return tuple(map(str, raters.loc[raters["kind"] == "human", "rater"]))

    @property
    def frame(self) -> pd.DataFrame:
        """Return the scores as a long frame: item, response, system, group, criterion, rater, kind, score.

        Scores are numbers, also where they were words; `response` is the response's id, or its number.
        """
        scores = self._data.scores
        columns = ["item", "response", "system", "group", "criterion", "rater", "rater_kind", "score"]
        frame = scores[columns].rename(columns={"rater_kind": "kind"}).reset_index(drop=True)
        return with_ids(self, frame)

    @property
    def about(self) -> str:
        """Return how the data were understood, one sentence a line."""
        notes = [note for note in (*self._notes, filter_note(self._data)) if note]
        return "\n".join(
            [summary(self._data, self.raters), *(f"{note[:1].upper()}{note[1:]}." for note in notes)]
        )

    def __len__(self) -> int:
        """Return the number of scores."""
        return len(self._data.scores)

    def __repr__(self) -> str:
        return f"Scores: {self.about}"

    def _repr_html_(self) -> str:
        lines = self.about.split("\n")
        return html_table(self.raters, caption=lines[0], notes=lines[1:])

    def filter(self, policy: FilterPolicy) -> Scores:
        """Return the scores without the raters and ratings that the filter removes.

        `judgelab.filter_raters` says which they are, and why.
        """
        return filtered(self, policy)

    def _unit_tables(self, scores: pd.DataFrame | None = None) -> list[UnitTable]:
        """Return the units of each criterion."""
        words = self._words
        if words is None and not any(
            LENGTH in defaults_for_scale(scale).baselines for scale in self.scales.values()
        ):
            words = pd.Series(dtype=float)  # the baselines of labels need no texts
        return unit_tables_of(self._data, self._data.scores if scores is None else scores, words=words)


def scores(
    data: Any = None,
    *,
    humans: Sequence[str] | None = None,
    judges: Sequence[str] | Mapping[str, Any] | None = None,
    metrics: Sequence[str] | Mapping[str, Any] | None = None,
    human: Any = None,
    judge: Any = None,
    item: Any = None,
    system: Any = None,
    group: Any = None,
    scale: Any = None,
    missing: Sequence[Any] = (),
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Return scores in whichever of four shapes they come, understood and checked.

    Args:
        data: a long frame (one row a score: item, rater, score, and perhaps system, response, criterion,
            kind, group, rationale), a wide frame (one row a response, one column a rater), or dictionaries
            by rater, `{"ann": {"q1": 1}}`, whose keys are items or (item, system). Frames are pandas', or any
            that can be turned into them, such as polars'. Or scores, to say who are judges, or the scale.
            Columns are found by the names that an import knows. Comparisons of two responses have the columns
            system_a, system_b and choice ("a", "b", "tie").
        humans: of a wide frame, the columns of people; of a long one, names of people, whatever a column kind
            says.
        judges: of a wide frame, the columns of judges; of a long one, names of judges; for dictionaries, the
            judges' dictionaries, or names.
        metrics: the same for metrics, whose values are on no scale.
        human: people's scores as one vector, or several by name.
        judge: a judge's scores as one vector, or several by name.
        item: the item of each score of the vectors; each is its own item if not given.
        system: the system of each score of the vectors.
        group: the group of each score of the vectors.
        scale: the scale, such as (1, 5), "yes/no", (0.0, 1.0) for numbers or a list of labels, or one by
            criterion; inferred from people's scores if not given. A judge with scores outside it is on a
            scale of its own, and what needs the scale is undefined for it.
        missing: values that mean "no score", such as [-1], besides empty ones.
        columns: which column is which, {"item": "my_id"}, where names are not recognised.

    Returns:
        The scores. NaN, None, "" and pd.NA are missing, never 0; several scores of a rater for one response
        count as their mean, but each row of a wide frame, and each place of vectors, is a response of its
        own; texts such as "yes" or "good" are read as points of a scale. `about` says what was understood.

    Raises:
        InvalidInput: the data cannot be understood; the message names the column and shows a call that works.

    Example:
        >>> import judgelab as jl
        >>> s = jl.scores(human=[3, 1, 2, 5], judge=[3, 2, 2, 4])
        >>> s.judges, s.scales["score"].describe()
        (('judge',), 'ordinal, 1 to 5')
    """
    if isinstance(data, Scores):
        if any(part is not None for part in (human, judge, item, system, group, columns)):
            raise InvalidInput("these are scores already; give columns= and the like with the frame.")
        return _understood_anew(data, {"humans": humans, "judges": judges, "metrics": metrics}, scale)
    if human is not None or judge is not None:
        if data is not None:
            raise InvalidInput(
                sentence(
                    "give a frame or human=[…] and judge=[…], not both; of a frame, name the columns: "
                    "humans=[…], judges=[…]."
                )
            )
        people, machines = _by_name(human, "human"), _by_name(judge, "judge")
        both = [name for name in people if name in machines]
        if both:
            raise InvalidInput(sentence("'{name}' is among human and judge.", name=both[0]))
        data = of_vectors({**people, **machines}, sides={"item": item, "system": system, "group": group})
        humans, judges = list(people), list(machines)
    elif isinstance(data, Mapping) and data and all(isinstance(part, Mapping) for part in data.values()):
        by_name = [part if isinstance(part, Mapping) else {} for part in (judges, metrics)]
        data = of_dictionaries(data, *by_name)
        judges, metrics = (None if isinstance(part, Mapping) else part for part in (judges, metrics))
    elif data is None:
        raise InvalidInput(
            sentence("there is nothing to read; call jl.scores(df) or jl.scores(human=[…], judge=[…]).")
        )
    elif isinstance(data, str):
        raise InvalidInput(sentence("'{text}' is no frame; for a file, call jl.read(\"{text}\").", text=data))
    try:
        long = long_columns(data, humans=humans, judges=judges, metrics=metrics, columns=columns)
        if human is not None or judge is not None:
            long = long._replace(notes=())  # the names of vectors are those of the arguments
        if "choice" in long.frame.columns:
            loaded = of_pairs(long, scale)
        else:
            loaded = of_responses(long, scale, list(missing))
    except TypeError:
        refuse_nested_cells(as_frame(data))
        raise
    return Scores(loaded.data, loaded.words, loaded.responses, loaded.notes)


def _understood_anew(given: Scores, named: Mapping[str, Any], scale: Any) -> Scores:
    """Return scores with other kinds of raters, or on another scale."""
    listed = {kind.removesuffix("s"): names_listed(names, kind) for kind, names in named.items()}
    if any(listed.values()):
        given = replace(given, _data=with_kinds(given._data, listed), _notes=())
    if scale is None:
        return given
    if given._data.project.id or given._data.compared is not None or given._data.outcome is not None:
        raise InvalidInput(
            "these scores have their scale; give it when they are read: jl.read(file, scale=…)."
        )
    frame = given._data.scores.rename(columns={"response": "response_id", "rater_kind": "kind"})
    columns = ["item", "response_id", "system", "group", "criterion", "rater", "kind", "score"]
    again = scores(frame[columns], scale=scale)
    numbers = again._responses["response_id"].astype(np.int64)
    texts = given._responses.reindex(numbers).set_axis(again._responses.index)
    words = None if given._words is None else given._words.reindex(numbers).set_axis(numbers.index)
    return replace(again, _words=words, _responses=texts, _notes=again._notes[1:])


def _by_name(vectors: Any, name: str) -> dict[str, Any]:
    if vectors is None:
        return {}
    return (
        {str(key): vector for key, vector in vectors.items()}
        if isinstance(vectors, Mapping)
        else {name: vectors}
    )


def filtered(given: Scores, policy: FilterPolicy) -> Scores:
    """Return the scores that a filter keeps, with its outcome."""
    return replace(given, _data=filtered_data(given._data, policy))


def with_ids(given: Scores, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with ids of responses in place of their numbers, where the ids are known."""
    if "response_id" not in given._responses:
        return frame
    ids = given._responses["response_id"].reindex(frame["response"]).to_numpy()
    return frame.assign(response=ids)


def scores_of(data: Any, policy: FilterPolicy | None = None) -> Scores:
    """Return data as scores, filtered if a filter is given."""
    given = scores(data)
    return given if policy is None else filtered(given, policy)


def words_of(given: Scores) -> pd.Series[Any]:
    """Return the number of words of each response; empty if texts are not known."""
    return pd.Series(dtype=float) if given._words is None else given._words


def of_criterion(given: Scores, criterion: str | None) -> pd.DataFrame:
    """Return the scores under a criterion, all without one; raises `NotFound`."""
    frame = given._data.scores
    if criterion is None:
        return frame
    given._data.project.criterion(criterion)
    return frame[frame["criterion"] == criterion]
