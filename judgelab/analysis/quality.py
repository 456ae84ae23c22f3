"""Trying, saving and choosing quality rules; a rule is a view over the ratings, never a deletion."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from judgelab.annotation.quality import FilterOutcome, FilterPolicy, apply_filter
from judgelab.errors import InvalidInput
from judgelab.store import frames, people, policies
from judgelab.store.engine import Store
from judgelab.store.policies import StoredPolicy
from judgelab.store.projects import find_project

RESERVED = ("none", "in use")  # what `--policy` says instead of a name


@dataclass(frozen=True)
class PolicyInfo:
    """A saved version of a quality rule."""

    name: str
    version: int
    policy: FilterPolicy
    in_use: bool
    locked_at: datetime | None
    created_at: datetime

    @property
    def title(self) -> str:
        """Return the name with its version."""
        return f"{self.name}, version {self.version}"

    @property
    def quoted(self) -> str:
        """Return the title as it stands inside a sentence, where a name could be read as a part of it."""
        return f"“{self.name}”, version {self.version}"


def evaluate(store: Store, slug: str, policy: FilterPolicy) -> FilterOutcome:
    """Return what the rule would keep and remove, and what that does to agreement."""
    with store.reading() as session:
        project = find_project(session, slug)
        humans = frames.score_frame(session, project.id, kinds=("human",))
    return apply_filter(humans, policy, scales=project.scales)


def save(
    store: Store,
    slug: str,
    name: str,
    policy: FilterPolicy,
    *,
    person_id: int | None = None,
    lock: bool = False,
) -> PolicyInfo:
    """Store the next version of the rule `name` and let every figure stand on it.

    Raises:
        InvalidInput: another rule is locked, or the name means something else.
    """
    if not name.strip() or name in RESERVED:
        raise InvalidInput(f"a quality rule cannot be called '{name}'; give it another name.")
    with store.writing() as session:
        project_id = find_project(session, slug).id
        stored = policies.add_policy(
            session, project_id, name=name, options=asdict(policy), person_id=person_id, lock=lock
        )
        people.record(
            session,
            "saved_quality_rule",
            project_id=project_id,
            person_id=person_id,
            detail={"name": stored.name, "version": stored.version, "locked": lock},
        )
    return _info(stored)


def use(store: Store, slug: str, name: str | None, version: int | None = None) -> None:
    """Let every figure stand on this saved rule; None for all ratings as they came."""
    with store.writing() as session:
        policies.put_in_use(session, find_project(session, slug).id, name=name, version=version)


def list_policies(store: Store, slug: str) -> list[PolicyInfo]:
    """Return all saved rules, newest first."""
    with store.reading() as session:
        return [_info(p) for p in policies.list_policies(session, find_project(session, slug).id)]


def in_use(store: Store, slug: str) -> PolicyInfo | None:
    """Return the rule every figure stands on, if there is one."""
    with store.reading() as session:
        stored = policies.policy_in_use(session, find_project(session, slug).id)
    return None if stored is None else _info(stored)


def named(store: Store, slug: str, name: str) -> PolicyInfo:
    """Return the newest version of the rule called `name`; raises `NotFound`."""
    with store.reading() as session:
        return _info(policies.find_policy(session, find_project(session, slug).id, name))


def _info(stored: StoredPolicy) -> PolicyInfo:
    return PolicyInfo(
        name=stored.name,
        version=stored.version,
        policy=FilterPolicy(**stored.options),
        in_use=stored.in_use,
        locked_at=stored.locked_at,
        created_at=stored.created_at,
    )
