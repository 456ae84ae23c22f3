"""`patterns`: where a judge and the raters disagree, as on the page *Patterns*."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import resolve_criterion
from judgelab.analysis.data.scores import IN_USE
from judgelab.analysis.disagreement.patterns import CUTS, DisagreementPatterns, disagreement_patterns
from judgelab.analysis.disagreement.shared_disagreements import SharedDisagreements, shared_disagreements
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.errors import NotFound
from judgelab.metaeval.core.pair_scores import FIRST, SECOND, TIE
from judgelab.metaeval.judges.large_disagreements import DisagreementRate
from judgelab.wording import mark

CUT_WORDS = {**{cut: cut for cut in CUTS}, "words": "similar responses", "mode": "failure mode"}
CUT_WORDS_OF_PAIRS = {
    **CUT_WORDS,
    "system": "systems of the pair",
    "length": "difference in words",
    "choice": "the raters' choice",
    "raters": "the raters",
    "order": "the order shown to the judge",
    "words": "similar pairs",
}
LABELS = {FIRST: "first", TIE: "tie", SECOND: "second"}
RESPONSE_COLUMNS = (
    "response",
    "item",
    "system",
    "human",
    "raters",
    "apart",
    "judges",
    "median",
    "difference",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("patterns")(patterns_command)


def patterns_command(
    project: Annotated[str, typer.Argument(help="The project.")],
    judge: Annotated[str, typer.Option(help="The judge to compare with the raters.")],
    criterion: Annotated[str | None, typer.Option(help="The criterion. Default: the only one.")] = None,
    policy: Annotated[str, typer.Option(help="A saved quality filter, or `none`.")] = IN_USE,
    comparisons: Annotated[
        bool, typer.Option(help="In which pairs of responses choices differ, not scores.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show where a judge is far from the raters, and where several judges contradict them together.

    If nobody rated single responses, choices between two are compared.
    """
    store = shared.store()
    data = scores_or_comparisons(store, project, comparisons=comparisons or None, policy=policy)
    of_pairs = data.compared is not None
    key = resolve_criterion(data, criterion)
    judges = sorted(set(data.scores.loc[data.scores["rater_kind"] == "judge", "rater"]))
    if judge not in judges:
        raise NotFound(mark("judge"), judge, judges)
    result = disagreement_patterns(
        store, project, judge=judge, criterion=key, policy=policy, comparisons=of_pairs
    )
    together = shared_disagreements(store, project, criterion=key, policy=policy, comparisons=of_pairs)
    output = {
        "project": project,
        **result.to_json(),
        "filter": None if data.policy is None else data.policy.to_json(),
        "against_people": {
            "compared": together.compared,
            "rated": together.rated,
            "judges": together.judges,
            **(
                {"pairs": _pairs_json(together)}
                if of_pairs
                else {"responses": together.rows[list(RESPONSE_COLUMNS)].to_dict("records")}
            ),
        },
    }
    ratings = (
        "All comparisons are used (no filter)."
        if of_pairs and data.policy is None
        else f"Ratings: {ratings_text(data.policy)}."
    )
    lines = [*_pattern_lines(result), *_joint_lines(together), ratings]
    shared.emit(output, as_json=as_json, text="\n".join(lines))


def _pattern_lines(result: DisagreementPatterns) -> list[str]:
    of_pairs = result.pairs is not None
    unit, words = ("pair", CUT_WORDS_OF_PAIRS) if of_pairs else ("response", CUT_WORDS)
    notes = "; ".join([f"n={result.n:,}", *result.left_out])
    differs = (
        f"chooses differently from most raters in {shared.counted(result.n_large, 'pair')}"
        if of_pairs
        else f"differs by {result.large_from:g} or more on {result.n_large:,}"
    )
    lines = [f"{result.judge}, {result.criterion}: {differs}  ({notes})"]
    for cut, parts in result.rates_by_cut.items():
        lines.append(f"  by {words[cut]}:")
        lines += [f"    {_part_text(part, of_pairs=of_pairs)}" for part in parts]
        if left_out := result.in_no_part[cut]:
            lines.append(
                f"    in no subset, or in a subset of fewer than five: {shared.counted(left_out, unit)}"
            )
    if result.family is not None:
        lines.append(f"  p: {result.family.description}")
    return (
        lines if result.rates_by_cut else [*lines, f"  The data have no two subsets with five {unit}s each."]
    )


def _part_text(part: DisagreementRate, *, of_pairs: bool) -> str:
    rest, ci = part.elsewhere, part.share.ci
    elsewhere = "" if rest.value is None else f", elsewhere {rest.value:.0%} (n={rest.n:,})"
    interval = f" [{ci[0]:.0%}, {ci[1]:.0%}]" if ci else ""
    return (
        f"{part.name}: {part.far:,} of {part.n:,}, {part.share.value or 0.0:.0%}{interval}{elsewhere}; "
        f"{'' if of_pairs else f'judge minus raters {part.difference:+z.2f}; '}p {part.test.adjusted:.3g}"
    )


def _pairs_json(together: SharedDisagreements) -> list[dict[str, object]]:
    return [
        {
            "item": row["item"],
            "first": row["system_first"],
            "second": row["system_second"],
            "choice": LABELS[row["human"]],
            "raters": row["raters"],
            "agreeing": row["agreeing"],
            "judges": row["judges"],
            "judges_choice": LABELS[row["median"]],
        }
        for row in together.rows.to_dict("records")
    ]


def _joint_lines(together: SharedDisagreements) -> list[str]:
    unit, judged, rated = (
        ("pair", "compared", "others") if together.of_pairs else ("response", "scored", "rated ones")
    )
    of_majority = " with a majority" if together.of_pairs else ""
    by_judges = "both judges" if together.judges == 2 else f"at least two of {together.judges} judges"
    lines = [
        f"Several judges against the raters: {len(together.rows):,} of "
        f"{shared.counted(together.compared, unit)}{of_majority} that {by_judges} {judged} "
        f"({together.rated - together.compared:,} {rated} left out)"
    ]
    if together.of_pairs:
        return [*lines, *map(_pair_line, _pairs_json(together))]
    for row in together.rows.to_dict("records"):
        name = ", ".join(filter(None, (str(row["item"]), str(row["system"]))))
        raters = shared.counted(row["raters"], "rater")
        lines.append(
            f"  {name}: raters {row['human']:z.1f} ({raters}, range {row['apart']:z.1f}), "
            f"judges {row['median']:z.1f} ({row['judges']})"
        )
    return lines


def _pair_line(pair: dict[str, object]) -> str:
    systems = " – ".join(str(pair[side]) for side in ("first", "second") if pair[side])
    name = ", ".join(filter(None, (str(pair["item"]), systems)))
    raters = f"{pair['choice']} ({pair['agreeing']} of {pair['raters']} raters)"
    return f"  {name}: raters {raters}, judges {pair['judges_choice']} ({pair['judges']})"
