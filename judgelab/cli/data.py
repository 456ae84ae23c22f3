"""`import`, `export` and `project`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.analysis.data.gold_scores import AGGREGATE_COLUMNS, GOLD_COLUMNS
from judgelab.analysis.data.gold_table import gold_table
from judgelab.analysis.data.provenance import provenance_table
from judgelab.analysis.data.scores import project_scores
from judgelab.cli import criteria, images, shared, work
from judgelab.cli.shared import Json
from judgelab.domain import Criterion
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.exports import GOLD, PROVENANCE, export_project, write_provenance
from judgelab.imports.files.export_tables import write_table
from judgelab.imports.files.sources import explain_file_errors
from judgelab.imports.import_paths import files_to_import
from judgelab.imports.service import import_files
from judgelab.imports.shapes import export_shape
from judgelab.scales import parse_scale, scale_from_json
from judgelab.store.db.engine import Store
from judgelab.store.projects.deletion import delete_project
from judgelab.store.projects.projects import create_project, find_project, list_projects
from judgelab.store.transfer.export_tables import Kind
from judgelab.store.transfer.importing import project_counts
from judgelab.studies import studies

GOLD_KINDS: dict[str, Kind] = {
    **dict.fromkeys((*GOLD_COLUMNS, *AGGREGATE_COLUMNS), "text"),
    **dict.fromkeys(("human_mean", "human_score"), "float"),
    "raters": "int",
}
# For projects that compare responses and name no criteria.
OVERALL_CRITERION = Criterion("overall", "Overall", {"kind": "ordinal", "low": 1, "high": 5})
SCALE_HELP = "A new criterion's scale: CRITERION=LOW:HIGH, =number:LOW:HIGH, =yes/no or =categorical:A,B."
VALUE_HELP = "Meaning of a cell: choice:1=a, score:good=3, score:unsure=cannot_judge; repeatable."
PATHS_HELP = "Files; with images, also folders and zip archives; with --preset, a folder."
ENCODING_HELP = "Encoding of files that are not UTF-8, for example cp1250; guessed without it."
MAX_PROBLEMS_SHOWN = 20  # problems listed in a terminal


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("import")(import_command)
    app.command("export")(export_command)
    projects = typer.Typer(no_args_is_help=True, help="List, create, show, set up and delete projects.")
    projects.command("list")(list_command)
    projects.command("create")(create_command)
    projects.command("show")(show_command)
    projects.command("delete")(delete_command)
    work.register(projects)
    criteria.register(projects)
    images.register(projects)
    app.add_typer(projects, name="project")


def import_command(
    project: str,
    paths: Annotated[list[Path], typer.Argument(help=PATHS_HELP)],
    kind: Annotated[
        str | None, typer.Option(help="items, ratings, judgments, preferences, references, documents.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help="Format of a published data set, by name.")] = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option("--map", help="FIELD=COLUMN, score[CRITERION]=COLUMN or rater[NAME:KIND]=COLUMN."),
    ] = None,
    create_missing: Annotated[
        bool,
        typer.Option("--create-missing", help="Create items and responses that only the scores mention."),
    ] = False,
    means: Annotated[bool, typer.Option("--means", help="Human scores are means of several raters.")] = False,
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", help='Cell value that means "no score", for example -99; repeatable.'),
    ] = None,
    scale: Annotated[list[str] | None, typer.Option("--scale", help=SCALE_HELP)] = None,
    values: Annotated[list[str] | None, typer.Option("--value", help=VALUE_HELP)] = None,
    encoding: Annotated[str, typer.Option(help=ENCODING_HELP)] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be stored.")] = False,
    as_json: Json = False,
) -> None:
    """Import items, ratings, judgments, preferences, references or documents."""
    files = files_to_import(paths, preset=preset)
    try:
        report = import_files(
            shared.store(),
            project,
            files,
            kind=kind,
            preset=preset,
            mapping=[_parse_mapping(text) for text in mapping or ()],
            create_missing=create_missing,
            means=means,
            missing=missing or (),
            scales=dict(_parse_scale_option(text) for text in scale or ()),
            values=values or (),
            encoding=encoding,
            dry_run=dry_run,
            grant_roles=True,  # whoever has the command line has the database
        )
    except ImportProblems as error:
        _show_problems(error, as_json=as_json)
        raise typer.Exit(shared.USER_MISTAKE) from error
    if not as_json:
        for notice in report.notices:
            shared.say(f"note: {notice}")
    before = "would store: " if dry_run else ""
    shared.emit(report.to_json(), as_json=as_json, text=before + report.sentence())


def export_command(
    project: str,
    folder: Annotated[Path, typer.Argument(help="A new or empty folder, or one with an earlier export.")],
    file_format: Annotated[str, typer.Option("--format", help="csv, jsonl or parquet.")] = "csv",
    gold: Annotated[
        bool,
        typer.Option("--gold", help="Also export gold: the human score of each response."),
    ] = False,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="In gold, adjudicators' decisions replace ratings.")
    ] = False,
    backgrounds: Annotated[
        bool,
        typer.Option("--backgrounds", help="Also answers to forms before and after rating (personal data)."),
    ] = False,
    shape: Annotated[
        str | None,
        typer.Option(help="Only ratings, in the format of a study: elect, bioasq, drpe, ..."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Export a whole project to a folder that `import` can read."""
    if decisions and not gold:
        raise InvalidInput("--decisions only changes the table gold; add --gold.")
    store = shared.store()
    if shape is not None:
        _export_shape(store, project, folder, shape, as_json=as_json)
        return
    counts = export_project(store, project, folder, file_format=file_format, backgrounds=backgrounds)
    table = provenance_table(store, project)
    counts[PROVENANCE] = write_provenance(folder, table, file_format=file_format)
    if gold:
        gold_scores = gold_table(store, project, decisions=decisions)
        kinds = {str(column): GOLD_KINDS[str(column)] for column in gold_scores.columns}
        gold_scores = gold_scores.astype(object).where(gold_scores.notna(), None)
        with explain_file_errors():
            counts[GOLD] = write_table(
                folder / f"{GOLD}.{file_format}", kinds, gold_scores.itertuples(index=False, name=None)
            )
    written = ", ".join(f"{kind} ({n:,})" for kind, n in counts.items() if n) or "no rows"
    shared.emit(
        {"folder": str(folder), "format": file_format, "rows": counts},
        as_json=as_json,
        text=f"wrote {written} to {folder}",
    )


def _export_shape(store: Store, project: str, folder: Path, shape: str, *, as_json: bool) -> None:
    scores = project_scores(store, project).scores
    humans = scores[scores["rater_kind"] == "human"]
    counts = export_shape(store, project, folder, shape, humans=humans)
    written = ", ".join(f"{n:,} in {name}" for name, n in counts.items())
    shared.emit(
        {"folder": str(folder), "shape": shape, "rows": counts},
        as_json=as_json,
        text=f"wrote {written} to {folder}",
    )


def list_command(as_json: Json = False) -> None:
    """List the projects."""
    with shared.store().reading() as session:
        projects = list_projects(session)
    lines = []
    for info in projects:
        counts = shared.join_counts({"items": info.items, "responses": info.responses})
        lines.append(f"{info.slug}  {info.name}  ({info.study}; {counts})")
    text = "\n".join(lines) or "There are no projects yet; create one with: judgelab project create NAME"
    shared.emit([asdict(project) for project in projects], as_json=as_json, text=text)


def create_command(
    name: str,
    study: Annotated[str, typer.Option(help="The study to start from.")] = "custom",
    form: Annotated[
        str | None, typer.Option(help="How raters rate: pointwise, pairwise, ranking or best_worst.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Create a project with the criteria of a study."""
    chosen = studies.get(study)
    settings = {**chosen.settings, **({"form": form} if form else {})}
    overall = () if settings.get("form", "pointwise") == "pointwise" else (OVERALL_CRITERION,)
    with shared.store().writing() as session:
        project = create_project(
            session,
            name=name,
            study=study,
            task=chosen.task,
            criteria=overall if study == "custom" else chosen.criteria,
            settings=settings,
            guidelines=chosen.guidelines,
        )
    keys = [criterion.key for criterion in project.criteria]
    shared.emit(
        {"slug": project.slug, "name": project.name, "study": project.study, "criteria": keys},
        as_json=as_json,
        text=f"created {project.slug}" + (f" with {', '.join(keys)}" if keys else ""),
    )


def show_command(project: str, as_json: Json = False) -> None:
    """Show a project's criteria and contents."""
    with shared.store().reading() as session:
        info = find_project(session, project)
        counts = project_counts(session, info.id)
    data = {
        "slug": info.slug,
        "name": info.name,
        "study": info.study,
        "task": info.task,
        "settings": dict(info.settings),
        "criteria": [
            {"key": criterion.key, "label": criterion.label, "scale": dict(criterion.scale)}
            for criterion in info.criteria
        ],
        **counts,
    }
    lines = [f"{info.name} ({info.slug}, {info.study}): {shared.join_counts(counts)}"]
    lines += [f"  {each.key}: {each.label} {_scale_text(each.scale)}" for each in info.criteria]
    shared.emit(data, as_json=as_json, text="\n".join(lines))


def delete_command(
    project: str,
    yes: Annotated[bool, typer.Option("--yes", help="Confirm the deletion.")] = False,
    as_json: Json = False,
) -> None:
    """Delete a project and everything in it."""
    store = shared.store()
    with store.reading() as session:
        info = find_project(session, project)
        counts = project_counts(session, info.id)
    if not yes:
        held = shared.join_counts({kind: n for kind, n in counts.items() if n}) or "nothing"
        raise InvalidInput(f"'{project}' contains {held}; to delete it permanently, add --yes.")
    with store.writing() as session:
        delete_project(session, project)
    shared.emit({"deleted": project}, as_json=as_json, text=f"deleted {project}")


def _parse_mapping(text: str) -> tuple[str, str]:
    field, equals, column = text.partition("=")
    if not equals or not field.strip() or not column:
        raise InvalidInput(f"--map {text}: write FIELD=COLUMN, for example --map response=answer.")
    return field.strip(), column


def _parse_scale_option(text: str) -> tuple[str, dict[str, Any]]:
    criterion, _, scale = text.partition("=")
    if not (scale and criterion.strip()):
        raise InvalidInput(f"--scale {text}: write CRITERION=LOW:HIGH, for example --scale quality=1:5.")
    return criterion.strip(), parse_scale(scale)


def _show_problems(error: ImportProblems, *, as_json: bool) -> None:
    problems = [asdict(problem) for problem in error.problems]
    zeros = dict.fromkeys(("items", "responses", "ratings", "judgments", "preferences"), 0)
    if as_json:
        shared.emit({**zeros, "problems": problems, "error": str(error)}, as_json=True, text="")
    elif len(problems) > 1:
        for problem in error.problems[:MAX_PROBLEMS_SHOWN]:
            shared.say(problem.sentence())
        more = len(problems) - MAX_PROBLEMS_SHOWN
        more_listed = f" ({more:,} more are listed with --json)" if more > 0 else ""
        shared.say(f"{error.source}: {len(problems):,} problems{more_listed}. Nothing was stored.")
        return
    shared.say(str(error))


def _scale_text(data: Mapping[str, Any]) -> str:
    scale = scale_from_json(data)
    ends = f"{scale.low:g} to {scale.high:g}" if scale.ordered else scale.describe()
    return scale.kind if scale.mean_is_share else ends
