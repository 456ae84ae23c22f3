"""The errors of JudgeLab, and who must act on each.

JudgeLabError
├── UserError             the user can fix it; one sentence; exit code 1
│   ├── NotFound          a name that does not exist (did you mean ...?)
│   ├── InvalidInput      a value, file or option that is not valid
│   │   ├── ImportProblems   all problems of one file, by row and column
│   │   └── NotServed        a protocol cannot judge a criterion
│   ├── NotAllowed        the person lacks the right
│   ├── MailServerError   the mail server cannot be used as the settings say
│   └── StoreUnavailable  database locked, read-only, newer than the code
│       └── DiskFull         no room for more
├── BackendError          the model or its server did not reply
└── InternalError         a bug; logged with an id; exit code 3
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from judgelab.wording import Sentence, counted, sentence

if TYPE_CHECKING:
    from judgelab.domain import Exchange, Problem


class JudgeLabError(Exception):
    """Base class of all errors that JudgeLab raises deliberately."""


class UserError(JudgeLabError):
    """An error that the user can fix; the message is one sentence that says how."""


# The command that creates the first one of a kind; for other kinds, the page or command says it.
CREATED_WITH: Mapping[str, str] = {
    "project": "judgelab project create NAME",
    "endpoint": "judgelab endpoint add NAME --base-url URL",
    "person": "judgelab user add NAME --role annotator",
    "quality filter": "judgelab quality PROJECT --save NAME",
    "set of worked examples": "judgelab prepare PROJECT demonstrations",
}


class NotFound(UserError):
    """A name that does not exist.

    Args:
        kind: what was searched ("protocol", "project"), marked for the catalogue by the caller.
        name: the name that was searched.
        known: the existing names, of which the closest is suggested, or those that start alike (`alpha_…`);
            None to leave them out.
        meant: a known name for the same thing, where people call it by `name`.
    """

    SHOWN: ClassVar[int] = 40  # enough for all protocols and metrics, but not for all projects of a server

    def __init__(self, kind: str, name: str, known: Iterable[str] | None = None, meant: str = "") -> None:
        if known is None:
            super().__init__(sentence("no {kind} named '{name}'.", kind=sentence(kind), name=name))
            return
        known = sorted(known)
        message = self._message(kind, name, known)
        family = [one for one in known if one.startswith(f"{name}_")]
        near = [meant] if meant else family or difflib.get_close_matches(str(name), known, n=1)
        if near:
            message = sentence("{said} Did you mean '{near}'?", said=message, near="', '".join(near))
        super().__init__(message)

    def _message(self, kind: str, name: str, known: Sequence[str]) -> Sentence:
        what = sentence(kind)
        if not known and kind in CREATED_WITH:
            return sentence(
                "no {kind} named '{name}'; none exist yet: create one with `{command}`.",
                kind=what,
                name=name,
                command=CREATED_WITH[kind],
            )
        if not known:
            return sentence("no {kind} named '{name}'; none exist yet.", kind=what, name=name)
        names: str = ", ".join(known[: self.SHOWN])
        if len(known) > self.SHOWN:
            names = counted(
                "{names} and {n} more", "{names} and {n} more", len(known) - self.SHOWN, names=names
            )
        return sentence("no {kind} named '{name}'; known: {names}.", kind=what, name=name, names=names)


class InvalidInput(UserError):
    """A value, file or option that is not valid."""


class ImportProblems(InvalidInput):
    """All problems of one import by row and column; nothing was stored."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source = source
        self.problems = tuple(problems)
        super().__init__(self._message(source))

    def _message(self, source: str) -> Sentence:
        problem = self.problems[0].sentence() if self.problems else sentence("unknown problem")
        if not problem.endswith((".", "?")):
            problem = sentence("{problem}.", problem=problem)
        if more := len(self.problems[1:]):
            return counted(
                "{source}: {problem} There is {n} more problem. Nothing was stored.",
                "{source}: {problem} There are {n} more problems. Nothing was stored.",
                more, source=source, problem=problem,
            )  # fmt: skip
        return sentence("{source}: {problem} Nothing was stored.", source=source, problem=problem)


class NotPromptable(InvalidInput):
    """A unit lacks something that its prompt must show; `cause` is a short stable word for counting."""

    def __init__(self, message: str, *, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


class NotServed(InvalidInput):
    """A protocol cannot judge a criterion of the project, so nothing would get a score."""


class NotAllowed(UserError):
    """The person is not allowed to do this."""


class MailServerError(UserError):
    """The mail server cannot be used as the settings say."""


class StoreUnavailable(UserError):
    """The database cannot be used: it is locked, read-only, or newer than the code."""


class DiskFull(StoreUnavailable):
    """The disk is full; nothing of the step was stored."""


class BackendError(JudgeLabError):
    """A model gave no usable reply.

    Args:
        message: what happened, for a person.
        cause: a short stable word for counting ("rate_limit", "timeout", "bad_key", ...).
        retryable: whether the same call may succeed later.
        stops_run: whether no other call of the run can succeed (bad key, quota used up).
        retry_after: seconds the endpoint asked to wait, if any.
        exchange: what was sent and received, as far as known.
        instead: parameters to change before the call is tried again.
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
    """A bug in JudgeLab."""
