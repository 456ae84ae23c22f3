"""Locking a quality rule: what exactly was fixed, and the word that proves it later."""

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
    """Return what a lock fixes: the rule, the criteria with their scales, k, and the project's name."""
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
    """Return the one way of writing the content: JSON, keys sorted, no spaces, UTF-8 as it is."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def fingerprint_of(content: Mapping[str, Any]) -> str:
    """Return the sha256 of the canonical JSON, in hexadecimal digits."""
    return sha256(canonical_json(content).encode()).hexdigest()


def changes_since(content: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    """Return in words what of a locked content the project no longer has, the rule itself apart."""
    words = {
        "criteria": sentence("the criteria"),
        "raters_per_response": sentence("the raters per response"),
    }
    return tuple(word for key, word in words.items() if content.get(key) != now.get(key))
