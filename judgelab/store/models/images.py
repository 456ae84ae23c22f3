"""Images that texts show."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, LargeBinary, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column


class ImageRow(Base):
    """An image under the path by which the project's texts refer to it; `size` is in bytes."""

    __tablename__ = "project_image"
    __table_args__ = (
        UniqueConstraint("project_id", "path"),
        Index("ix_project_image_project_id_sha256", "project_id", "sha256"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    path: Mapped[str]
    sha256: Mapped[str]
    media_type: Mapped[str]
    size: Mapped[int]
    content: Mapped[bytes] = mapped_column(LargeBinary)
