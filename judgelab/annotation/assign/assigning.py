"""Assigning a person's next units, inside one transaction that holds the project's lock."""

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
from judgelab.store.rating.assignments import AssignedUnit, PlannedAssignment
from judgelab.store.rating.open_units import UnitSearch


def fill_queue(
    session: Session, rating_session: RatingSession, count: int, *, candidate_cache: CandidateCache
) -> None:
    """Fill the person's screen up to `count` units, or a fair share when few are left.

    Crowd workers whose time is over are timed out first. Training comes before everything else, and only
    active people get new units. A crowd worker who rated something and for whom nothing is left has
    finished, even if others still hold units: somebody paid by the piece should not have to wait for these.
    """
    project_id, person_id = rating_session.project_id, rating_session.person_id
    assignments.lock_project(session, project_id)
    at = now()  # after the lock: with an earlier time, leases that expired meanwhile would still count
    rating_session = withdrawal.refresh_rating_session(session, rating_session, at=at)
    assigned = assignments.held_by_person(session, person_id, project_id, at=at)
    if len(assigned) >= count:
        return
    left_behind = assigned_units.unfinished_extras(session, person_id, project_id, at=at)
    qualified = qualification.update_qualification(session, rating_session, at=at)
    if qualified.state == "out" or rating_session.state != "active":
        return
    if qualified.state == "training":
        planned = _next_training_units(session, rating_session, qualified.occasion, left_behind)[
            : count - len(assigned)
        ]
    else:
        planned = _next_units(
            session,
            rating_session,
            assigned,
            left_behind,
            count=count,
            at=at,
            candidate_cache=candidate_cache,
        )
    until = rating_session.lease_end(at)
    assignments.assign(
        session, planned, person_id, project_id, at=at, until=until, by_turn=rating_session.policy.by_turn
    )
    if planned or assigned or rating_session.link_id is None:
        return
    if assigned_units.any_finished(session, person_id, project_id):
        withdrawal.mark_finished(session, rating_session)


def _next_training_units(
    session: Session,
    rating_session: RatingSession,
    occasion: int,
    left_behind: Mapping[PlannedAssignment, str],
) -> list[PlannedAssignment]:
    started = [
        planned for planned in left_behind if planned.purpose == "training" and planned.occasion == occasion
    ]
    new = open_units.open_checks(
        session, rating_session.person_id, rating_session.project_id, "training", occasion=occasion
    )
    order = selection.rater_order(
        rating_session.person_id, rating_session.project_id, file_order=rating_session.policy.file_order
    )
    ordered = sorted(new, key=lambda unit: (order.sort_key(unit), unit))
    started.sort(key=lambda planned_unit: left_behind[planned_unit] == "skipped")
    return [planned for planned in started if left_behind[planned] != "skipped"] + (
        [PlannedAssignment(unit, "training", occasion) for unit in ordered]
        or [planned for planned in started if left_behind[planned] == "skipped"]
    )


def _next_units(
    session: Session,
    rating_session: RatingSession,
    assigned: Sequence[AssignedUnit],
    left_behind: Mapping[PlannedAssignment, str],
    *,
    count: int,
    at: datetime,
    candidate_cache: CandidateCache,
) -> list[PlannedAssignment]:
    """Return the units they had started, then ordinary ones interleaved with checks."""
    scope = (session, rating_session.person_id, rating_session.project_id)
    policy = rating_session.policy
    free_places = count - len(assigned)
    if policy.max_units is not None:
        free_places = min(free_places, policy.max_units - assigned_units.count_towards_limit(*scope, at=at))
    if free_places <= 0:
        return []
    checks = {planned: state for planned, state in left_behind.items() if planned.purpose in EXTRA_PURPOSES}
    started = [planned for planned, state in checks.items() if state == "leased"][:free_places]
    held = len(assigned) + len(started)
    work = _ordinary_units(
        session,
        rating_session,
        held=held,
        count=len(assigned) + free_places,
        at=at,
        candidate_cache=candidate_cache,
    )
    units_of_checks = {planned.unit for planned in checks}
    any_extras = any(map(policy.units_per_extra, EXTRA_PURPOSES))
    interleaved = interleaving.interleave(
        [unit for unit in work if unit not in units_of_checks],
        _available_extras(session, rating_session, exclude=units_of_checks) if any_extras else {},
        policy=policy,
        given_so_far=interleaving.extras_given(
            assigned_units.assigned_purposes(*scope) if any_extras else ()
        ),
        seed=f"{rating_session.project_id}/{rating_session.person_id}",
        count=free_places - len(started),
    )
    if started or interleaved or assigned:
        return started + interleaved
    return [planned for planned, state in checks.items() if state == "skipped"][:free_places]


def _ordinary_units(
    session: Session,
    rating_session: RatingSession,
    *,
    held: int,
    count: int,
    at: datetime,
    candidate_cache: CandidateCache,
) -> list[int]:
    person_id, project_id, policy = rating_session.person_id, rating_session.project_id, rating_session.policy
    order = selection.rater_order(person_id, project_id, file_order=policy.file_order)
    spread_groups = policy.spread_groups and not policy.file_order and not policy.by_turn
    search = UnitSearch(
        person_id,
        project_id,
        k=policy.raters,
        order=order.sort_key,
        limit=selection.PLENTY,
        at=at,
        cohorts=open_units.cohorts_of(session, person_id, project_id),
        begun_first=not policy.file_order,
        without_known=policy.gold_share > 0,
        by_turn=policy.by_turn,
    )
    if spread_groups and not candidate_cache.one_group:
        search = replace(search, served=assigned_units.assigned_per_group(session, person_id, project_id))
    units = candidate_cache.still_open(session, search, wanted=count - held)
    few_left = not units
    if not units:
        if spread_groups and search.served is None:
            search = replace(search, served=assigned_units.assigned_per_group(session, person_id, project_id))
        units = open_units.find_open_units(session, search)
        candidate_cache.keep(search, units)
        few_left = len(units) < selection.PLENTY
    groups = {unit.group for unit in units}
    proposed = open_units.proposed_order(session, [unit.unit for unit in units]) if policy.by_turn else {}
    return selection.choose_units(
        [selection.Candidate(*unit, turn=proposed.get(unit.unit)) for unit in units],
        target=count,
        k=policy.raters,
        order=order,
        held=held,
        active=assignments.active_raters(session, project_id, at=at) if few_left else 1,
        served=search.served if len(groups) > 1 else None,
    )


def _available_extras(
    session: Session, rating_session: RatingSession, *, exclude: set[int]
) -> dict[str, list[PlannedAssignment]]:
    """Return the available checks, gold units and repeats, in the person's order."""
    scope = (session, rating_session.person_id, rating_session.project_id)
    policy = rating_session.policy
    shuffle = selection.rater_shuffle(rating_session.person_id, rating_session.project_id)
    available: dict[str, list[PlannedAssignment]] = {}
    if policy.attention_every:
        checks = [*open_units.open_checks(*scope, "attention"), *controls.copies_open_to(*scope)]
        available["attention"] = [PlannedAssignment(unit, "attention") for unit in checks]
    if policy.gold_share:
        cohorts = open_units.cohorts_of(*scope)
        available["gold"] = [
            PlannedAssignment(unit, "gold") for unit in open_units.open_gold_units(*scope, cohorts=cohorts)
        ]
    if policy.repeats:
        repeats = interleaving.repeatable(
            assigned_units.finished_units(*scope),
            after=policy.repeat_after,
            repeated=assigned_units.repeated_units(*scope),
        )
        available["repeat"] = [PlannedAssignment(unit, "repeat", 1) for unit in repeats]
    return {
        kind: sorted(
            (planned for planned in planned_units if planned.unit not in exclude),
            key=lambda planned: (shuffle.sort_key(planned.unit), planned.unit),
        )
        for kind, planned_units in available.items()
    }
