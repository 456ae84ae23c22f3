"""`judgelab prepare PROJECT roles`: the dynamic roles of every article, clustered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgelab.options import Option
from judgelab.preparation.asking import Progress, Writer
from judgelab.preparation.roles import cluster_roles, make_roles
from judgelab.preparation.step import Outcome, Step, steps
from judgelab.store.engine import Store
from judgelab.wording import counted, mark, sentence


class Roles(Step):
    """Roles by the coarse and the fine prompt; without a model, those that are stored are clustered anew."""

    summary = mark(
        "Lets a model name the readers of each item by two prompts, and keeps those nearest the centres."
    )
    options = (
        Option(
            "encoder", "text", "", help=mark("What the clusters see; empty for the one in effect, or tfidf.")
        ),
        Option(
            "anew", "bool", False, help=mark("Also for items that have roles; what was edited there is lost.")
        ),
        Option("only_cluster", "bool", False, help=mark("Cluster the stored roles again; ask no model.")),
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
        """Make and cluster the roles."""
        if options["only_cluster"]:
            report = cluster_roles(store, slug, encoder=options["encoder"])
        else:
            report = make_roles(
                store, slug, writer, encoder=options["encoder"], anew=options["anew"], progress=progress
            )
        lines: list[str] = [
            counted(
                "{roles} roles of {n} item, clustered by {encoder}",
                "{roles} roles of {n} items, clustered by {encoder}",
                report.items,
                roles=report.roles,
                encoder=report.encoder,
            ),
            *(
                sentence("{item}: {problem}", item=item, problem=said)
                for item, said in report.problems.items()
            ),
        ]
        return Outcome(lines, report.to_json(), len(report.problems))


steps.register("roles")(Roles())
