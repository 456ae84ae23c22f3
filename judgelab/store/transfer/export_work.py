"""The tables of an export that hold people's work: their place, what they were given and said."""

from __future__ import annotations

from judgelab.store.models import (
    Assignment,
    CriterionRow,
    Decision,
    GoldScore,
    ItemRow,
    Membership,
    Person,
    Preference,
    Ranking,
    Rating,
    RatingEvent,
    ResponseRow,
    Tag,
    Unit,
)
from judgelab.store.people import place_states
from judgelab.store.transfer.export_columns import (
    OTHER,
    RESPONSE,
    SHOWN,
    Column,
    ExportTable,
    Kind,
    by_person,
    plain,
    table_of,
    to_response,
    to_unit,
)

_ALONE = {"other_id": "", "unit": "response"}
_BY_WHOM: dict[str, Column] = {"criterion": CriterionRow.key, "rater": Person.name}
HOW = ("occasion", "comment", "surplus", "blind", "origin", "seconds", "rated_at")
HOW_KINDS: dict[str, Kind] = {
    **{"occasion": "int", "surplus": "bool", "blind": "bool", "seconds": "float", "rated_at": "time"}
}

WORK: tuple[ExportTable, ...] = (
    table_of(
        "memberships",
        {
            "person": Person.name,
            "role": Membership.role,
            "state": place_states.state(),
            **plain(Membership, "cohort", "most_responses", "training"),
            **plain(Membership, "consented_at", "joined_at"),
        },
        {"most_responses": "int", "training": "json", "consented_at": "time", "joined_at": "time"},
        lambda query: query.select_from(Membership).join(Person, Person.id == Membership.person_id),
        Membership.project_id,
        Membership.id,
    ),
    table_of(
        "gold_scores",
        {
            **SHOWN,
            "criterion": CriterionRow.key,
            **plain(GoldScore, "purpose", "score", "tolerance", "loud", "explanation", "places"),
        },
        {"score": "float", "tolerance": "float", "loud": "bool", "places": "json"},
        lambda query: to_unit(query, GoldScore).join(CriterionRow, CriterionRow.id == GoldScore.criterion_id),
        Unit.project_id,
        GoldScore.id,
    ),
    table_of(
        "assignments",
        {
            **SHOWN,
            "rater": Person.name,
            **plain(
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
            ),
        },
        {
            **{"occasion": "int", "order": "int", "shown": "json", "lease_until": "time", "draft": "json"},
            **{"turn": "int", "finished_at": "time"},
        },
        lambda query: to_unit(query, Assignment).join(Person, Person.id == Assignment.person_id),
        Assignment.project_id,
        Assignment.id,
        {**_ALONE, "occasion": 0, "purpose": "work", "shown": []},
        latest={"turn": None},
    ),
    table_of(
        "ratings",
        {
            **RESPONSE,
            "system": ResponseRow.system,
            "criterion": CriterionRow.key,
            "rater": Person.name,
            **plain(Rating, "score", "comment", "rated_at", "occasion", "aggregate", "surplus", "blind"),
            **plain(Rating, "origin", "seconds", "evidence"),
        },
        {
            "evidence": "json",
            **{"score": "float", "rated_at": "time", "occasion": "int", "aggregate": "bool"},
            **{"surplus": "bool", "blind": "bool", "seconds": "float"},
        },
        lambda query: (
            to_response(query, Rating)
            .join(CriterionRow, CriterionRow.id == Rating.criterion_id)
            .join(Person, Person.id == Rating.person_id)
        ),
        Rating.project_id,
        Rating.id,
        {"evidence": []},
    ),
    table_of(
        "preferences",
        {
            "item_id": ItemRow.external_id,
            "response_a": ResponseRow.external_id,
            "response_b": OTHER.external_id,
            **_BY_WHOM,
            **plain(Preference, "choice", "strength", "first", *HOW),
        },
        {**HOW_KINDS, "strength": "int"},
        lambda query: (
            by_person(query, Preference)
            .join(ResponseRow, ResponseRow.id == Preference.response_a)
            .join(OTHER, OTHER.id == Preference.response_b)
        ),
        Preference.project_id,
        Preference.id,
    ),
    table_of(
        "rankings",
        {
            "item_id": ItemRow.external_id,
            **_BY_WHOM,
            **plain(Ranking, "form", "places", "shown", *HOW),
        },
        {**HOW_KINDS, "places": "json", "shown": "json"},
        lambda query: by_person(query, Ranking),
        Ranking.project_id,
        Ranking.id,
    ),
    table_of(
        "decisions",
        {
            **RESPONSE,
            "criterion": CriterionRow.key,
            "person": Person.name,
            **plain(Decision, "score", "reason", "names_hidden", "decided_at"),
        },
        {"score": "float", "names_hidden": "bool", "decided_at": "time"},
        lambda query: (
            to_response(query, Decision)
            .join(CriterionRow, CriterionRow.id == Decision.criterion_id)
            .outerjoin(Person, Person.id == Decision.person_id)
        ),
        Decision.project_id,
        Decision.id,
    ),
    table_of(
        "tags",
        {
            **RESPONSE,
            **plain(Tag, "judge", "kind"),
            "person": Person.name,
            **plain(Tag, "proposer", "state", "note", "created_at"),
        },
        {"created_at": "time"},
        lambda query: to_response(query, Tag).outerjoin(Person, Person.id == Tag.person_id),
        Tag.project_id,
        Tag.id,
    ),
    table_of(
        "rating_events",
        {
            **SHOWN,
            "rater": Person.name,
            **plain(RatingEvent, "uid", "kind", "shown", "before", "after", "seconds", "at"),
        },
        {"shown": "json", "before": "json", "after": "json", "seconds": "float", "at": "time"},
        lambda query: to_unit(query, RatingEvent).join(Person, Person.id == RatingEvent.person_id),
        Unit.project_id,
        RatingEvent.id,
        _ALONE,
    ),
)

# Personal data, written only when they are asked for.
BACKGROUNDS = table_of(
    "backgrounds",
    {"person": Person.name, **plain(Membership, "external_id", "parameters", "background")},
    {"parameters": "json", "background": "json"},
    lambda query: query.select_from(Membership).join(Person, Person.id == Membership.person_id),
    Membership.project_id,
    Membership.id,
)
