"""The parts of the page "Preparation": each is a word for the link, a title, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.prepare import (
    example_editor,
    labels_view,
    panel_roles_view,
    pool_view,
    prompt_editor,
    reference_list_view,
    steps_editor,
    tuning_view,
)
from judgelab.wording import mark


class Part(NamedTuple):
    """One thing that a study prepares."""

    title: str
    draw: Callable[[ProjectInfo], None]


PARTS = {
    "references": Part(mark("Lists of references"), reference_list_view.draw),
    "roles": Part(mark("Panels of roles"), panel_roles_view.draw),
    "examples": Part(mark("Worked examples"), example_editor.draw),
    "steps": Part(mark("Steps"), steps_editor.draw),
    "responses": Part(mark("Responses"), pool_view.draw),
    "values": Part(mark("Human values"), labels_view.draw),
    "prompts": Part(mark("Prompts"), prompt_editor.draw),
    "tuning": Part(mark("Fine-tuning"), tuning_view.draw),
}
