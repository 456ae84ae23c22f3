"""All tables of JudgeLab's database (`DESIGN` section 3)."""

from judgelab.store.models.annotation import (
    Assignment,
    FilterPolicyRow,
    Rating,
    RatingEvent,
)
from judgelab.store.models.base import Base, now
from judgelab.store.models.judging import (
    Completion,
    EndpointPause,
    EndpointRow,
    JudgeRow,
    Judgment,
    MetricScore,
    PromptRow,
    Run,
    Verdict,
    Worker,
)
from judgelab.store.models.people import Audit, Invite, Membership, Person, SignIn
from judgelab.store.models.projects import (
    CriterionRow,
    ImportRow,
    ItemRow,
    Project,
    ReferenceRow,
    ResponseRow,
)

__all__ = [
    "Assignment",
    "Audit",
    "Base",
    "Completion",
    "CriterionRow",
    "EndpointPause",
    "EndpointRow",
    "FilterPolicyRow",
    "ImportRow",
    "Invite",
    "ItemRow",
    "JudgeRow",
    "Judgment",
    "Membership",
    "MetricScore",
    "Person",
    "Project",
    "PromptRow",
    "Rating",
    "RatingEvent",
    "ReferenceRow",
    "ResponseRow",
    "Run",
    "SignIn",
    "Verdict",
    "Worker",
    "now",
]
