"""Learning curves: a judge's agreement by number of replies and by number of examples in its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.analysis.data.project_scores import scored_by_people
from judgelab.analysis.data.scores import IN_USE, project_scores
from judgelab.metaeval.agreement.samples_curve import AgreementAtSize, agreement_by_replies
from judgelab.metaeval.inference.contrasts import Contrasts
from judgelab.store.db.engine import Store
from judgelab.store.frames.sample_frames import sample_frame
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.judges import list_judges
from judgelab.store.projects.projects import find_project


@dataclass(frozen=True)
class LearningCurve:
    """Agreement by size, the smallest first.

    Attributes:
        name: name of the judge, or what the judges share if each size is a judge of its own.
        points: agreement at each size, at least two.
        members: names of the judges behind the points, in the same order.
    """

    name: str
    points: tuple[AgreementAtSize, ...]
    members: tuple[str, ...]


def reply_curves(
    store: Store, compared: Comparison, criterion: str, *, policy: str = IN_USE
) -> list[LearningCurve]:
    """Return agreement by number of replies for each compared judge with several replies per prompt.

    Level, coefficient, seed and the use of decisions are those of the comparison; a score is the mean of the
    replies.
    """
    data = project_scores(store, compared.project, policy=policy, decisions=compared.n_decided is not None)
    with store.reading() as session:
        replies = sample_frame(session, data.project.id)
    replies = replies[replies["rater"].isin(compared.raters) & (replies["criterion"] == criterion)]
    if replies.empty:
        return []
    people = scored_by_people(data.scores) & (data.scores["criterion"] == criterion)
    curves = agreement_by_replies(
        data.scores[people],
        replies,
        scales=data.project.scales,
        levels=(compared.level,),
        coefficients=(compared.coefficient,),
        seed=compared.seed,
        aggregation=data.aggregation,
        own_scale=data.own_scale,
    )
    ordered = [name for name in compared.raters if name in curves]
    return [LearningCurve(name, curves[name], (name,)) for name in ordered if len(curves[name]) > 1]


def project_judges(store: Store, slug: str) -> list[JudgeInfo]:
    """Return the project's judges with their full definitions."""
    with store.reading() as session:
        return list_judges(session, find_project(session, slug).id)


def shot_curves(compared: Contrasts, judges: Sequence[JudgeInfo]) -> list[LearningCurve]:
    """Return agreement by number of examples, for judges that differ in nothing else.

    The estimates are those of the comparison, so all are over the same responses. `judges` are the project's.
    """
    placed = {row.rater: row.estimate for row in compared.placed}
    by_definition: dict[str, list[tuple[int, JudgeInfo]]] = {}
    for judge in judges:
        shots = examples_shown(judge)
        if judge.name in placed and shots is not None:
            by_definition.setdefault(_definition_without_shots(judge), []).append((shots, judge))
    curves = []
    for variants in by_definition.values():
        ordered = sorted(variants, key=lambda member: member[0])
        if len({shots for shots, _ in ordered}) < 2:
            continue
        points = tuple(AgreementAtSize(shots, placed[judge.name]) for shots, judge in ordered)
        first = ordered[0][1]
        name = ", ".join(dict.fromkeys(filter(None, (first.protocol, first.model))))
        curves.append(LearningCurve(name, points, tuple(judge.name for _, judge in ordered)))
    return curves


def examples_shown(judge: JudgeInfo) -> int | None:
    """Return how many examples the judge's prompt shows; None if its protocol has no examples."""
    shots = judge.options.get("shots")
    if isinstance(shots, (list, tuple)):
        return len(shots)
    return shots if isinstance(shots, int) and not isinstance(shots, bool) else None


def _definition_without_shots(judge: JudgeInfo) -> str:
    options = {key: value for key, value in judge.options.items() if key != "shots"}
    return repr({**judge.definition(), "options": dict(sorted(options.items()))})
