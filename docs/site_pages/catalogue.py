"""Reference of what registers itself: protocols, metrics, scales, studies, presets."""

from __future__ import annotations

from collections.abc import Sequence

from docs.site_pages.markdown import code, listed, page, table
from judgelab.imports.presets import presets
from judgelab.metrics.base import metrics
from judgelab.options import Option
from judgelab.protocols.core.base import Protocol, protocols
from judgelab.scales.base import scales
from judgelab.studies import studies

ADDED = "A protocol of another package that registers itself stands here too when the site is built with it."


def protocols_page() -> str:
    """Return every protocol with its options, defaults and what its replies are read as."""
    head = table(
        ["protocol", "what it does"],
        ([f"[`{name}`](#{name})", one.summary] for name, one in protocols.items()),
    )
    return page(
        "# Protocols",
        "How a judge is asked and how its reply is read. "
        f"`judgelab judge PROJECT PROTOCOL --option NAME=VALUE`. {ADDED}",
        head,
        *(_protocol(one) for _, one in protocols.items()),
    )


def _protocol(one: Protocol) -> str:
    facts = [
        ("asks for", "one criterion in a prompt" if one.asks == "each" else "all criteria in one prompt"),
        (
            "judges",
            "one response at a time" if one.judges == "response" else "all responses of an item together",
        ),
        ("needs", ", ".join(sorted(one.needs)).replace("_", " ") or "nothing beside the texts"),
        ("scores lie on", "a scale of its own" if one.own_scale else "the criterion's scale"),
        ("replies for a unit", f"{one.samples}, put together by {one.aggregation}"),
        (
            "sampling",
            ", ".join(f"{key} {value}" for key, value in one.parameters.items()) or "the model's own",
        ),
        ("version of the wording", one.template_version),
    ]
    return page(
        f"## {one.title} {{ #{one.name} }}",
        f"`{one.name}`. {one.summary}",
        table(["", ""], facts),
        options(one.options),
        _examples(one),
    )


def _examples(one: Protocol) -> str:
    rows = [
        (code(example.reply.replace("`", "'").replace("\n", " ↵ ")), _score(example.score))
        for example in one.examples[:4]
        if len(example.reply) <= 160
    ]
    return table(["a reply", "is read as"], rows)


def _score(score: float | None) -> str:
    return "unscored" if score is None else f"{score:g}"


def options(declared: Sequence[Option]) -> str:
    """Return the table of options, "" where there are none."""
    return table(
        ["option", "values", "default", "meaning"],
        ((code(one.name), _values(one), code(one.default), _meaning(one)) for one in declared),
    )


def _values(one: Option) -> str:
    kinds = {"int": "a whole number", "text": "text", "bool": "`true` `false`", "choice": ""}
    return listed(one.choices) if one.choices else kinds[one.kind]


def _meaning(one: Option) -> str:
    return one.help + (f" Only with `{one.only_with}`." if one.only_with else "")


def metrics_page() -> str:
    """Return every metric with what it counts, what it needs, and where it means nothing."""
    rows = (
        (
            f"[`{name}`](#{name})",
            one.summary,
            " and ".join(
                word
                for word, wanted in (("references", one.needs_references), ("context", one.needs_context))
                if wanted
            )
            or "the response alone",
            "higher is better" if one.higher_is_better else "lower is better",
        )
        for name, one in metrics.items()
    )
    return page(
        "# Metrics",
        "Numbers that a text gets without anybody reading it. `judgelab score PROJECT METRIC...`; what "
        "stands behind them is in [Metrics](../metrics.md).",
        table(["metric", "what it counts", "needs", ""], rows),
        *(
            page(
                f"## {one.title} {{ #{name} }}", f"`{name}`. {one.summary}", one.limits, options(one.options)
            )
            for name, one in metrics.items()
        ),
    )


def scales_page() -> str:
    """Return every scale."""
    rows = ((code(name), (kind.__doc__ or "").split("\n")[0], kind.level) for name, kind in scales.items())
    return page(
        "# Scales", "What a score may be.", table(["scale", "what it is", "level of measurement"], rows)
    )


def studies_page() -> str:
    """Return every study: its criteria, judges, levels and coefficients."""
    parts = []
    for name, one in studies.items():
        criteria = ((code(c.key), c.label, c.question, code(c.scale.get("kind", ""))) for c in one.criteria)
        judges = ((j.title, code(j.protocol), j.models or "") for j in one.judges)
        parts += [
            f"## {one.title} {{ #{name} }}",
            f"`--study {name}`. {one.summary}",
            one.source,
            table(["criterion", "label", "question", "scale"], criteria),
            table(["judge of the paper", "protocol", "models"], judges),
            f"Coefficients: {listed(one.coefficients)}. Levels: {listed(one.levels)}."
            if one.coefficients
            else "",
        ]
    return page("# Studies", "Ready-made projects: `judgelab project create NAME --study STUDY`.", *parts)


def presets_page() -> str:
    """Return the published shapes that an import knows."""
    rows = ((code(name), one.summary, listed(one.needs), code(one.study)) for name, one in presets.items())
    return table(["preset", "what comes out", "files", "study"], rows)
