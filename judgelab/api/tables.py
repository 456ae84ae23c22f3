"""Tables of estimates: what most functions of the API return."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from judgelab.api.html import DASH, MOST_ROWS, html_table, rest_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.confidence import percent
from judgelab.metaeval.core.result import Estimate, printed_ends

if TYPE_CHECKING:
    import plotly.graph_objects as go

ALIKE = ("kind", "criterion", "level", "coefficient")  # keys not shown where all rows have the same name
P_VALUES = ("p", "p_corrected")
LEADING = ("coefficient", "measure")  # keys of which the first one is meant where none is named


class Row(NamedTuple):
    """One estimate, the names that it goes by, and what else is known of it: estimates, texts or numbers."""

    names: tuple[str, ...]
    estimate: Estimate
    more: Mapping[str, Any] = {}


@dataclass(frozen=True, repr=False)
class Table:
    """Estimates under names: a table that a notebook shows, and that papers and other code can use.

    `table["gpt", "coherence"]` is the `Estimate` under these names, in any order; of several coefficients the
    first one is meant. Iterating gives the estimates. A table does not change and can be pickled.

    Attributes:
        notes: what was left out, compared and corrected, in sentences.
    """

    _keys: tuple[str, ...]
    _rows: tuple[Row, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    _source: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Estimate]:
        """Yield the estimates, row by row."""
        return (row.estimate for row in self._rows)

    def __getitem__(self, names: str | tuple[str, ...]) -> Estimate:
        """Return the estimate under these names.

        Raises:
            InvalidInput: no estimate has all these names, or several have.
        """
        wanted = names_of(names)
        rows = [row for row in self._rows if all(name in row.names for name in wanted)]
        if not rows:
            missing = next(
                (name for name in wanted if not any(name in row.names for row in self._rows)), wanted[0]
            )
            raise InvalidInput(f"nothing here is called '{missing}'; the names are {self._names()}.")
        rows = self._of_leading(rows)
        if len(rows) > 1:
            apart = [
                key for place, key in enumerate(self._keys) if len({row.names[place] for row in rows}) > 1
            ]
            place = self._keys.index(apart[0])
            known = ", ".join(dict.fromkeys(row.names[place] for row in rows))
            raise InvalidInput(f"{len(rows)} estimates are called so; name the {apart[0]} too: {known}.")
        return rows[0].estimate

    def to_frame(self) -> pd.DataFrame:
        """Return one row an estimate: names, value, low, high, n, reason, and what else is known of it."""
        if not self._rows:
            return pd.DataFrame(columns=[*self._keys, "value", "low", "high", "n", "reason"])
        frame = pd.DataFrame([self._flat(row) for row in self._rows])
        parts = {name for row in self._rows for name, part in row.more.items() if isinstance(part, Estimate)}
        numbers = {"value", *parts, "p", "p_corrected"}  # not of objects where all are undefined
        ends = {"low", "high", *(f"{name}_{end}" for name in parts for end in ("low", "high"))}
        return frame.astype({name: float for name in frame.columns if name in numbers | ends})

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` as dictionaries of plain values, None where there is none."""
        return [self._flat(row) for row in self._rows]

    def to_latex(self, *, caption: str = "", label: str = "") -> str:
        """Return a LaTeX table for the package booktabs, with the names of coefficients; all is escaped."""
        from judgelab.api.latex import latex_of

        name = type(self).__name__.removesuffix("Table") or "-".join(re.findall("[A-Za-z]+", self.title)[:3])
        return latex_of(self._shown(), caption or self.title, label or f"tab:{name.lower()}", self.notes)

    def plot(
        self, *, criterion: str | None = None, coefficient: str | None = None, dark: bool = False
    ) -> go.Figure:
        """Return the figure that the app draws of it, for one criterion and coefficient; needs plotly."""
        raise InvalidInput("this table has no figure; to_frame() has its numbers.")

    def explain(self, language: str = "en") -> str:
        """Return what the app says about it, in "en" or "de"."""
        raise InvalidInput("this table has no sentences; to_frame() has its numbers.")

    def __repr__(self) -> str:
        return "\n".join([*([self.title] if self.title else []), self._shown_as_text(), *self.notes])

    def _shown_as_text(self) -> str:
        if not self._rows:
            return "no estimates"
        shown = self._shown()
        return "\n".join([shown.head(MOST_ROWS).to_string(index=False), *rest_of(len(shown))])

    def _repr_html_(self) -> str:
        return html_table(self._shown(), caption=self.title, notes=self.notes)

    def _flat(self, row: Row) -> dict[str, Any]:
        estimate = row.estimate
        flat: dict[str, Any] = dict(zip(self._keys, row.names, strict=True))
        flat |= {
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "n": estimate.n,
            "reason": None if estimate.reason is None else str(estimate.reason),
        }
        for name, part in row.more.items():
            if isinstance(part, Estimate):
                flat |= {name: part.value, f"{name}_low": part.low, f"{name}_high": part.high}
            else:
                flat[name] = str(part) if isinstance(part, str) else part
        return flat

    def _shown(self) -> pd.DataFrame:
        """Return the table for readers: names that are not the same everywhere, intervals beside numbers."""
        apart = [
            place
            for place, key in enumerate(self._keys)
            if key not in ALIKE or len({row.names[place] for row in self._rows}) != 1
        ]
        shown = []
        for row in self._rows:
            cells: dict[str, Any] = {self._keys[place]: row.names[place] for place in apart}
            cells["value"] = in_words(row.estimate)
            cells["n"] = f"{row.estimate.n:,}"
            for name, part in row.more.items():
                if isinstance(part, Estimate):
                    cells[name] = _beside(row.estimate, part)
                else:
                    cells[name] = p_in_words(part) if name in P_VALUES else _plain(part)
            shown.append(cells)
        return pd.DataFrame(shown).fillna(DASH)

    def _of_leading(self, rows: Sequence[Row]) -> list[Row]:
        for key in LEADING:
            if key in self._keys:
                place = self._keys.index(key)
                rows = [row for row in rows if row.names[place] == rows[0].names[place]]
        return list(rows)

    def _names(self, most: int = 30) -> str:
        names = list(dict.fromkeys(name for row in self._rows for name in row.names if name))
        return ", ".join(names[:most]) + (" …" if len(names) > most else "")


def names_of(names: Any) -> tuple[str, ...]:
    """Return the names in the brackets after a table, as texts: a judge may be called 3."""
    return tuple(map(str, names)) if isinstance(names, (tuple, list)) else (str(names),)


def intervals_of(rows: Iterable[Row]) -> str:
    """Return how a table's intervals were made, for its notes: none may have been asked for."""
    methods = [str(row.estimate.ci_method) for row in rows if row.estimate.ci is not None]
    if not methods:
        return "no intervals"
    resampled = any("bootstrap" in method or "resampl" in method for method in methods)
    return f"{percent()} intervals by resampling items" if resampled else f"{percent()} intervals"


def in_words(estimate: Estimate) -> str:
    """Return an estimate as a cell: its value with the interval, or why there is none."""
    if estimate.value is None:
        return f"undefined: {estimate.reason}"
    return f"{estimate.value:z.3f}{printed_ends(estimate.ci, 3)}"


def _beside(estimate: Estimate, part: Estimate) -> str:
    """Return a further estimate of a row as a cell, a dash if it is undefined for the same reason."""
    same = part.value is None and estimate.value is None and part.reason == estimate.reason
    return DASH if same else in_words(part)


def p_in_words(p: float | None) -> str:
    """Return a p-value as a cell, `<0.001` where three digits show nothing of it."""
    if p is None or p != p:
        return DASH
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _plain(value: Any) -> str:
    if value is None:
        return DASH
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.3g}"
