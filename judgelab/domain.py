"""JudgeLab's basic values, which all rooms share.

Whoever gives a score is a rater: a person, an LLM judge, a text metric. All scores are in one long frame with
the columns `SCORE_COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judgelab.wording import sentence

SCORE_COLUMNS = (
    "item",
    "response",
    "system",
    "group",
    "criterion",
    "rater",
    "rater_kind",
    "score",
    "run",
    "sample",
    "rated_at",
)
CONFIDENCE_COLUMNS = ("response", "criterion", "rater", "score", "confidence")
DECISION = "decision"  # the rater kind of an adjudicator's decision
BASELINE = "baseline"  # the rater kind of baselines: word count, always the same answer
EXAMPLES = "examples"  # the group of items from which judges are shown examples, or tuned
PREFERENCE_COLUMNS = (
    "item",
    "response_a",
    "response_b",
    "criterion",
    "rater",
    "rater_kind",
    "choice",
    "run",
    "sample",
    "order",
)

RaterKind = Literal["human", "judge", "metric"]
VerdictState = Literal["scored", "unscored", "failed"]
RunState = Literal["waiting", "running", "paused", "cancelled", "done", "stopped"]
Role = Literal["owner", "researcher", "annotator", "reader", "guest"]
ROLES: tuple[Role, ...] = ("owner", "researcher", "annotator", "reader")
# A reader sees judges' scores and an annotator must not, so neither role includes the other. A guest of an
# open demo has both, in a separate copy of the project; that role cannot be assigned.
_HOLD: Mapping[str, frozenset[str]] = {
    "owner": frozenset({"owner"}),
    "researcher": frozenset({"owner", "researcher"}),
    "annotator": frozenset({"owner", "researcher", "annotator", "guest"}),
    "reader": frozenset({"owner", "researcher", "reader", "guest"}),
    "guest": frozenset({"owner", "researcher", "guest"}),
}


def holds(held: Iterable[str], role: Role) -> bool:
    """Return whether the roles `held` include the rights of `role`.

    >>> holds(["researcher"], "annotator"), holds(["annotator"], "reader"), holds([], "reader")
    (True, False, False)
    """
    return not _HOLD[role].isdisjoint(held)


@dataclass(frozen=True)
class Problem:
    """A problem with a file: what is wrong, where, and what to do.

    Args:
        message: one sentence without a full stop, ending with what to do.
        row: the row number (the header is row 1), if there is one.
        column: the column's name in the file, if there is one.
    """

    message: str
    row: int | None = None
    column: str | None = None

    def sentence(self) -> str:
        """Return the message with row and column in front."""
        row = str(self.row)  # a line number is written without commas
        if self.row is None and self.column is None:
            return self.message
        if self.column is None:
            return sentence("row {row}: {problem}", row=row, problem=self.message)
        if self.row is None:
            return sentence("column '{column}': {problem}", column=self.column, problem=self.message)
        return sentence(
            "row {row}, column '{column}': {problem}", row=row, column=self.column, problem=self.message
        )


@dataclass(frozen=True)
class Criterion:
    """One quality that is rated, with its question and its scale.

    Args:
        key: short name used in files and on the command line ("coherence").
        label: the name shown to raters ("Coherence").
        question: the question under the label; may be empty.
        scale: the scale as JSON (`judgelab.scales.scale_from_json`).
        higher_is_better: False if a low score is good.
        position: position in the order shown, from 0.
    """

    key: str
    label: str
    scale: Mapping[str, Any]
    question: str = ""
    higher_is_better: bool = True
    position: int = 0


FROM_RESPONSE = "response"  # the origin of a reference that is one of the item's responses


@dataclass(frozen=True)
class Reference:
    """A good response to an item, perhaps graded by its source; `origin` says who wrote it.

    A reference `FROM_RESPONSE` was chosen by its human ratings: metrics may use it, but it is shown to no
    judge (including the learned judge) and no rater, and no text is generated from it.
    """

    text: str
    grade: float | None = None
    origin: str = "human"


@dataclass(frozen=True)
class Demonstration:
    """A rated example shown to a judge; `reasoning` is the worked four-step reasoning of ELECT.

    `scores` (by criterion) and `references` are given if a prompt shows all criteria at once.
    """

    question: str
    response: str
    score: float
    reasoning: str = ""
    context: str = ""
    response_id: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    references: Sequence[str] = field(default=(), hash=False)


@dataclass(frozen=True)
class PanelRole:
    """A role on DRPE's panel: `static` ones are used for every item, `dynamic` ones were made for one."""

    type: str
    description: str
    origin: Literal["static", "dynamic"] = "static"


@dataclass(frozen=True)
class Evidence:
    """Another evaluator's score of the same response, for all criteria if `criterion` is empty.

    If a metric has no score, there is a reason.
    """

    evaluator: str
    score: float | None
    criterion: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Contender:
    """One of an item's responses that a judge sees together."""

    response_id: int
    system: str
    text: str


@dataclass(frozen=True)
class Task:
    """The input of a protocol: what a judge may see of one response, or of all responses of an item.

    `criteria` has one criterion for protocols that ask for one at a time, otherwise all. The fields from
    `item` on are set only for protocols that need them: `item` is the item's name, from which random orders
    are drawn; `reference_list` is the item's prepared list, best first, and `roles` its panel; `evidence` has
    the scores of other evaluators; `contenders` are the item's responses for protocols that judge an item as
    a whole, for which `response` is empty. `response_name` is for messages to people, never for a prompt.
    """

    question: str
    response: str
    criteria: Sequence[Criterion]
    context: str = ""
    references: Sequence[Reference] = ()
    demonstrations: Sequence[Demonstration] = ()
    kind: Literal["qa", "summarisation"] = "qa"
    item: str = ""
    reference_list: Sequence[Reference] = ()
    roles: Sequence[PanelRole] = ()
    evidence: Sequence[Evidence] = ()
    contenders: Sequence[Contender] = ()
    response_name: str = ""


@dataclass(frozen=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Reading:
    """The scores that a protocol read in one reply, by criterion, or the reason why there are none.

    `weights` are the probabilities of the scores if the score is their mean, which may be between points.
    `by_response` has the scores of each response by its row id if an item was judged as a whole.
    `detail` has everything else that is stored with the score: a choice, an order, the votes of a panel.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    rationale: str = ""
    reason: str | None = None
    confidence: float | None = None
    weights: Mapping[float, float] = field(default_factory=dict)
    by_response: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scored(self) -> bool:
        """Return whether at least one score was read."""
        return bool(self.scores or self.by_response) and self.reason is None


REFUSAL, FILTERED = "refusal", "content_filter"  # finish reasons of replies without an answer


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; None if the endpoint did not report them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Exchange:
    """What is known about a call without a reply; never the API key.

    Args:
        status: the HTTP status, if there was an answer.
        request_id: the endpoint's id of the call.
        body: the received part of the body.
        sent: the parameters that were sent.
        usage: tokens that were counted, and therefore charged, anyway.
    """

    status: int | None = None
    request_id: str = ""
    body: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()


@dataclass(frozen=True)
class Reply:
    """One reply of a model, unchanged.

    Args:
        text: the message's text; may be empty.
        body: the complete raw body (JSON) from the endpoint.
        model: the model named in the reply.
        finish_reason: "stop", "length", "content_filter" or another word of the endpoint; "refusal" if the
            model refused explicitly.
        usage: tokens of the call, on the first of its replies.
        sent: the parameters that were sent.
        logprobs: token and log-probability pairs, if requested and given.
        top_logprobs: the most likely alternatives of each token, as such pairs.
        counted: the endpoint's full usage report (including cached and reasoning tokens), on the first reply.
        request_id: the endpoint's id of the call.
    """

    text: str
    body: str
    model: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()
    latency: float = 0.0
    sent: Mapping[str, Any] = field(default_factory=dict)
    logprobs: Sequence[tuple[str, float]] | None = None
    top_logprobs: Sequence[Sequence[tuple[str, float]]] | None = None
    counted: Mapping[str, Any] = field(default_factory=dict)
    request_id: str = ""
