"""The tables of an export that hold what texts show and draw on, preparations, and recruitment links."""

from __future__ import annotations

from typing import Any

from sqlalchemy import LargeBinary, Select, func

from judgelab.store.models import (
    DocumentRow,
    EndpointRow,
    EvaluationSteps,
    GridRow,
    ImageRow,
    ItemRow,
    PanelRoleRow,
    Person,
    PreparedReply,
    ReferenceList,
    ResponseRow,
    StudyLink,
    TemplateRow,
    WorkedExample,
)
from judgelab.store.transfer.export_columns import RESPONSE, Column, ExportTable, export_table, own_columns

REPLY = (
    *("purpose", "key", "fingerprint", "prompt_hash", "messages", "backend", "asked_model", "parameters"),
    *("text", "body", "model", "finish_reason", "sent", "usage", "prompt_tokens", "completion_tokens"),
    *("cost", "latency", "attempts", "faults", "cause", "reason", "code_version", "answered_at"),
)
ROLE = ("position", "kind", "type", "description", "origin", "kept", "by", "edited_at", "created_at")
LIST = (
    *("name", "draw", "source", "pattern", "seed", "entries", "missing", "recipe", "edited_at", "created_at"),
)
EXAMPLE = (
    *("name", "version", "criterion", "question", "context", "response", "score", "reasoning", "draft"),
    *("origin", "removed", "created_at"),
)
STEPS = ("version", "text", "draft", "origin", "created_at")
WORDING = ("protocol", "part", "version", "text", "note", "in_force", "created_at")
GRID = (
    *("name", "protocol", "shape", "axes", "options", "parameters", "samples", "aggregation", "backend"),
    *("model", "created_at"),
)
# In two parts, as a cell of a CSV file may have 5 million characters.
PART = 3_000_000  # bytes, which are 4 million characters
IMAGE: dict[str, Column] = {
    "content": func.substr(ImageRow.content, 1, PART, type_=LargeBinary()),
    "rest": func.substr(ImageRow.content, PART + 1, type_=LargeBinary()),
}
LINK = ("name", "closed_at", "created_at")


def _of_item(query: Select[Any], table: Any) -> Select[Any]:
    return query.select_from(table).outerjoin(ItemRow, ItemRow.id == table.item_id)


def _by(query: Select[Any], table: Any) -> Select[Any]:
    return query.select_from(table).outerjoin(Person, Person.id == table.person_id)


MATERIAL: tuple[ExportTable, ...] = (
    export_table(
        "documents",
        {"item_id": ItemRow.external_id, **own_columns(DocumentRow, "position", "text")},
        {"position": "int"},
        lambda query: _of_item(query, DocumentRow),
        ItemRow.project_id,
        DocumentRow.id,
    ),
    export_table(
        "images",
        {"path": ImageRow.path, "media_type": ImageRow.media_type, **IMAGE},
        dict.fromkeys(IMAGE, "bytes"),
        lambda query: query.select_from(ImageRow),
        ImageRow.project_id,
        ImageRow.id,
    ),
    export_table(
        "prepared_replies",
        {"item_id": ItemRow.external_id, **own_columns(PreparedReply, *REPLY)},
        {
            **dict.fromkeys(("messages", "parameters", "sent", "usage", "faults"), "json"),
            **dict.fromkeys(("prompt_tokens", "completion_tokens", "attempts"), "int"),
            **{"cost": "float", "latency": "float", "answered_at": "time"},
        },
        lambda query: _of_item(query, PreparedReply),
        PreparedReply.project_id,
        PreparedReply.id,
    ),
    export_table(
        "panel_roles",
        {"panel": PanelRoleRow.name, "item_id": ItemRow.external_id, **own_columns(PanelRoleRow, *ROLE)},
        {"position": "int", "kept": "json", "edited_at": "time", "created_at": "time"},
        lambda query: _of_item(query, PanelRoleRow),
        PanelRoleRow.project_id,
        PanelRoleRow.id,
    ),
    export_table(
        "reference_lists",
        {"item_id": ItemRow.external_id, **own_columns(ReferenceList, *LIST)},
        {
            **{"draw": "int", "seed": "int", "entries": "json", "missing": "json", "recipe": "json"},
            **{"edited_at": "time", "created_at": "time"},
        },
        lambda query: _of_item(query, ReferenceList),
        ReferenceList.project_id,
        ReferenceList.id,
    ),
    export_table(
        "worked_examples",
        {
            **RESPONSE,
            "example": WorkedExample.key,
            **own_columns(WorkedExample, *EXAMPLE),
            "person": Person.name,
        },
        {"version": "int", "score": "float", "removed": "bool", "created_at": "time"},
        lambda query: (
            _by(query, WorkedExample)
            .outerjoin(ResponseRow, ResponseRow.id == WorkedExample.response_id)
            .outerjoin(ItemRow, ItemRow.id == ResponseRow.item_id)
        ),
        WorkedExample.project_id,
        WorkedExample.id,
    ),
    export_table(
        "evaluation_steps",
        {**own_columns(EvaluationSteps, *STEPS), "person": Person.name},
        {"version": "int", "created_at": "time"},
        lambda query: _by(query, EvaluationSteps),
        EvaluationSteps.project_id,
        EvaluationSteps.id,
    ),
    export_table(
        "wordings",
        {**own_columns(TemplateRow, *WORDING), "person": Person.name},
        {"version": "int", "in_force": "bool", "created_at": "time"},
        lambda query: _by(query, TemplateRow),
        TemplateRow.project_id,
        TemplateRow.id,
    ),
    export_table(
        "grids",
        {**own_columns(GridRow, *GRID), "endpoint": EndpointRow.name},
        {"axes": "json", "options": "json", "parameters": "json", "samples": "int", "created_at": "time"},
        lambda query: query.select_from(GridRow).outerjoin(
            EndpointRow, EndpointRow.id == GridRow.endpoint_id
        ),
        GridRow.project_id,
        GridRow.id,
    ),
    # The token is not exported: anyone who has it may join.
    export_table(
        "study_links",
        {**own_columns(StudyLink, *LINK), "settings": StudyLink.options},
        {"closed_at": "time", "settings": "json", "created_at": "time"},
        lambda query: query.select_from(StudyLink),
        StudyLink.project_id,
        StudyLink.id,
    ),
)
