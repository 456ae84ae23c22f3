"""What protocols need beside the texts: reference lists, panels of roles, the words of other evaluators.

Each need is one file in `judgelab.runs.needs` that registers a `NeedSource` under the need's name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal

from judgelab.registry import Registry
from judgelab.store.db.engine import Session
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import mark


class NeedSource(ABC):
    """Where one need is met from.

    Attributes:
        by: whether `load` gives what belongs to an item (`reference_list`, `roles`) or to a response
            (`evidence`): the keys of what it returns.
    """

    by: ClassVar[Literal["item", "response"]] = "item"

    @abstractmethod
    def load(
        self, session: Session, project_id: int, options: Mapping[str, Any], item_ids: Collection[int]
    ) -> Mapping[int, Sequence[Any]]:
        """Return what a task of each item gets, by the row id of the item, or of each of its responses.

        Items that have nothing are left out. The values are what the field of `Task` holds: `Reference`,
        `PanelRole` or `Evidence`. Called for some hundred items at a time, also while a run goes on: what it
        returns for an item must stay the same then.

        Args:
            session: a reading session.
            project_id: the project.
            options: the judge's options, settled by its protocol.
            item_ids: row ids of items.
        """

    @abstractmethod
    def refusal(
        self,
        session: Session,
        project: ProjectInfo,
        options: Mapping[str, Any],
        responses: Mapping[int, Sequence[int]],
    ) -> str | None:
        """Return why no run can start, as one sentence that ends with what to do, or None.

        Args:
            session: a reading session.
            project: the project.
            options: the judge's options.
            responses: the row ids of the responses to be judged, by the row id of their item.
        """

    def reserved(self, session: Session, project_id: int, options: Mapping[str, Any]) -> Collection[int]:
        """Return the row ids of responses that a judge with these options is shown and so never judges."""
        return ()


sources: Registry[NeedSource] = Registry(mark("need"), "judgelab.runs.needs")
