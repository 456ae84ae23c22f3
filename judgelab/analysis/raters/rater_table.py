"""The raters of a project: what each did, what is worth a look, and their standing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Literal

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.saved_filters import filter_in_use, load_rater_controls
from judgelab.analysis.data.scores import fingerprint
from judgelab.analysis.raters.check_table import check_table
from judgelab.analysis.raters.given_ratings import cached_given_ratings
from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.annotation.raters.criterion_report import CriterionReport
from judgelab.annotation.raters.rater_flags import Flag, rater_flags
from judgelab.annotation.raters.rater_report import RESAMPLES, RaterReport, rater_reports
from judgelab.errors import NotAllowed, NotFound
from judgelab.scales import Scale
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.frames import rater_work, snapshots
from judgelab.store.frames.rater_work import AssignedCounts
from judgelab.store.people import memberships
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence

ComparedWith = Literal["kept", "all"]


@dataclass(frozen=True)
class RaterRow:
    """One rater: the report, what is worth a look, what they were given, and their standing.

    `state` is empty for somebody with no place in this project: a name that only a file brought. `over_since`
    is when their work here ended, if it did.
    """

    report: RaterReport
    flags: tuple[Flag, ...]
    given: AssignedCounts
    state: str
    over_since: datetime | None = None

    @property
    def rater(self) -> str:
        """Return the name."""
        return self.report.rater


@dataclass(frozen=True)
class RaterTable:
    """All raters of a project.

    Args:
        rows: those with most flags first, then by name.
        compared_with: whom they are compared with: "kept" by the quality rule in use, or "all".
        rule: title of that rule; None when all raters count.
        means: names under which a file brought means of several raters; they are no raters.
        scales: scale by criterion, as it was computed with.
        panel: by criterion, the raters kept by that rule; None when all count.
        resamples: how many times items were drawn for the intervals.
        seed: of the draws.
        quality: how agreement is taken and what is low: as the rule in use has it; beside all raters, always
            with the mean of the others.
    """

    rows: tuple[RaterRow, ...]
    compared_with: ComparedWith
    rule: str | None
    means: tuple[str, ...]
    scales: Mapping[str, Scale]
    panel: Mapping[str, frozenset[str]] | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    quality: FilterPolicy = DEFAULT_POLICY

    def others(self, criterion: str) -> frozenset[str]:
        """Return whom raters are compared with under a criterion: everybody where too few are kept."""
        all_raters = frozenset(row.rater for row in self.rows)
        kept = all_raters & (self.panel or {}).get(criterion, all_raters)
        return kept if len(kept) > 1 else all_raters

    def row(self, rater: str) -> RaterRow:
        """Return one rater's line; raises `NotFound`."""
        for row in self.rows:
            if row.rater == rater:
                return row
        raise NotFound(mark("rater"), rater, [row.rater for row in self.rows])

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab raters --json` prints."""
        return {
            "beside": self.compared_with,
            "rule": self.rule,
            "method": self.quality.method,
            "threshold": self.quality.threshold,
            "resamples": self.resamples,
            "seed": self.seed,
            "raters": [_row_json(row) for row in self.rows],
        }


def rater_table(
    store: Store, slug: str, *, compared_with: ComparedWith = "kept", resamples: int = RESAMPLES
) -> RaterTable:
    """Return what is known of every rater of the project.

    With `beside="kept"` a rater is compared with those whom the quality rule in use keeps, so that careless
    ones do not make the others look odd; without a rule, and with "all", with everybody else.
    """
    work = cached_given_ratings(store, slug)
    with store.reading() as session:
        project = find_project(session, slug)
        checks = check_table(session, project.id)
        given = rater_work.assigned_counts(session, project.id)
        means = rater_work.aggregate_raters(session, project.id)
        members = memberships.memberships(session, project.id)
    membership_by_person = {member.person_id: member for member in members}
    saved = filter_in_use(store, slug)
    panel = _panel(store, slug, saved if compared_with == "kept" else None)
    quality = DEFAULT_POLICY if saved is None else saved.policy
    if panel.members is None:
        # One careless rater lowers everybody's mean over pairs, and hardly the mean of the others.
        quality = replace(quality, method="loo")
    reports = rater_reports(
        work.frame,
        scales=work.scales,
        checks=checks,
        panel=panel.members,
        policy=quality,
        resamples=resamples,
    )
    rows = []
    for report in reports:
        flags = rater_flags(report, work.scales, policy=quality)
        membership = membership_by_person.get(report.person)
        state_and_end = (membership.state, membership.over_since) if membership else ("", None)
        rows.append(RaterRow(report, flags, given.get(report.person, AssignedCounts()), *state_and_end))
    rows.sort(key=lambda row: (-len({flag.key for flag in row.flags}), row.rater))
    rated = {row.rater for row in rows}
    return RaterTable(
        tuple(rows),
        "all" if panel.members is None else "kept",
        panel.rule,
        tuple(name for name in means if name not in rated),
        work.scales,
        panel.members,
        resamples,
        quality=quality,
    )


def has_ratings(store: Store, slug: str) -> bool:
    """Return whether anybody has rated."""
    with store.reading() as session:
        return rater_work.has_work(session, find_project(session, slug).id)


def rater_table_fingerprint(store: Store, slug: str) -> str:
    """Return a word that changes whenever the table of raters could change; see `only_scores_came`."""
    with store.reading() as session:
        project_id = find_project(session, slug).id
        work_part, membership_part = rater_work.work_fingerprints(session, project_id)
    data_part, scores_part = fingerprint(store, slug).split("-", 1)
    return f"{membership_part}{data_part}-{work_part}{scores_part}"


def set_rater_state(store: Store, slug: str, person_id: int, state: str, *, by: int) -> None:
    """Pause or release a rater, or make them active again; recorded with who did it.

    Raises:
        NotAllowed: `by` is no researcher of the project.
        InvalidInput: there is no such state.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        if not memberships.has_role(session, by, project_id, "researcher"):
            raise NotAllowed(sentence("only researchers of the project pause or release its raters."))
        membership = memberships.set_state(session, project_id, person_id, state)
        audit.record(
            session,
            "set_rater_state",
            project_id=project_id,
            person_id=by,
            detail={"rater": membership.name, "state": state},
        )


@dataclass(frozen=True)
class _Panel:
    members: Mapping[str, frozenset[str]] | None
    rule: str | None


def _panel(store: Store, slug: str, rule: FilterInfo | None) -> _Panel:
    """Return by criterion whom the rule keeps; nothing without one."""
    if rule is None:
        return _Panel(None, None)
    with store.reading() as session:
        project = find_project(session, slug)
    humans = snapshots.score_frame(store, project.id, kinds=("human",))
    controls = load_rater_controls(store, project, rule.policy)
    outcome = apply_filter(humans, rule.policy, scales=project.scales, controls=controls)
    members: dict[str, set[str]] = {}
    for verdict in outcome.raters:
        kept = members.setdefault(verdict.criterion, set())
        if verdict.kept:
            kept.add(verdict.rater)
    return _Panel({key: frozenset(names) for key, names in members.items()}, rule.title)


def _row_json(row: RaterRow) -> dict[str, Any]:
    report = row.report
    return {
        "rater": report.rater,
        "state": row.state or None,
        "over_since": row.over_since.isoformat(timespec="seconds") if row.over_since else None,
        "screens": report.screens,
        "given": asdict(row.given),
        "flags": [asdict(flag) for flag in row.flags],
        "seconds": report.pace.median.to_json(),
        "seconds_from": report.pace.source,
        "fast": report.pace.fast.to_json(),
        "sittings": report.pace.sittings,
        "pace_drift": report.pace.drift.to_json(),
        "score_drift": report.score_drift.to_json(),
        "sitting_drift": report.sitting_drift.to_json(),
        "gold": report.gold.to_json(),
        "attention": report.attention.to_json(),
        "alike": [alike._asdict() for alike in report.alike],
        "criteria": {
            key: _criterion_json(criterion_report) for key, criterion_report in report.criteria.items()
        },
    }


def _criterion_json(report: CriterionReport) -> dict[str, Any]:
    return {
        "ratings": report.ratings,
        "cannot_judge": report.cannot,
        "pairwise": report.pairwise.to_json(),
        "leave_one_out": report.leave_one_out.to_json(),
        "offset": report.offset.to_json(),
        "spread": report.spread,
        "others_spread": report.others_spread,
        "modal_score": report.modal_score,
        "modal_share": report.modal_share.to_json(),
        "straight": report.straight.to_json(),
        "repeats_exact": report.repeats.exact.to_json(),
        "repeats": report.repeats.reliability.to_json(),
        "repeats_coefficient": report.repeats.coefficient,
    }
