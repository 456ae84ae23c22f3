"""The roles on a panel, the references it compares with, and its sittings."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import PanelRole, Reference, Task
from judgelab.errors import InvalidInput
from judgelab.protocols.panel.options import CANDIDATE_FIRST, REFERENCE_FIRST
from judgelab.protocols.panel.prompts import static_roles
from judgelab.protocols.panel.votes import Sitting
from judgelab.wording import sentence


def seated_roles(task: Task, chosen: Mapping[str, Any], version: str) -> list[PanelRole]:
    """Return the roles that vote: static ones, then those made for the item; none for a plain comparison.

    Raises:
        InvalidInput: there are no roles made for the item although the options need them, or no roles at all.
    """
    if not chosen["panel"]:
        return []
    dynamic = [role for role in task.roles if role.origin == "dynamic"] if chosen["k"] else []
    if chosen["k"] and not dynamic and chosen["clustering"] != "all":
        raise InvalidInput(
            sentence(
                "this item has no roles; generate them on *Preparation* or with `judgelab prepare PROJECT "
                "roles`, or choose k=0."
            )
        )
    roles = [*static_roles(task.roles, chosen, version), *dynamic]
    if not roles:
        raise InvalidInput(sentence("the panel has no roles; choose static=true, k=4 or panel=false."))
    return roles


def sittings_of(task: Task, chosen: Mapping[str, Any]) -> list[Sitting]:
    """Return the sittings of one sample: all references, wordings and orders, in the order of asking."""
    sittings = []
    for reference, _ in enumerate(references_of(task, chosen)):
        for variant in range(chosen["variants"]):
            orders = [chosen["order"]]
            if orders == ["both"]:
                orders = [CANDIDATE_FIRST, REFERENCE_FIRST]
            elif orders == ["random"]:
                rng = random.Random(f"{chosen['seed']}:{task.item}:{task.response}:{variant}:{reference}")
                orders = [rng.choice((CANDIDATE_FIRST, REFERENCE_FIRST))]
            sittings += [Sitting(variant, order, reference) for order in orders]
    return sittings


def references_of(task: Task, chosen: Mapping[str, Any]) -> Sequence[Reference]:
    """Return the references to compare with; raises `InvalidInput` if the item has none."""
    if not task.references:
        raise InvalidInput(
            sentence(
                "this item has no reference to compare with; import one, or generate one with `judgelab "
                "prepare PROJECT references --option kind=generated`."
            )
        )
    return task.references if chosen["compared_with"] == "each" else task.references[:1]
