"""`judgment`: how a run judged a response, with all prompts, replies and failed calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.runs.execute import provenance
from judgelab.store.judging.judgment_records import JudgmentTrace, RecordedFailure, RecordedReply


def register(app: typer.Typer) -> None:
    """Add `judgment`."""
    app.command("judgment")(judgment)


def judgment(
    run: int,
    response: Annotated[str, typer.Argument(help="The response's id, or ITEM/RESPONSE.")],
    criterion: Annotated[str, typer.Option(help="Only the judgment about this criterion.")] = "",
    as_json: Json = False,
) -> None:
    """Show how a run judged a response: prompt, parameters sent, model, request ids, bodies, all calls."""
    traces = provenance.judgments(shared.store(), run, response, criterion=criterion)
    shared.emit(
        [provenance.to_json(trace) for trace in traces],
        as_json=as_json,
        text="\n\n".join("\n".join(_trace_lines(trace)) for trace in traces),
    )


def _trace_lines(record: JudgmentTrace) -> Iterator[str]:
    about = "" if record.criteria == "*" else f", {record.criteria}"
    yield f"Run {record.run}: {record.item}, {record.response} ({record.system}){about}"
    several = len({verdict.response for verdict in record.verdicts}) > 1
    scores = ", ".join(
        f"{verdict.response + ' ' if several else ''}{verdict.criterion} {verdict.score:g}"
        for verdict in record.verdicts
    )
    yield f"{record.state}: {scores or record.reason}"
    yield f"Judge: {record.judge}, {record.protocol}, template version {record.template_version or 'unknown'}"
    where = f" at {record.endpoint} ({record.address})" if record.endpoint else ""
    yield f"Model: {record.model}{where}; parameters {_json(record.parameters)}, {record.samples} samples"
    yield f"JudgeLab {record.code_version or 'unknown'}"
    shown = None
    for reply in record.replies:
        if reply.messages and reply.messages != shown:
            shown = reply.messages
            yield "Prompt:"
            yield from (f"[{message['role']}]\n{message['content']}" for message in shown)
        yield from _reply_lines(reply)
    for failure in record.failures:
        yield _failure_text(failure)


def _reply_lines(reply: RecordedReply) -> Iterator[str]:
    facts = [
        f"answered by {reply.model}" if reply.model else f"no answer ({reply.cause})" if reply.cause else "",
        f"request {reply.request_id}" if reply.request_id else "",
        f"{reply.latency:z.2f} s" if reply.latency is not None else "",
        _tokens_text(reply),
        shared.counted(reply.calls, "call"),
        "from the cache" if reply.cached else "",
        f"finish reason {reply.finish_reason}" if reply.finish_reason else "",
        f"JudgeLab {reply.code_version}" if reply.code_version else "",
    ]
    call = f" ({reply.call_key})" if reply.call_key else ""
    yield f"Reply {reply.sample + 1}{call}: {', '.join(filter(None, facts))}"
    yield f"  sent: {_json(reply.sent)}"
    if reply.usage:
        yield f"  usage: {_json(reply.usage)}"
    yield f"  read: {_json(reply.reading)}"
    yield f"  body: {reply.body or '(not stored)'}"


def _failure_text(call: RecordedFailure) -> str:
    facts = [
        f"status {call.status}" if call.status is not None else "",
        f"request {call.request_id}" if call.request_id else "",
        f"{call.latency:z.2f} s" if call.latency is not None else "",
        _tokens_text(call),
    ]
    start = f"Failed call {call.number} for reply {call.sample + 1}: {call.cause}"
    details = ", ".join(filter(None, facts))
    lines = [f"{start}, {details}" if details else start, f"  {call.message}", f"  sent: {_json(call.sent)}"]
    return "\n".join([*lines, f"  body: {call.body}"] if call.body else lines)


def _tokens_text(call: RecordedReply | RecordedFailure) -> str:
    if call.prompt_tokens is None and call.completion_tokens is None:
        return ""
    return f"{call.prompt_tokens or 0} + {call.completion_tokens or 0} tokens"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
