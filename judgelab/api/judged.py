"""What `jl.judge` returns: a frame's rows with a judge's scores, and everything behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.api.html import html_table
from judgelab.api.scores import Scores, scores
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.protocols import protocols
from judgelab.runs.service import RunStatus
from judgelab.scales import scale_from_json
from judgelab.store.judging.run_results import RunResults

ALL = "*"
NO_RESPONSE = "no response"
Humans = Mapping[str, Mapping[str, Sequence[Any]]]  # people's scores by criterion and column
SHOWN = ("", "_rationale", "_reply", "_state", "_reason")


@dataclass(frozen=True)
class JudgeRun:
    """The run behind a judge's scores: what was asked and what came of it.

    Attributes:
        id: its number in the database.
        judge: the judge's name.
        state: done, or paused or stopped with its reason.
        units: judgments to be made: scored, unscored, failed and, in a run that did not end, waiting.
        calls: requests that were made, failed ones included; none for replies from the cache.
        completions: replies, of which `cached` were kept from before.
        faults: failed calls by cause, also those that a later attempt made good.
        cost: US dollars; None where no price is known.
        template_version: of the prompt.
    """

    id: int
    judge: str
    protocol: str
    model: str
    state: str
    reason: str
    units: int
    scored: int
    unscored: int
    failed: int
    waiting: int
    calls: int
    completions: int
    cached: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float
    faults: Mapping[str, int]
    template_version: str


@dataclass(frozen=True, repr=False)
class Judged:
    """A judge's scores of a frame's responses, and what was sent and received for them.

    Attributes:
        frame: the frame as it was given, with five more columns for each criterion: its name ("Clear text" is
            `clear_text`; the score, NaN where there is none), `NAME_rationale`, `NAME_reply` (the first raw
            reply), `NAME_state` (scored, unscored: no score could be read in the reply, failed: no reply
            came, waiting: not asked, missing: the row has no response) and `NAME_reason` (of a row without a
            score).
        prompts: one row a prompt that was sent: row (of `frame`, counted from 0), criterion ("*" for all at
            once), call, role, content.
        replies: one row a reply: row, criterion, sample, call, text, model, cached, prompt_tokens,
            completion_tokens, cost, latency (seconds), reason (why no score was read in it).
        run: counts, cost and state of the run.
    """

    frame: pd.DataFrame
    prompts: pd.DataFrame
    replies: pd.DataFrame
    run: JudgeRun
    _criteria: tuple[Criterion, ...] = ()
    _humans: Humans = field(default_factory=dict)
    _items: tuple[str, ...] = ()
    _systems: tuple[str, ...] = ()

    @property
    def cost(self) -> float | None:
        """Return what the replies cost in US dollars; None where no price is known."""
        return self.run.cost

    @property
    def scores(self) -> Scores:
        """Return the judge's scores, beside those of the raters if there are any, for `jl.agreement(…)`.

        Raises:
            InvalidInput: there is no score.
        """
        parts = []
        for criterion in self._criteria:
            judge = self.frame[criterion.key].tolist()
            parts.append(self._part(criterion.key, self.run.judge, "judge", judge))
            for name, values in self._humans.get(criterion.key, {}).items():
                parts.append(self._part(criterion.key, name, "human", values))
        long = pd.concat(parts, ignore_index=True)
        if not long["score"].notna().any():
            raise InvalidInput("the judge gave no score; .frame says why, row by row.")
        found = scores(long, scale={each.key: scale_from_json(each.scale) for each in self._criteria})
        if not protocols.get(self.run.protocol).own_scale:
            return found
        return replace(found, _data=replace(found._data, own_scale=frozenset({self.run.judge})))

    def to_frame(self) -> pd.DataFrame:
        """Return the frame with the scores, a copy."""
        return self.frame.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the run's counts and the scores by criterion, row by row, None where there is none."""
        counts = ("judge", "protocol", "model", "state", "reason", "units", "scored", "unscored", "failed")
        return {
            **{name: getattr(self.run, name) for name in (*counts, "calls", "cached", "cost")},
            "scores": {
                each.key: [None if pd.isna(score) else float(score) for score in self.frame[each.key]]
                for each in self._criteria
            },
        }

    def __repr__(self) -> str:
        return f"Judged: {self._summary()}"

    def _repr_html_(self) -> str:
        columns = [name for each in self._criteria for name in (each.key, f"{each.key}_reason")]
        return html_table(self.frame[columns], caption=self._summary())

    def _summary(self) -> str:
        run = self.run
        parts = [f"{run.scored:,} of {run.units:,} judgments scored by {run.judge}"]
        counts = {"unscored": run.unscored, "failed": run.failed, "not made": run.waiting}
        parts += [f"{count:,} {word}" for word, count in counts.items() if count]
        parts += [f"{run.cached:,} replies from the cache"] if run.cached else []
        parts += [f"{run.cost:.4f} USD"] if run.cost else []
        said = ", ".join(parts)
        return f"{said}; {run.state}: {run.reason}" if run.state != "done" and run.reason else f"{said}."

    def _part(self, criterion: str, rater: str, kind: str, values: Sequence[Any]) -> pd.DataFrame:
        part = pd.DataFrame({"item": list(self._items), "score": pd.Series(values, dtype=object)})
        if any(self._systems):
            part["system"] = list(self._systems)
        part["response_id"] = [str(row) for row in range(len(part))]
        return part.assign(criterion=criterion, rater=rater, kind=kind)


def run_of(status: RunStatus) -> JudgeRun:
    """Return what a result says of its run."""
    names = [one.name for one in fields(JudgeRun) if one.name != "id"]
    return JudgeRun(id=status.run, **{name: getattr(status, name) for name in names})


def judged_frame(
    frame: pd.DataFrame, results: RunResults, rows: Sequence[int | None], criteria: Sequence[Criterion]
) -> pd.DataFrame:
    """Return the frame with the columns of each criterion; `rows` has each row's response, None for none."""
    place = {response: row for row, response in enumerate(rows) if response is not None}
    first: dict[int, str] = {}
    for reply in results.replies:
        if reply.text:
            first.setdefault(reply.judgment, reply.text)
    judged = frame.copy()
    for criterion in criteria:
        columns: dict[str, list[Any]] = {name: [""] * len(rows) for name in SHOWN}
        columns[""] = [np.nan] * len(rows)
        columns["_state"] = ["missing" if response is None else "waiting" for response in rows]
        columns["_reason"] = [NO_RESPONSE if response is None else "" for response in rows]
        for unit in results.units:
            if unit.criteria not in (criterion.key, ALL):
                continue
            for response in unit.responses:
                if response in place:
                    columns["_state"][place[response]] = unit.state
                    columns["_reason"][place[response]] = unit.reason
                    columns["_reply"][place[response]] = first.get(unit.judgment, "")
        for score in results.scores:
            if score.criterion == criterion.key and score.response in place:
                columns[""][place[score.response]] = float(score.score)
                columns["_rationale"][place[score.response]] = score.rationale
        for name, values in columns.items():
            judged[criterion.key + name] = np.array(values, dtype=None if name == "" else object)
    return judged


def reply_frame(results: RunResults, rows: Sequence[int | None]) -> pd.DataFrame:
    """Return one row a reply."""
    place = _first_rows(results, rows)
    return pd.DataFrame(
        [
            {
                "row": place[reply.judgment][0],
                "criterion": place[reply.judgment][1],
                "sample": reply.sample,
                **{
                    name: getattr(reply, name)
                    for name in ("call", "text", "model", "cached", "prompt_tokens", "completion_tokens")
                },
                "cost": reply.cost,
                "latency": reply.latency,
                "reason": reply.reason,
            }
            for reply in results.replies
        ],
        columns=[
            *("row", "criterion", "sample", "call", "text", "model", "cached", "prompt_tokens"),
            *("completion_tokens", "cost", "latency", "reason"),
        ],
    )


def prompt_frame(results: RunResults, rows: Sequence[int | None]) -> pd.DataFrame:
    """Return one row a message of each prompt that was sent."""
    place = _first_rows(results, rows)
    sent = dict.fromkeys((reply.judgment, reply.call, reply.prompt) for reply in results.replies)
    return pd.DataFrame(
        [
            {
                "row": place[judgment][0],
                "criterion": place[judgment][1],
                "call": call,
                "role": message["role"],
                "content": message["content"],
            }
            for judgment, call, prompt in sent
            for message in results.prompts.get(prompt, ())
        ],
        columns=["row", "criterion", "call", "role", "content"],
    )


def _first_rows(results: RunResults, rows: Sequence[int | None]) -> dict[int, tuple[int, str]]:
    place = {response: row for row, response in enumerate(rows) if response is not None}
    return {
        unit.judgment: (min(place[each] for each in unit.responses if each in place), unit.criteria)
        for unit in results.units
        if any(each in place for each in unit.responses)
    }
