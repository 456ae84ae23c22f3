"""An average that is undefined under every criterion."""

from __future__ import annotations

import math

from judgelab.metaeval.coefficients.estimates import mean_of_values
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.wording import sentence


def test_an_undefined_average_counts_the_responses_of_all_criteria():
    why = sentence("all its scores are the same")
    average = mean_of_values([ResampledValue(math.nan, why, n=35) for _ in range(4)], what="criteria")
    assert (average.reason, average.n) == (why, 140)
