"""Which p-values on a judge are corrected together: those of one question, under all criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from judgelab.analysis.criterion_trust import CriterionTrust
from judgelab.analysis.families import Family, family_of
from judgelab.metaeval.multiplicity import with_correction
from judgelab.metaeval.significance import Test
from judgelab.metaeval.slices import Drift
from judgelab.metaeval.system_orders import CORRECTION


def corrected(found: Mapping[str, CriterionTrust]) -> dict[str, CriterionTrust]:
    """Return what was found with the p-values on length and on parts corrected, each kind on its own (Holm).

    Those on the raters' orders of systems are already (`system_orders.sure_orders`).
    """
    lengths = with_correction([one.verbosity.test for one in found.values()], CORRECTION)
    parts = iter(with_correction([test for one in found.values() for test in _parts(one)], CORRECTION))
    return {
        key: replace(one, verbosity=replace(one.verbosity, test=length), parts=_with_tests(one.parts, parts))
        for (key, one), length in zip(found.items(), lengths, strict=True)
    }


def families(found: Mapping[str, CriterionTrust]) -> dict[str, Family]:
    """Return the families by what their tests are about: "length", "systems" and "parts"."""
    by_name = {
        "length": {key: [one.verbosity.test] for key, one in found.items()},
        "systems": {
            key: [pair.human_test for pair in one.systems.pairs] if one.systems else []
            for key, one in found.items()
        },
        "parts": {key: list(_parts(one)) for key, one in found.items()},
    }
    return {name: family for name, tests in by_name.items() if (family := family_of(tests)) is not None}


def _parts(one: CriterionTrust) -> Iterator[Test]:
    return (part.test for drift in one.parts.values() for part in drift.slices)


def _with_tests(parts: Mapping[str, Drift], tests: Iterator[Test]) -> dict[str, Drift]:
    return {
        cut: replace(drift, slices=tuple(replace(part, test=next(tests)) for part in drift.slices))
        for cut, drift in parts.items()
    }
