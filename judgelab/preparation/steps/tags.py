"""`judgelab prepare PROJECT tags`: a model proposes why a judge and the raters differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.options import Option
from judgelab.preparation.asking import Progress, Writer
from judgelab.preparation.step import Outcome, Step, steps
from judgelab.preparation.tag_proposals import propose
from judgelab.store.engine import Store
from judgelab.wording import counted, mark, sentence


class Tags(Step):
    """Proposals; they count for nothing until a person accepts them on the page Explain."""

    summary = mark(
        "Lets a model propose why a judge and the raters differ; a person accepts or dismisses it."
    )
    options = (
        Option("judge", "text", "", help=mark("The judge or metric whose differences are looked at.")),
        Option("criterion", "text", "", help=mark("The criterion; the first when empty.")),
        Option("limit", "int", 0, help=mark("At most so many differences, the largest first; 0 for all.")),
    )

    def run(
        self,
        store: Store,
        slug: str,
        options: Mapping[str, Any],
        *,
        writer: Writer,
        progress: Progress | None = None,
    ) -> Outcome:
        """Ask and keep the proposals."""
        if not options["judge"]:
            raise InvalidInput(sentence("option {name} is needed; give it with --option.", name="judge"))
        came = propose(
            store,
            slug,
            options["judge"],
            writer,
            criterion=options["criterion"],
            limit=max(0, options["limit"]),
            progress=progress,
        )
        lines: list[str] = [
            counted(
                "{n} tag proposed for {differences} differences of {judge}; accept it on the page Explain",
                "{n} tags proposed for {differences} differences of {judge}; accept them on the page Explain",
                came.proposed,
                differences=came.disagreements,
                judge=came.judge,
            )
        ]
        if came.none:
            lines.append(
                counted("{n} reply names no mode that fits", "{n} replies name no mode that fits", came.none)
            )
        if came.unread or came.failed:
            lines.append(
                sentence(
                    "{unread} replies could not be read, {failed} calls failed",
                    unread=came.unread,
                    failed=came.failed,
                )
            )
        return Outcome(lines, asdict(came), came.unread + came.failed)


steps.register("tags")(Tags())
