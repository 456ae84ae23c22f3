"""A study while people rate: who rates now, how far each is, the pace, and when it will be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from judgelab.analysis.raters import work_list
from judgelab.analysis.raters.check_table import check_table
from judgelab.analysis.raters.work_list import CHECKS
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import memberships, people, sessions
from judgelab.store.projects.projects import find_project
from judgelab.store.rating import live_counts

PACE_OVER = timedelta(hours=1)
AT_WORK = timedelta(minutes=10)  # a rater not seen for longer is not counted as rating now
SHORTEST = timedelta(minutes=10)  # a pace over less would jump with every rating
RUNNING = timedelta(days=7)  # a study without a rating for longer is not running


@dataclass(frozen=True)
class LiveRater:
    """One rater of a running study.

    Attributes:
        now: whether they rated or opened a page in the last ten minutes.
        seen: when they last did.
        done: units rated in the browser, with checks and repeats, without training.
        limit: the most units they get; None for no limit.
        last_hour: units rated in the last hour.
        flagged, skipped: units they flagged, and skipped and have not rated.
        passed, checked: scores of checks that they met, of all they gave.
    """

    name: str
    now: bool
    seen: datetime | None
    done: int
    limit: int | None
    last_hour: int
    flagged: int
    skipped: int
    passed: int
    checked: int


@dataclass(frozen=True)
class LiveStudy:
    """A running study at one moment.

    Attributes:
        at: the moment.
        raters: those who rated in the browser, or may, by name.
        raters_wanted: how many raters each unit needs.
        wanted: how many times units are to be rated in all.
        done: how many of these times they were.
        per_hour: the pace over the last hour, or since the first rating if that is later, of the times
            wanted; None if nobody rated.
        pace_minutes: over how many minutes that is.
        work_list: open entries of the work list by kind.
    """

    at: datetime
    raters: tuple[LiveRater, ...]
    raters_wanted: int
    wanted: int
    done: int
    per_hour: float | None
    pace_minutes: int
    work_list: Mapping[str, int]

    @property
    def rating_now(self) -> tuple[str, ...]:
        """Return the names of those who rate now."""
        return tuple(rater.name for rater in self.raters if rater.now)

    @property
    def last_hour(self) -> int:
        """Return how many units were rated in the last hour, checks and repeats included."""
        return sum(rater.last_hour for rater in self.raters)

    @property
    def hours_left(self) -> float | None:
        """Return how many hours the rest takes at this pace; None without a pace."""
        return (self.wanted - self.done) / self.per_hour if self.per_hour else None


def live_study(store: Store, slug: str, *, at: datetime | None = None) -> LiveStudy | None:
    """Return the study now; None if nobody has rated in the browser in the last week."""
    at = at or now()
    with store.reading() as session:
        project = find_project(session, slug)
        counts = live_counts.counts_by_person(session, project.id, since=at - PACE_OVER)
        latest = max((count.last for count in counts.values() if count.last), default=None)
        if latest is None or at - latest > RUNNING:
            return None
        k = int(project.settings.get("raters_per_response", 3))
        wanted, done = live_counts.wanted_and_done(session, project.id, raters=k)
        first = live_counts.first_rated_at(session, project.id)
        minutes = _minutes(at, first)
        needed = sum(count.needed for count in counts.values())
        return LiveStudy(
            at=at,
            raters=_raters(session, project.id, counts, project.settings.get("most_responses"), at),
            raters_wanted=k,
            wanted=wanted,
            done=done,
            per_hour=60 * needed / minutes if needed else None,
            pace_minutes=round(minutes),
            work_list=work_list.count_open(session, project.id),
        )


def _minutes(at: datetime, first: datetime | None) -> float:
    since = at - PACE_OVER if first is None else max(first, at - PACE_OVER)
    return max(at - since, SHORTEST).total_seconds() / 60


def _raters(
    session: Session,
    project_id: int,
    counts: Mapping[int, live_counts.PersonCounts],
    limit: int | None,
    at: datetime,
) -> tuple[LiveRater, ...]:
    members = {row.person_id: row for row in memberships.memberships(session, project_id)}
    listed = {key for key, row in members.items() if row.role == "annotator" and row.state == "active"}
    listed |= {person for person, count in counts.items() if count.done}
    names = {person.id: person.name for person in people.list_people(session)}
    visits = sessions.last_seen(session)
    passed, checked = _checks(session, project_id)
    nothing = live_counts.PersonCounts(0, 0, 0, None, 0, 0)
    found = []
    for person in listed & names.keys():
        count, member = counts.get(person, nothing), members.get(person)
        times = [time for time in (count.last, visits.get(person)) if time is not None]
        seen = max(times, default=None)
        own = member.most_responses if member else None
        found.append(
            LiveRater(
                name=names[person],
                now=seen is not None and at - seen <= AT_WORK,
                seen=seen,
                done=count.done,
                limit=limit if own is None else own,
                last_hour=count.recent,
                flagged=count.flagged,
                skipped=count.skipped,
                passed=passed[person],
                checked=checked[person],
            )
        )
    return tuple(sorted(found, key=lambda rater: (rater.name.casefold(), rater.name)))


def _checks(session: Session, project_id: int) -> tuple[Counter[int], Counter[int]]:
    """Return how many scores of checks each person met, and gave, by row id."""
    checks = check_table(session, project_id)
    checks = checks[checks["purpose"].isin(CHECKS)]
    passed = checks.loc[checks["passed"].astype(bool), "person"]
    return Counter(map(int, passed)), Counter(map(int, checks["person"]))
