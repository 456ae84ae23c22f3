"""The fields that a column can hold, and the column names that people use for them."""

from __future__ import annotations

import re
import unicodedata

from judgelab.domain import RaterKind
from judgelab.errors import InvalidInput
from judgelab.wording import sentence

IGNORED = "ignored"

# `answer` is in none of the lists: it is the reference answer in one study and the response in another.
AMBIGUOUS = frozenset({"answer", "answers"})

KIND_OF_SYSTEM = "type"  # the end of a column's name whose cells are kinds of systems, such as "human"
# Names of rater columns whose raters are judges, the most common first.
_JUDGES = (
    *("judge", "judge_name", "judge_id", "judge_model", "llm_judge", "evaluator", "evaluator_name"),
    *("evaluator_id", "evaluator_model", "autorater"),
)


def _systems_of(*sides: str) -> tuple[str, ...]:
    """Return the names of columns with the system of one of two responses, such as `answer_a_type`."""
    words, ends = ("response", "answer", "output", "summary"), ("system", "model", KIND_OF_SYSTEM)
    return tuple(f"{word}_{side}_{end}" for end in ends for word in words for side in sides)


SYNONYMS: dict[str, tuple[str, ...]] = {
    "item_id": (
        *("item_id", "item", "doc_id", "docid", "document_id", "question_id", "qid", "q_id", "query_id"),
        *("example_id", "sample_id", "article_id", "instance_id", "trace_id", "uid", "id"),
    ),
    "question": ("question", "query", "prompt", "instruction", "user_input", "input"),
    "input": ("instruction_input",),  # joined to the question; a column `input` beside `instruction`
    "context": (
        *("context", "document", "article", "source", "passage", "source_text", "source_document"),
        *("input_text", "abstract", "title"),
    ),
    "group": ("group", "category", "domain", "batch", "topic", "subset"),
    "system": ("system", "system_id", "system_name", "generator", "model", "model_name", "model_id"),
    "response": (
        *("response", "prediction", "output", "candidate", "summary", "system_output", "model_answer"),
        *("model_output", "model_response", "generated_text", "generated_answer", "generation"),
        *("hypothesis", "completion", "actual_output"),
    ),
    "response_id": ("response_id", "answer_id", "output_id", "candidate_id", "summary_id"),
    "reference": (
        *("reference", "references", "gold", "gold_answer", "gold_answers", "ground_truth", "target"),
        *("reference_answer", "reference_answers", "reference_summary", "reference_summaries"),
        *("expected", "expected_output", "ideal_answer"),
    ),
    "reference_grade": ("reference_grade", "grade"),
    "rater": (
        *("rater", "rater_id", "annotator", "annotator_id", "worker", "worker_id", "user", "user_id"),
        *_JUDGES,
    ),
    "rater_kind": ("rater_kind",),
    "criterion": ("criterion", "criteria", "dimension", "aspect", "attribute"),
    "score": ("score", "rating", "label", "value", "verdict", "annotation", "judgment", "judgement"),
    "comment": (
        *("comment", "rationale", "explanation", "reason", "reasoning", "justification", "feedback"),
        *("notes", "note", "g1_judgment"),
    ),
    "reply": ("reply", "raw_reply", "raw_output", "judge_output", "judge_reply"),
    "samples": ("samples", "replies"),
    "rated_at": ("rated_at", "timestamp", "created_at", "annotated_at", "date", "time", "tstamp"),
    "aggregate": ("aggregate", "is_mean"),
    "choice": (
        *("choice", "preference", "preferred", "winner", "g1_winner", "overall_preference"),
        *("swap = False.winner", "results.swap = False.winner"),
    ),
    "swapped_choice": (
        *("swapped_choice", "choice_swapped", "swapped_winner", "winner_swapped", "g2_winner"),
        *("swap = True.winner", "results.swap = True.winner"),
    ),
    "swapped_comment": ("swapped_comment", "comment_swapped", "g2_judgment"),
    "response_a": (
        "response_a",
        "answer_a",
        "output_a",
        "summary_a",
        "response_1",
        "output_1",
        "answer_1",
        "conversation_a",
    ),
    "response_b": (
        "response_b",
        "answer_b",
        "output_b",
        "summary_b",
        "response_2",
        "output_2",
        "answer_2",
        "conversation_b",
    ),
    "system_a": ("system_a", "model_a", "system_1", "model_1", "generator_1", *_systems_of("a", "1")),
    "system_b": ("system_b", "model_b", "system_2", "model_2", "generator_2", *_systems_of("b", "2")),
    "strength": ("strength", "preference_strength"),
    "first": (
        "first",
        "shown_first",
        "left",
        "order",
        "presented_first",
        "swapped",
        "is_swapped",
        "was_swapped",
    ),
    "confidence": ("confidence", "certainty"),
    "best": ("best", "best_response", "best_summary", "best_system"),
    "worst": ("worst", "worst_response", "worst_summary", "worst_system"),
    "ranking": ("ranking", "ranked", "ranked_responses"),
    "purpose": ("purpose",),
    "cohort": ("cohort",),
    "tolerance": ("tolerance",),
    "responses": ("responses", "predictions", "outputs", "summaries"),
    "ratings": ("ratings", "annotations"),
}
FIELDS = tuple(SYNONYMS)
# Fields that a task of an annotation tool may hold: its texts. Ratings come from the tool's annotations.
TASK_FIELDS = frozenset(
    {
        *(
            "item_id",
            "question",
            "input",
            "context",
            "group",
            "system",
            "response",
            "response_id",
            "responses",
        ),
        *("reference", "reference_grade", "response_a", "response_b", "system_a", "system_b"),
    }
)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # word boundaries in traceId
_NUMBERED = re.compile(r"(?:reference|ref|goldanswer|referencesummary)([0-9]{1,3})")
_ANNOTATOR = re.compile(r"(?:annotator|rater|worker|labell?er|human|expert|evaluator)[0-9]{1,2}")
_PARAMETRIC = re.compile(r"(score|rater|meta|choice|ranking|gold|response)\[(.+)\]")
KINDS = ("human", "judge", "metric")
RATER_KINDS: dict[str, RaterKind] = {"human": "human", "judge": "judge", "metric": "metric"}
# Fields with a name, by which rows are joined.
NAMES = frozenset({"item_id", "group", "response_id", "system", "rater", "criterion", "purpose", "cohort"})


def snake_case(column: str) -> str:
    """Return a name in lower case with underscores: "Gold Answer" and "goldAnswer" are "gold_answer"."""
    letters = unicodedata.normalize("NFKC", column)
    return re.sub(r"[\W_]+", "_", _CAMEL.sub("_", letters).lower()).strip("_")


def normalised(column: str) -> str:
    """Return a column's name without differences of spelling: "Item ID" and "itemId" are "itemid"."""
    return snake_case(column).replace("_", "")


_NAMED_AFTER_JUDGES = frozenset(map(normalised, _JUDGES))
_BY_SYNONYM = {normalised(word): name for name, words in SYNONYMS.items() for word in words}


def recognise(column: str) -> str | None:
    """Return the field that a column's name means, or None.

    `score[CRITERION]`, `gold[CRITERION]` and `response[SYSTEM]` are fields themselves.
    """
    if column.strip().startswith(("score[", "gold[", "response[")) and parameter(column.strip()):
        return column.strip()
    if (word := normalised(column)) in _BY_SYNONYM:
        return _BY_SYNONYM[word]
    numbered = _NUMBERED.fullmatch(word)
    return f"reference_{int(numbered[1])}" if numbered else None


def synonyms_of(column: str) -> frozenset[str]:
    """Return all names of the field that a column's name means, as `normalised` writes them."""
    field = recognise(column)
    return frozenset(word for word, meant in _BY_SYNONYM.items() if meant == field)


def rank(column: str) -> int:
    """Return the rank of a column's name among the synonyms of its field; the most common name has 0."""
    words = [normalised(word) for word in SYNONYMS.get(recognise(column) or "", ())]
    word = normalised(column)
    return words.index(word) if word in words else 0


def is_judge_column(column: str) -> bool:
    """Return whether a column is named after judges, in any spelling."""
    return normalised(column) in _NAMED_AFTER_JUDGES


def is_annotator_column(column: str) -> bool:
    """Return whether a column is named after one annotator by number: `annotator1`, `Rater 2`."""
    return bool(_ANNOTATOR.fullmatch(normalised(column)))


def is_field(name: str) -> bool:
    """Return whether `name` is a field: a plain one, `reference_3`, `score[C]`, `rater[NAME:KIND]` etc."""
    if name in FIELDS or name == IGNORED or re.fullmatch(r"reference_[0-9]{1,3}", name):
        return True
    inside = parameter(name)
    if inside is None:
        return False
    if name.startswith("rater["):
        return ":" not in inside or inside.rsplit(":", 1)[1] in KINDS
    return True


def parameter(name: str) -> str | None:
    """Return the text in the brackets of `score[...]`, `rater[...]` and so on, or None."""
    match = _PARAMETRIC.fullmatch(name)
    return match[2].strip() if match else None


def rater_kind_of(word: str, default: RaterKind) -> RaterKind:
    """Return the kind of rater in a cell, in any spelling; raises `InvalidInput` for other words."""
    kind = word.strip().lower()
    if kind and kind not in RATER_KINDS:
        raise InvalidInput(
            sentence("'{word}' is not a kind of rater; write human, judge or metric", word=kind)
        )
    return RATER_KINDS.get(kind, default)


def rater_of(name: str) -> tuple[str, str]:
    """Return (name, kind) of `rater[NAME:KIND]`; a rater without a kind is a human."""
    inside = parameter(name) or ""
    rater, colon, kind = inside.rpartition(":")
    return (rater, kind) if colon and kind in KINDS else (inside, "human")
