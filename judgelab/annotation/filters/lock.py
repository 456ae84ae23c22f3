"""Locking a filter: what exactly is fixed, and the fingerprint that proves it later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.domain import Criterion
from judgelab.wording import sentence


def locked_content(
    policy: FilterPolicy,
    *,
    project: str,
    criteria: Sequence[Criterion],
    raters_per_response: int,
) -> dict[str, Any]:
    """Return what a lock fixes: the filter, the criteria with their scales, k, and the project's name."""
    return {
        "project": project,
        "raters_per_response": raters_per_response,
        "criteria": [
            {
                "key": criterion.key,
                "label": criterion.label,
                "question": criterion.question,
                "scale": dict(criterion.scale),
                "higher_is_better": criterion.higher_is_better,
            }
            for criterion in criteria
        ],
        "options": policy.to_json(),
    }


def canonical_json(content: Mapping[str, Any]) -> str:
    """Return the content as JSON in a unique form: keys sorted, no spaces, no escaped characters."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint_of(content: Mapping[str, Any]) -> str:
    """Return the sha256 of the canonical JSON, as hexadecimal digits."""
    return sha256(canonical_json(content).encode()).hexdigest()


def changes_since(content: Mapping[str, Any], present: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in words what has changed in the project since the lock, apart from the filter itself."""
    words = {
        "criteria": sentence("the criteria"),
        "raters_per_response": sentence("the raters per response"),
    }
    return tuple(words_ for key, words_ in words.items() if content.get(key) != present.get(key))
