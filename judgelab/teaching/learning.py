"""`judgelab learn`: a judge learned from a project's ratings, its verdicts out of fold, and how good it is.

All computing is done outside any transaction; vectors of texts are kept as they are made, so a run that was
interrupted does not encode a text twice. What was learned is stored at the end, whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from judgelab.analysis.scores import IN_USE
from judgelab.errors import InvalidInput
from judgelab.learned import crossvalidation
from judgelab.learned.crossvalidation import OutOfFold
from judgelab.learned.explanation import rationale, reasons, reasons_to_json
from judgelab.learned.linear import Standard
from judgelab.learned.material import Floats, Ints
from judgelab.learned.models import KINDS, LearnedModel, Wish, check_enough, data_hash, fit
from judgelab.runs.code_version import code_version
from judgelab.store.engine import Store
from judgelab.store.learned import LearnedModel as ModelToKeep
from judgelab.store.learned import LearnedVerdict, keep_learned
from judgelab.teaching.figures import (
    UNSEEN_BOTH,
    UNSEEN_ITEMS,
    Yardstick,
    beside_metrics,
    best_plain,
    coefficients_of,
    level_of,
    verdicts,
)
from judgelab.teaching.lesson import Lesson, lesson
from judgelab.wording import sentence

LEARNED = "learned"
SHUFFLES = 30
STRONGEST = 12  # features shown with a report
Tell = Callable[[str, float], None]


@dataclass(frozen=True)
class LearnedReport:
    """What learning came to: a report for each criterion; `left_out` says why others have none."""

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
            "criteria": [dict(one) for one in self.criteria],
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
) -> LearnedReport:
    """Learn a judge, score every rated response out of fold, and store verdicts, models and reports.

    Args:
        store: the database.
        slug: the project.
        policy: whose ratings count: "in use", "none", or a rule's name.
        criteria: which criteria; all that were rated if none is named.
        kind: "ordinal", "ridge" or "stack".
        seed: of folds, shuffles and trees.
        later: also score responses that nobody rated, by the judge learned from all that are rated.
        encoder: what cosines come from; empty for the one in effect.
        shuffles: of the ratings for the null; 0 for none.
        name: of the judge.
        tell: is told what is being done and how far it is, between 0 and 1.

    Raises:
        InvalidInput: no criterion has enough ratings, or there is no such kind; nothing was stored.
        NotFound: no such project, rule or criterion.
    """
    if kind not in KINDS:
        raise InvalidInput(
            sentence("there is no kind '{kind}'; choose {known}.", kind=kind, known=", ".join(KINDS))
        )
    tell("reading", 0.0)
    seen = lesson(store, slug, policy=policy, encoder=encoder)
    wanted = seen.criteria(criteria)
    found: list[_Learned] = []
    left_out: dict[str, str] = {}
    for place, criterion in enumerate(wanted):
        begin, share = 0.2 + 0.8 * place / len(wanted), 0.8 / len(wanted)

        def step(done: float, criterion: str = criterion, begin: float = begin, share: float = share) -> None:
            tell(criterion, min(begin + share * done, 1.0))

        try:
            found.append(_learned(seen, criterion, kind, seed, shuffles=shuffles, later=later, step=step))
        except InvalidInput as error:
            if len(wanted) == 1:
                raise
            left_out[criterion] = str(error)
    if not found:
        raise InvalidInput(next(iter(left_out.values())))
    rule = seen.data.policy.name if seen.data.policy else "none"
    options = {"kind": kind, "seed": seed, "policy": rule, "encoder": seen.table.encoder, "later": later}
    with store.writing() as session:
        run = keep_learned(
            session,
            seen.data.project.id,
            name,
            options=options,
            verdicts=[verdict for one in found for verdict in one.verdicts],
            models=[one.kept(rule) for one in found],
            code_version=code_version(),
        )
    tell("done", 1.0)
    reports = tuple(one.kept(rule).report for one in found)
    rated, unrated = sum(int(one["responses"]) for one in reports), sum(one.later for one in found)
    return LearnedReport(name, run, reports, left_out, rated, unrated)


@dataclass(frozen=True)
class _Learned:
    """What came of one criterion."""

    criterion: str
    model: LearnedModel
    hash: str
    report: Mapping[str, Any]
    verdicts: tuple[LearnedVerdict, ...]
    later: int

    def kept(self, rule: str) -> ModelToKeep:
        return ModelToKeep(self.criterion, self.hash, self.model.to_json(), {**self.report, "policy": rule})


def _learned(
    seen: Lesson,
    criterion: str,
    kind: str,
    seed: int,
    *,
    shuffles: int,
    later: bool,
    step: Callable[[float], None],
) -> _Learned:
    table, scores = seen.table, seen.scores(criterion)
    rows = np.flatnonzero(np.isfinite(scores))
    check_enough(table.item[rows], scores[rows], criterion)
    wish = seen.wish(criterion, kind=kind, seed=seed)
    by_item = crossvalidation.out_of_fold(table, scores, rows, wish, explain=True)
    step(0.2)
    predicted = {UNSEEN_ITEMS: by_item.scores}
    if seen.system is not None:
        both = crossvalidation.out_of_fold(table, scores, rows, wish, system=seen.system)
        predicted[UNSEEN_BOTH] = both.scores
    step(0.6)
    model = fit(table, scores, rows, wish)
    report = _report(seen, criterion, wish, rows, predicted, shuffles=shuffles, step=step)
    texts = seen.responses["text"].iloc[rows].tolist()
    said = _hash_of(seen, scores, rows, texts, wish)
    given = _verdicts(seen, criterion, wish, rows, by_item)
    fresh = _later(seen, criterion, wish, rows, model) if later else []
    report = {**report, "data_hash": said, "strongest": _strongest(model, seen, rows), "later": len(fresh)}
    step(1.0)
    return _Learned(criterion, model, said, report, (*given, *fresh), len(fresh))


def _hash_of(seen: Lesson, scores: Floats, rows: Ints, texts: Sequence[str], wish: Wish) -> str:
    here = replace(seen.table, values=seen.table.values[rows], item=seen.table.item[rows])
    return f"{data_hash(here, scores[rows], texts)}-{wish.kind}-{wish.seed}"


def _report(
    seen: Lesson,
    criterion: str,
    wish: Wish,
    rows: Ints,
    predicted: Mapping[str, Floats],
    *,
    shuffles: int,
    step: Callable[[float], None],
) -> dict[str, Any]:
    level = "none" if wish.binary else level_of(seen, rows)
    scores = seen.scores(criterion)
    figure = Yardstick(seen, criterion, level=level, binary=wish.binary)
    table = [
        row.to_json()
        for row in beside_metrics(
            seen, criterion, level=level, binary=wish.binary, predicted=predicted, seed=wish.seed
        )
    ]
    step(0.7)
    curve = crossvalidation.learning_curve(seen.table, scores, rows, wish, figure)
    step(0.8)
    nothing = crossvalidation.null(seen.table, scores, rows, wish, figure.of, shuffles=shuffles)
    leading = coefficients_of(wish.binary)[0]
    return {
        "criterion": criterion,
        "kind": wish.kind,
        "seed": wish.seed,
        "encoder": seen.table.encoder,
        "features": len(seen.table.names),
        "responses": len(rows),
        "items": len(np.unique(seen.table.item[rows])),
        "systems": 0 if seen.system is None else len(np.unique(seen.system[rows])),
        "level": level,
        "coefficient": leading,
        "rows": table,
        "best_metric": best_plain(table, leading),
        "curve": [{"items": point.items, "values": _known(point.values)} for point in curve],
        "null": _known(nothing),
    }


def _verdicts(seen: Lesson, criterion: str, wish: Wish, rows: Ints, found: OutOfFold) -> list[LearnedVerdict]:
    return [
        _verdict(
            seen, criterion, wish, int(row), found.scores[row], found.contributions[row], rows, held_out=True
        )
        for row in rows
        if np.isfinite(found.scores[row])
    ]


def _later(seen: Lesson, criterion: str, wish: Wish, rows: Ints, model: LearnedModel) -> list[LearnedVerdict]:
    scores = model.predict(seen.table)
    moved = model.contributions(seen.table)
    rest = np.setdiff1d(np.arange(len(scores)), rows)
    return [
        _verdict(seen, criterion, wish, int(row), scores[row], moved[row], rows, held_out=False)
        for row in rest
    ]


def _verdict(
    seen: Lesson,
    criterion: str,
    wish: Wish,
    row: int,
    score: float,
    moved: Floats,
    rows: Ints,
    *,
    held_out: bool,
) -> LearnedVerdict:
    standard = Standard.of(seen.table.values[rows])
    given, chance = float(score), None
    if wish.binary:
        given = float(verdicts(np.array([score]), seen, criterion)[0])
        chance = float((score - wish.low) / (wish.high - wish.low))
    why = reasons(seen.table.names, seen.table.values[row], moved, mean=standard.mean, spread=standard.spread)
    said = rationale(given, why, width=wish.high - wish.low, held_out=held_out, probability=chance)
    return LearnedVerdict(
        response_id=int(seen.responses["response"].iloc[row]),
        criterion=criterion,
        score=given,
        rationale=str(said),
        confidence=None if chance is None else max(chance, 1 - chance),
        detail={"held_out": held_out, "probability": chance, "reasons": reasons_to_json(why)},
    )


def _strongest(model: LearnedModel, seen: Lesson, rows: Ints) -> list[dict[str, Any]]:
    """Return the features that move scores most: the mean size of their part, and its direction."""
    here = replace(seen.table, values=seen.table.values[rows], item=seen.table.item[rows])
    moved = model.contributions(here)
    size = np.abs(moved).mean(axis=0)
    values = np.nan_to_num(here.values - np.nanmean(here.values, axis=0))
    order = np.argsort(-size, kind="stable")[:STRONGEST]
    return [
        {
            "feature": model.names[place],
            "moves": round(float(size[place]), 4),
            "more_is": "higher" if (moved * values).sum(axis=0)[place] >= 0 else "lower",
        }
        for place in order
    ]


def _known(values: Sequence[float]) -> list[float]:
    return [round(float(value), 6) for value in values if np.isfinite(value)]
