"""`jl.read`: the scores in a file, read by the app's import."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgelab.analysis.data.scores import NO_FILTER, forget
from judgelab.api.frames import FIELDS
from judgelab.api.import_words import in_python
from judgelab.api.projects import stored_scores
from judgelab.api.scores import Scores, scores
from judgelab.api.values import scale_of
from judgelab.errors import ImportProblems, InvalidInput
from judgelab.imports.core.cells import text_of
from judgelab.imports.import_paths import files_to_import
from judgelab.imports.report import ImportReport
from judgelab.imports.service import import_files
from judgelab.imports.uploads import Files
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import temporary_store
from judgelab.store.projects.projects import create_project

SLUG = "data"
MOST_PROBLEMS = 10  # named in an error; `.problems` has all


class UnreadableFile(ImportProblems):
    """All problems of a file that `judgelab.read` was given, in `problems`, by row and column."""

    def _message(self, source: str) -> Any:
        named = [in_python(problem.sentence()).rstrip(".") for problem in self.problems[:MOST_PROBLEMS]]
        more = len(self.problems) - MOST_PROBLEMS
        return f"{source}: {'; '.join([*named, *([f'and {more:,} more'] if more > 0 else [])])}."


def read(
    path: str | Path | Sequence[str | Path],
    *,
    kind: str | None = None,
    humans: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    scale: Any = None,
    columns: Mapping[str, str] | None = None,
    preset: str | None = None,
    missing: str | float | Collection[str | float] = (),
    values: str | Collection[str] = (),
    means: bool = False,
    encoding: str = "",
) -> Scores:
    r"""Return the scores in a file, read as the app's import reads it.

    Args:
        path: a file (CSV, TSV, JSON, JSON lines, Parquet, Excel, a zip archive, an export of another tool), a
            folder that JudgeLab exported, or several files of one study, such as ratings and judgments.
        kind: what the rows are: "ratings" by people, "judgments" by judges, "items" (texts, perhaps with
            scores beside them), "preferences" (choices between two responses); recognised if not given.
        humans: names of raters who are people, where the file does not say it.
        judges: names of raters that are judges, where the file does not say it.
        metrics: names of raters that are metrics, where the file does not say it.
        scale: the scale, such as (1, 5), "yes/no" or a list of labels, or one by criterion; inferred from the
            scores if not given.
        columns: which column is which, {"item": "my_id"} or {"score[clarity]": "clear"}, where names are not
            recognised.
        preset: the format of a published data set, by name, as of `judgelab import --preset`.
        missing: one cell or several that mean "no score", such as -99, besides empty ones and the usual
            words.
        values: what values of columns mean, such as "choice:1=a" or "score:good=3"; one or several.
        means: whether people's scores are means of several raters, which may be between points.
        encoding: the encoding of texts that are not UTF-8; guessed if not given.

    Returns:
        The scores, with the texts of the responses if the files have them, and without any filter. `about`
        has what the import noticed.

    Raises:
        UnreadableFile: cells cannot be read; the message has the rows and columns, `problems` all of them.
        InvalidInput: there is no such file, or it has no scores.

    Example:
        >>> import judgelab as jl, tempfile
        >>> from pathlib import Path
        >>> folder = tempfile.TemporaryDirectory()
        >>> file = Path(folder.name, "ratings.csv")
        >>> _ = file.write_text("item,rater,rater_kind,score\nq1,Ann,human,4\nq1,gpt,judge,5\n")
        >>> s = jl.read(file, scale=(1, 5))
        >>> s.humans, s.judges, len(s)
        (('Ann',), ('gpt',), 2)
        >>> folder.cleanup()
    """
    paths = _paths(path)
    options = {
        "kind": kind,
        "preset": preset,
        "mapping": _mapping(columns),
        "missing": tuple(text_of(cell) for cell in _listed(missing)),
        "values": tuple(map(str, _listed(values))),
        "means": means,
        "encoding": encoding,
        "create_missing": True,
    }
    with temporary_store() as store:
        try:
            files = files_to_import(paths, preset=preset)
            report = _import(store, files, scale, options)
            found = stored_scores(store, SLUG, NO_FILTER)
        except ImportProblems as error:
            raise UnreadableFile(error.source, error.problems) from None
        except InvalidInput as error:
            raise InvalidInput(in_python(str(error))) from None
        finally:
            forget(store.url)
    names = ", ".join(map(str, paths))
    if found._data.scores.empty:
        raise InvalidInput(
            f"{names} holds no scores ({report.sentence()}); name the files with scores, too: "
            "jl.read([…, …]), or columns that are raters: jl.scores(pd.read_csv(…), humans=[…], judges=[…])."
        )
    found = scores(found, humans=humans, judges=judges, metrics=metrics)
    told = humans is not None or judges is not None
    notes = [note for note in report.notices if not (told and "although their names look like" in note)]
    return replace(found, _notes=(f"read from {names}", *(in_python(note).rstrip(".") for note in notes)))


def _paths(given: Any) -> list[Path]:
    """Return the files that are named; raises `InvalidInput` for what names none, such as a frame."""
    several = [given] if isinstance(given, str | Path) else given
    if not isinstance(several, Sequence) or not all(
        isinstance(one, str | Path) and str(one) for one in several
    ):
        raise InvalidInput(
            f'{type(given).__name__} names no file; call jl.read("results.csv"), or jl.scores(df) for a '
            "frame."
        )
    return [Path(one).expanduser() for one in several]


def _mapping(columns: Any) -> list[tuple[str, str]]:
    if columns is not None and not isinstance(columns, Mapping):
        raise InvalidInput('columns must be a dictionary: columns={"item": "my_id"}.')
    return [(FIELDS.get(field) or field, str(column)) for field, column in (columns or {}).items()]


def _listed(given: Any) -> list[Any]:
    """Return what was given as one or as several."""
    return list(given) if isinstance(given, Collection) and not isinstance(given, str) else [given]


def _import(store: Store, files: Files, scale: Any, options: Mapping[str, Any]) -> ImportReport:
    """Import the files; one scale for all criteria needs their names, which a first reading gives."""
    with store.writing() as session:
        create_project(session, name="Data", slug=SLUG)
    if scale is None:
        scales = {}
    elif isinstance(scale, Mapping) and "kind" not in scale:
        scales = {str(name): scale_of(one).to_json() for name, one in scale.items()}
    else:
        criteria = import_files(store, SLUG, files, dry_run=True, **options).criteria
        scales = dict.fromkeys(criteria, scale_of(scale).to_json())
    return import_files(store, SLUG, files, scales=scales, **options)
