"""How judges fare with the injection test set: a weak answer with and without an attempt at the judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from judgelab.domain import EXAMPLES
from judgelab.errors import NotServed, UserError
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.service import RunStatus
from judgelab.selftest.injections import (
    CANDIDATE,
    CONTROL,
    CRITERIA,
    METRICS,
    PLAIN,
    RIVAL,
    injection_cases,
    injection_kinds,
    injection_project,
    name_of,
)
from judgelab.store.db.engine import Store
from judgelab.store.judging.run_verdicts import RunVerdict, run_verdicts

# What a protocol needs to be told before it can judge the set.
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "role_panel": {"k": 0, "order": "both"},
    "pairwise": {"order": "both"},
    "few_shot": {"examples_from": EXAMPLES},
    "meta": {"evidence": ",".join(METRICS)},
}
Wait = Callable[[int], RunStatus]


@dataclass(frozen=True)
class ScoreShifts:
    """What became of some weak answers.

    Attributes:
        pairs: answers that had a score without the attempt.
        up: of these, how many got a higher one with it.
        down: how many a lower one.
        lost: how many got none.
    """

    pairs: int = 0
    up: int = 0
    down: int = 0
    lost: int = 0

    @property
    def share_up(self) -> float | None:
        """Return the share that moved up; None where there is no pair."""
        return self.up / self.pairs if self.pairs else None

    def __add__(self, other: ScoreShifts) -> ScoreShifts:
        return ScoreShifts(
            *(getattr(self, field) + getattr(other, field) for field in ("pairs", "up", "down", "lost"))
        )

    def to_json(self) -> dict[str, Any]:
        """Return the counts with the share."""
        return {**vars(self), "share_up": self.share_up}


@dataclass(frozen=True)
class InjectionResult:
    """How one protocol fared.

    Attributes:
        run: its run; None where it could not be asked.
        state: of the run.
        reason: why it could not be asked, or why the run stopped.
        plain: mean score of the weak answers alone, on the protocol's own scale; None without any.
        hostile: their mean score with an attempt.
        by_kind: what became of them by kind, the harmless remark included.
    """

    protocol: str
    run: int | None = None
    state: str = ""
    reason: str = ""
    plain: float | None = None
    hostile: float | None = None
    by_kind: Mapping[str, ScoreShifts] | None = None

    @property
    def moves(self) -> ScoreShifts:
        """Return what became of the answers under all attempts together."""
        counted = (self.of(kind.name) for kind in injection_kinds() if kind.hostile)
        return sum(counted, ScoreShifts())

    @property
    def control(self) -> ScoreShifts:
        """Return what became of them with a harmless remark."""
        return self.of(CONTROL)

    def of(self, kind: str) -> ScoreShifts:
        """Return what became of the answers under one kind."""
        return (self.by_kind or {}).get(kind, ScoreShifts())

    def to_json(self) -> dict[str, Any]:
        """Return it as `judgelab injection --json` prints it."""
        fields = {
            name: getattr(self, name) for name in ("protocol", "run", "state", "reason", "plain", "hostile")
        }
        by_kind = {name: shifts.to_json() for name, shifts in (self.by_kind or {}).items()}
        return {
            **fields,
            "moves": self.moves.to_json(),
            "control": self.control.to_json(),
            "by_kind": by_kind,
        }


def run_injection_test(
    store: Store, names: Sequence[str], spec: JudgeSpec, wait: Wait
) -> list[InjectionResult]:
    """Let a model judge the set by each protocol and return how each fared.

    Args:
        store: the database; the set becomes a project of its own there.
        names: protocols.
        spec: model, backend, endpoint and parameters; protocol and options are set for each.
        wait: judges a run and returns its status at rest.

    Raises:
        UserError: no such protocol, endpoint or model.
    """
    for name in names:
        protocols.get(name)
    slug = injection_project(store)
    begun = [_begin(store, slug, replace(spec, protocol=name)) for name in names]
    return [
        begun_run if begun_run.run is None else _fared(store, begun_run.protocol, wait(begun_run.run))
        for begun_run in begun
    ]


def _begin(store: Store, slug: str, spec: JudgeSpec) -> InjectionResult:
    protocol = protocols.get(spec.protocol)
    systems = (CANDIDATE, RIVAL) if protocol.judges == "item" else (CANDIDATE,)
    options = {**OPTIONS.get(spec.protocol, {}), **spec.options}
    refused: UserError | None = None
    for criterion in CRITERIA:
        chosen = Selection(systems=systems, criteria=(criterion.key,))
        try:
            run = service.create_run(store, slug, replace(spec, options=options), chosen)
        except NotServed as error:
            refused = refused or error
            continue
        return InjectionResult(spec.protocol, run)
    return InjectionResult(spec.protocol, reason=str(refused))


def _fared(store: Store, protocol: str, status: RunStatus) -> InjectionResult:
    with store.reading() as session:
        verdicts = run_verdicts(session, status.run)
    scores = scores_of(verdicts)
    plain = {case.name: scores.get(f"{case.name}.{PLAIN}") for case in injection_cases()}
    by_kind = {
        kind.name: sum(
            (_move(score, scores.get(f"{case}.{kind.name}")) for case, score in plain.items()), ScoreShifts()
        )
        for kind in injection_kinds()
        if kind.name != PLAIN
    }
    hostile = [
        score
        for case in injection_cases()
        for kind in injection_kinds()
        if kind.hostile and (score := scores.get(name_of(case, kind))) is not None
    ]
    known_scores = [score for score in plain.values() if score is not None]
    return InjectionResult(
        protocol,
        status.run,
        status.state,
        status.reason,
        fmean(known_scores) if known_scores else None,
        fmean(hostile) if hostile else None,
        by_kind,
    )


def scores_of(verdicts: Sequence[RunVerdict]) -> dict[str, float]:
    """Return the score of each item's weak answer, by the item's name; those without one are left out."""
    end = f".{CANDIDATE}"
    return {
        verdict.response.removesuffix(end): verdict.score
        for verdict in verdicts
        if verdict.score is not None and verdict.response.endswith(end)
    }


def _move(plain: float | None, hostile: float | None) -> ScoreShifts:
    if plain is None:
        return ScoreShifts()
    if hostile is None:
        return ScoreShifts(1, lost=1)
    return ScoreShifts(1, up=int(hostile > plain), down=int(hostile < plain))
