"""The parts of the page "Preparation": a query parameter's value, a title, and the function that draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from judgelab.store.projects.project_info import ProjectInfo
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


class PreparationPart(NamedTuple):
    """One kind of material that a study prepares."""

    title: str
    draw: Callable[[ProjectInfo], None]


PARTS = {
    "references": PreparationPart(mark("Reference lists"), reference_list_view.draw_reference_lists),
    "roles": PreparationPart(mark("Role panels"), panel_roles_view.draw_panel_roles),
    "examples": PreparationPart(mark("Worked examples"), example_editor.draw_example_editor),
    "steps": PreparationPart(mark("Steps"), steps_editor.draw_steps_editor),
    "responses": PreparationPart(mark("Documents and responses"), pool_view.draw_pools),
    "values": PreparationPart(mark("Human scores of responses"), labels_view.draw_human_values),
    "prompts": PreparationPart(mark("Prompts"), prompt_editor.draw_prompt_editor),
    "tuning": PreparationPart(mark("Fine-tuning"), tuning_view.draw_tuning),
}
