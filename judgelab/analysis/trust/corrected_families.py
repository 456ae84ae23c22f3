"""Which p-values on a judge are corrected together: those of one question, under all criteria."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from judgelab.analysis.trust.criterion_trust import CriterionTrust, OwnFamily
from judgelab.analysis.trust.judge_biases import corrected_habits
from judgelab.analysis.trust.test_families import Family, family_of
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.inference.significance import Test
from judgelab.metaeval.judges.slices import OffsetsBySlice
from judgelab.metaeval.judges.system_orders import CORRECTION


def corrected(found: Mapping[str, CriterionTrust]) -> dict[str, CriterionTrust]:
    """Return what was found with the p-values on habits, own family and parts corrected, each kind alone.

    By Holm, over all criteria. Those on the raters' orders of systems are already (`sure_orders`).
    """
    kin = iter(with_correction([test for one in found.values() for test in _family(one)], CORRECTION))
    parts = iter(with_correction([test for one in found.values() for test in _parts(one)], CORRECTION))
    return {
        key: replace(one, parts=_with_tests(one.parts, parts), family=_with_test(one.family, kin))
        for key, one in corrected_habits(found).items()
    }


def families(found: Mapping[str, CriterionTrust]) -> dict[str, Family]:
    """Return the families by what their tests are about."""
    by_name: dict[str, Callable[[CriterionTrust], Iterable[Test]]] = {
        "systems": lambda one: [pair.human_test for pair in one.systems.pairs] if one.systems else [],
        "leniency": lambda one: [one.leniency.test],
        "spread": lambda one: [one.spread.test],
        "length": lambda one: [one.verbosity.test],
        "family": _family,
        "parts": _parts,
    }
    known = {
        name: family_of({key: list(tests_of(one)) for key, one in found.items()})
        for name, tests_of in by_name.items()
    }
    return {name: family for name, family in known.items() if family is not None}


def _family(one: CriterionTrust) -> list[Test]:
    return [] if one.family is None else [one.family.favour.test]


def _with_test(family: OwnFamily | None, tests: Iterator[Test]) -> OwnFamily | None:
    return None if family is None else replace(family, favour=replace(family.favour, test=next(tests)))


def _parts(one: CriterionTrust) -> Iterator[Test]:
    return (part.test for drift in one.parts.values() for part in drift.slices)


def _with_tests(parts: Mapping[str, OffsetsBySlice], tests: Iterator[Test]) -> dict[str, OffsetsBySlice]:
    return {
        cut: replace(drift, slices=tuple(replace(part, test=next(tests)) for part in drift.slices))
        for cut, drift in parts.items()
    }
