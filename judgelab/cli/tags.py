"""`tags` and `tag`: failure modes, that is why a judge and raters differ: counting, adding, accepting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from judgelab.analysis.data.scores import NO_FILTER, project_scores
from judgelab.analysis.disagreement.failure_modes import FailureModes, failure_modes
from judgelab.cli import shared
from judgelab.cli.shared import Json
from judgelab.domain import Problem
from judgelab.errors import ImportProblems, NotFound
from judgelab.imports.tag_rows import TagRow, read_tag_rows
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.projects.projects import find_project
from judgelab.store.rating.tags import KINDS, TagInfo, put_tag, remove_tag, tags
from judgelab.wording import mark, sentence


def register(app: typer.Typer) -> None:
    """Add `tags` and `tag`."""
    app.command("tags")(list_tags)
    group = typer.Typer(help="Tag why a judge and raters differ.", no_args_is_help=True)
    group.command("put")(put)
    group.command("accept")(accept)
    group.command("dismiss")(dismiss)
    group.command("import")(import_tags)
    app.add_typer(group, name="tag")


def list_tags(
    project: str,
    criterion: Annotated[str | None, typer.Option(help="The criterion. Default: the first.")] = None,
    as_json: Json = False,
) -> None:
    """Count failure modes per judge and metric, and list their tags."""
    modes = failure_modes(shared.store(), project, criterion=criterion)
    data = {
        "criterion": modes.criterion,
        "far": modes.large_from,
        "kinds": list(KINDS),
        "judges": [row.to_json() for row in modes.rows],
        "tags": [_tag_json(tag) for tag in modes.tags],
    }
    shared.emit(data, as_json=as_json, text="\n".join(_summary_lines(modes)))


def put(
    project: str,
    item: Annotated[str, typer.Argument(help="The item's id.")],
    kind: Annotated[str, typer.Argument(help=f"{', '.join(KINDS)}.")],
    judge: Annotated[str, typer.Option(help="The judge or metric that differs from the raters.")],
    system: Annotated[
        str, typer.Option(help="The system that wrote the response, if the item has several.")
    ] = "",
    note: Annotated[str, typer.Option(help="A comment.")] = "",
    as_json: Json = False,
) -> None:
    """Tag the failure mode of one response; this also accepts a proposed tag of the same kind."""
    _store_tags(project, item, [TagRow(0, item, judge, kind, system, note)])
    shared.emit({"tags": 1}, as_json=as_json, text="1 tag accepted")


def import_tags(
    project: str,
    file: Annotated[Path, typer.Argument(help="CSV with item, judge, kind, and optionally system and note.")],
    as_json: Json = False,
) -> None:
    """Import failure modes that were tagged elsewhere: the whole file or nothing."""
    rows = read_tag_rows(file)
    _store_tags(project, file.name, rows)
    data = {"tags": len(rows)}
    shared.emit(data, as_json=as_json, text=f"{shared.counted(len(rows), 'tag')} accepted")


def accept(
    project: str,
    tag: Annotated[list[int], typer.Argument(help="Ids of proposed tags, see `judgelab tags --json`.")],
    as_json: Json = False,
) -> None:
    """Accept tags that a model proposed."""
    tags_found = _find_tags(project, tag)
    with shared.store().writing() as session:
        project_id = find_project(session, project).id
        for info in tags_found:
            put_tag(
                session,
                project_id,
                response_id=info.response,
                judge=info.judge,
                kind=info.kind,
                person_id=None,
            )
    shared.emit({"accepted": tag}, as_json=as_json, text=f"{shared.counted(len(tags_found), 'tag')} accepted")


def dismiss(
    project: str,
    tag: Annotated[list[int], typer.Argument(help="Ids of tags, see `judgelab tags --json`.")],
    as_json: Json = False,
) -> None:
    """Dismiss tags; a model does not propose them again."""
    tags_found = _find_tags(project, tag)
    with shared.store().writing() as session:
        for info in tags_found:
            remove_tag(session, response_id=info.response, judge=info.judge, kind=info.kind)
    shared.emit(
        {"dismissed": tag}, as_json=as_json, text=f"{shared.counted(len(tags_found), 'tag')} dismissed"
    )


def _find_tags(project: str, ids: Sequence[int]) -> list[TagInfo]:
    with shared.store().reading() as session:
        tag_by_id = {tag.id: tag for tag in tags(session, find_project(session, project).id)}
    for tag_id in ids:
        if tag_id not in tag_by_id:
            raise NotFound(mark("tag"), str(tag_id), [str(tag) for tag in tag_by_id])
    return [tag_by_id[tag_id] for tag_id in dict.fromkeys(ids)]


def _store_tags(project: str, source: str, rows: Sequence[TagRow]) -> None:
    """Store all tags, or none if one of them names no response or no judge with scores."""
    store = shared.store()
    scores = project_scores(store, project, policy=NO_FILTER).scores
    judges = set(scores.loc[scores["rater_kind"] != "human", "rater"])
    problems = []
    with store.writing() as session:
        project_id = find_project(session, project).id
        frame = response_frame(session, project_id)
        for row in rows:
            matches = frame[frame["item"] == row.item]
            matches = matches[matches["system"] == row.system] if row.system else matches
            if text := _problem(row, len(matches), judges):
                problems.append(Problem(text, row.number or None))
                continue
            response = int(matches["response"].iloc[0])
            put_tag(
                session,
                project_id,
                response_id=response,
                judge=row.judge,
                kind=row.kind,
                person_id=None,
                note=row.note,
            )
        if problems:
            raise ImportProblems(source, problems)


def _problem(row: TagRow, responses: int, judges: set[str]) -> str:
    """Return why the tag cannot be stored, or an empty text."""
    values = {"item": row.item, "system": row.system, "judge": row.judge}
    if not responses:
        return sentence("item '{item}' has no response of system '{system}'", **values)
    if responses > 1:
        return sentence("item '{item}' has several responses; name the system", **values)
    if row.judge not in judges:
        return sentence("no judge or metric named '{judge}' has scores here", **values)
    return ""


def _tag_json(tag: TagInfo) -> dict[str, Any]:
    return {**vars(tag), "created_at": tag.created_at.isoformat()}


def _summary_lines(modes: FailureModes) -> list[str]:
    states = [tag.state for tag in modes.tags]
    lines = [
        f"{shared.counted(states.count('accepted'), 'tag')} accepted, {states.count('proposed')} proposed, "
        f"{states.count('dismissed')} dismissed"
    ]
    for row in modes.rows:
        if row.tagged:
            lines.append(f"{row.rater}  {KINDS[row.kind]}: wrong on {row.wrong} of {row.tagged} tagged")
    lines += [
        f"proposed {tag.id}: {tag.item} {tag.system} {tag.judge}: {KINDS[tag.kind]}"
        for tag in modes.tags
        if tag.state == "proposed"
    ]
    return lines
