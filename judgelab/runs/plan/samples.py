"""The samples of a unit: the call that each answers, and its index among replies to the same prompt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judgelab.domain import Message, Task
from judgelab.protocols import Call
from judgelab.protocols.core.base import continue_conversation
from judgelab.protocols.core.prompts import prompt_hash
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.store.judging.judgments import StoredReply

NO_REPLIES: Mapping[int, StoredReply] = {}


class Sample(NamedTuple):
    """One reply that a unit needs.

    Attributes:
        number: draw * calls of a draw + place of the call; what it is stored under.
        call: the call that it answers.
        prompt: the hash of the call's messages.
        turn: how many replies to the same prompt come before it in the unit. A fixed seed is moved by it and
            the cache knows the reply by it, so that a unit which got further calls still finds its own.
    """

    number: int
    call: Call
    prompt: str
    turn: int

    @property
    def shown(self) -> list[dict[str, str]]:
        """Return the prompt as it is stored."""
        return [{"role": message.role, "content": message.content} for message in self.call.messages]

    @property
    def place(self) -> dict[str, Any]:
        """Return which call it is, as values of a completion's row."""
        return {"call_key": self.call.key, "call_data": dict(self.call.data)}


class UnitPrompts:
    """A unit's prompts: the calls of one draw, built once, and the samples that can be requested.

    Raises:
        InvalidInput: the options do not suit this task.
    """

    def __init__(self, judge_config: JudgeConfig, task: Task) -> None:
        self._draws = judge_config.judge.samples
        self._calls = [_as_stored(call) for call in judge_config.calls(task)]
        self._hashes = [prompt_hash(call.messages) for call in self._calls]

    def samples(self, replies: Mapping[int, StoredReply] = NO_REPLIES) -> list[Sample]:
        """Return the samples that can be asked for: every call once for each draw.

        A call that is a further turn of a talk (`Call.after`) is there once the earlier one is among
        `replies`.
        """
        calls = self._calls
        places = {call.key: place for place, call in enumerate(calls)}
        turns: Counter[str] = Counter()
        samples = []
        for number in range(self._draws * len(calls)):
            place = number % len(calls)
            call, key = calls[place], self._hashes[place]
            if call.after:
                before = replies.get(number - place + places[call.after])
                if before is None:
                    continue
                call = continue_conversation(calls[places[call.after]], before.text, call)
                key = prompt_hash(call.messages)
            samples.append(Sample(number, call, key, turns[key]))
            turns[key] += 1
        return samples


def samples_of(
    judge_config: JudgeConfig, task: Task, replies: Mapping[int, StoredReply] = NO_REPLIES
) -> list[Sample]:
    """Return the samples of a unit that can be asked for; raises `InvalidInput` (`UnitPrompts`)."""
    return UnitPrompts(judge_config, task).samples(replies)


def _as_stored(call: Call) -> Call:
    """Return a call as the database gives it back: a reply read again must be read with the same data."""
    return call._replace(data=json.loads(json.dumps(call.data))) if call.data else call


def by_prompt(samples: Sequence[Sample]) -> list[list[Sample]]:
    """Return the samples by prompt: one request may ask for all replies to the same one."""
    by_place: dict[str, list[Sample]] = {}
    for sample in samples:
        by_place.setdefault(sample.prompt, []).append(sample)
    return list(by_place.values())


def call_of(reply: StoredReply, samples: Mapping[int, Sample]) -> Call:
    """Return the call that a stored reply answers, as it was sent."""
    now = samples.get(reply.sample)
    if not reply.call_key and not reply.call_data:
        return now.call if now else Call(())
    messages: Sequence[Message] = now.call.messages if now else ()
    return Call(messages, reply.call_key, reply.call_data)
