"""What a person is given next, decided and stored inside one transaction that holds the project's lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from judgelab.annotation.assign import interleaving, qualification, selection
from judgelab.annotation.assign.candidate_cache import CandidateCache
from judgelab.annotation.links import withdrawal
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.settings import EXTRA_PURPOSES
from judgelab.store.db.engine import Session
from judgelab.store.models import now
from judgelab.store.rating import assigned_units, assignments, controls, open_units
from judgelab.store.rating.assignments import AssignedUnit, PlannedUnit
from judgelab.store.rating.open_units import UnitSearch


def fill_queue(session: Session, round_: RatingSession, count: int, *, hints: CandidateCache) -> None:
    """Fill the person's screen up to `count` units, or a fair part when few are left.

    Training comes before everything else; who is not active gets nothing new. Whose time is over leaves
    first; a crowd worker who rated something and for whom nothing is left has finished, whatever others
    still hold: nobody who is paid by the piece waits for them.
    """
    project_id, person_id = round_.project.id, round_.person_id
    assignments.lock_project(session, project_id)
    at = now()  # after the lock: an older time would see leases that have run out since as alive
    round_ = withdrawal.refresh_session(session, round_, at=at)
    given = assignments.held(session, person_id, project_id, at=at)
    if len(given) >= count:
        return
    behind = assigned_units.unfinished_extras(session, person_id, project_id, at=at)
    outcome = qualification.update_qualification(session, round_, at=at)
    if outcome.state == "out" or round_.state != "active":
        return
    if outcome.state == "training":
        places = _next_training_units(session, round_, outcome.occasion, behind)[: count - len(given)]
    else:
        places = _next_units(session, round_, given, behind, count=count, at=at, hints=hints)
    until = round_.lease_end(at)
    assignments.assign(session, places, person_id, project_id, until=until, by_turn=round_.policy.by_turn)
    nothing = not places and not given
    if nothing and round_.link_id is not None and assigned_units.any_finished(session, person_id, project_id):
        withdrawal.mark_finished(session, round_)


def _next_training_units(
    session: Session, round_: RatingSession, occasion: int, behind: Mapping[PlannedUnit, str]
) -> list[PlannedUnit]:
    begun = [p for p in behind if p.purpose == "training" and p.occasion == occasion]
    fresh = open_units.open_checks(
        session, round_.person_id, round_.project.id, "training", occasion=occasion
    )
    order = selection.rater_order(round_.person_id, round_.project.id, file_order=round_.policy.file_order)
    ordered = sorted(fresh, key=lambda unit: (order.place(unit), unit))
    begun.sort(key=lambda place: behind[place] == "skipped")
    return [p for p in begun if behind[p] != "skipped"] + (
        [PlannedUnit(unit, "training", occasion) for unit in ordered]
        or [p for p in begun if behind[p] == "skipped"]
    )


def _next_units(
    session: Session,
    round_: RatingSession,
    given: Sequence[AssignedUnit],
    behind: Mapping[PlannedUnit, str],
    *,
    count: int,
    at: datetime,
    hints: CandidateCache,
) -> list[PlannedUnit]:
    """Return what the person gets: what they left behind, then ordinary work mixed with checks."""
    who = (session, round_.person_id, round_.project.id)
    policy = round_.policy
    places = count - len(given)
    if policy.most is not None:
        places = min(places, policy.most - assigned_units.count_towards_limit(*who, at=at))
    if places <= 0:
        return []
    checks = {place: state for place, state in behind.items() if place.purpose in EXTRA_PURPOSES}
    begun = [place for place, state in checks.items() if state == "leased"][:places]
    held = len(given) + len(begun)
    work = _ordinary_units(session, round_, held=held, count=len(given) + places, at=at, hints=hints)
    own = {place.unit for place in checks}
    any_extras = any(map(policy.every, EXTRA_PURPOSES))
    mixed = interleaving.interleave(
        [unit for unit in work if unit not in own],
        _available_extras(session, round_, exclude=own) if any_extras else {},
        policy=policy,
        mixed=interleaving.extras_given(assigned_units.assigned_purposes(*who) if any_extras else ()),
        seed=f"{round_.project.id}/{round_.person_id}",
        wanted=places - len(begun),
    )
    if begun or mixed or given:
        return begun + mixed
    return [place for place, state in checks.items() if state == "skipped"][:places]


def _ordinary_units(
    session: Session, round_: RatingSession, *, held: int, count: int, at: datetime, hints: CandidateCache
) -> list[int]:
    person_id, project_id, policy = round_.person_id, round_.project.id, round_.policy
    order = selection.rater_order(person_id, project_id, file_order=policy.file_order)
    continue_conversation = policy.spread_groups and not policy.file_order and not policy.by_turn
    search = UnitSearch(
        person_id,
        project_id,
        k=policy.raters,
        order=order.place,
        limit=selection.PLENTY,
        at=at,
        cohorts=open_units.cohorts_of(session, person_id, project_id),
        begun_first=not policy.file_order,
        without_known=policy.gold_share > 0,
        by_turn=policy.by_turn,
    )
    if continue_conversation and not hints.one_group:
        search = replace(search, served=assigned_units.assigned_per_group(session, person_id, project_id))
    found = hints.still_open(session, search, wanted=count - held)
    few = not found
    if not found:
        if continue_conversation and search.served is None:
            search = replace(search, served=assigned_units.assigned_per_group(session, person_id, project_id))
        found = open_units.find_open_units(session, search)
        hints.keep(search, found)
        few = len(found) < selection.PLENTY
    groups = {unit.group for unit in found}
    turns = open_units.proposed_order(session, [unit.unit for unit in found]) if policy.by_turn else {}
    return selection.choose_units(
        [selection.Candidate(*unit, turn=turns.get(unit.unit)) for unit in found],
        wanted=count,
        k=policy.raters,
        order=order,
        held=held,
        active=assignments.active_raters(session, project_id, at=at) if few else 1,
        served=search.served if len(groups) > 1 else None,
    )


def _available_extras(
    session: Session, round_: RatingSession, *, exclude: set[int]
) -> dict[str, list[PlannedUnit]]:
    """Return what there is of checks, units with a known score, and repeats, in the person's order."""
    who = (session, round_.person_id, round_.project.id)
    policy = round_.policy
    shuffle = selection.rater_shuffle(round_.person_id, round_.project.id)
    found: dict[str, list[PlannedUnit]] = {}
    if policy.attention_every:
        checks = [*open_units.open_checks(*who, "attention"), *controls.copies_open_to(*who)]
        found["attention"] = [PlannedUnit(unit, "attention") for unit in checks]
    if policy.gold_share:
        cohorts = open_units.cohorts_of(*who)
        found["gold"] = [
            PlannedUnit(unit, "gold") for unit in open_units.open_gold_units(*who, cohorts=cohorts)
        ]
    if policy.repeats:
        again = interleaving.repeatable(
            assigned_units.finished_units(*who),
            after=policy.repeat_after,
            given=assigned_units.repeated_units(*who),
        )
        found["repeat"] = [PlannedUnit(unit, "repeat", 1) for unit in again]
    return {
        kind: sorted(
            (place for place in places if place.unit not in exclude),
            key=lambda place: (shuffle.place(place.unit), place.unit),
        )
        for kind, places in found.items()
    }
