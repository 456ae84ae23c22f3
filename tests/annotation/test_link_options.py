"""The options of a recruitment link, and the values that visitors may send."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.annotation.links.options import (
    Ending,
    LinkOptions,
    checked_options,
    options_from_json,
    options_to_json,
)
from judgelab.annotation.links.questions import (
    FormQuestion,
    IncompleteAnswers,
    read_answers,
    read_question,
    written_question,
)
from judgelab.annotation.links.visit import read_visit
from judgelab.errors import InvalidInput

PLAIN = LinkOptions(consent="Yes?")
names = st.from_regex(r"[A-Za-z0-9_.\-]{1,60}", fullmatch=True)
fields = st.builds(
    FormQuestion, st.text(min_size=1, max_size=20), st.just("text"), st.just(()), st.booleans()
)


@given(
    person=names,
    parameters=st.lists(names, max_size=4),
    questions=st.lists(fields, max_size=4),
    minutes=st.none() | st.integers(1, 500).map(float),
    code=st.text(max_size=20),
)
def test_options_survive_storing_and_loading(
    person: str, parameters: list[str], questions: list[FormQuestion], minutes: float | None, code: str
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
        ({"fields": (FormQuestion("Age", "date"),)}, "text, paragraph, number, choice, choices"),
        ({"fields": (FormQuestion("Hand", "choice"),)}, "list options"),
        ({"fields": (FormQuestion("Age"), FormQuestion("Age"))}, "are the same"),
        ({"fields": (FormQuestion(" "),)}, "has no text"),
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
        ("Age: number", FormQuestion("Age", "number")),
        ("Job: text, optional", FormQuestion("Job", "text", (), False)),
        ("Hand: choice=left | right", FormQuestion("Hand", "choice", ("left", "right"))),
        ("Why: because? : text", FormQuestion("Why: because?", "text")),
    ],
)
def test_questions_are_written_on_one_line(line: str, field: FormQuestion) -> None:
    assert read_question(line) == field


@pytest.mark.parametrize("line", ["Age", "Age: number, maybe"])
def test_a_line_that_is_not_a_question_is_refused_with_the_syntax(line: str) -> None:
    with pytest.raises(InvalidInput, match="is not a valid question; write"):
        read_question(line)


@pytest.mark.parametrize("value", ["{{%PID%}}", "{{PID}}", "${PID}", "[PID]", "%PID%", "<PID>", "PID", " "])
def test_a_placeholder_that_was_not_filled_in_is_not_an_id(value: str) -> None:
    with pytest.raises(InvalidInput, match="PID"):
        read_visit(replace(PLAIN, person="PID"), {"PID": [value]})


@given(st.from_regex(r"[A-Za-z0-9\-_@.+=/ ]{1,80}", fullmatch=True).filter(lambda v: v.strip()))
def test_ordinary_ids_are_accepted_unchanged(value: str) -> None:
    visit = read_visit(replace(PLAIN, person="~~who", others=("s",)), {"~~who": [value], "s": ["1"]})
    assert (visit.external_id, visit.parameters) == (value.strip(), {"s": "1"})


@pytest.mark.parametrize(
    "question",
    [
        FormQuestion("Age", "number"),
        FormQuestion("Why: because?", "paragraph", (), False),
        FormQuestion("Hand", "choice", ("left, mostly", "right")),
        FormQuestion("Languages", "choices", ("German", "العربية", "other, optional"), False),
    ],
)
def test_a_question_is_read_as_it_was_written(question: FormQuestion) -> None:
    assert read_question(written_question(question)) == question


@given(st.dictionaries(st.integers(0, 4), st.lists(st.text(max_size=30), max_size=3), max_size=5))
def test_answers_are_complete_or_reported(entries: dict[int, list[str]]) -> None:
    questions = (
        FormQuestion("a"),
        FormQuestion("b", "number"),
        FormQuestion("c", "choice", ("x", "y")),
        FormQuestion("d", "paragraph", required=False),
        FormQuestion("e", "choices", ("x", "y")),
    )
    try:
        answers = read_answers(questions, entries)
    except IncompleteAnswers as error:
        assert error.errors and set(error.errors) <= set(range(5))
        return
    assert {"a", "b", "c", "e"} <= set(answers) <= {question.label for question in questions}
    assert answers["c"] in ("x", "y") and isinstance(answers["b"], int | float)
    assert answers["e"] in (["x"], ["y"], ["x", "y"])


@pytest.mark.parametrize(
    ("question", "given", "stored"),
    [
        (FormQuestion("q", "number"), ["31"], 31),
        (FormQuestion("q", "number"), ["2,5"], 2.5),
        (FormQuestion("q", "number"), ["1e3"], 1000),
        (FormQuestion("q", "paragraph"), [" one\r\ntwo "], "one\r\ntwo"),
        (FormQuestion("q", "choice", ("x", "y")), ["y"], "y"),
        (FormQuestion("q", "choices", ("x", "y", "z")), ["z", "x", "x"], ["x", "z"]),
    ],
)
def test_answers_are_stored_as_their_question_says(
    question: FormQuestion, given: list[str], stored: object
) -> None:
    assert read_answers([question], {0: given}) == {"q": stored}


@pytest.mark.parametrize(
    ("question", "given", "message"),
    [
        *(
            (FormQuestion("q", "number"), [text], "Enter a number.")
            for text in ("nan", "inf", "1e400", "old")
        ),
        (FormQuestion("q"), ["x" * 2001], "at most"),
        (FormQuestion("q", "paragraph"), ["x" * 5001], "at most"),
        (FormQuestion("q", "choice", ("x", "y")), ["z"], "Choose one"),
        (FormQuestion("q", "choices", ("x", "y")), ["x", "z"], "Choose one"),
        (FormQuestion("q", "choices", ("x", "y")), [], "required"),
    ],
)
def test_an_answer_that_does_not_fit_is_reported(
    question: FormQuestion, given: list[str], message: str
) -> None:
    with pytest.raises(IncompleteAnswers) as error:
        read_answers([question], {0: given})
    assert message in str(error.value.errors[0])
