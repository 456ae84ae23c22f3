"""Results that several files have, or that contradict each other: items, responses and scores told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from judgelab.imports.core.records import derived_id
from judgelab.imports.results.base import Notes, Result
from judgelab.wording import counted, sentence


def told_apart(results: Sequence[Result], notes: Notes) -> list[Result]:
    """Return the results with one question for an item, one text for a response, and each score once."""
    items = list(_one_question_each(results, notes))
    return list(_once(list(_responses(_one_context_each(items, notes))), notes))


def _one_question_each(results: Sequence[Result], notes: Notes) -> Iterator[Result]:
    """Yield the results; further questions under the id of another get ids made from their texts.

    Two tasks may have the same ids, and some tools name several cases alike.
    """
    first: dict[str, Result] = {}
    others: set[str] = set()
    for result in results:
        if not result.question:
            yield result
            continue
        known = first.setdefault(result.item, result)
        if _words(result.question) != _words(known.question):
            others.add(result.item)
            item = derived_id("i", result.question, "")
            known = first.setdefault(item, result._replace(item=item))
        yield result._replace(item=known.item, question=known.question, group=known.group or result.group)
    if others:
        notes.said.append(
            counted(
                "{n} id has several questions in these files; all but the first get ids from their texts",
                "{n} ids have several questions in these files; all but the first get ids from their texts",
                len(others),
            )
        )


def _words(text: str) -> list[str]:
    return text.split()


def _one_context_each(results: Sequence[Result], notes: Notes) -> Iterator[Result]:
    """Yield the results; contexts that were not the same for all responses to an item are left out.

    Systems that retrieve their contexts are given different ones; shown beside the response of another
    system, a context would mislead raters.
    """
    contexts: defaultdict[str, set[str]] = defaultdict(set)
    for result in results:
        if result.context:
            contexts[result.item].add(result.context)
    differ = {item for item, texts in contexts.items() if len(texts) > 1}
    if differ:
        notes.leave_out(sentence("contexts that differ between the responses to an item"), len(differ))
    for result in results:
        yield result._replace(context="") if result.item in differ else result


def _responses(results: Iterator[Result]) -> Iterator[Result]:
    """Yield the results; further responses of a system to an item get ids made from their texts."""
    first: dict[tuple[str, str], str] = {}
    for result in results:
        if result.response_id or not result.response:
            yield result
        elif result.response == first.setdefault((result.item, result.system), result.response):
            yield result
        else:
            yield result._replace(response_id=derived_id("r", result.response))


def _once(results: Sequence[Result], notes: Notes) -> Iterator[Result]:
    """Yield each score once, though two files of a tool may hold the same evaluation.

    A response without a score is yielded once, and only if nothing scores it.
    """
    scored = {response_of(result) for result in results if result.score is not None}
    seen: set[tuple[Any, ...]] = set()
    repeated = 0
    for result in results:
        score, response = result.score, response_of(result)
        if score is None and response in scored:
            continue
        key = (*response, None if score is None else (*score[:3], _comparable(score.value)))
        try:
            known = key in seen
        except TypeError:  # a list as a score
            yield result
            continue
        if known:
            repeated += score is not None
            continue
        seen.add(key)
        yield result
    if repeated:
        notes.said.append(
            counted(
                "{n} score is in two of the files; it is read once",
                "{n} scores are in two of the files; each is read once",
                repeated,
            )
        )


def _comparable(value: Any) -> Any:
    """Return a score such that the cells 5.0 of a JSON file and "5.0" of a table are the same."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def response_of(result: Result) -> tuple[str, ...]:
    """Return what tells a response from others."""
    return result.item, result.system, result.response_id, result.response


def scales_apart(results: Sequence[Result]) -> Iterator[str]:
    """Yield a notice for each criterion by which judges score from 0 to 1, people on a longer scale."""
    given: dict[str, dict[str, list[float]]] = {}
    for result in results:
        if (score := result.score) is not None and score.kind != "metric":
            value = _comparable(score.value)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                given.setdefault(score.criterion, {}).setdefault(score.kind, []).append(value)
    for criterion, by_kind in given.items():
        judged, said = by_kind.get("judge"), by_kind.get("human")
        if judged and said and 0 <= min(judged) and max(judged) <= 1 < sorted(said)[len(said) // 2]:
            yield sentence(
                "by '{criterion}', judges score from {low} to {high} and people up to {most}: the scales "
                "differ, so compare them by correlations, or convert one of them first",
                criterion=criterion,
                low=f"{min(judged):g}",
                high=f"{max(judged):g}",
                most=f"{max(said):g}",
            )
