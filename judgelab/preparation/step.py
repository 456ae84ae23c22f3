"""What `judgelab prepare PROJECT WHAT` can do: each step is one file in `judgelab.preparation.steps`.

A step is named after WHAT; where WHAT has several kinds, after both: `references.generated`. A step with the
bare name is the one that is meant where no kind is given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.judges.large_disagreements import LargeDisagreement
from judgelab.options import Option, settle
from judgelab.preparation.generation.generate import OnProgress, WriterModel
from judgelab.registry import Registry
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.wording import mark, sentence

WRITER_OPTIONS = (
    Option("model", "text", "", help=mark("Model that writes the texts.")),
    Option("endpoint", "text", "", help=mark("Endpoint that serves the model.")),
    Option("backend", "text", "", help=mark("Backend, for models without an endpoint.")),
    Option("temperature", "text", "", help=mark("Sampling temperature; empty for the step's default.")),
    Option("max_tokens", "text", "", help=mark("Maximum tokens per text; empty for no limit.")),
    Option("writer_seed", "text", "", help=mark("Random seed for sampling.")),
)


# Of a project, a judge or metric, and a criterion; the first criterion when empty.
Differences = Callable[[Store, str, str, str], Sequence[LargeDisagreement]]


@dataclass(frozen=True)
class StepReport:
    """A step's report: lines for a person, the same as data, and how much is missing."""

    lines: Sequence[str]
    data: Mapping[str, Any] = field(default_factory=dict)
    missing: int = 0


@dataclass(frozen=True)
class StepWork:
    """The work for one step.

    Attributes:
        store: the database.
        slug: the project.
        options: the settled options.
        writer: who writes, if anybody does.
        progress: is told how many calls of how many are done.
        differences: takes where a judge is far from the people; the step for tags needs it.
    """

    store: Store
    slug: str
    options: Mapping[str, Any]
    writer: WriterModel
    progress: OnProgress | None = None
    differences: Differences | None = None


class PreparationStep(ABC):
    """One preparation.

    Attributes:
        summary: one sentence for lists.
        options: what may be set, beside who writes.
        writes: whether a model writes, so that the options that name it are known.
        parameters: how the model is asked unless the user says otherwise.
    """

    summary: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    writes: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, Any]] = {"temperature": 0.0}

    @abstractmethod
    def run(self, work: StepWork) -> StepReport:
        """Run the step and return its report.

        Raises:
            UserError: it cannot be done; the sentence says what to do.
        """


steps: Registry[PreparationStep] = Registry(mark("preparation"), "judgelab.preparation.steps")


def kinds() -> list[str]:
    """Return what can be prepared: `references`, `roles`, ..."""
    return sorted({name.partition(".")[0] for name in steps.names()})


def prepare(
    store: Store,
    slug: str,
    what: str,
    options: Mapping[str, Any],
    *,
    progress: OnProgress | None = None,
    differences: Differences | None = None,
    person_id: int | None = None,
) -> StepReport:
    """Do the preparation that `what` and, where there are several, the option `kind` name.

    Args:
        store: the database.
        slug: the project.
        what: `references`, `roles`, ...
        options: of the step, and who writes.
        progress: is told how many calls of how many are done.
        differences: takes where a judge is far from the people; tags are proposed of these.
        person_id: who has it done, for the audit log.

    Raises:
        UserError: no such preparation or option, or it cannot be done.
    """
    given = dict(options)
    of_kind = [name for name in steps.names() if name.startswith(f"{what}.")]
    name = what
    if of_kind and (what not in steps.names() or "kind" in given):
        names = [name_of_step.partition(".")[2] for name_of_step in of_kind]
        kind = given.pop("kind", "")
        if not kind:
            raise InvalidInput(
                sentence(
                    "'{what}' comes in several kinds; choose one with --option kind=NAME: {kinds}.",
                    what=what,
                    kinds=", ".join(names),
                )
            )
        if kind not in names:
            raise NotFound(mark("kind"), kind, names)
        name = f"{what}.{kind}"
    elif what not in steps.names():
        raise NotFound(mark("preparation"), what, kinds())
    step = steps.get(name)
    settled = settle((*step.options, *(WRITER_OPTIONS if step.writes else ())), given)
    writer = writer_of(settled, step.parameters)
    report = step.run(StepWork(store, slug, settled, writer, progress, differences))
    if person_id is not None:
        record_act(store, slug, f"prepared_{what}", person_id=person_id, detail=report.data)
    return report


def record_act(
    store: Store, slug: str, action: str, *, person_id: int, detail: Mapping[str, Any] | None = None
) -> None:
    """Record in the audit log what a person prepared or edited; of `detail`, only texts and numbers."""
    kept = {key: value for key, value in (detail or {}).items() if isinstance(value, int | float | str)}
    audit.record_done(store, slug, action, person_id=person_id, detail=kept)


def writer_of(options: Mapping[str, Any], parameters: Mapping[str, Any]) -> WriterModel:
    """Return who writes by the options; raises `InvalidInput` for what is no number."""
    requested: dict[str, Any] = dict(parameters)
    for option, name, kind in (
        ("temperature", "temperature", float),
        ("max_tokens", "max_tokens", int),
        ("writer_seed", "seed", int),
    ):
        given = str(options.get(option, "")).strip()
        if given:
            try:
                requested[name] = kind(given)
            except ValueError:
                raise InvalidInput(
                    sentence("option {name}: '{value}' is not a number.", name=option, value=given)
                ) from None
    endpoint = str(options.get("endpoint", ""))
    backend = str(options.get("backend", "")) or "openai_api"
    return WriterModel(str(options.get("model", "")), backend, endpoint or None, requested)
