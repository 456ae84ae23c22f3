"""The words of JudgeLab as plain values: what every room hands to the next.

Everybody who gives a score is a rater: a person, an LLM judge, a text metric. All scores meet in one
long frame with the columns `SCORE_COLUMNS`.
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
DECISION = "decision"  # the kind of a row that holds what an adjudicator decided
BASELINE = "baseline"  # the kind of a rater that reads nothing: word count, always one answer
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
# A reader sees what judges said and a rater must not, so neither of the two holds the other. A guest of an
# open demo does both, in a copy of their own; nobody gives that role by hand.
_HOLD: Mapping[str, frozenset[str]] = {
    "owner": frozenset({"owner"}),
    "researcher": frozenset({"owner", "researcher"}),
    "annotator": frozenset({"owner", "researcher", "annotator", "guest"}),
    "reader": frozenset({"owner", "researcher", "reader", "guest"}),
    "guest": frozenset({"owner", "researcher", "guest"}),
}


def holds(held: Iterable[str], role: Role) -> bool:
    """Return whether somebody with the roles `held` may do what `role` may.

    >>> holds(["researcher"], "annotator"), holds(["annotator"], "reader"), holds([], "reader")
    (True, False, False)
    """
    return not _HOLD[role].isdisjoint(held)


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file: where it is and what to do.

    Args:
        message: one sentence without a full stop, ending with what to do.
        row: the line a person would look at (the header is row 1), if there is one.
        column: the column's name as the file has it, if there is one.
    """

    message: str
    row: int | None = None
    column: str | None = None

    def sentence(self) -> str:
        """Return the problem with its place in front."""
        row = str(self.row)  # a line number is looked up, so it is written without commas
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
    """What is rated: a name, a question to the rater, and the scale of its answers.

    Args:
        key: short name used in files and on the command line ("coherence").
        label: what a rater reads ("Coherence").
        question: the sentence under the label; may be empty.
        scale: the scale as JSON (`judgelab.scales.scale_from_json`).
        higher_is_better: False for scales on which a low score is good.
        position: place in the order shown, from 0.
    """

    key: str
    label: str
    scale: Mapping[str, Any]
    question: str = ""
    higher_is_better: bool = True
    position: int = 0


FROM_RESPONSE = "response"  # the origin of a reference that is one of the item's own responses


@dataclass(frozen=True)
class Reference:
    """A known answer or summary of an item; `grade` if the source graded it, `origin` if a model wrote it.

    One `FROM_RESPONSE` was chosen by its human ratings: metrics may compare with it, but no judge
    (nor a learned one) and no rater is shown it, and no text is written from it.
    """

    text: str
    grade: float | None = None
    origin: str = "human"


@dataclass(frozen=True)
class Demonstration:
    """A rated example shown to a judge; `reasoning` is the worked four-step reasoning of ELECT.

    `scores` (by criterion) and `references` are there where a prompt shows all criteria at once.
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
    """A reader on DRPE's panel: `static` ones stand for every article, `dynamic` ones were made for one."""

    type: str
    description: str
    origin: Literal["static", "dynamic"] = "static"


@dataclass(frozen=True)
class Evidence:
    """What another evaluator said of the same response; under every criterion where `criterion` is empty.

    A metric that found no number has None and the reason.
    """

    evaluator: str
    score: float | None
    criterion: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Contender:
    """One of an item's responses, where a judge sees several of them together."""

    response_id: int
    system: str
    text: str


@dataclass(frozen=True)
class Task:
    """One unit of work for a protocol: what a judge may see of one response, or of one item's responses.

    `criteria` holds one criterion for protocols that ask one at a time, all of them otherwise. What stands
    from `item` on is there only for protocols that need it: `item` names the item, so that orders can be
    drawn from it; `reference_list` is the prepared list of the item, best first, and `roles` its panel;
    `evidence` holds the words of other evaluators; `contenders` are the item's responses for protocols that
    judge an item as a whole, whose `response` is empty. `named` is how people call the response: it stands in
    messages to them and never in a prompt.
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
    named: str = ""


@dataclass(frozen=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Reading:
    """What a protocol read in one reply: a score per criterion, or the reason why there is none.

    `weights` are the probabilities of the scores where the score is their mean, which may lie between points.
    `by_response` holds the scores of each response by its row id where an item was judged as a whole.
    `detail` is what else was read and is kept beside the score: a choice, an order, the votes of a panel.
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
        """Whether at least one score was read."""
        return bool(self.scores or self.by_response) and self.reason is None


REFUSAL, FILTERED = "refusal", "content_filter"  # finish reasons of replies that are no answer


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; None where the endpoint did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True)
class Exchange:
    """What is known of a call that brought no reply; the key is in none of it.

    Args:
        status: the HTTP status, if an answer came at all.
        request_id: the endpoint's own name of the call.
        body: what it sent, as far as it came.
        sent: the parameters really sent.
        usage: tokens that were counted, and so paid for, all the same.
    """

    status: int | None = None
    request_id: str = ""
    body: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()


@dataclass(frozen=True)
class Reply:
    """One reply of a model as it came.

    Args:
        text: the message's text; may be empty.
        body: the raw body (JSON) the endpoint sent, whole.
        model: the model that says it answered.
        finish_reason: "stop", "length", "content_filter" or what the endpoint said; "refusal" where the
            model declined in so many words.
        usage: tokens of the call, on the first of its replies.
        sent: the parameters really sent.
        logprobs: token and log-probability pairs, if asked for and given.
        top_logprobs: the likeliest alternatives of each token, as such pairs.
        counted: the endpoint's whole usage report (cached and reasoning tokens too), on the first reply.
        request_id: the number under which the endpoint knows the call.
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
