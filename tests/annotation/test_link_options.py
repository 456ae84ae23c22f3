"""The options of a recruitment link, and the values that visitors may send."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.links.options import (
    BackgroundField,
    Ending,
    LinkOptions,
    checked_options,
    options_from_json,
    options_to_json,
    read_field,
)
from judgelab.annotation.links.visit import read_background, read_visit
from judgelab.errors import InvalidInput

PLAIN = LinkOptions(consent="Yes?")
names = st.from_regex(r"[A-Za-z0-9_.\-]{1,60}", fullmatch=True)
fields = st.builds(
    BackgroundField, st.text(min_size=1, max_size=20), st.just("text"), st.just(()), st.booleans()
)


@given(
    person=names,
    parameters=st.lists(names, max_size=4),
    questions=st.lists(fields, max_size=4),
    minutes=st.none() | st.integers(1, 500).map(float),
    code=st.text(max_size=20),
)
def test_options_survive_storing_and_loading(
    person: str, parameters: list[str], questions: list[BackgroundField], minutes: float | None, code: str
) -> None:
    options = LinkOptions(
        person,
        tuple(parameters),
        "Yes?",
        tuple(questions),
        minutes=minutes,
        finished=Ending(code, "https://a.b"),
    )
    assert options_from_json(options_to_json(options)) == options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"consent": "  "}, "needs a consent text"),
        ({"person": "a b"}, "is not a valid parameter"),
        ({"others": ("PROLIFIC_PID",)}, "have the same name"),
        ({"places": 0}, "1 to 100,000 places"),
        ({"minutes": 0.5}, "1 to 86,400 minutes"),
        ({"most": 0}, "at least 1"),
        ({"refill": "burn"}, "keep, surplus"),
        ({"fields": (BackgroundField("Age", "date"),)}, "text, number, choice"),
        ({"fields": (BackgroundField("Hand", "choice"),)}, "options are allowed"),
        ({"fields": (BackgroundField("Age"), BackgroundField("Age"))}, "identical"),
        ({"fields": (BackgroundField(" "),)}, "is empty"),
        ({"finished": Ending(url="javascript:alert(1)")}, "not a web address"),
        ({"finished": Ending(url="https://")}, "not a web address"),
        ({"declined": Ending(url="ftp://a.b/c")}, "not a web address"),
        ({"screened_out": Ending(url="https://a.b/ c")}, "not a web address"),
        ({"screened_out": Ending(url="http://[half")}, "not a web address"),
        ({"finished": Ending(code="x" * 201)}, "a code has 201 characters"),
    ],
)
def test_invalid_options_are_refused_with_a_sentence(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        checked_options(replace(PLAIN, **options))  # type: ignore[arg-type]


@given(st.text(max_size=60))
def test_only_http_addresses_are_valid(url: str) -> None:
    try:
        checked = checked_options(replace(PLAIN, finished=Ending(url=url))).finished.url
    except InvalidInput:
        return
    assert not checked or checked.lower().startswith(("http://", "https://"))


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("Age: number", BackgroundField("Age", "number")),
        ("Job: text, optional", BackgroundField("Job", "text", (), False)),
        ("Hand: choice=left | right", BackgroundField("Hand", "choice", ("left", "right"))),
        ("Why: because? : text", BackgroundField("Why: because?", "text")),
    ],
)
def test_questions_are_written_on_one_line(line: str, field: BackgroundField) -> None:
    assert read_field(line) == field


@pytest.mark.parametrize("line", ["Age", "Age: number, maybe"])
def test_a_line_that_is_not_a_question_is_refused_with_the_syntax(line: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid question; write"):
        read_field(line)


@pytest.mark.parametrize("value", ["{{%PID%}}", "{{PID}}", "${PID}", "[PID]", "%PID%", "<PID>", "PID", " "])
def test_a_placeholder_that_was_not_filled_in_is_not_an_id(value: str) -> None:
    with pytest.raises(InvalidInput, match="PID"):
        read_visit(replace(PLAIN, person="PID"), {"PID": [value]})


@given(st.from_regex(r"[A-Za-z0-9\-_@.+=/ ]{1,80}", fullmatch=True).filter(lambda v: v.strip()))
def test_ordinary_ids_are_accepted_unchanged(value: str) -> None:
    visit = read_visit(replace(PLAIN, person="~~who", others=("s",)), {"~~who": [value], "s": ["1"]})
    assert (visit.external_id, visit.parameters) == (value.strip(), {"s": "1"})


@given(st.dictionaries(st.integers(0, 4), st.text(max_size=30), max_size=5))
def test_background_answers_are_complete_or_reported(entries: dict[int, str]) -> None:
    questions = (
        BackgroundField("a"),
        BackgroundField("b", "number"),
        BackgroundField("c", "choice", ("x", "y")),
        BackgroundField("d", required=False),
    )
    answers, problems = read_background(questions, entries)
    for position, field in enumerate(questions):
        assert not (field.label in answers and position in problems)
        assert field.label in answers or position in problems or not field.required
    assert set(answers) <= {field.label for field in questions}
    assert answers.get("c") in (None, "x", "y")
    assert "b" not in answers or isinstance(answers["b"], int | float)


@pytest.mark.parametrize(("text", "value"), [("31", 31), ("2,5", 2.5), ("1e3", 1000)])
def test_numbers_are_read_as_people_type_them(text: str, value: float) -> None:
    assert read_background([BackgroundField("n", "number")], {0: text}) == ({"n": value}, {})


@pytest.mark.parametrize("text", ["nan", "inf", "1e400", "old"])
def test_an_answer_that_is_not_a_number_is_reported(text: str) -> None:
    assert read_background([BackgroundField("n", "number")], {0: text})[1] == {0: "Enter a number."}
