"""Which judge and criterion a call is about, checked."""

from __future__ import annotations

from judgelab.api.scores import Scores
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.statistic_defaults import LENGTH, defaults_for_scale
from judgelab.wording import mark

NO_TEXTS = (
    "The texts of the responses are not known, so nothing is said of their length; name the column that has "
    'them: jl.scores(df, columns={"response": "…"}).'
)
NO_RATING_KEPT = "the filter keeps no rating; a lower threshold keeps more: filter=jl.Filter(threshold=0.2)."


def check_sides(given: Scores) -> None:
    """Raise `InvalidInput` unless there is a judge or metric, and a score by a human rater."""
    if not given.judges:
        raise InvalidInput(
            f"there is no judge or metric to compare with the raters ({', '.join(given.humans[:6])}); name "
            'them: jl.scores(df, judges=["…"]); for the agreement among raters call jl.inter_rater(s).'
        )
    check_people(given)


def check_people(given: Scores) -> None:
    """Raise `InvalidInput` unless there is a score by a human rater, also after a filter."""
    data = given._data
    if data.scores.loc[data.scores["rater_kind"] == "human", "score"].notna().any():
        return
    people = data.humans.loc[data.humans["score"].notna(), "rater"].unique()
    if len(people) > 1:
        raise InvalidInput(NO_RATING_KEPT)
    if len(people):
        raise InvalidInput(f"a filter compares raters with one another, and there is only '{people[0]}'.")
    names = list(map(str, data.humans["rater"].unique()[:6]))
    if names:
        raise InvalidInput(f"there is no score by a human rater ({', '.join(names)}).")
    raise InvalidInput('there is no human rater; name them: jl.scores(df, humans=["…"]).')


def unrated_note(given: Scores, criterion: str | None) -> list[str]:
    """Return a sentence on the criteria that no human rater scored, if several were asked for."""
    rated = set(given._data.kept_ratings["criterion"].unique())
    unrated = [key for key in given.criteria if key not in rated]
    return [f"Left out, without a human rating: {', '.join(unrated)}."] if unrated and not criterion else []


def judges_of(given: Scores, judge: str | None) -> tuple[str, ...]:
    """Return the judge that is named, checked, or all judges and metrics; raises `NotFound`."""
    check_sides(given)
    if judge is None:
        return given.judges
    if judge not in given.judges:
        raise NotFound(mark("judge or metric"), str(judge), given.judges)
    return (judge,)


def one_judge(given: Scores, judge: str | None, call: str) -> str:
    """Return the judge that is named, or the only one; `call` shows how to name one of several."""
    names = judges_of(given, judge)
    if len(names) > 1:
        listed = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
        named = call.format(f'"{names[0]}"')
        raise InvalidInput(f"name one of the {len(names)} judges: {named} ({listed}).")
    return names[0]


def texts_missing(given: Scores) -> bool:
    """Return whether length is a baseline of these scores, but the texts of the responses are not known."""
    by_length = any(LENGTH in defaults_for_scale(scale).baselines for scale in given.scales.values())
    return given._words is None and given._data.compared is None and by_length


def criteria_of(given: Scores, criterion: str | None) -> tuple[str, ...]:
    """Return the criterion that is named, or all; raises `NotFound`."""
    if criterion is None:
        return given.criteria
    return (given._data.project.criterion(criterion).key,)


def check_epsilon(epsilon: float) -> None:
    """Raise `InvalidInput` for a lead that is no share."""
    if not isinstance(epsilon, (int, float)) or not 0 <= epsilon <= 1:
        raise InvalidInput(f"epsilon is {epsilon!r}, but must be from 0 to 1, such as 0.2 for experts.")
