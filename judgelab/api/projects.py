"""A project of the app's database: its frames, and its scores as the app computes with them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pandas as pd

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.juries import outdated_juries
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.saved_filters import list_filters
from judgelab.analysis.data.scores import IN_USE
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.html import html_table
from judgelab.api.scores import Scores
from judgelab.scales import scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames, snapshots
from judgelab.store.judging.judges import list_judges
from judgelab.store.judging.runs import runs_of
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.transfer.export_frames import TIME, table_frame
from judgelab.wording import counted

if TYPE_CHECKING:
    from judgelab.api.databases import Database

JUDGE = ("name", "origin", "protocol", "model", "backend", "samples", "aggregation", "own_scale")
RUN = ("id", "state", "units", "mode", "budget", "created_at", "started_at", "finished_at", "reason")


class Project:
    """A project of a database, opened by `judgelab.open(…).project(…)`.

    Each attribute is read when it is asked for, so that it is as new as the database.

    Attributes:
        slug: the project's short name.
    """

    def __init__(self, database: Database, slug: str) -> None:
        self._database, self.slug = database, slug

    @property
    def criteria(self) -> pd.DataFrame:
        """Return one row a criterion: criterion, label, question, scale, low, high, higher_is_better.

        `scale` is in words, `low` and `high` are its ends, NaN if it has no order.
        """
        rows = []
        for criterion in self._info.criteria:
            scale = scale_from_json(criterion.scale)
            ends = (scale.low, scale.high) if scale.ordered else (float("nan"),) * 2
            about = (criterion.key, criterion.label, criterion.question, scale.describe())
            rows.append((*about, *map(float, ends), criterion.higher_is_better))
        names = ["criterion", "label", "question", "scale", "low", "high", "higher_is_better"]
        return pd.DataFrame(rows, columns=names)

    @property
    def items(self) -> pd.DataFrame:
        """Return one row an item: item_id, question, context, group, purpose, cohort, meta.

        `purpose` is "data", or says for which check or training an item was added.
        """
        return self._table("items")

    @property
    def responses(self) -> pd.DataFrame:
        """Return one row a response: item_id, response_id, system, response (its text), meta."""
        return self._table("responses")

    @property
    def ratings(self) -> pd.DataFrame:
        """Return one row a rating of a response by a person, as in an export, kept by a filter or not.

        Among its columns are item_id, response_id, system, criterion, rater, score, comment, rated_at and
        seconds. Raters' choices between two responses are `comparisons`.
        """
        return self._table("ratings")

    @property
    def comparisons(self) -> pd.DataFrame:
        """Return one row a person's choice between two responses, as in an export.

        Among its columns are item_id, response_a, response_b, criterion, rater and choice (a, b or tie).
        """
        return self._table("preferences")

    @property
    def judges(self) -> pd.DataFrame:
        """Return one row a judge: judge, origin, protocol, model, backend, samples, aggregation, own_scale.

        `own_scale` is whether its scores (wins, ranks, votes) are on no scale of the criteria.
        """
        with self._store.reading() as session:
            judges = list_judges(session, find_project(session, self.slug).id)
        rows = [[getattr(judge, name) for name in JUDGE] for judge in judges]
        return pd.DataFrame(rows, columns=[*JUDGE]).rename(columns={"name": "judge"})

    @property
    def runs(self) -> pd.DataFrame:
        """Return one row a run of a judge: run (its number), judge, state, units, mode, budget, times."""
        with self._store.reading() as session:
            project_id = find_project(session, self.slug).id
            judges = {judge.id: judge.name for judge in list_judges(session, project_id)}
            runs = runs_of(session, project_id)
        rows = [[*(getattr(run, name) for name in RUN), judges.get(run.judge_id, "")] for run in runs]
        frame = pd.DataFrame(rows, columns=[*RUN, "judge"]).rename(columns={"id": "run"})
        types = {"budget": "float64", **dict.fromkeys(("created_at", "started_at", "finished_at"), TIME)}
        return frame[["run", "judge", *RUN[1:]]].astype(types)

    @property
    def filters(self) -> pd.DataFrame:
        """Return one row a saved filter, newest first: filter, version, in_use, locked_at, created_at.

        Then its options follow (threshold, min_overlap, conflict and so on, as in `judgelab.Filter`).
        """
        about = ("name", "version", "in_use", "locked_at", "created_at")
        options = list(asdict(FilterPolicy()))
        rows = [
            [*(getattr(saved, name) for name in about), *asdict(saved.policy).values()]
            for saved in list_filters(self._store, self.slug)
        ]
        frame = pd.DataFrame(rows, columns=[*about, *options]).rename(columns={"name": "filter"})
        return frame.astype({"locked_at": TIME, "created_at": TIME})

    def scores(
        self,
        filter: str | FilterPolicy = IN_USE,
        *,
        decisions: bool = False,
        comparisons: bool | None = None,
    ) -> Scores:
        """Return the scores of raters, judges and metrics with which the app computes its results.

        Every function of `judgelab` gives the figure that the app's pages show for them.

        Args:
            filter: the quality filter: "in use" for the one that the app uses, "none" for all ratings, the
                name of a saved one (its newest version), or a `judgelab.Filter`.
            decisions: whether an adjudicator's decision is the human score of its response.
            comparisons: whether choices between two responses are read instead of scores of single ones; by
                default they are where nobody rated single responses.

        Returns:
            The scores; `about` names the project and the filter. Scores of a jury whose members changed are
            those that are stored, and `about` says so, unless the database was opened with write=True.

        Raises:
            NotFound: there is no such filter.
            InvalidInput: comparisons are asked for and nobody compared responses.
        """
        found = stored_scores(self._store, self.slug, filter, decisions=decisions, comparisons=comparisons)
        notes = [f"project {self.slug}", *_notes(found._data)]
        if juries := outdated_juries(self._store, self.slug):
            notes.append(
                f"the scores of {', '.join(juries)} are older than what the jury is computed from; open the "
                "app, or the database with write=True, to compute them anew"
            )
        return replace(found, _notes=tuple(notes), _project=self)

    def __repr__(self) -> str:
        return f"Project: {self.slug} in {self._database!r}"

    def _repr_html_(self) -> str:
        return html_table(self.criteria, caption=repr(self))

    @property
    def _store(self) -> Store:
        return self._database._store

    @property
    def _info(self) -> ProjectInfo:
        with self._store.reading() as session:
            return find_project(session, self.slug)

    def _table(self, name: str) -> pd.DataFrame:
        with self._store.reading() as session:
            return table_frame(session, find_project(session, self.slug).id, name)


def stored_scores(
    store: Store,
    slug: str,
    filter: str | FilterPolicy = IN_USE,
    *,
    decisions: bool = False,
    comparisons: bool | None = None,
) -> Scores:
    """Return the scores of a project of a store, with the texts and words of its responses."""
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=filter, decisions=decisions)
    if data.compared is not None:
        return Scores(data)
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id)
    texts = texts.set_index("response").rename(columns={"text": "response"})
    return Scores(data, snapshots.word_counts(store, data.project.id), texts)


def _notes(data: ProjectScores) -> list[str]:
    """Return decisions and judgments without a score, in sentences."""
    notes: list[str] = []
    if data.n_decided is not None:
        notes.append(
            counted(
                "{n} score is an adjudicator's decision, in place of ratings",
                "{n} scores are adjudicators' decisions, in place of ratings",
                data.n_decided,
            )
        )
    if unscored := sum(one.total for one in data.unscored.values()):
        notes.append(counted("{n} judgment has no score", "{n} judgments have no score", unscored))
    return notes
