"""Applying, saving and choosing filters. A filter is a view of the ratings; nothing is deleted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgelab.analysis.data.filter_info import FilterInfo, filter_info
from judgelab.annotation.filters.apply_filter import FilterOutcome, FilterPolicy, apply_filter
from judgelab.annotation.filters.lock import changes_since, fingerprint_of, locked_content
from judgelab.annotation.filters.rater_controls import ControlResult, hit_control
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import LABEL_MODELS
from judgelab.metaeval.core.label_classes import MOST_CLASSES
from judgelab.scales import unordered
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import controls, policies
from judgelab.wording import Sentence, joined, sentence

RESERVED = ("none", "in use")  # values of `--policy` that are not names


def evaluate_filter(store: Store, slug: str, policy: FilterPolicy) -> FilterOutcome:
    """Return what the filter would keep and remove, and the effect on agreement."""
    with store.reading() as session:
        project = find_project(session, slug)
    humans = snapshots.score_frame(store, project.id, kinds=("human",))
    return apply_filter(
        humans, policy, scales=project.scales, controls=load_rater_controls(store, project, policy)
    )


def load_rater_controls(
    store: Store, project: ProjectInfo, policy: FilterPolicy
) -> dict[str, dict[str, ControlResult]]:
    """Return results on degraded copies and repeats, by criterion and rater; empty if not needed."""
    if policy.control == "agreement":
        return {}
    with store.reading() as session:
        pairs = controls.control_frame(session, project.id)
    lower_is_better = {criterion.key for criterion in project.criteria if not criterion.higher_is_better}
    pairs = pairs[~pairs["criterion"].isin(list(unordered(project.scales)))]  # a copy cannot score lower
    return hit_control(pairs, policy, lower_is_better=lower_is_better)


def save_filter(
    store: Store,
    slug: str,
    name: str,
    policy: FilterPolicy,
    *,
    person_id: int | None = None,
    lock: bool = False,
    reason: str = "",
) -> FilterInfo:
    """Store the next version of the filter `name` and put it in use.

    Raises:
        InvalidInput: a locked filter is in use and no reason for replacing it is given, the name is reserved,
            or the filter cannot be applied to the project's scales.
    """
    if not name.strip() or name in RESERVED:
        raise InvalidInput(
            sentence("a quality filter can't be named '{name}'; choose another name.", name=name)
        )
    with store.writing() as session:
        project = find_project(session, slug)
        project_id = project.id
        _check_aggregate(policy, project)
        content = _lock_content(policy, project)
        stored = policies.add_filter(
            session,
            project_id,
            name=name,
            options=asdict(policy),
            person_id=person_id,
            lock=policies.FilterLock(fingerprint_of(content), content) if lock else None,
            reason=reason,
        )
        audit.record(
            session,
            "saved_quality_rule",
            project_id=project_id,
            person_id=person_id,
            detail={
                "name": stored.name,
                "version": stored.version,
                "locked": lock,
                **({"sha256": stored.sha256} if lock else {}),
                **({"reason": reason.strip()} if reason.strip() else {}),
            },
        )
    return filter_info(stored)


def use_filter(
    store: Store,
    slug: str,
    name: str | None,
    version: int | None = None,
    *,
    person_id: int | None = None,
    reason: str = "",
) -> None:
    """Put this saved filter in use; None for all ratings.

    Raises:
        InvalidInput: a locked filter is in use and no reason for replacing it is given.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        policies.put_in_use(session, project_id, name=name, version=version, reason=reason)
        audit.record(
            session,
            "chose_quality_rule",
            project_id=project_id,
            person_id=person_id,
            detail={"name": name, "version": version, "reason": reason.strip()},
        )


def list_filters(store: Store, slug: str) -> list[FilterInfo]:
    """Return all saved filters, newest first."""
    with store.reading() as session:
        return [
            filter_info(stored) for stored in policies.list_filters(session, find_project(session, slug).id)
        ]


def filter_in_use(store: Store, slug: str) -> FilterInfo | None:
    """Return the filter in use, or None."""
    with store.reading() as session:
        stored = policies.filter_in_use(session, find_project(session, slug).id)
    return None if stored is None else filter_info(stored)


def find_filter(store: Store, slug: str, name: str) -> FilterInfo:
    """Return the newest version of the filter called `name`; raises `NotFound`."""
    with store.reading() as session:
        return filter_info(policies.find_filter(session, find_project(session, slug).id, name))


def lock_note(store: Store, slug: str) -> str:
    """Return the note that accompanies every figure: the lock of the filter in use, or its replacement.

    Empty if no filter was ever locked. Example: `main, version 1, locked 12 Nov 2026, before the first
    rating`.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        stored = policies.list_filters(session, project.id)
    filters = [filter_info(version) for version in stored]
    current = next((saved for saved in filters if saved.in_use), None)
    parts: list[str] = []
    if current is not None and current.locked_at is not None:
        parts.append(current.description)
        content = (
            next(version.lock.get("content", {}) for version in stored if version.in_use)
            if current.intact
            else {}
        )
        changed = changes_since(content, _lock_content(current.policy, project)) if content else ()
        if changed:
            changes = sentence("{names} and {last}", names=changed[0], last=changed[-1])
            parts.append(sentence("{what} changed since", what=changes if len(changed) > 1 else changed[0]))
    for saved in filters:
        if saved.replacements and not saved.in_use:
            last = saved.replacements[-1]
            parts.append(
                sentence(
                    "{rule} ({lock}) was replaced on {day} by {other}: “{reason}”",
                    rule=saved.quoted,
                    lock=saved.lock_text,
                    day=last.at,
                    other=last.to or sentence("all ratings"),
                    reason=last.reason,
                )
            )
    return joined(parts, "; ")


def _lock_content(policy: FilterPolicy, project: ProjectInfo) -> dict[str, Any]:
    return locked_content(
        policy,
        project=project.name,
        criteria=project.criteria,
        raters_per_response=int(project.settings["raters_per_response"]),
    )


def _check_aggregate(policy: FilterPolicy, project: ProjectInfo) -> None:
    if policy.aggregate not in LABEL_MODELS:
        return
    for key, scale in project.scales.items():
        if not 0 < len(scale.points()) <= MOST_CLASSES:
            raise InvalidInput(_points_needed(policy.aggregate, key, len(scale.points())))


def _points_needed(aggregate: str, criterion: str, points: int) -> Sentence:
    values = {"most": MOST_CLASSES, "criterion": criterion, "points": points or sentence("none")}
    if aggregate == "mace":
        return sentence(
            "MACE needs a scale with at most {most} points, and '{criterion}' has {points}; choose another "
            "way to combine ratings.",
            **values,
        )
    return sentence(
        "Dawid and Skene's method needs a scale with at most {most} points, and '{criterion}' has {points}; "
        "choose another way to combine ratings.",
        **values,
    )
