"""JudgeLab: can this LLM judge be trusted in place of my human raters?

    import judgelab as jl

    s = jl.scores(df, humans=["ann", "bob"], judges=["gpt"])
    jl.agreement(s)

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgelab.api.agreement import agreement as agreement
    from judgelab.api.alt_test import alt_test as alt_test
    from judgelab.api.biases import biases as biases
    from judgelab.api.binary import binary as binary
    from judgelab.api.bradley_terry import bradley_terry as bradley_terry
    from judgelab.api.comparison import compare as compare
    from judgelab.api.corrected_share import allocate_labels as allocate_labels
    from judgelab.api.corrected_share import corrected_share as corrected_share
    from judgelab.api.databases import open as open
    from judgelab.api.dawid_skene import dawid_skene as dawid_skene
    from judgelab.api.files import read as read
    from judgelab.api.filters import Filter as Filter
    from judgelab.api.filters import filter_raters as filter_raters
    from judgelab.api.inter_rater import inter_rater as inter_rater
    from judgelab.api.judge import ajudge as ajudge
    from judgelab.api.judge import judge as judge
    from judgelab.api.jury import jury as jury
    from judgelab.api.mean import mean as mean
    from judgelab.api.report import report as report
    from judgelab.api.sample_size import sample_size as sample_size
    from judgelab.api.score import score as score
    from judgelab.api.scores import Scores as Scores
    from judgelab.api.scores import scores as scores
    from judgelab.api.systems import systems as systems
    from judgelab.api.trust import trust as trust

__version__ = "0.1.0"

_MODULES = {
    "agreement": "agreement",
    "ajudge": "judge",
    "allocate_labels": "corrected_share",
    "alt_test": "alt_test",
    "biases": "biases",
    "binary": "binary",
    "bradley_terry": "bradley_terry",
    "compare": "comparison",
    "corrected_share": "corrected_share",
    "dawid_skene": "dawid_skene",
    "Filter": "filters",
    "filter_raters": "filters",
    "inter_rater": "inter_rater",
    "judge": "judge",
    "jury": "jury",
    "mean": "mean",
    "open": "databases",
    "read": "files",
    "report": "report",
    "sample_size": "sample_size",
    "score": "score",
    "scores": "scores",
    "Scores": "scores",
    "systems": "systems",
    "trust": "trust",
}
__all__ = ["__version__", *_MODULES]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'judgelab' has no attribute '{name}'")
    value = getattr(import_module(f"judgelab.api.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
