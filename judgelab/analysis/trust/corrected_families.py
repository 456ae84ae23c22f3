"""Corrections for multiple testing on one judge: one family of tests per question, over all criteria."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from judgelab.analysis.trust.criterion_trust import CriterionTrust, OwnFamily
from judgelab.analysis.trust.judge_biases import with_corrected_biases
from judgelab.analysis.trust.pair_evidence import (
    longer_tests,
    order_tests,
    with_corrected_pair_tests,
)
from judgelab.analysis.trust.test_families import Family, family_of_tests
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.slices import OffsetsBySlice
from judgelab.metaeval.judges.system_orders import CORRECTION


def with_corrected_tests(criteria: Mapping[str, CriterionTrust]) -> dict[str, CriterionTrust]:
    """Return the results with corrected p-values on biases, own family and parts, each a family of its own.

    Holm's correction over all criteria. Tests of the raters' orders of systems come corrected already
    (`metaeval.judges.system_orders`).
    """
    family_tests = iter(
        with_correction(
            [test for criterion in criteria.values() for test in _family_tests(criterion)], CORRECTION
        )
    )
    part_tests = iter(
        with_correction(
            [test for criterion in criteria.values() for test in _part_tests(criterion)], CORRECTION
        )
    )
    of_pairs = with_corrected_pair_tests({key: criterion.of_pairs for key, criterion in criteria.items()})
    return {
        key: replace(
            criterion,
            of_pairs=of_pairs[key],
            parts=_with_part_tests(criterion.parts, part_tests),
            family=_with_family_test(criterion.family, family_tests),
        )
        for key, criterion in with_corrected_biases(criteria).items()
    }


def families_by_question(criteria: Mapping[str, CriterionTrust]) -> dict[str, Family]:
    """Return the families of tests by the question they answer."""
    by_name: dict[str, Callable[[CriterionTrust], Iterable[Test]]] = {
        "systems": lambda criterion: (
            [pair.human_test for pair in criterion.systems.pairs] if criterion.systems else []
        ),
        "leniency": lambda criterion: [criterion.leniency.test],
        "spread": lambda criterion: [criterion.spread.test],
        "length": lambda criterion: [criterion.verbosity.test],
        "family": _family_tests,
        "parts": _part_tests,
        "order": lambda criterion: order_tests(criterion.of_pairs),
        "longer": lambda criterion: longer_tests(criterion.of_pairs),
    }
    family_by_name = {
        name: family_of_tests({key: list(tests_of(criterion)) for key, criterion in criteria.items()})
        for name, tests_of in by_name.items()
    }
    return {name: family for name, family in family_by_name.items() if family is not None}


def _family_tests(criterion: CriterionTrust) -> list[Test]:
    return [] if criterion.family is None else [criterion.family.favour.test]


def _with_family_test(family: OwnFamily | None, tests: Iterator[Test]) -> OwnFamily | None:
    return None if family is None else replace(family, favour=replace(family.favour, test=next(tests)))


def _part_tests(criterion: CriterionTrust) -> Iterator[Test]:
    return (part.test for by_slice in criterion.parts.values() for part in by_slice.slices)


def _with_part_tests(parts: Mapping[str, OffsetsBySlice], tests: Iterator[Test]) -> dict[str, OffsetsBySlice]:
    return {
        cut: replace(by_slice, slices=tuple(replace(part, test=next(tests)) for part in by_slice.slices))
        for cut, by_slice in parts.items()
    }
