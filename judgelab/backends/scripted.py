"""Replies written beforehand: an ordinary backend without a model, for tests, demos and dry runs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judgelab.backends.base import Backend, Connection, backends
from judgelab.backends.sample_replies import PREFIX, sample_script
from judgelab.domain import Message, Reply, Usage
from judgelab.errors import BackendError, InvalidInput
from judgelab.wording import mark, sentence

RULE = "rule"
DEFAULT_ANSWERS = ("0", "1", "2", "3")


@backends.register("scripted")
class ScriptedBackend(Backend):
    """Answers from a script, or by a rule; its verdicts are labelled as scripted wherever they appear.

    The model names the script: a JSON file `{"text found in the prompt": ["reply to sample 0", ...]}`, whose
    entry "*" answers all other prompts; `demo:FOLDER/JUDGE`, the replies written for a judge of the demo; or
    `rule`, which picks one of `answers` by a hash of prompt and sample. The same prompt and sample always get
    the same reply, after `latency` seconds and up to `uneven` more, so that they come one after another.
    """

    title = mark("Scripted (no model)")
    origin = "scripted"
    own_parameters = {
        "latency": 0.0,
        "uneven": 0.0,
        "fault": 0.0,
        "fault_cause": "server_error",
        "answers": DEFAULT_ANSWERS,
    }

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._scripts: dict[str, Mapping[str, Sequence[str]]] = {}
        self._calls = 0

    async def complete(
        self, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int = 0
    ) -> list[Reply]:
        """Return the written replies to the samples from `first_sample` on."""
        settings = {**self.own_parameters, **parameters}
        prompt = "\n".join(message.content for message in messages)
        self._calls += 1
        waited = float(settings["latency"]) + float(settings["uneven"]) * _share(f"{prompt}|wait")
        await asyncio.sleep(waited)
        self._maybe_fail(prompt, settings)
        samples = range(first_sample, first_sample + int(settings.get("n") or 1))
        return [self._reply(prompt, sample, settings, waited) for sample in samples]

    def _maybe_fail(self, prompt: str, settings: Mapping[str, Any]) -> None:
        # By call number, so that a retry of the same prompt can succeed.
        if _share(f"{prompt}|{self._calls}|fault") < float(settings["fault"]):
            cause = str(settings["fault_cause"])
            stops = cause in ("bad_key", "quota")
            raise BackendError(
                sentence("the script simulates an error: {cause}", cause=cause),
                cause=cause,
                retryable=not stops,
                stops_run=stops,
                retry_after=0.05,
            )

    def _reply(self, prompt: str, sample: int, settings: Mapping[str, Any], waited: float) -> Reply:
        text = self._text(prompt, sample, settings)
        body = {"object": "scripted", "sample": sample, "text": text}
        return Reply(
            text=text,
            body=json.dumps(body, ensure_ascii=False),
            model=str(settings["model"]),
            finish_reason="stop",
            usage=Usage(len(prompt) // 4, max(1, len(text) // 4)),
            latency=waited,
            sent={"model": settings["model"], "sample": sample},
        )

    def _text(self, prompt: str, sample: int, settings: Mapping[str, Any]) -> str:
        name = str(settings["model"])
        if name == RULE:
            answers = list(settings["answers"])
            return str(answers[int(_share(f"{prompt}|{sample}") * len(answers))])
        if name not in self._scripts:
            self._scripts[name] = read_script(name)
        script = self._scripts[name]
        replies = next((script[key] for key in script if key != "*" and key in prompt), script.get("*"))
        if not replies:
            raise BackendError(
                sentence("{script} has no reply for this prompt", script=name),
                cause="no_reply",
                retryable=False,
            )
        return str(replies[sample % len(replies)])


def read_script(path: str) -> dict[str, list[str]]:
    """Return the script in a JSON file, or one of the demo; raises `InvalidInput` saying what it must be."""
    if path.startswith(PREFIX):
        return sample_script(path)
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(
            sentence("can't read the script {path}: {error}.", path=path, error=str(error))
        ) from None
    if not isinstance(data, dict):
        raise InvalidInput(
            sentence(
                "the script {path} must be a JSON object: {form}.",
                path=path,
                form='{"text in the prompt": ["reply", ...]}',
            )
        )
    return {
        str(key): [value] if isinstance(value, str) else [str(v) for v in value]
        for key, value in data.items()
    }


def _share(text: str) -> float:
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
