"""`judgelab prepare PROJECT steps`: reasoning steps for judges, from task and criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.preparation.asking import Progress, Writer
from judgelab.preparation.evaluation_steps import write_steps
from judgelab.preparation.step import Outcome, Step, steps
from judgelab.store.engine import Store
from judgelab.wording import mark, sentence


class EvaluationSteps(Step):
    """Steps of every criterion, saved as the project's next version."""

    summary = mark("Lets a model write the steps by which a judge reaches its score.")

    def run(
        self,
        store: Store,
        slug: str,
        options: Mapping[str, Any],
        *,
        writer: Writer,
        progress: Progress | None = None,
    ) -> Outcome:
        """Write and save them."""
        report = write_steps(store, slug, writer, progress=progress)
        lines: list[str] = [
            *(
                (sentence("steps saved as version {version}", version=report.version),)
                if report.version
                else ()
            ),
            *((report.text,) if report.text else ()),
            *(
                sentence("{item}: {problem}", item=item, problem=said)
                for item, said in report.problems.items()
            ),
        ]
        return Outcome(lines, report.to_json(), len(report.problems))


steps.register("steps")(EvaluationSteps())
