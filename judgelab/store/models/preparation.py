"""Material prepared before judging: texts written by models, and lists of references."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class PreparedReply(Base):
    """A raw reply of a model that wrote a text for a study.

    `fingerprint` is the hash of everything that could change the reply: the same request again returns this
    reply. `purpose` says what it was written for ("references"), `key` which text of it. `cause` is empty for
    an answer, otherwise why there is none, with the message in `reason`.
    """

    __tablename__ = "prepared_reply"
    __table_args__ = (
        UniqueConstraint("project_id", "fingerprint"),
        Index("ix_prepared_reply_project_id_purpose", "project_id", "purpose"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int | None] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("endpoint.id", ondelete="SET NULL"))
    purpose: Mapped[str]
    key: Mapped[str]
    fingerprint: Mapped[str]
    prompt_hash: Mapped[str]
    messages: Mapped[list[Any]] = mapped_column(default=list)
    backend: Mapped[str]
    asked_model: Mapped[str]
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    text: Mapped[str] = mapped_column(Text, default="")
    body: Mapped[str] = mapped_column(Text, default="")
    model: Mapped[str] = mapped_column(default="")
    finish_reason: Mapped[str] = mapped_column(default="")
    sent: Mapped[dict[str, Any]] = mapped_column(default=dict)
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    prompt_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    cost: Mapped[float | None]
    latency: Mapped[float | None]
    attempts: Mapped[int] = mapped_column(default=1)
    faults: Mapped[dict[str, Any]] = mapped_column(default=dict)
    cause: Mapped[str] = mapped_column(default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    code_version: Mapped[str] = mapped_column(default="")
    answered_at: Mapped[datetime] = mapped_column(default=now)


class ReferenceList(Base):
    """The references of varied quality of one item, best first, in one draw of one named set of lists.

    `source` of the texts: `graded` (the item's own graded answers), `one_gold` (written from a
    known answer) or `no_gold` (all written). `pattern` names the wanted grades, `missing` those without a
    text. `entries` holds, best first, `text`, `grade`, `origin`, `response_id` (or null) and, for a
    written text, `reply_id`. `edited_at` is set once a person edited an entry.
    """

    __tablename__ = "reference_list"
    __table_args__ = (
        UniqueConstraint("project_id", "name", "draw", "item_id"),
        Index("ix_reference_list_item_id", "item_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id", ondelete="CASCADE"))
    name: Mapped[str]
    draw: Mapped[int] = mapped_column(default=1)
    source: Mapped[str]
    pattern: Mapped[str] = mapped_column(default="")
    seed: Mapped[int] = mapped_column(default=0)
    entries: Mapped[list[Any]] = mapped_column(default=list)
    missing: Mapped[list[Any]] = mapped_column(default=list)
    recipe: Mapped[dict[str, Any]] = mapped_column(default=dict)
    edited_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
