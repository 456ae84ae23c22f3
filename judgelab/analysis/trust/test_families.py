"""A family of tests whose p-values are corrected together, with method, floor and size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgelab.metaeval.inference.p_value_words import correction_scope, methods_of_tests
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.wording import joined


@dataclass(frozen=True)
class Family:
    """Tests that are corrected together.

    Attributes:
        tests: number of tests.
        criteria: keys of the criteria tested.
        correction: method of correction.
        floor: smallest possible p before correction; None if p-values come from a distribution.
        methods: methods in words, each with its floor.
        scope: which p-values are corrected together, and how, in words.
    """

    tests: int
    criteria: tuple[str, ...]
    correction: str
    floor: float | None
    methods: str
    scope: str

    @property
    def description(self) -> str:
        """Return methods and scope in words."""
        return joined([self.methods, self.scope], "; ")

    def to_json(self) -> dict[str, Any]:
        """Return the family as plain JSON values, with the names used by `judgelab compare --json`."""
        return {
            "corrected_over": {"tests": self.tests, "criteria": list(self.criteria)},
            "correction": self.correction,
            "p_floor": self.floor,
            "p_values": str(self.description),
        }


def family_of_tests(by_criterion: Mapping[str, list[Test]]) -> Family | None:
    """Return the family of all tests that have a p-value, or None if there are none."""
    with_p = {key: [test for test in tests if test.p is not None] for key, tests in by_criterion.items()}
    criteria = tuple(key for key, tests in with_p.items() if tests)
    tests = [test for of_criterion in with_p.values() for test in of_criterion]
    if not tests:
        return None
    scope = correction_scope(CORRECTION, len(tests), len(criteria))
    floor = max((test.floor for test in tests if test.floor is not None), default=None)
    return Family(len(tests), criteria, CORRECTION, floor, methods_of_tests(tests), scope)
