"""Whether a judge of a project can be trusted: loads what `trust_in_scores` measures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.data.scores import IN_USE, build_unit_tables
from judgelab.analysis.trust.measured_trust import JudgeRecord, JudgeTrust, trust_in_scores
from judgelab.analysis.trust.pair_evidence import confidences_of_pairs
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.frames.sample_frames import sample_frame
from judgelab.store.judging.confidences import choice_confidence_frame, confidence_frame
from judgelab.store.judging.no_scores import unscored_reasons
from judgelab.store.judging.unscored_counts import NONE_MISSING
from judgelab.store.scoring.judge_costs import judge_costs
from judgelab.wording import sentence


def measure_trust(
    store: Store,
    slug: str,
    judge: str,
    *,
    level: str | None = None,
    coefficient: str | None = None,
    epsilon: float = 0.2,
    own_systems: Sequence[str] = (),
    constant_groups: str = "zero",
    policy: str = IN_USE,
    decisions: bool = False,
    comparisons: bool | None = False,
    resamples: int = 1000,
    seed: int = 0,
    loaded: ProjectScores | None = None,
) -> JudgeTrust:
    """Return the evidence on one judge or metric of a project.

    Args:
        store: the database.
        slug: the project.
        judge: name of a judge, jury or metric.
        level: level of agreement; the project's default if not given.
        coefficient: coefficient of agreement and ceiling; the project's default if not given.
        epsilon: lead allowed to humans in the alternative annotator test: 0.2 for experts, 0.15 for skilled
            raters, 0.1 for crowd workers.
        own_systems: systems of the judge's own model family, needed to measure self-preference.
        constant_groups: as in `agreement_table`.
        policy: the filter, as in `agreement_table`.
        decisions: whether adjudicated scores replace ratings, or decisions the majority of their pairs.
        comparisons: whether to measure its choices between two responses, not its scores; None for choices
            if nobody rated single responses.
        resamples: number of resamples of the items.
        seed: seed of everything drawn.
        loaded: the project's scores if they are loaded already; `policy` and `decisions` are then theirs.

    Raises:
        NotFound: no such project, judge or filter.
    """
    data = loaded or scores_or_comparisons(
        store, slug, comparisons=comparisons, policy=policy, decisions=decisions
    )
    return trust_in_scores(
        data,
        judge,
        make_tables=partial(build_unit_tables, store, data),
        words=snapshots.word_counts(store, data.project.id),
        record=_record(store, data, judge),
        level=level,
        coefficient=coefficient,
        epsilon=epsilon,
        own_systems=own_systems,
        constant_groups=constant_groups,
        resamples=resamples,
        seed=seed,
    )


def _record(store: Store, data: ProjectScores, judge: str) -> JudgeRecord:
    with store.reading() as session:
        cost = judge_costs(session, data.project.id).get(judge)
        samples = sample_frame(session, data.project.id)
        if data.compared is None:
            confidences = confidence_frame(session, data.project.id, judge)
            return JudgeRecord(cost, samples, confidences, unscored_reasons(session, data.project.id, judge))
        choices = choice_confidence_frame(session, data.project.id, judge)
    reasons: dict[str, int] = {sentence("no choice"): data.unscored.get(judge, NONE_MISSING).total}
    # Replies and their reasons are of single responses.
    return JudgeRecord(cost, samples.iloc[:0], confidences_of_pairs(choices, data.compared), reasons)
