"""Whether a judge can be trusted in place of the raters: all evidence, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from judgelab.analysis.data.number_table import COLUMNS, number_rows
from judgelab.analysis.trust.answer import trust_statements
from judgelab.analysis.trust.bias_statements import shows_differences
from judgelab.analysis.trust.measured_trust import JudgeTrust, trust_in_scores
from judgelab.analysis.trust.statements import Statement
from judgelab.analysis.trust.trust_table import QUESTIONS, UNDECIDED, UNMEASURED, table_json, trust_table
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.arguments import names_listed, one_each, whole_numbers
from judgelab.api.html import html_table
from judgelab.api.judges import NO_TEXTS, check_epsilon, one_judge, texts_missing
from judgelab.api.scores import Scores, scores_of, words_of
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.result import ROUNDED_DIFFERENCES


@dataclass(frozen=True, repr=False)
class Trust:
    """The evidence for and against one judge, criterion by criterion, with the app's answer.

    It does not change and can be pickled. `to_frame()` has all numbers; printing it gives the answer and the
    table of marks.
    """

    _found: JudgeTrust
    _notes: tuple[str, ...] = ()

    @property
    def judge(self) -> str:
        """Return the name of the judge or metric."""
        return self._found.judge

    @property
    def answer(self) -> tuple[Statement, ...]:
        """Return the sentences of the answer, the most important one first.

        Each has `text`; `good`, whether it speaks for the judge (True), against it (False) or neither (None);
        `about`, the part of the evidence; `criteria`; and `n`, the responses or items behind it.
        """
        return tuple(trust_statements(self._found))

    @property
    def table(self) -> pd.DataFrame:
        """Return one row a question and one column a criterion: "yes", "no", "unclear" or "not measured".

        A "yes" speaks for the judge, a "no" against it. `marks` has the reasons.
        """
        cells = trust_table(self._found)
        asked = [question for question in QUESTIONS if any(question in row for row in cells.values())]
        marks = {criterion: [row[question].mark for question in asked] for criterion, row in cells.items()}
        index = pd.Index([str(QUESTIONS[question]) for question in asked], name="question", dtype="str")
        return pd.DataFrame(marks, index=index)

    @property
    def marks(self) -> pd.DataFrame:
        """Return the table's cells as rows: criterion, question, mark, n, n_most, unit, why (sentences)."""
        return pd.DataFrame(table_json(trust_table(self._found)))

    def explain(self, language: str = "en") -> str:
        """Return the answer of the page *Trust*, one sentence a line with its n, in "en" or "de"."""
        from judgelab.languages import _
        from judgelab.languages.translate import in_language

        with in_language(language):
            said = [
                f"{_(statement.text)} ({_(statement.count_text)})" if statement.n else _(statement.text)
                for statement in self.answer
            ]
            if shows_differences(list(self._found.criteria.values())):
                said.append(_(ROUNDED_DIFFERENCES))
            return "\n".join(said)

    def to_frame(self) -> pd.DataFrame:
        """Return all numbers, one row each.

        Columns: criterion, statistic (its path, such as "beside / estimate"), value, low, high, p,
        p_adjusted, n, reason, interval, groups_used, groups_undefined, seed and recipe.
        """
        return pd.DataFrame(list(number_rows(self._found.to_json())), columns=list(COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Return what `judgelab trust --json` prints: answer, table, and all estimates and settings."""
        return {
            "answer": [statement.to_json() for statement in self.answer],
            "table": table_json(trust_table(self._found)),
            **self._found.to_json(),
        }

    def to_latex(self, *, caption: str = "", label: str = "tab:trust") -> str:
        """Return the table of marks in LaTeX, for the package booktabs."""
        from judgelab.api.latex import latex_of

        return latex_of(self.table.reset_index(), caption or f"Trust in {self.judge}", label)

    def __repr__(self) -> str:
        table = [str(self.table)] if len(self.table) else []
        return "\n".join([f"Trust in {self.judge}", self.explain(), *table, *self._said_of_marks()])

    def _repr_html_(self) -> str:
        return html_table(
            self.table.reset_index(),
            caption=f"Trust in {self.judge}",
            notes=[*self.explain().split("\n"), *self._said_of_marks()],
        )

    def _said_of_marks(self) -> list[str]:
        """Return why something is unclear or not measured, as far as the answer does not say it."""
        said = self.explain()
        cells = [cell for row in trust_table(self._found).values() for cell in row.values()]
        why = [
            f"{QUESTIONS[cell.question]} {cell.mark}: {statement.text}"
            for cell in cells
            if cell.mark in (UNDECIDED, UNMEASURED)
            for statement in cell.statements
            if str(statement.text) not in said
        ]
        return [*dict.fromkeys(why), *self._notes]


def trust(
    data: Any,
    /,
    judge: str | None = None,
    *,
    epsilon: float = 0.2,
    level: str | None = None,
    coefficient: str | None = None,
    own_systems: Sequence[str] = (),
    constant_groups: str = "zero",
    filter: FilterPolicy | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> Trust:
    """Return the evidence on one judge: can it be trusted in place of the raters?

    Args:
        data: the scores, or a frame that `judgelab.scores` understands.
        judge: the judge or metric; may be left out if there is only one.
        epsilon: lead allowed to a rater in the alternative annotator test, 0 to 1: 0.2 for experts, 0.15 for
            skilled raters, 0.1 for crowd workers.
        level: level of agreement, as in `judgelab.agreement`.
        coefficient: coefficient of agreement, as in `judgelab.agreement`.
        own_systems: the systems of the judge's own model family, needed to measure self-preference,
            which choices between two responses do not show.
        constant_groups: as in `judgelab.agreement`.
        filter: a quality filter, applied first.
        n_resamples: resamples of the items for the intervals; 0 for none, which leaves most questions open.
        seed: seed of everything drawn.

    Returns:
        The evidence under each criterion: agreement beside that of a rater and of the best trivial baseline,
        the alternative annotator test, the order of systems, biases, larger errors in parts of the data, and
        self-preference. `answer` and `explain()` say what it means, `table` has a mark for each question and
        criterion. Calibration of confidences, repeated replies and costs need the judge's replies, which the
        scores do not have. What cannot be measured is "not measured", with the reason in `marks`.

    Raises:
        InvalidInput: there are several judges and none is named, or there is no rater; an unknown level; an
            epsilon outside 0 to 1; no response is of a system in `own_systems`.
        NotFound: no such judge or coefficient.

    Example:
        >>> import judgelab as jl
        >>> truth = [n % 5 + 1 for n in range(60)]
        >>> kind = [min(5, score + 1) for score in truth]
        >>> s = jl.scores(human={"ann": truth, "bob": truth}, judge={"gpt": kind})
        >>> t = jl.trust(s, "gpt", n_resamples=200)
        >>> t.table.loc["Passes the bias tests?", "score"]
        'no'
    """
    whole_numbers(n_resamples=n_resamples, seed=seed)
    one_each(judge=judge, level=level, coefficient=coefficient)
    given = scores_of(data, filter)
    name = one_judge(given, judge, "jl.trust(s, {})")
    check_epsilon(epsilon)
    own_systems = tuple(names_listed(own_systems, "own_systems", "A"))
    _check_systems(own_systems, given)
    found = trust_in_scores(
        given._data,
        name,
        make_tables=given._unit_tables,
        words=words_of(given),
        level=level,
        coefficient=coefficient,
        epsilon=epsilon,
        own_systems=own_systems,
        constant_groups=constant_groups,
        resamples=n_resamples,
        seed=seed,
    )
    return Trust(found, (NO_TEXTS,) if texts_missing(given) else ())


def _check_systems(own_systems: Sequence[str], given: Scores) -> None:
    pairs = given._data.compared
    systems = given._data.scores["system"] if pairs is None else pairs.responses["system"]
    known = [str(system) for system in systems.unique() if system]
    missing = next((name for name in own_systems if name not in known), None)
    if missing is not None:
        there = f"the systems are {', '.join(known[:12])}" if known else "no response names its system"
        raise InvalidInput(f"no response is of the system '{missing}' in own_systems; {there}.")
