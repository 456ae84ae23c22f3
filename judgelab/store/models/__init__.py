"""All tables of JudgeLab's database (`design/architecture.md`)."""

from judgelab.store.models.annotation import (
    Assignment,
    Decision,
    FilterPolicyRow,
    GoldScore,
    Message,
    Rating,
    RatingEvent,
    Unit,
    WorkListMark,
)
from judgelab.store.models.base import Base, now
from judgelab.store.models.comparisons import JudgedPair, PairDecision, Preference, Ranking
from judgelab.store.models.images import ImageRow
from judgelab.store.models.judging import (
    CachedReply,
    Completion,
    EndpointPause,
    EndpointRow,
    FailedCall,
    JudgeRow,
    Judgment,
    MetricScore,
    PromptRow,
    Run,
    Verdict,
    Worker,
)
from judgelab.store.models.learned import LearnedModelRow, LearnedPart
from judgelab.store.models.people import Audit, Invite, Membership, Person, SignIn, StudyLink
from judgelab.store.models.preparation import PreparedReply, ReferenceList
from judgelab.store.models.projects import (
    CriterionRow,
    ImportRow,
    ItemRow,
    Project,
    ReferenceRow,
    ResponseRow,
)
from judgelab.store.models.results import GridRow, ShareLink
from judgelab.store.models.scoring import EmbeddingRow, EmbeddingUse, ScoringJob
from judgelab.store.models.studio import DocumentRow, EvaluationSteps, PanelRoleRow, WorkedExample
from judgelab.store.models.tags import Tag
from judgelab.store.models.templates import TemplateRow

__all__ = [
    "Assignment",
    "Audit",
    "Base",
    "CachedReply",
    "Completion",
    "CriterionRow",
    "Decision",
    "DocumentRow",
    "EmbeddingRow",
    "EmbeddingUse",
    "EndpointPause",
    "EndpointRow",
    "EvaluationSteps",
    "FailedCall",
    "FilterPolicyRow",
    "GoldScore",
    "GridRow",
    "ImageRow",
    "ImportRow",
    "Invite",
    "ItemRow",
    "JudgeRow",
    "JudgedPair",
    "Judgment",
    "LearnedModelRow",
    "LearnedPart",
    "Membership",
    "Message",
    "MetricScore",
    "PairDecision",
    "PanelRoleRow",
    "Person",
    "Preference",
    "PreparedReply",
    "Project",
    "PromptRow",
    "Ranking",
    "Rating",
    "RatingEvent",
    "ReferenceList",
    "ReferenceRow",
    "ResponseRow",
    "Run",
    "ScoringJob",
    "ShareLink",
    "SignIn",
    "StudyLink",
    "Tag",
    "TemplateRow",
    "Unit",
    "Verdict",
    "WorkListMark",
    "WorkedExample",
    "Worker",
    "now",
]
