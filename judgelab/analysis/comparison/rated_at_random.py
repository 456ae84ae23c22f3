"""What a project's settings say of how the items that people rated were selected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.wording import sentence

RANDOM_SETTING = "labelled_at_random"  # the setting's key; its value is by criterion
SAY_IF_RANDOM = sentence("first say how the rated items were selected")
NOT_RANDOM = sentence("the rated items were not drawn at random")


def recorded_random_sampling(settings: Mapping[str, Any], criterion: str) -> bool | None:
    """Return whether the rated items are a random sample, as recorded; None if it is not recorded."""
    answer = settings.get(RANDOM_SETTING, {}).get(criterion)
    return None if answer is None else bool(answer)
