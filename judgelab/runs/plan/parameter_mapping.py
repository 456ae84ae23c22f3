"""Settings that another program used, brought to a backend that may not know them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.backends import backends


def map_parameters(backend: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return sampling parameters as this backend can take them.

    Where one of them belongs to other backends alone (beam search), all are left to the protocol: the rest
    was chosen for that one (greedy beams) and would give as many equal replies without it.
    """
    own_parameters = set(backends.get(backend).own_parameters)
    foreign = {name for _, kind in backends.items() for name in kind.own_parameters} - own_parameters
    return {} if foreign & set(parameters) else dict(parameters)
