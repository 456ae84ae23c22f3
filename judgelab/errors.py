"""The errors of JudgeLab, and who is to act on each.

JudgeLabError
├── UserError             the user can mend it; one sentence; exit code 1
│   ├── NotFound          a name that does not exist (did you mean ...?)
│   ├── InvalidInput      a value, file or option that cannot be taken
│   │   ├── ImportProblems   all problems of one file, by row and column
│   │   └── NotServed        a protocol cannot judge a criterion
│   ├── NotAllowed        the person lacks the right
│   └── StoreUnavailable  database locked, read-only, newer than the code
│       └── DiskFull         no room for more
├── BackendError          the model's side: no reply came
└── InternalError         ours; logged with an id; exit code 3
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from judgelab.wording import Sentence, counted, sentence

if TYPE_CHECKING:
    from judgelab.domain import Exchange, Problem


class JudgeLabError(Exception):
    """Base of every error that JudgeLab raises on purpose."""


class UserError(JudgeLabError):
    """Something the user can mend; the message is one sentence that says how."""


# How the first one of a kind comes to be; of other kinds the page or command at hand says it.
MADE_WITH: Mapping[str, str] = {
    "project": "judgelab project create NAME",
    "endpoint": "judgelab endpoint add NAME --base-url URL",
    "person": "judgelab user add NAME --role annotator",
    "quality rule": "judgelab quality PROJECT --save NAME",
    "set of worked examples": "judgelab prepare PROJECT demonstrations",
}


class NotFound(UserError):
    """A name that does not exist.

    Args:
        kind: what was looked for ("protocol", "project"), marked for the catalogue where it is given.
        name: the name that was given.
        known: the names that exist, of which the nearest is suggested; None where nobody asked for them.
    """

    SHOWN: ClassVar[int] = 40  # all protocols and metrics, not all projects of a busy server

    def __init__(self, kind: str, name: str, known: Iterable[str] | None = None) -> None:
        if known is None:
            super().__init__(sentence("no {kind} named '{name}'.", kind=sentence(kind), name=name))
            return
        known = sorted(known)
        said = self._said(kind, name, known)
        near = difflib.get_close_matches(name, known, n=1)
        if near:
            said = sentence("{said} Did you mean '{near}'?", said=said, near=near[0])
        super().__init__(said)

    def _said(self, kind: str, name: str, known: Sequence[str]) -> Sentence:
        what = sentence(kind)
        if not known and kind in MADE_WITH:
            return sentence(
                "no {kind} named '{name}'; there is none yet: make one with `{command}`.",
                kind=what,
                name=name,
                command=MADE_WITH[kind],
            )
        if not known:
            return sentence("no {kind} named '{name}'; there is none yet.", kind=what, name=name)
        names: str = ", ".join(known[: self.SHOWN])
        if len(known) > self.SHOWN:
            names = counted(
                "{names} and {n} more", "{names} and {n} more", len(known) - self.SHOWN, names=names
            )
        return sentence("no {kind} named '{name}'; known: {names}.", kind=what, name=name, names=names)


class InvalidInput(UserError):
    """A value, file or option that cannot be taken."""


class ImportProblems(InvalidInput):
    """All problems found in one import, listed by row and column; nothing was stored."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        said = self.problems[0].sentence() if self.problems else sentence("unknown problem")
        if more := len(self.problems[1:]):
            said = counted("{problem} and {n} more", "{problem} and {n} more", more, problem=said)
        if said.endswith((".", "?")):
            super().__init__(sentence("{source}: {problem} Nothing was stored.", source=source, problem=said))
        else:
            super().__init__(
                sentence("{source}: {problem}. Nothing was stored.", source=source, problem=said)
            )


class NotPromptable(InvalidInput):
    """A unit lacks what its prompt must show; `cause` is the short stable word under which it is counted."""

    def __init__(self, message: str, *, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class NotServed(InvalidInput):
    """A protocol cannot judge a criterion of the project: everything would be left without a score."""


class NotAllowed(UserError):
    """The person lacks the right for this."""


class StoreUnavailable(UserError):
    """The database cannot be used as it is: locked, read-only, or newer than the code."""


class DiskFull(StoreUnavailable):
    """There is no room for more; nothing of the step was stored."""


class BackendError(JudgeLabError):
    """No usable reply came from a model.

    Args:
        message: what happened, for a person.
        cause: a short stable word for counting ("rate_limit", "timeout", "bad_key", ...).
        retryable: whether the same call may succeed later.
        stops_run: whether no further call of the run can succeed (bad key, quota used up).
        retry_after: seconds the endpoint asked us to wait, if it said so.
        exchange: what went over the wire, as far as it is known.
        instead: parameters to change before the same call is tried again.
    """

    def __init__(
        self,
        message: str,
        *,
        cause: str,
        retryable: bool,
        stops_run: bool = False,
        retry_after: float | None = None,
        exchange: Exchange | None = None,
        instead: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.retryable = retryable
        self.stops_run = stops_run
        self.retry_after = retry_after
        self.exchange = exchange
        self.instead = instead or {}


class InternalError(JudgeLabError):
    """A mistake of ours."""
