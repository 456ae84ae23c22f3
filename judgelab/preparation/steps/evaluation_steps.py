"""`judgelab prepare PROJECT steps`: reasoning steps for judges, from task and criteria."""

from __future__ import annotations

from judgelab.preparation.evaluation_steps import write_steps
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.wording import mark, sentence


class WriteEvaluationSteps(PreparationStep):
    """Steps of every criterion, saved as the project's next version."""

    summary = mark("Uses a model to write the steps by which a judge reaches its score.")

    def run(self, work: StepWork) -> StepReport:
        """Write and save them."""
        report = write_steps(work.store, work.slug, work.writer, progress=work.progress)
        lines: list[str] = [
            *(
                (sentence("steps saved as version {version}", version=report.version),)
                if report.version
                else ()
            ),
            *((report.text,) if report.text else ()),
            *report.generation.broke_off(),
            *(
                sentence("{item}: {problem}", item=item, problem=problem)
                for item, problem in report.problems.items()
            ),
        ]
        return StepReport(lines, report.to_json(), len(report.problems) + report.generation.unasked)


steps.register("steps")(WriteEvaluationSteps())
