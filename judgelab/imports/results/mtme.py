"""Folders of WMT's metrics task (mt-metrics-eval): scores a line for each system and segment, and texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.records import derived_id
from judgelab.imports.files.sources import Unreadable
from judgelab.imports.results.base import Example, Notes, Result, ResultFile, ResultTool, Score, result_tools
from judgelab.imports.results.texts import is_judge_name
from judgelab.wording import mark, sentence

SEGMENTS, MEANS = ".seg.score", ".sys.score"
HUMAN, METRICS = "human-scores", "metric-scores"
SOURCES, REFERENCES, OUTPUTS, DOCUMENTS = "sources", "references", "system-outputs", "documents"
_LINE = re.compile(rb"\S+[ \t]+(?:None|[-+]?[0-9][0-9.eE+-]*)\s*")
_LINES = 50  # looked at to recognise a file
# The end of a name that numbers the people of one campaign: helpA, helpB; mqm-rater1, mqm-col2.
_PERSON = re.compile(r"[-_.]?(?:rater|annotator|col)?[-_.]?(?:[A-Z]|\d{1,2})$")


class _Segment(NamedTuple):
    item: str
    source: str
    reference: str
    domain: str


class _Scores(NamedTuple):
    rater: str
    criterion: str
    file: ResultFile
    human: bool


@result_tools.register("mtme")
class Mtme(ResultTool):
    """Reads the scores of segments; means of systems are none, and references are no systems."""

    title = "mt-metrics-eval"
    summary = mark("Scores of people, judges and metrics for each segment and system, in WMT's folders.")
    version = "2"
    examples = (
        Example(
            {
                "sources/en-de.txt": "Why?\nWho?\n",
                "references/en-de.refA.txt": "Regen.\nBo.\n",
                "system-outputs/en-de/red.txt": "Der Regen.\nBob.\n",
                "system-outputs/en-de/refA.txt": "Regen.\nBo.\n",
                "human-scores/en-de.clearA.seg.score": "red\t5\nred\t2\nrefA\tNone\nrefA\tNone\n",
                "human-scores/en-de.clearB.seg.score": "red\t4\nred\tNone\nrefA\tNone\nrefA\tNone\n",
                "human-scores/en-de.clearA.sys.score": "red\t3.5\nrefA\tNone\n",
                "metric-scores/en-de/BLEU-refA.seg.score": "red\t0.5\nred\t0.1\nrefA\t1\nrefA\t1\n",
                "metric-scores/en-de/judge_owl-src.seg.score": "red\t0.9\nred\t0.2\nrefA\t1\nrefA\t1\n",
            },
            items=2,
            responses=2,
            human=3,
            judged=2,
            metrics=2,
        ),
    )

    def recognises(self, file: ResultFile) -> bool:
        """Return whether each line is a system and a number or None, in a file of scores of segments."""
        lines = file.head.splitlines()[:_LINES]
        return file.name.endswith(SEGMENTS) and bool(lines) and all(map(_LINE.fullmatch, lines))

    def belongs(self, name: str, files: Sequence[ResultFile]) -> bool:
        """Return whether a file is in a folder of texts or scores of the same languages."""
        languages = {_languages(file.name) for file in files}
        folders = {SOURCES, REFERENCES, OUTPUTS, DOCUMENTS, HUMAN, METRICS}
        return bool(folders & set(PurePosixPath(name).parts[:-1])) and _languages(name) in languages

    def read(self, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
        """Yield a result for each score of a segment; raises `Unreadable` without sources."""
        for languages in dict.fromkeys(_languages(file.name) for file in files):
            own = [file for file in files if _languages(file.name) == languages]
            yield from _results(languages, own, notes)


def _languages(name: str) -> str:
    """Return the languages of a file, such as "en-de", from its name or that of its folder."""
    path = PurePosixPath(name)
    if path.parent.name not in (SOURCES, REFERENCES, DOCUMENTS, HUMAN) and len(path.parts) > 1:
        return path.parent.name
    return path.name.partition(".")[0]


def _in(folder: str, files: Sequence[ResultFile]) -> list[ResultFile]:
    return [file for file in files if folder in PurePosixPath(file.name).parts[:-1]]


def _results(languages: str, files: Sequence[ResultFile], notes: Notes) -> Iterator[Result]:
    references = {_name(file): list(file.text()) for file in _in(REFERENCES, files)}
    segments = _segments(languages, files, references)
    outputs = {
        PurePosixPath(file.name).stem: list(file.text())
        for file in _in(OUTPUTS, files)
        if PurePosixPath(file.name).stem not in references
    }
    for file in files:
        if file.name.endswith(MEANS):
            notes.leave_out(sentence("means of systems"), sum(1 for _ in file.text()))
    for one in _scores_of(files):
        for system, place, value in _lines(one.file, len(segments)):
            if system in references:
                if not is_missing(value):
                    notes.leave_out(sentence("scores of references"))
                continue
            given = _score(one, value)
            if given is not None:
                yield _response(segments[place], place, system, outputs)._replace(score=given)
    for system in outputs:
        for place, segment in enumerate(segments[: len(outputs[system])]):
            yield _response(segment, place, system, outputs)


def _score(one: _Scores, value: str) -> Score | None:
    if one.human:
        return None if is_missing(value) else Score(one.rater, "human", one.criterion, value)
    if is_judge_name(one.rater) or "gemba" in one.rater.lower():
        return Score(one.rater, "judge", one.criterion, None if is_missing(value) else value)
    return None if is_missing(value) else Score(one.criterion, "metric", one.criterion, value)


def _response(segment: _Segment, place: int, system: str, outputs: Mapping[str, Sequence[str]]) -> Result:
    texts = outputs.get(system, ())
    response = texts[place] if place < len(texts) else ""
    item, source, reference, domain = segment
    return Result(item, place + 1, response, system, source, reference=reference, group=domain)


def _name(file: ResultFile) -> str:
    """Return what a file's name says after its languages: the rater, metric or reference."""
    name = PurePosixPath(file.name).name
    for ending in (SEGMENTS, MEANS, ".txt"):
        name = name.removesuffix(ending)
    return name.partition(".")[2] if PurePosixPath(file.name).parent.name != _languages(file.name) else name


def _scores_of(files: Sequence[ResultFile]) -> Iterator[_Scores]:
    """Yield the files of scores with who gave them; people of one campaign share a criterion."""
    scored = [file for file in files if file.name.endswith(SEGMENTS)]
    human = [file for file in scored if METRICS not in PurePosixPath(file.name).parts]
    campaigns = Counter(_PERSON.sub("", _name(file)) for file in human)
    for file in scored:
        name = _name(file)
        if file in human:
            campaign = _PERSON.sub("", name)
            yield _Scores(name, campaign if campaign and campaigns[campaign] > 1 else name, file, human=True)
        else:
            yield _Scores(name.rpartition("-")[0] or name, name, file, human=False)


def _lines(file: ResultFile, most: int) -> Iterator[tuple[str, int, str]]:
    """Yield system, place of the segment and value of each line; raises `Unreadable`."""
    places: Counter[str] = Counter()
    for number, line in enumerate(file.text(), start=1):
        system, *value = line.split()
        if len(value) != 1 or places[system] == most:
            raise Unreadable(
                sentence(
                    "{file} has another line than one score for each system and line of the sources; the "
                    "folder needs as many scores of a system as lines of sources",
                    file=file.name,
                ),
                row=number,
            )
        yield system, places[system], value[0]
        places[system] += 1


def _segments(
    languages: str, files: Sequence[ResultFile], references: Mapping[str, Sequence[str]]
) -> list[_Segment]:
    sources = [line for file in _in(SOURCES, files) for line in file.text()]
    if not sources:
        raise Unreadable(
            sentence(
                "scores of segments need the texts that they belong to: import the whole folder, with "
                "{sources} and {outputs}",
                sources=f"{SOURCES}/{languages}.txt",
                outputs=f"{OUTPUTS}/{languages}",
            )
        )
    documents = [line.split() for file in _in(DOCUMENTS, files) for line in file.text()]
    reference: Sequence[str] = next(iter(references.values()), ())
    segments, seen = [], Counter[tuple[str, ...]]()
    for place, source in enumerate(sources):
        document = tuple(documents[place]) if place < len(documents) else ()
        # A text that is in a document twice is two segments.
        seen[*document, source] += 1
        repeated = seen[*document, source]
        parts = (source, *document[1:], *([str(repeated)] if repeated > 1 else []))
        item = derived_id("i", languages, *parts)
        own = reference[place] if place < len(reference) else ""
        segments.append(_Segment(item, source, own, document[0] if document else ""))
    return segments
