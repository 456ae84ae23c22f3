"""What the worker says of itself while a model is on its way; read from another thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgelab.wording import Sentence, mark, sentence

DOWNLOADING = mark("downloading {model} ({done} of {total} GB)")
LOADING = mark("loading {model} ({done} of {total} GB)")
STARTING = mark("starting torch")
GIGABYTE = 1e9


@dataclass
class LoadProgress:
    """The model's progress, measured when it is read."""

    _template: str = ""
    _model: str = ""
    _total: int = 0
    _measure: Callable[[], int] | None = None

    def begin(
        self, template: str, model: str = "", *, total: int = 0, measure: Callable[[], int] | None = None
    ) -> None:
        """Enter a stage.

        Args:
            template: DOWNLOADING, LOADING or STARTING.
            model: its name.
            total: bytes to come.
            measure: returns the bytes that are there.
        """
        self._measure = None
        self._template, self._model, self._total = template, model, total
        self._measure = measure

    def end(self) -> None:
        """Have nothing to say."""
        self._template, self._measure = "", None

    def message(self) -> str:
        """Return the stage with its figures; empty when there is none."""
        template, measure = self._template, self._measure
        if not template:
            return ""
        done = min(self._total, max(0, measure())) if measure else 0
        return sentence(template, model=self._model, done=gigabytes(done), total=gigabytes(self._total))


def gigabytes(size: int) -> str:
    """Return bytes in GB with one decimal, small ones with more.

    >>> gigabytes(1_230_000_000), gigabytes(0), gigabytes(400_000)
    ('1.2', '0.0', '0.0004')
    """
    value = size / GIGABYTE
    return f"{value:.1f}" if not size or value >= 0.05 else f"{value:.1g}"


def too_large(model: str, *, needed: int, free: int) -> Sentence:
    """Return the sentence for a model that does not fit."""
    return sentence(
        "{model} needs about {needed} GB of memory, but only {free} GB are free; close other programs, "
        "choose a smaller model, or load it with dtype=bfloat16.",
        model=model,
        needed=gigabytes(needed),
        free=gigabytes(free),
    )
