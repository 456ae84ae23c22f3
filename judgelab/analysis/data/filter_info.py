"""A saved filter as pages, commands and reports describe it: version, lock, replacements."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from judgelab.annotation.filters.lock import fingerprint_of
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.aggregation import MEAN, Aggregation, aggregation_of_labels
from judgelab.scales import Scale
from judgelab.wording import counted, joined, mark, sentence

if TYPE_CHECKING:
    from judgelab.store.rating import policies


UNSAVED = 0  # the version of a filter that is applied without being saved


@dataclass(frozen=True)
class FilterReplacement:
    """The replacement of a locked filter as the one in use: when, by which filter, and why."""

    at: datetime
    to: str | None
    reason: str


@dataclass(frozen=True)
class FilterInfo:
    """A saved version of a filter.

    Attributes:
        name: the filter's name.
        version: its version, from 1; `UNSAVED` if it is not saved.
        policy: its options.
        in_use: whether this version is the one in use.
        locked_at: when it was locked; None if it is not locked.
        created_at: when it was saved.
        created_by: the name of the person who saved it; empty if it was saved by a command or an import.
        sha256: hash of the canonical JSON of the locked content; empty if it is not locked.
        locked_ratings: number of ratings when it was locked.
        intact: whether the hash still matches the locked content, and that content the filter's options.
        replacements: replacements of this locked filter by another one, oldest first.
    """

    name: str
    version: int
    policy: FilterPolicy
    in_use: bool
    locked_at: datetime | None
    created_at: datetime
    created_by: str = ""
    sha256: str = ""
    locked_ratings: int = 0
    intact: bool = True
    replacements: tuple[FilterReplacement, ...] = ()

    @property
    def title(self) -> str:
        """Return the name with its version."""
        return sentence("{rule}, version {version}", rule=self.name, version=self.version)

    @property
    def quoted(self) -> str:
        """Return the title for use inside a sentence, with the name in quotes."""
        return sentence("“{rule}”, version {version}", rule=self.name, version=self.version)

    @property
    def lock_text(self) -> str:
        """Return the lock in words: `locked 12 Nov 2026, before the first rating`; empty if not locked."""
        if self.locked_at is None:
            return ""
        if not self.intact:
            return sentence(
                "marked as locked, but its sha256 does not match: it was changed outside JudgeLab"
            )
        if not self.locked_ratings:
            return sentence("locked {day}, before the first rating", day=self.locked_at)
        return counted(
            "locked {day}, after {n} rating",
            "locked {day}, after {n} ratings",
            self.locked_ratings,
            day=self.locked_at,
        )

    @property
    def description(self) -> str:
        """Return the filter in words: title, lock, and how ratings become one score."""
        aggregation = (
            "" if self.policy.aggregate == "mean" else sentence(AGGREGATION_LABELS[self.policy.aggregate])
        )
        return joined([part for part in (self.quoted, self.lock_text, aggregation) if part])

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints about a filter."""
        return {
            "name": self.name,
            "version": self.version,
            "aggregate": self.policy.aggregate,
            "locked_at": None if self.locked_at is None else self.locked_at.isoformat(),
            "sha256": self.sha256 or None,
            "locked_ratings": self.locked_ratings if self.locked_at else None,
            "intact": self.intact,
        }


AGGREGATION_LABELS = {
    "mean": mark("mean of the ratings"),
    "median": mark("median of the ratings"),
    "majority": mark("majority of the ratings"),
    "z_mean": mark("mean of z-scored ratings"),
    "trimmed": mark("trimmed mean of the ratings"),
    "dawid_skene": mark("Dawid–Skene labels"),
    "mace": mark("MACE labels"),
}


AGGREGATE_NAMES = {
    "mean": "mean",
    "median": "median",
    "majority": "majority",
    "z_mean": "mean z-score",
    "trimmed": "trimmed mean",
    "dawid_skene": "Dawid–Skene label",
    "mace": "MACE label",
}


def aggregate_name(aggregation: Aggregation, scale: Scale | None = None) -> str:
    """Return what judges are compared with, such as the "median" of the raters, in reports and commands.

    On a scale without an order most aggregations are replaced by the majority.
    """
    used = aggregation if scale is None or scale.ordered else aggregation_of_labels(aggregation)
    return AGGREGATE_NAMES[used.method]


def filter_aggregation(policy: FilterInfo | None) -> Aggregation:
    """Return how the filter aggregates ratings on scales with an order: by their mean without a filter."""
    return MEAN if policy is None else policy.policy.aggregation


def ratings_text(policy: FilterInfo | None) -> str:
    """Return which ratings a result uses: those after the filter, in words, or all."""
    return "no quality filter" if policy is None else policy.description


def filter_info(stored: policies.StoredFilter) -> FilterInfo:
    """Return a stored version as a `FilterInfo`."""
    content = stored.lock.get("content", {})
    matches_lock = fingerprint_of(content) == stored.sha256 and content.get("options") == dict(stored.options)
    return FilterInfo(
        name=stored.name,
        version=stored.version,
        policy=FilterPolicy(**stored.options),
        in_use=stored.in_use,
        locked_at=stored.locked_at,
        created_at=stored.created_at,
        created_by=stored.created_by,
        sha256=stored.sha256,
        locked_ratings=int(stored.lock.get("ratings", 0)),
        intact=stored.locked_at is None or not stored.sha256 or matches_lock,
        replacements=tuple(
            FilterReplacement(
                datetime.fromisoformat(replacement["at"]), replacement["to"], replacement["reason"]
            )
            for replacement in stored.lock.get("left", [])
        ),
    )
