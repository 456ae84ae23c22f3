"""The tables of an export that hold people's work: memberships, assignments and everything they scored."""

from __future__ import annotations

from sqlalchemy.orm import aliased

from judgelab.store.models import (
    Assignment,
    CriterionRow,
    Decision,
    GoldScore,
    ItemRow,
    Membership,
    Message,
    PairDecision,
    Person,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    StudyLink,
    Tag,
    Unit,
    WorkListMark,
)
from judgelab.store.people import place_states
from judgelab.store.transfer.export_columns import (
    OTHER,
    RESPONSE,
    UNIT_COLUMNS,
    Column,
    ExportTable,
    Kind,
    export_table,
    join_comparison,
    join_response,
    join_unit,
    known_blinding,
    own_columns,
)

DONE_BY = aliased(Person)
ANSWERED_BY = aliased(Person)
_ALONE = {"other_id": "", "unit": "response"}
_BY_WHOM: dict[str, Column] = {"criterion": CriterionRow.key, "rater": Person.name}
HOW = ("occasion", "comment", "surplus", "blind", "origin", "seconds", "rated_at")
HOW_KINDS: dict[str, Kind] = {
    **{"occasion": "int", "surplus": "bool", "blind": "bool", "seconds": "float", "rated_at": "time"}
}

WORK: tuple[ExportTable, ...] = (
    export_table(
        "memberships",
        {
            "person": Person.name,
            "role": Membership.role,
            "state": place_states.current_state(),
            **own_columns(Membership, "cohort", "most_responses", "training"),
            **own_columns(Membership, "consented_at", "joined_at", "due_at"),
            "left_at": place_states.over_since(),
            "study_link": StudyLink.name,
        },
        {
            **{"most_responses": "int", "training": "json"},
            **dict.fromkeys(("consented_at", "joined_at", "due_at", "left_at"), "time"),
        },
        lambda query: (
            query.select_from(Membership)
            .join(Person, Person.id == Membership.person_id)
            .outerjoin(StudyLink, StudyLink.id == Membership.study_link_id)
        ),
        Membership.project_id,
        Membership.id,
        newest={"due_at": None, "left_at": None, "study_link": None},
    ),
    export_table(
        "gold_scores",
        {
            **UNIT_COLUMNS,
            "criterion": CriterionRow.key,
            **own_columns(GoldScore, "purpose", "score", "tolerance", "loud", "explanation", "places"),
        },
        {"score": "float", "tolerance": "float", "loud": "bool", "places": "json"},
        lambda query: join_unit(query, GoldScore).join(
            CriterionRow, CriterionRow.id == GoldScore.criterion_id
        ),
        Unit.project_id,
        GoldScore.id,
    ),
    export_table(
        "assignments",
        {
            **UNIT_COLUMNS,
            "rater": Person.name,
            **own_columns(
                Assignment,
                "occasion",
                "purpose",
                "state",
                "order",
                "shown",
                "lease_until",
                "draft",
                "flag",
                "turn",
                "finished_at",
                "question_answers",
            ),
        },
        {
            **{"occasion": "int", "order": "int", "shown": "json", "lease_until": "time", "draft": "json"},
            **{"turn": "int", "finished_at": "time", "question_answers": "json"},
        },
        lambda query: join_unit(query, Assignment).join(Person, Person.id == Assignment.person_id),
        Assignment.project_id,
        Assignment.id,
        {**_ALONE, "occasion": 0, "purpose": "work", "shown": []},
        latest={"turn": None},
        newest={"question_answers": {}},
    ),
    export_table(
        "ratings",
        {
            **RESPONSE,
            "system": ResponseRow.system,
            "criterion": CriterionRow.key,
            "rater": Person.name,
            **own_columns(Rating, "score", "comment", "rated_at", "occasion", "aggregate", "surplus"),
            "blind": known_blinding(Rating),
            **own_columns(Rating, "origin", "seconds", "evidence"),
        },
        {
            "evidence": "json",
            **{"score": "float", "rated_at": "time", "occasion": "int", "aggregate": "bool"},
            **{"surplus": "bool", "blind": "bool", "seconds": "float"},
        },
        lambda query: (
            join_response(query, Rating)
            .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
            .join(Person, Person.id == Rating.person_id)
        ),
        Rating.project_id,
        Rating.id,
        {"evidence": []},
    ),
    export_table(
        "preferences",
        {
            "item_id": ItemRow.external_id,
            "response_a": ResponseRow.external_id,
            "response_b": OTHER.external_id,
            **_BY_WHOM,
            **own_columns(Preference, "choice", "strength", "first", *HOW),
            "blind": known_blinding(Preference),
        },
        {**HOW_KINDS, "strength": "int"},
        lambda query: (
            join_comparison(query, Preference)
            .join(ResponseRow, ResponseRow.id == Preference.response_a)
            .join(OTHER, OTHER.id == Preference.response_b)
        ),
        Preference.project_id,
        Preference.id,
    ),
    export_table(
        "rankings",
        {
            "item_id": ItemRow.external_id,
            **_BY_WHOM,
            **own_columns(Ranking, "form", "places", "shown", *HOW),
            "blind": known_blinding(Ranking),
        },
        {**HOW_KINDS, "places": "json", "shown": "json"},
        lambda query: join_comparison(query, Ranking),
        Ranking.project_id,
        Ranking.id,
    ),
    export_table(
        "decisions",
        {
            **RESPONSE,
            "criterion": CriterionRow.key,
            "person": Person.name,
            **own_columns(Decision, "score", "reason", "names_hidden", "decided_at"),
        },
        {"score": "float", "names_hidden": "bool", "decided_at": "time"},
        lambda query: (
            join_response(query, Decision)
            .join(CriterionRow, CriterionRow.id == Decision.criterion_id)
            .outerjoin(Person, Person.id == Decision.person_id)
        ),
        Decision.project_id,
        Decision.id,
    ),
    export_table(
        "pair_decisions",
        {
            "item_id": ItemRow.external_id,
            "response_a": ResponseRow.external_id,
            "response_b": OTHER.external_id,
            "criterion": CriterionRow.key,
            "person": Person.name,
            **own_columns(PairDecision, "choice", "reason", "names_hidden", "decided_at"),
        },
        {"names_hidden": "bool", "decided_at": "time"},
        lambda query: (
            query.select_from(PairDecision)
            .join(ResponseRow, ResponseRow.id == PairDecision.response_a)
            .join(OTHER, OTHER.id == PairDecision.response_b)
            .join(ItemRow, ItemRow.id == ResponseRow.item_id)
            .join(CriterionRow, CriterionRow.id == PairDecision.criterion_id)
            .outerjoin(Person, Person.id == PairDecision.person_id)
        ),
        PairDecision.project_id,
        PairDecision.id,
    ),
    export_table(
        "tags",
        {
            **RESPONSE,
            **own_columns(Tag, "judge", "kind"),
            "person": Person.name,
            **own_columns(Tag, "proposer", "state", "note", "created_at"),
        },
        {"created_at": "time"},
        lambda query: join_response(query, Tag).outerjoin(Person, Person.id == Tag.person_id),
        Tag.project_id,
        Tag.id,
    ),
    export_table(
        "work_list_marks",
        {
            **UNIT_COLUMNS,
            "rater": Person.name,
            "done_by": DONE_BY.name,
            **own_columns(WorkListMark, "kind", "content", "note", "done_at"),
        },
        {"done_at": "time"},
        lambda query: (
            join_unit(query, WorkListMark)
            .join(Person, Person.id == WorkListMark.person_id)
            .outerjoin(DONE_BY, DONE_BY.id == WorkListMark.done_by)
        ),
        WorkListMark.project_id,
        WorkListMark.id,
    ),
    export_table(
        "messages",
        {
            **UNIT_COLUMNS,
            "rater": Person.name,
            "answered_by": ANSWERED_BY.name,
            **own_columns(Message, "uid", "answer", "text", "at", "read_at"),
        },
        {"answer": "bool", "at": "time", "read_at": "time"},
        lambda query: (
            join_unit(query, Message)
            .join(Person, Person.id == Message.person_id)
            .outerjoin(ANSWERED_BY, ANSWERED_BY.id == Message.answered_by)
        ),
        Message.project_id,
        Message.id,
    ),
    export_table(
        "rating_events",
        {
            **UNIT_COLUMNS,
            "rater": Person.name,
            **own_columns(RatingEvent, "uid", "kind", "shown", "before", "after", "seconds", "at"),
        },
        {"shown": "json", "before": "json", "after": "json", "seconds": "float", "at": "time"},
        lambda query: join_unit(query, RatingEvent).join(Person, Person.id == RatingEvent.person_id),
        Unit.project_id,
        RatingEvent.id,
        _ALONE,
    ),
)

# Personal data, exported only on request.
BACKGROUNDS = export_table(
    "backgrounds",
    {
        "person": Person.name,
        **own_columns(Membership, "external_id", "parameters", "background", "bonus", "bonus_reason"),
        "exit_answers": Membership.exit_answers,
    },
    {"parameters": "json", "background": "json", "exit_answers": "json"},
    lambda query: query.select_from(Membership).join(Person, Person.id == Membership.person_id),
    Membership.project_id,
    Membership.id,
    newest={"bonus": "", "bonus_reason": "", "exit_answers": None},
)
