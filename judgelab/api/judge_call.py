"""A call of `jl.judge`: its arguments checked, and the run that it becomes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from judgelab.api.import_words import in_call
from judgelab.api.judge_arguments import CALL, START, check_arguments, criteria_of, humans_of
from judgelab.api.judge_keys import OPENAI_KEY, OPENAI_URL, key_in_environment, key_variable
from judgelab.api.judge_store import (
    ImportedRow,
    Workplace,
    import_frame,
    prepare_endpoint,
    prepare_project,
    workplace,
)
from judgelab.api.judged import SHOWN, Humans, Judged, judged_frame, prompt_frame, reply_frame, run_of
from judgelab.api.texts import text_columns
from judgelab.backends import Backend, backends
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.protocols import protocols
from judgelab.runs import service
from judgelab.runs.endpoints.service import set_price
from judgelab.runs.in_process import RunHere
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.service import RunStatus
from judgelab.store.judging.run_results import run_results

ABOUT = "judgelab"  # what `attrs` holds of us


@dataclass(frozen=True)
class JudgeCall:
    """The arguments of `jl.judge`, which says what they mean."""

    data: Any = field(repr=False)
    protocol: str = "direct"
    model: str = ""
    criteria: Mapping[str, Any] = field(default_factory=dict)
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    samples: int | None = 1
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    options: Mapping[str, Any] | None = None
    parameters: Mapping[str, Any] | None = None
    humans: Sequence[str] | Mapping[str, Sequence[str]] | None = None
    columns: Mapping[str, str | Sequence[str]] | None = None
    concurrency: int | None = None
    price: tuple[float, float] | None = None
    budget: float | None = None
    cache: bool = True
    backend: str = "openai_api"
    store: str | Path | None = None
    project: str | None = None
    name: str = ""

    @contextmanager
    def prepared(self) -> Iterator[PreparedRun]:
        """Yield the run, stored and not begun; its database is closed at the end.

        Raises:
            UserError: something cannot be taken; nothing was sent.
        """
        check_arguments(self)
        protocols.get(self.protocol)
        kind = backends.get(self.backend)
        texts = text_columns(self.data, self.columns, call=START)
        criteria = criteria_of(self.criteria)
        frame = self.data if isinstance(self.data, pd.DataFrame) else texts.frame
        _refuse_taken(frame, texts.frame, criteria)
        if not any(response is not None for response in texts.texts("response")):
            raise InvalidInput("the frame has no response to judge; every one is missing.")
        humans = humans_of(self.humans, texts.frame, criteria)
        url, variable = self._server(kind)
        with (
            key_in_environment(variable or "", self.api_key if url else None),
            workplace(self.store, self.project, keeps_replies=self.cache and bool(url)) as place,
        ):
            self._refuse_workers_without_key(place)
            slug = prepare_project(place, criteria)
            rows = import_frame(place.store, slug, texts)
            run_id = self._stored_run(place, slug, rows, criteria, url=url, variable=variable)
            yield PreparedRun(place, RunHere(place.store, run_id), frame, criteria, humans, rows)

    def _server(self, kind: type[Backend]) -> tuple[str, str | None]:
        """Return the server's address, empty without one, and the variable that holds its key."""
        if not kind.needs_endpoint:
            if self.base_url or self.api_key:
                raise InvalidInput(
                    f'backend="{self.backend}" asks no server; leave out base_url and api_key.'
                )
            return "", None
        url = self.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
        if self.api_key is not None:
            return url, key_variable(url)
        if self.base_url is None:
            if not os.environ.get(OPENAI_KEY):
                raise InvalidInput(
                    f"there is no base_url, and {OPENAI_KEY} is not set; name a server: {CALL}."
                )
            return url, OPENAI_KEY
        if url.rstrip("/") == OPENAI_URL and os.environ.get(OPENAI_KEY):
            return url, OPENAI_KEY
        return url, None

    def _refuse_workers_without_key(self, place: Workplace) -> None:
        if place.given and self.api_key is not None and service.live_workers(place.store, "api"):
            raise InvalidInput(
                "a worker that runs on this database does the work and takes keys from its own environment: "
                "leave out api_key, or stop the worker (`judgelab up`) first."
            )

    def _stored_run(
        self,
        place: Workplace,
        slug: str,
        rows: Sequence[ImportedRow],
        criteria: Sequence[Criterion],
        *,
        url: str,
        variable: str | None,
    ) -> int:
        endpoint = None
        if url:
            endpoint = prepare_endpoint(
                place, url, variable=variable, concurrency=self.concurrency, named=self.api_key is not None
            )
            if self.price is not None:
                prompt, completion = self.price
                set_price(place.store, endpoint, self.model, prompt=prompt, completion=completion)
        sampling = {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed}
        spec = JudgeSpec(
            protocol=self.protocol,
            model=self.model,
            backend=self.backend,
            endpoint=endpoint,
            options=dict(self.options or {}),
            parameters={
                **(self.parameters or {}),
                **{name: value for name, value in sampling.items() if value is not None},
            },
            samples=self.samples,
            name=self.name,
        )
        responses = tuple(row.response for row in rows if row.response is not None)
        selection = Selection(responses=responses, criteria=tuple(criterion.key for criterion in criteria))
        return service.create_run(place.store, slug, spec, selection, budget=self.budget, cache=self.cache)


@dataclass(frozen=True)
class PreparedRun:
    """A stored run of a frame's rows."""

    place: Workplace
    run: RunHere
    frame: pd.DataFrame
    criteria: tuple[Criterion, ...]
    humans: Humans
    rows: Sequence[ImportedRow]

    def result(self, status: RunStatus) -> Judged:
        """Return what the run brought; raises `InvalidInput` if it stopped without a score."""
        if status.state == "stopped" and not status.scored:
            raise InvalidInput(self._reason(status))
        with self.place.store.reading() as session:
            results = run_results(session, status.run)
        rows = [row.response for row in self.rows]
        frame = judged_frame(self.frame, results, rows, self.criteria)
        about = frame.attrs.get(ABOUT, {})
        judged = dict.fromkeys([*about.get("judged", ()), *(criterion.key for criterion in self.criteria)])
        frame.attrs[ABOUT] = {**about, "judged": list(judged)}
        return Judged(
            frame,
            prompt_frame(results, rows),
            reply_frame(results, rows),
            run_of(replace(status, reason=self._reason(status))),
            self.criteria,
            self.humans,
            tuple(row.item for row in self.rows),
            tuple(row.system for row in self.rows),
        )

    def _reason(self, status: RunStatus) -> str:
        """Return why the run ended, with what helps in Python."""
        return in_call(status.reason, resumable=self.place.given)


def _refuse_taken(given: pd.DataFrame, frame: pd.DataFrame, criteria: Sequence[Criterion]) -> None:
    """Refuse a frame with a column of a name that we need, unless an earlier call made it."""
    ours = given.attrs.get(ABOUT, {}).get("judged", ())
    for criterion in criteria:
        for end in SHOWN:
            name = criterion.key + end
            if criterion.key not in ours and name in frame.columns:
                raise InvalidInput(
                    f"the frame has a column '{name}' already; rename it: "
                    f'jl.judge(df.rename(columns={{"{name}": "my_{name}"}}), …).'
                )
