"""`jl.judge` and `jl.ajudge`: a protocol on a frame's responses, run as a worker runs it."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from judgelab.api.judge_call import JudgeCall
from judgelab.api.judged import Judged
from judgelab.api.progress import Progress
from judgelab.runs.service import RunStatus

LOOK_SECONDS = 0.1
T = TypeVar("T")


def judge(
    data: Any,
    /,
    protocol: str = "direct",
    *,
    model: str,
    criteria: Mapping[str, Any],
    base_url: str | None = None,
    api_key: str | None = None,
    samples: int | None = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    humans: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    concurrency: int | None = None,
    price: tuple[float, float] | None = None,
    budget: float | None = None,
    cache: bool = True,
    progress: bool = True,
    backend: str = "openai_api",
    store: str | Path | None = None,
    project: str | None = None,
    name: str = "",
) -> Judged:
    """Have a judge score a frame's responses, as `judgelab judge` does, and return the frame with the scores.

    Calls, retries, limits, cache, budget and the reading of replies are the app's own. It works in a notebook
    and under any running event loop.

    Args:
        data: a frame with one row a response. Its columns are found by the names that an import knows:
            `response`, `question`, `context`, `reference`, `item`, `system`, `group`.
        protocol: how the judge is asked: `direct`, `geval`, `pairwise`, … (`judgelab protocols` lists all).
        model: the model's name; for the backend `scripted`, a script's file or `rule`; for
            `transformers`, a folder or a name on the Hugging Face hub.
        criteria: the scale of each criterion: {"helpful": (1, 5)}, "yes/no", a list of labels; or a
            dictionary with `scale` and, so that the judge reads more than a name, `question`, `label` or
            `higher_is_better`.
        base_url: the address of an OpenAI-compatible server, up to and including /v1; by default the one in
            OPENAI_BASE_URL, else OpenAI's.
        api_key: its key. It stays in this process and is stored nowhere. Without one, OpenAI's own server,
            or that in OPENAI_BASE_URL, gets the key in OPENAI_API_KEY, and others get none.
        samples: replies for each judgment, which are averaged; None takes as many as the protocol's study.
        temperature: the model's temperature, from 0 to 2; None leaves it to the protocol.
        max_tokens: most tokens of a reply.
        seed: the model's seed.
        options: options of the protocol.
        parameters: further parameters of the backend.
        humans: columns with people's scores, for `.scores`; with several criteria a dictionary of them.
        columns: which column is which, {"response": "my_text"}, where names are not recognised.
        concurrency: calls at the same time; None for 64 at a new server.
        price: US dollars for a million tokens of input and of output, for `.cost` and `budget`.
        budget: US dollars at which the run pauses; needs a price.
        cache: whether replies are kept on disk and taken from there, so that the same call again, also after
            an interruption, asks only for what is missing: in JUDGELAB_HOME if that is set, else in the
            user's cache folder. Only replies of a server are kept.
        progress: whether work of more than a second shows how far it is, on a terminal or in a notebook; in a
            file, a line a minute.
        backend: `openai_api`, `scripted` or `transformers`.
        store: a database (a file, or a URL), in which this becomes a run of a project, to be looked at in the
            app; a worker that runs on it does the work.
        project: the project's name there; "judged" if not given.
        name: the judge's name; made from protocol and model if not given.

    Returns:
        The scores with everything behind them; see `Judged`. What could not be scored is NaN with its reason,
        never 0.

    Raises:
        InvalidInput: something is missing or cannot be used, or the server answered nothing; the message says
            what to do.
        NotFound: no such protocol, model script or criterion.
        KeyboardInterrupt: it was interrupted; replies so far are kept.

    Example:
        >>> import judgelab as jl, pandas as pd
        >>> df = pd.DataFrame({"question": ["2 + 2?", "3 + 3?"], "response": ["4", None]})
        >>> judged = jl.judge(df, model="rule", backend="scripted", criteria={"correct": (0, 3)})
        >>> judged.frame[["response", "correct_state", "correct_reason"]].values.tolist()
        [['4', 'scored', ''], [nan, 'missing', 'no response']]
        >>> judged.run.scored, judged.cost
        (1, None)
    """
    call = JudgeCall(
        data=data,
        protocol=protocol,
        model=model,
        criteria=criteria,
        base_url=base_url,
        api_key=api_key,
        samples=samples,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        options=options,
        parameters=parameters,
        humans=humans,
        columns=columns,
        concurrency=concurrency,
        price=price,
        budget=budget,
        cache=cache,
        backend=backend,
        store=store,
        project=project,
        name=name,
    )
    with call.prepared() as prepared, Progress("judgments", shown=progress) as line:
        try:
            while not (status := prepared.run.look()).resting:
                _tell(line, status)
                line.say(prepared.run.obstacle(status))
                time.sleep(LOOK_SECONDS)
            _tell(line, status)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                line.say("Interrupted: replies to open calls are awaited; interrupt again to drop them.")
            paused = prepared.run.pause()
            if isinstance(error, KeyboardInterrupt):
                _say_how_to_go_on(call, paused)
            raise
        return prepared.result(status)


def _takes_what_judge_takes(function: Callable[..., T]) -> Callable[..., T]:
    """Give a function the signature of `judge`, and what its docstring says of arguments and results."""
    ours, theirs = inspect.getdoc(function) or "", inspect.getdoc(judge) or ""
    before, example, after = ours.partition("Example:\n")
    sections = theirs[theirs.find("Args:\n") : theirs.find("Example:\n")]
    function.__doc__ = f"{before}{sections}{example}{after}"
    function.__signature__ = inspect.signature(judge)  # type: ignore[attr-defined]
    return function


@_takes_what_judge_takes
async def ajudge(data: Any, /, protocol: str = "direct", *, progress: bool = True, **given: Any) -> Judged:
    """Do what `jl.judge` does inside an event loop, which goes on meanwhile; takes the same arguments.

    If the task is cancelled, answers in flight are stored first, and the same call again goes on.

    Example:
        >>> import judgelab as jl, asyncio, pandas as pd
        >>> df = pd.DataFrame({"question": ["2 + 2?"], "response": ["4"]})
        >>> call = jl.ajudge(df, model="rule", backend="scripted", criteria={"correct": (0, 3)})
        >>> asyncio.run(call).run.scored
        1
    """
    inspect.signature(judge).bind(data, protocol, progress=progress, **given)  # an error names `judge`'s own
    call = JudgeCall(data, protocol, **given)
    with ExitStack() as stack:
        preparing = asyncio.create_task(asyncio.to_thread(stack.enter_context, call.prepared()))
        try:
            prepared = await asyncio.shield(preparing)
        except asyncio.CancelledError:
            await asyncio.gather(preparing, return_exceptions=True)  # it goes on, and must be closed
            raise
        line = stack.enter_context(Progress("judgments", shown=progress))
        try:
            while not (status := await asyncio.to_thread(prepared.run.look)).resting:
                _tell(line, status)
                line.say(await asyncio.to_thread(prepared.run.obstacle, status))
                await asyncio.sleep(LOOK_SECONDS)
            _tell(line, status)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(prepared.run.pause))
            raise
        return await asyncio.to_thread(prepared.result, status)


def _tell(line: Progress, status: RunStatus) -> None:
    counts = {"unscored": status.unscored, "failed": status.failed, "from the cache": status.cached}
    notes = [f"{count:,} {word}" for word, count in counts.items() if count]
    notes += [f"{status.cost:.2f} USD"] if status.cost else []
    line.tell(status.units - status.waiting, status.units, ", ".join(notes))


def _say_how_to_go_on(call: JudgeCall, status: RunStatus) -> None:
    made = f"{status.units - status.waiting:,} of {status.units:,} judgments were made"
    if call.store is not None:
        said = f"{made} and are kept; `judgelab run resume {status.run}` goes on, and so does the same call."
    elif call.cache:
        said = f"{made}; their replies are kept: the same call again asks only for the rest."
    else:
        said = f"{made} and are lost, as cache=False keeps nothing."
    print(f"\nInterrupted: {said}", file=sys.stderr, flush=True)
