"""The files of the paper pack, written from the facts of a report."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.domain import Criterion
from judgelab.errors import InvalidInput
from judgelab.escaping import escape_cell, escape_markdown
from judgelab.imports.files.sources import explain_file_errors
from judgelab.latex import latex_table
from judgelab.reporting import figures, html_shell, results, tables, trust_overview
from judgelab.reporting.comparisons import choice_table, strength_table
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.flow import flow_steps, flow_svg
from judgelab.reporting.judge_biases import bias_rows
from judgelab.reporting.methods import methods
from judgelab.reporting.paper_tables import paper_tables
from judgelab.reporting.terms import LEVEL_WORDS
from judgelab.runs.plan.code_version import code_version
from judgelab.store.people.pseudonyms import PSEUDONYM
from judgelab.wording import sentence

MAX_NAME_LENGTH = 60
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
MARKER_FILE = "judgelab-report.txt"  # marks a folder that an earlier pack wrote and this one may replace


@dataclass(frozen=True)
class PackParts:
    """What a pack holds besides the facts.

    Attributes:
        trust: the evidence on each judge.
        gold: the human score of each response; not used for comparisons.
        commands: what recomputes every number, and the name of its file.
        write_data: writes the data into a folder; None to leave them out.
    """

    trust: Sequence[JudgeTrust]
    gold: pd.DataFrame
    commands: tuple[str, str]
    write_data: Callable[[Path], object] | None


def write_files(facts: ReportFacts, parts: PackParts, folder: Path) -> list[str]:
    """Write the pack into a folder and return the names of its files.

    Raises:
        InvalidInput: the folder has other files.
    """
    _check_folder(folder)
    with explain_file_errors():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".unfinished-") as temporary:
            unfinished = Path(temporary) / "pack"
            unfinished.mkdir()
            _write_files(facts, parts, unfinished)
            shutil.rmtree(folder, ignore_errors=True)
            unfinished.rename(folder)
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _write_files(facts: ReportFacts, parts: PackParts, folder: Path) -> None:
    version = code_version()
    methods_text = methods(facts, version=version)
    file_of_commands, commands = parts.commands
    put = partial(_write_text, folder)
    put("methods.md", escape_markdown(methods_text))
    put("raters.svg", flow_svg(flow_steps(facts)))
    put(file_of_commands, commands)
    pseudonyms = pseudonyms_of(facts.scores.humans["rater"].unique().tolist())
    csv_tables = {
        "agreement": tables.agreement_rows(facts),
        "beside": tables.vs_ceiling_rows(facts),
        "raters": _with_pseudonyms(tables.rater_rows(facts)),
        "rater-pairs": tables.kappa_rows(facts, pseudonyms),
        "judges": tables.judge_rows(facts),
        "pairs": tables.pair_rows(facts),
        "habits": bias_rows(facts),
        "trust": trust_overview.overview_rows(parts.trust),
        **_tables_of_units(facts, parts.gold),
    }
    for name, table in csv_tables.items():
        if len(table.columns):  # no program can read a file without a header
            put(f"tables/{name}.csv", _csv(table))
    for criterion in facts.scores.project.criteria:
        _put_criterion(facts, criterion, put)
    if facts.compared:
        _write_plotly_pages(facts, folder)
    if parts.write_data is not None:
        parts.write_data(folder / "data")
    put(MARKER_FILE, f"A report by JudgeLab {version}; a new report in this folder replaces it.\n")
    sections = [
        *results.sections(facts, parts.trust, version=version),
        html_shell.section("Recompute every number", html_shell.code_block(commands)),
        html_shell.section("Files", html_shell.file_list(_list_files(folder))),
    ]
    put(
        "index.html",
        html_shell.page(facts.title, results.subtitle(facts, version=version), sections),
    )


def _tables_of_units(facts: ReportFacts, gold: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of systems, and of the responses or pairs with what the raters say of them."""
    if facts.scores.compared is not None:
        return {"strengths": strength_table(facts), "choices": choice_table(facts)}
    return {"systems": tables.system_rows(facts), "gold": gold}


def _put_criterion(facts: ReportFacts, criterion: Criterion, put: Callable[[str, str], None]) -> None:
    key, name = criterion.key, file_name(criterion.key)
    rows, ceiling = figures.forest_rows(facts, key)
    if not rows:
        return
    put(
        f"figures/agreement-{name}.svg",
        figures.forest_svg(rows, ceiling, caption=figures.svg_caption(facts, key)),
    )
    for paper_table in paper_tables(facts, key):
        caption = f"{criterion.label}: agreement {LEVEL_WORDS[facts.recipe.level]}, {paper_table.title}"
        label = f"tab:{paper_table.name}-{key}"
        put(
            f"tables/{paper_table.name}-{name}.tex",
            latex_table(paper_table.table, caption=caption, label=label, notes=paper_table.notes),
        )
        put(f"tables/{paper_table.name}-{name}.md", tables.to_markdown(paper_table.table, paper_table.notes))


def file_name(key: str) -> str:
    """Return a criterion's key made safe for a file name: it comes from files and may be a path.

    >>> file_name("fluency"), file_name("../../x")
    ('fluency', 'x-9cdf6a')
    """
    plain = _NOT_IN_FILE_NAMES.sub("-", key).strip("-.")[:MAX_NAME_LENGTH]
    return plain if plain == key else f"{plain}-{sha256(key.encode()).hexdigest()[:6]}"


def _write_plotly_pages(facts: ReportFacts, folder: Path) -> None:
    for criterion in facts.scores.project.criteria:
        if figures.forest_rows(facts, criterion.key)[0]:
            figures.plotly_figure(facts, criterion.key).write_html(
                str(folder / "figures" / f"agreement-{file_name(criterion.key)}.html"),
                include_plotlyjs="directory",
                config={"toImageButtonOptions": {"format": "svg"}, "displaylogo": False},
            )


def _with_pseudonyms(raters: pd.DataFrame) -> pd.DataFrame:
    """Return the table of raters with pseudonyms for names, also in the reasons."""
    if raters.empty:
        return raters
    names = sorted(raters["rater"].unique(), key=len, reverse=True)
    order = pseudonyms_of(names)

    def without_name(reason: object) -> object:
        for name in names:
            if isinstance(reason, str) and reason.startswith(f"{name}:"):
                return f"{order[name]}{reason[len(name) :]}"
        return reason

    numbered = raters.assign(rater=raters["rater"].map(order), reason=raters["reason"].map(without_name))
    # Sorted, because the order of the ratings changes when the data are imported again.
    number = numbered["rater"].str.removeprefix("Rater ").astype(int)
    criterion = pd.factorize(numbered["criterion"])[0]
    return numbered.iloc[np.lexsort((number, criterion))]


def pseudonyms_of(names: Sequence[str]) -> dict[str, str]:
    """Return the pseudonym of each rater, the same in every table of the pack."""
    longest_first = sorted(names, key=len, reverse=True)
    return {
        name: f"Rater {number}" for number, name in enumerate(_in_pseudonym_order(longest_first), start=1)
    }


def _in_pseudonym_order(names: Sequence[str]) -> list[str]:
    """Return the names in the order of their pseudonyms: by number if they are pseudonyms already."""
    if all(PSEUDONYM.fullmatch(name) for name in names):
        return sorted(names, key=lambda name: int(name.rpartition(" ")[2]))
    return sorted(names, key=_name_hash)


def _name_hash(name: str) -> bytes:
    """Return a name's hash, by which pseudonyms are ordered so that numbers do not follow the alphabet."""
    return sha256(name.encode()).digest()


def _list_files(folder: Path) -> list[tuple[str, str]]:
    descriptions = {
        "methods.md": "the methods section",
        "raters.svg": "the flow chart of the raters",
        "commands.sh": "the commands that recompute every number",
        "recompute.py": "the Python that recomputes every number",
        "tables/agreement.csv": "every coefficient with the score of all raters: interval, n, groups, recipe",
        "tables/beside.csv": "judges and raters with the score of the other raters, and the difference",
        "tables/raters.csv": "the filter's result by rater, numbered anew; r includes responses it removes",
        "tables/rater-pairs.csv": "kappa of each pair of raters on the ratings that the filter keeps, with n",
        "tables/judges.csv": "the recipe of each judge",
        "tables/pairs.csv": "every pair of judges and metrics: difference, interval, test",
        "tables/habits.csv": "mean, spread, points per SD of log length of judge and raters: interval, test",
        "tables/trust.csv": "the answer by judge, criterion and question, its n; why, in words and rounded",
        "tables/systems.csv": "the mean human score of each system",
        "tables/strengths.csv": "strength and win rate of each system, by the raters and by each judge",
        "tables/choices.csv": "each compared pair: votes, majority, whether it counts, any decision used",
        "tables/gold.csv": "the human score of each response with its number of raters",
        "data/scores.json": "the scores of every response; its Person 1 or Slot 1 is Rater 1 of tables/",
        "data/project.json": "the anonymised project; its Person 1 or Slot 1 may not be Rater 1 of tables/",
    }
    paths = sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.name not in (MARKER_FILE, "plotly.min.js") and path.parent.name != "data"
    )
    kind_by_suffix = {
        ".tex": "LaTeX (booktabs)",
        ".md": "Markdown",
        ".svg": "a drawing",
        ".html": "opens offline",
    }
    data = [name for name in ("data/project.json", "data/scores.json") if (folder / name).is_file()]
    listed = [*paths, *data]
    return [(name, descriptions.get(name) or kind_by_suffix.get(Path(name).suffix, "")) for name in listed]


def _csv(table: pd.DataFrame) -> str:
    """Return the table as CSV; formulas are escaped, since names in it come from other people's files."""
    return str(table.map(escape_cell).to_csv(index=False, lineterminator="\n"))


def _write_text(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _check_folder(folder: Path) -> None:
    if folder.is_file():
        raise InvalidInput(sentence("{place} is a file; name a folder.", place=str(folder)))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER_FILE).is_file():
        raise InvalidInput(
            sentence("{place} holds other files; name an empty or a new folder.", place=str(folder))
        )
