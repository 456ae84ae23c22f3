"""The raters of a project: reports, flags, assigned work and state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from judgelab.analysis.data.compared_scores import compared_scores, evaluate_scores_or_comparisons
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.saved_filters import filter_in_use, load_rater_controls
from judgelab.analysis.data.scores import fingerprint
from judgelab.analysis.raters.check_table import check_table
from judgelab.analysis.raters.given_ratings import cached_given_ratings
from judgelab.annotation.filters.apply_filter import FilterOutcome, apply_filter
from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.annotation.raters.criterion_report import CriterionReport
from judgelab.annotation.raters.rater_flags import Flag, rater_flags
from judgelab.annotation.raters.rater_report import RaterReport, rater_reports
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
    """One rater: report, flags, counts of assigned work, and state.

    `state` is empty for a rater who is not a member of the project, known only from an imported file.
    `over_since` is when their work in the project ended, if it did. `cohort` is their group; empty for none.
    """

    report: RaterReport
    flags: tuple[Flag, ...]
    assigned: AssignedCounts
    state: str
    over_since: datetime | None = None
    cohort: str = ""

    @property
    def rater(self) -> str:
        """Return the rater's name."""
        return self.report.rater


@dataclass(frozen=True)
class RaterTable:
    """All raters of a project.

    Args:
        rows: raters with most flags first, then by name.
        compared_with: the raters of comparison: "kept" by the filter in use, or "all".
        filter_title: title of that filter; None if all raters count.
        imported_means: names of imported means of several raters, which are not raters.
        scales: scales used in the computation, by criterion.
        panel: by criterion, the raters kept by that filter; None if all count.
        resamples: number of resamples of items for the intervals.
        seed: seed of the resamples.
        form: whether raters scored responses ("pointwise"), compared two ("pairwise") or ranked them.
        policy: method and threshold of agreement, from the filter in use; compared with all raters, always
            against the mean of the others.
        removed_by_kappa: of comparisons, by criterion, the raters that the filter in use removes, or that the
            usual one would; it uses κ.
    """

    rows: tuple[RaterRow, ...]
    compared_with: ComparedWith
    filter_title: str | None
    imported_means: tuple[str, ...]
    scales: Mapping[str, Scale]
    panel: Mapping[str, frozenset[str]] | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    policy: FilterPolicy = DEFAULT_POLICY
    form: str = "pointwise"
    removed_by_kappa: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def comparison_raters(self, criterion: str) -> frozenset[str]:
        """Return the raters of comparison under a criterion; all raters if too few are kept."""
        all_raters = frozenset(row.rater for row in self.rows)
        kept = all_raters & (self.panel or {}).get(criterion, all_raters)
        return kept if len(kept) > 1 else all_raters

    def row(self, rater: str) -> RaterRow:
        """Return one rater's row; raises `NotFound`."""
        for row in self.rows:
            if row.rater == rater:
                return row
        raise NotFound(mark("rater"), rater, [row.rater for row in self.rows])

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab raters --json` prints."""
        return {
            "beside": self.compared_with,
            "rule": self.filter_title,
            "method": self.policy.method,
            "threshold": self.policy.threshold,
            "resamples": self.resamples,
            "seed": self.seed,
            "raters": [_row_json(row) for row in self.rows],
        }


def rater_table(
    store: Store, slug: str, *, compared_with: ComparedWith = "kept", resamples: int = RESAMPLES
) -> RaterTable:
    """Return the table of all raters of the project.

    With `compared_with="kept"`, raters are compared with the raters kept by the filter in use, so that
    careless raters do not distort the comparison; without a filter, or with "all", with all other raters.
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
    panel = _panel(store, slug, saved if compared_with == "kept" else None, form=work.form)
    quality = DEFAULT_POLICY if saved is None else saved.policy
    if panel.members is None:
        # One careless rater lowers every mean over pairs, but hardly agreement with the mean of the others.
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
        standing = (membership.state, membership.over_since, membership.cohort) if membership else ("",)
        rows.append(RaterRow(report, flags, given.get(report.person, AssignedCounts()), *standing))
    rows.sort(key=lambda row: (-len({flag.key for flag in row.flags}), row.rater))
    rated = {row.rater for row in rows}
    return RaterTable(
        tuple(rows),
        "all" if panel.members is None else "kept",
        panel.filter_title,
        tuple(name for name in means if name not in rated),
        work.scales,
        panel.members,
        resamples,
        policy=quality,
        form=work.form,
        removed_by_kappa=_removed(store, slug, saved) if work.form == "pairwise" and rows else {},
    )


def has_ratings(store: Store, slug: str) -> bool:
    """Return whether the project has any ratings."""
    with store.reading() as session:
        return rater_work.has_work(session, find_project(session, slug).id)


def rater_table_fingerprint(store: Store, slug: str) -> str:
    """Return a fingerprint that changes whenever the table of raters could change.

    Its parts are in the order that `only_scores_changed` expects.
    """
    with store.reading() as session:
        project_id = find_project(session, slug).id
        work_part, membership_part = rater_work.work_fingerprints(session, project_id)
    data_part, scores_part = fingerprint(store, slug).split("-", 1)
    return f"{membership_part}{data_part}-{work_part}{scores_part}"


def set_rater_state(store: Store, slug: str, person_id: int, state: str, *, by: int) -> None:
    """Pause or release a rater, or make them active again; recorded in the audit log.

    Raises:
        NotAllowed: `by` is not a researcher of the project.
        InvalidInput: no such state.
    """
    with store.writing() as session:
        project_id = find_project(session, slug).id
        if not memberships.has_role(session, by, project_id, "researcher"):
            raise NotAllowed(sentence("only researchers of the project can pause or release its raters."))
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
    filter_title: str | None


def _panel(store: Store, slug: str, saved: FilterInfo | None, *, form: str) -> _Panel:
    """Return the raters kept by the filter, by criterion; None without a filter."""
    if saved is None:
        return _Panel(None, None)
    outcome = _outcome(store, slug, saved) if form == "pointwise" else compared_scores(store, slug).outcome
    if outcome is None:
        return _Panel(None, None)
    members: dict[str, set[str]] = {}
    for verdict in outcome.raters:
        kept = members.setdefault(verdict.criterion, set())
        if verdict.kept:
            kept.add(verdict.rater)
    return _Panel({key: frozenset(names) for key, names in members.items()}, saved.title)


def _removed(store: Store, slug: str, saved: FilterInfo | None) -> Mapping[str, tuple[str, ...]]:
    """Return, by criterion, the raters whose comparisons a filter removes, without a saved one the usual."""
    policy = DEFAULT_POLICY if saved is None else saved.policy
    removed: dict[str, tuple[str, ...]] = {}
    for verdict in evaluate_scores_or_comparisons(store, slug, policy, comparisons=True).raters:
        if not verdict.kept:
            removed[verdict.criterion] = (*removed.get(verdict.criterion, ()), verdict.rater)
    return removed


def _row_json(row: RaterRow) -> dict[str, Any]:
    report = row.report
    return {
        "rater": report.rater,
        "state": row.state or None,
        "cohort": row.cohort or None,
        "over_since": row.over_since.isoformat(timespec="seconds") if row.over_since else None,
        "screens": report.screens,
        "given": asdict(row.assigned),
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
        "p_spam": report.spamming.to_json(),
        "repeats_exact": report.repeats.exact.to_json(),
        "repeats": report.repeats.reliability.to_json(),
        "repeats_coefficient": report.repeats.coefficient,
    }


def _outcome(store: Store, slug: str, saved: FilterInfo) -> FilterOutcome:
    with store.reading() as session:
        project = find_project(session, slug)
    humans = snapshots.score_frame(store, project.id, kinds=("human",))
    controls = load_rater_controls(store, project, saved.policy)
    return apply_filter(humans, saved.policy, scales=project.scales, controls=controls)
