"""`judgelab prepare PROJECT roles`: the dynamic roles of every article, clustered."""

from __future__ import annotations

from judgelab.options import Option
from judgelab.preparation.panels.roles import cluster_roles, make_roles
from judgelab.preparation.step import PreparationStep, StepReport, StepWork, steps
from judgelab.store.prepared.panels import DEFAULT_PANEL
from judgelab.wording import counted, mark, sentence


class GenerateRoles(PreparationStep):
    """Roles by the coarse and the fine prompt; without a model, those that are stored are clustered anew."""

    summary = mark(
        "Uses two prompts to let a model name the readers of each item, and keeps the roles nearest to "
        "the cluster centres."
    )
    options = (
        Option("name", "text", DEFAULT_PANEL, help=mark("Name by which judges refer to this panel.")),
        Option(
            "encoder",
            "text",
            "",
            help=mark("Text encoder for the clustering; empty for the one in effect, or tfidf."),
        ),
        Option(
            "anew",
            "bool",
            False,
            help=mark("Include items that already have roles; edited roles are overwritten."),
        ),
        Option(
            "only_cluster",
            "bool",
            False,
            help=mark("Cluster the stored roles again, without calling a model."),
        ),
    )

    def run(self, work: StepWork) -> StepReport:
        """Make and cluster the roles."""
        if work.options["only_cluster"]:
            report = cluster_roles(
                work.store, work.slug, name=work.options["name"], encoder=work.options["encoder"]
            )
        else:
            report = make_roles(
                work.store,
                work.slug,
                work.writer,
                name=work.options["name"],
                encoder=work.options["encoder"],
                anew=work.options["anew"],
                progress=work.progress,
            )
        lines: list[str] = [
            counted(
                "{roles} for {n} item, clustered with {encoder}",
                "{roles} for {n} items, clustered with {encoder}",
                report.items,
                roles=counted("{n} role", "{n} roles", report.roles),
                encoder=report.encoder,
            ),
            *(report.generation.broke_off() if report.generation else ()),
            *(
                sentence("{item}: {problem}", item=item, problem=problem)
                for item, problem in report.problems.items()
            ),
        ]
        return StepReport(
            lines,
            report.to_json(),
            len(report.problems) + (report.generation.unasked if report.generation else 0),
        )


steps.register("roles")(GenerateRoles())
