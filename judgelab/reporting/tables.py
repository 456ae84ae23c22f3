"""Tables of a report: as data for CSV, as LaTeX and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from judgelab.analysis.data.human_scores import human_scores
from judgelab.analysis.raters.measured_kappas import kappas_by_criterion
from judgelab.escaping import escape_markdown
from judgelab.metaeval.core.bounded_means import bounded_mean, scale_ends
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.judge_description import describe_judge
from judgelab.scales import unordered
from judgelab.store.judging.unscored_counts import NONE_MISSING


def agreement_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return agreement with the mean of all raters for each judge or metric, criterion and coefficient.

    The columns include interval, n, unscored and failed judgments, and the recipe; `vs_ceiling_rows` has the
    human raters.
    """
    return _flat_table([{**row.to_json(), **facts.unscored_of(row).to_json()} for row in facts.rows])


def vs_ceiling_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return agreement with the mean of all raters but one, for judges, metrics and human raters.

    The columns "difference..." are a judge's agreement minus that of the raters.
    """
    judged = _flat_table([{**row.to_json(), **facts.unscored_of(row).to_json()} for row in facts.vs_ceiling])
    people = _flat_table([row.to_json() for row in facts.ceiling])
    return pd.concat([judged, people], ignore_index=True) if not judged.empty else people


def _flat_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    if table.empty:
        return table
    for name in ("ci", "difference_ci"):
        if name in table.columns:
            ends = table.pop(name)
            table[f"{name}_low"] = [ci[0] if ci else None for ci in ends]
            table[f"{name}_high"] = [ci[1] if ci else None for ci in ends]
    if "n_by_system" in table.columns:
        table["n_by_system"] = [
            "; ".join(f"{key}: {value}" for key, value in counts.items()) if isinstance(counts, dict) else ""
            for counts in table["n_by_system"]
        ]
    table["undefined_reasons"] = [
        "; ".join(f"{key}: {value}" for key, value in counts.items()) for counts in table["undefined_reasons"]
    ]
    return table


def rater_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return the filter's result on each rater under each criterion, with real names."""
    if facts.scores.outcome is None:
        return pd.DataFrame()
    return pd.DataFrame([verdict._asdict() for verdict in facts.scores.outcome.raters])


def pair_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return each pair of judges or metrics under each criterion: difference, interval, test."""
    comparison = facts.comparison
    if comparison is None:
        return pd.DataFrame()
    return pd.DataFrame(
        [
            {
                "criterion": criterion,
                "first": pair.first,
                "second": pair.second,
                "coefficient": comparison.coefficient,
                "level": comparison.level,
                "target": comparison.targets[criterion],
                "difference": pair.difference.value,
                "ci_low": pair.difference.ci[0] if pair.difference.ci else None,
                "ci_high": pair.difference.ci[1] if pair.difference.ci else None,
                "n": pair.difference.n,
                "responses_left_out": by_criterion.lost,
                "test": pair.test.name,
                "p": pair.test.p,
                "p_floor": pair.test.floor,
                "p_corrected": pair.test.adjusted,
                "correction": comparison.correction,
                "corrected_over": by_criterion.family,
                "better": pair.better or "",
                "reason": pair.difference.reason or pair.test.reason or "",
            }
            for criterion, by_criterion in comparison.criteria.items()
            for pair in by_criterion.contrasts
        ]
    )


def kappa_rows(facts: ReportFacts, pseudonyms: Mapping[str, str]) -> pd.DataFrame:
    """Return kappa of every two raters under each criterion, with pseudonyms for names."""
    rows: list[dict[str, Any]] = [
        {
            "criterion": kappas.criterion,
            **dict(
                zip(
                    ("first", "second"),
                    sorted((pseudonyms[pair.first], pseudonyms[pair.second])),
                    strict=True,
                )
            ),
            "weights": kappas.weights,
            "kappa": pair.estimate.value,
            "ci_low": pair.estimate.ci[0] if pair.estimate.ci else None,
            "ci_high": pair.estimate.ci[1] if pair.estimate.ci else None,
            "n": pair.estimate.n,
            "interval": pair.estimate.ci_method,
            "reason": pair.estimate.reason or "",
        }
        for kappas in kappas_by_criterion(facts.scores).values()
        for pair in kappas.pairs
    ]
    rows.sort(key=lambda row: (row["criterion"], row["first"], row["second"]))
    return pd.DataFrame(rows)


def system_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return each system's mean human score under each criterion, with its interval over items."""
    aggregation = facts.scores.aggregation
    scores = human_scores(facts.scores.scores, aggregation, scales=facts.scores.project.scales)
    scales = facts.scores.project.scales if aggregation.on_scale else {}
    response_columns = facts.scores.scores.drop_duplicates("response")[["response", "item", "system"]]
    table = scores.dropna(subset=["human"]).merge(response_columns, on="response")
    rows = []
    table = table[~table["criterion"].isin(list(unordered(facts.scores.project.scales)))]
    for (criterion, system), rows_of_system in table.groupby(["criterion", "system"], sort=True):
        by_item = rows_of_system.groupby("item")["human"].mean().to_numpy(dtype=float)
        mean = bounded_mean(by_item, scale_ends(scales.get(str(criterion))))
        rows.append(
            {
                "criterion": criterion,
                "system": system,
                "mean": mean.value,
                "ci_low": mean.ci[0] if mean.ci else None,
                "ci_high": mean.ci[1] if mean.ci else None,
                "items": len(by_item),
                "responses": len(rows_of_system),
                "interval": mean.ci_method,
            }
        )
    return pd.DataFrame(rows)


def judge_rows(facts: ReportFacts) -> pd.DataFrame:
    """Return the recipe and the missing scores of each judge that is compared."""
    return pd.DataFrame(
        [
            {
                "judge": judge.name,
                "origin": judge.origin,
                "protocol": judge.protocol,
                "model": "" if judge.origin == "imported" else judge.model,
                "samples": judge.samples,
                "aggregation": judge.aggregation,
                "template": judge.template_version,
                "recipe": describe_judge(judge, facts.uses.get(judge.name)),
                **facts.scores.unscored.get(judge.name, NONE_MISSING).to_json(),
            }
            for judge in facts.judges
        ]
    )


def to_markdown(table: pd.DataFrame, notes: Sequence[str] = ()) -> str:
    """Return a Markdown table with notes below; all text is escaped."""
    head = [str(name) for name in table.columns]
    rule = ["---", *["---:"] * (len(head) - 1)]
    rows = [[_markdown_cell(cell) for cell in row] for row in table.itertuples(index=False, name=None)]
    return (
        "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
        + "\n"
        + "".join(f"\n{_markdown_cell(note)}\n" for note in notes)
    )


def _markdown_cell(cell: object) -> str:
    return escape_markdown(str(cell)).replace("|", "\\|").replace("\n", " ")
