"""`judgelab learn`: a judge learned from a project's ratings, its out-of-fold verdicts and evaluation.

All computing is done outside any transaction. Embeddings are stored as they are made, so an interrupted run
does not encode a text twice. The learned judge is stored at the end, as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from judgelab.analysis.data.scores import IN_USE
from judgelab.errors import InvalidInput
from judgelab.learned.models import KINDS
from judgelab.learned_training.one_criterion import (
    LearnedCriterion,
    TrainingRequest,
    fits,
    learned,
    training_fingerprint,
)
from judgelab.learned_training.training_data import TrainingData, training_data
from judgelab.metrics import metrics
from judgelab.runs.plan.code_version import code_version
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.learned import StoredLearned, check_learned_name, save_learned, stored_learned
from judgelab.wording import sentence

LEARNED = "learned"
SHUFFLES = 30
READING = 0.1  # share of the progress bar for reading the texts
Tell = Callable[[str, float], None]


class PartStore(Protocol):
    """Where learned criteria are stored until all are done, so that none is learned twice."""

    def find(self, criterion: str, mark: str) -> LearnedCriterion | None:
        """Return a criterion's stored result if it was learned from the same input."""

    def keep(self, part: LearnedCriterion, mark: str) -> None:
        """Store a criterion's result."""


class NoPartStore:
    """Stores nothing: all criteria are learned in one go."""

    def find(self, criterion: str, mark: str) -> LearnedCriterion | None:
        """Return nothing."""
        return None

    def keep(self, part: LearnedCriterion, mark: str) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class LearnedReport:
    """The result of training: a report per criterion; `left_out` says why others have none."""

    judge: str
    run: int
    criteria: tuple[Mapping[str, Any], ...]
    left_out: Mapping[str, str]
    rated: int
    later: int

    def to_json(self) -> dict[str, Any]:
        """Return the report as `learn --json` prints it."""
        return {
            **vars(self),
            "criteria": [dict(report) for report in self.criteria],
            "left_out": dict(self.left_out),
        }


def learn(
    store: Store,
    slug: str,
    *,
    policy: str = IN_USE,
    criteria: Sequence[str] = (),
    kind: str = "ordinal",
    seed: int = 0,
    later: bool = False,
    encoder: str = "",
    shuffles: int = SHUFFLES,
    name: str = LEARNED,
    tell: Tell = lambda _what, _share: None,
    parts: PartStore | None = None,
    person_id: int | None = None,
) -> LearnedReport:
    """Learn a judge, score every rated response out of fold, and store verdicts, models and reports.

    Args:
        store: the database.
        slug: the project.
        policy: whose ratings count: "in use", "none", or a rule's name.
        criteria: which criteria; all that were rated if none is named.
        kind: "ordinal", "ridge" or "stack".
        seed: of folds, shuffles and trees.
        later: also score unrated responses, by the judge learned from all that are rated.
        encoder: the encoder for cosines; empty for the one in effect.
        shuffles: of the ratings for the null; 0 for none.
        name: of the judge.
        tell: called with the current step, a criterion's key or "reading", and the progress, 0 to 1; an
            exception from it ends the training, and no judge is stored.
        parts: where learned criteria are stored in the meantime.
        person_id: who has it learned, for the audit log.

    Raises:
        InvalidInput: no criterion has enough ratings, or there is no such kind; nothing was stored.
        NotFound: no such project, rule or criterion.
    """
    check_kind(kind)
    parts = parts or NoPartStore()
    tell("reading", 0.0)
    metric_names = metrics.names()
    with store.reading() as session:  # checked before minutes of training, and again when storing
        check_learned_name(session, find_project(session, slug).id, name, metrics=metric_names)
    data = training_data(store, slug, policy=policy, encoder=encoder, tick=lambda: tell("reading", 0.0))
    orders = [TrainingRequest(key, kind, seed, shuffles, later) for key in data.criteria(criteria)]
    progress = _Progress(data, orders, tell)
    learned_criteria: list[LearnedCriterion] = []
    left_out: dict[str, str] = {}
    for order in orders:
        progress.begin(order)
        mark = f"{training_fingerprint(data, order)} {code_version()}"
        try:
            part = parts.find(order.criterion, mark)
            if part is None:
                part = learned(data, order, tick=progress.tick)
                parts.keep(part, mark)
        except InvalidInput as error:
            if len(orders) == 1:
                raise
            left_out[order.criterion] = str(error)
        else:
            learned_criteria.append(part)
    if not learned_criteria:
        raise InvalidInput(next(iter(left_out.values())))
    rule = data.data.policy.name if data.data.policy else "none"
    options = {"kind": kind, "seed": seed, "policy": rule, "encoder": data.table.encoder, "later": later}
    with store.writing() as session:
        run = save_learned(
            session,
            data.data.project.id,
            name,
            options=options,
            verdicts=[
                verdict for learned_criterion in learned_criteria for verdict in learned_criterion.verdicts
            ],
            models=[learned_criterion.kept(rule) for learned_criterion in learned_criteria],
            code_version=code_version(),
            metrics=metric_names,
        )
        if person_id is not None:
            audit.record(
                session,
                "learned_judge",
                project_id=data.data.project.id,
                person_id=person_id,
                detail={"policy": policy, "kind": kind, "later": later, "run": run},
            )
    tell("done", 1.0)
    reports = tuple(learned_criterion.kept(rule).report for learned_criterion in learned_criteria)
    rated, unrated = (
        sum(int(learned_criterion["responses"]) for learned_criterion in reports),
        sum(learned_criterion.later for learned_criterion in learned_criteria),
    )
    return LearnedReport(name, run, reports, left_out, rated, unrated)


def learned_judges(store: Store, project_id: int) -> list[StoredLearned]:
    """Return the learned judges of the project with their reports."""
    with store.reading() as session:
        return stored_learned(session, project_id)


def check_kind(kind: str) -> None:
    """Raise `InvalidInput` for an unknown kind."""
    if kind not in KINDS:
        raise InvalidInput(
            sentence(
                "'{kind}' is not a kind of learned judge; choose {known}.", kind=kind, known=", ".join(KINDS)
            )
        )


class _Progress:
    """Turns the number of fitted judges into overall progress."""

    def __init__(self, data: TrainingData, orders: Sequence[TrainingRequest], tell: Tell) -> None:
        self._fits = [fits(data, order) for order in orders]
        self._wanted, self._tell = orders, tell
        self._place, self._done = -1, 0

    def begin(self, order: TrainingRequest) -> None:
        """Start the next criterion; those before it are done, whether they were fitted or found stored."""
        self._place = self._wanted.index(order)
        self._done = sum(self._fits[: self._place])
        self._say()

    def tick(self) -> None:
        """Count a fitted judge."""
        self._done += 1
        self._say()

    def _say(self) -> None:
        share = self._done / max(sum(self._fits), 1)
        self._tell(self._wanted[self._place].criterion, min(READING + (1 - READING) * share, 1.0))
