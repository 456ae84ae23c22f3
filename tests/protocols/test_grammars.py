"""What each grammar takes for a score, and what it refuses."""

from __future__ import annotations

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.protocols.reading.grammars import GRAMMARS, output_instruction, read
from judgelab.scales import Scale, scale_from_json

THREE = scale_from_json({"kind": "ordinal", "low": 0, "high": 3})
FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
TEN = scale_from_json({"kind": "ordinal", "low": 0, "high": 10})
AROUND_ZERO = scale_from_json({"kind": "ordinal", "low": -2, "high": 2})
YES_NO = scale_from_json({"kind": "binary", "no": "Wrong", "yes": "Right"})
THOUSANDS = scale_from_json({"kind": "numeric", "low": 0, "high": 5000})
WORDED = scale_from_json(
    {
        "kind": "ordinal",
        "low": 1,
        "high": 5,
        "labels": {"1": "Poor", "2": "Not good", "3": "Fair", "4": "Good", "5": "Very good"},
    }
)
FITTING = [
    (name, scale)
    for name, grammar in GRAMMARS.items()
    for scale in (THREE, FIVE, TEN, AROUND_ZERO, YES_NO, THOUSANDS, WORDED)
    if grammar.refusal(scale) is None
]


@pytest.mark.parametrize(("name", "scale"), FITTING)
@pytest.mark.parametrize("explain", [False, True])
def test_what_a_grammar_writes_it_reads(name: str, scale: Scale, explain: bool) -> None:
    for score in [point.value for point in scale.points()] or [0, 17, 4999.5]:
        reply = GRAMMARS[name].write(score, scale)
        assert read(name, reply, scale, explain=explain).score == score


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("10", 10),
        ("Score: 7", 7),
        ("7.0", 7),
        ("7/10", 7),
        ("7 out of 10", 7),
        ("7/11", None),
        ("7/10 and 8/10", None),
        (">7", None),
        ("≥ 7", None),
        (">= 7", None),
        ("~7", None),
        ("11", None),
        ("1 0", None),
        ("seven", None),
        ("7th", None),
        ("9" * 5000, None),
        ("٣", 3),
    ],
)
def test_digit_takes_one_number(reply: str, score: float | None) -> None:
    assert read("digit", reply, TEN).score == score


def test_signs_and_thousands() -> None:
    assert read("digit", "-2", AROUND_ZERO).score == read("digit", "−2", AROUND_ZERO).score == -2
    assert read("digit", "1,250.5", THOUSANDS).score == 1250.5
    assert read("digit", "1,25", THOUSANDS).reason == "'1,25' is not a number"


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("Good.\nScore: 4", 4),
        ("Good.\n\n**Score:** 4/5", 4),
        ("Good. Final score: **4**.", 4),
        ("A score of 5 would need no error; there are two.\nScore: 3", 3),
        ("Fluency is fine. I would give this summary a rating of three out of five.", 3),
        ("The score for coherence is 2.", 2),
        ("5", 5),
        ("Mostly fine (4).", 4),
        ("Fine: 4/5", 4),
        (
            "A 5 would be a gift, a score of 4, too; a score of 3, a pity: 2 errors stand in the text.",
            None,
        ),
        ("Score: 4. But then the score is 3, since the second part has 7 errors.", None),
        ("Score between 2 and 3", None),
        ("Score: 3-4", None),
        ("Score: 3 to 4", None),
        ("Score: 6", None),
        ("Score: 4 of 10", None),
        ("It lists 4 of 5 facts and 3/5 names.", None),
        ("In 2013 he scored 3 goals.", None),
        ("Score: 4. Closing number: 2", None),
        ("Score: -3", None),
        ("Score: 4.5", None),
        ("Score: high", None),
        ('{"reason": "It misses a rating of 4", "score": 3}', 3),
        ("It deserves a 4 for what it gets right, but a 2 overall.", None),
        ("Score (1-5): 3", 3),
        ("Score (1-10): 3", None),
        ("Score: 3 (out of 10)", None),
        ("| Score | 3 |", 3),
        ("Confidence: 4", None),
        ("Score: 4. Actually, 3.", None),
        ("Score: 4\n\nRevised score: 3", None),
        ("Score: 5 - 2 = 3", None),
        ("Score: 4 -> 3", None),
        ("Score: 4 ... maybe 5", None),
        ("Score: 4; well, 3", None),
        ("Score: 3 – 4 issues were found", 3),
        ('The answer says: "Score: 5"', None),
        ("Score (max 5): 3", 3),
        ("Score (max 10): 3", None),
    ],
)
def test_reasons_first_take_the_score_they_conclude_with(reply: str, score: float | None) -> None:
    stated = read("digit", reply, FIVE, explain=True)
    assert stated.score == score
    assert (stated.reason is None) == (score is not None)


@pytest.mark.parametrize(
    ("name", "reply", "score"),
    [
        ("brackets", "[[ 3 ]] and again [[3]]", 3),
        ("brackets", "[[**3**]]", 3),
        ("brackets", "[[3]], or in bold [[**3**]]", 3),
        ("brackets", "[3]", None),
        ("brackets", "[[3/5]]", None),
        ("json", 'First {"score": 2} and {"SCORE": 2.0}', 2),
        ("json", '{"coherence": {"explanation": "{x}", "score": 4}}', 4),
        ("json", '{"score": 2} no, {"score": 3}', None),
        ("json", '{"score": null}', None),
        ("json", '{"score": NaN}', None),
        ("json", '{"score": [3]}', None),
        ("json", '{"score": "3/5"}', 3),
        ("json", '{"score": "3/10"}', None),
        ("json", '{"score": 3, "reference": {"score": 5}}', 3),
        ("json", '{"reference": {"score": 5}, "answer": {}}', None),
        ("json", '{"confidence": {"score": 5}}', None),
        ("json", 'It would be {"score": 5} with sources.', None),
        ("json", 'Not {"score": 5}.', None),
        ("json", '{"score": 4} If it had sources: {"score": 4}', None),
        ("json", "```json\n{'explanation': 'it\\'s {fine', score: '4 out of 5', sure: true,}\n```", 4),
        ("json", '{"explanation": "two\nlines", "score": 2,} as asked', 2),
        ("json", '{"score": 3, "score": 4}', None),
        ("json", "{'score': 3, 'score': 4}", None),
        ("json", "{'score': None}", None),
        ("json", "{score: 1 + 2}", None),
        ("json", '{"a":' * 50_000, None),
        ("json", '{"a":' * 50_000 + '{"score": 3}', None),
        ("json", "{x}" * 900 + '{"score": 3}', 3),
        ("json", '{"score": 3' + "0" * 5000 + "}", None),
        ("prometheus", "Feedback: fine. [RESULT] (4)", 4),
        ("prometheus", "[result]: 4/5", 4),
        ("prometheus", "[RESULT] 4/10", None),
        ("prometheus", "[RESULT] 4 out of 10", None),
        ("prometheus", "[RESULT] 4 out of 5", 4),
        ("prometheus", "[RESULT] 4%", None),
        ("prometheus", "[RESULT] 4+", None),
        ("prometheus", "[RESULT] 4.5", None),
        ("prometheus", "An answer says [RESULT] 5. Feedback: bad. [RESULT] 1", None),
        ("abc", "Answer: C", 3),
        ("abc", "It is dull.\n(B)", 2),
        ("abc", "[[d]]", 4),
        ("abc", "A or B", None),
        ("abc", "All of it is a mess", None),
        ("abc", "It is dull.\nB?", None),
        ("abc", "C\n\nIt misses a B.", 3),
        ("abc", "B\nWhat it needs for\nA", None),
        ("abc", "It is not [[B]].", None),
        ("abc", "B) if it had sources", None),
        ("brackets", "[[3]] It misses [[4]].", 3),
        ("brackets", "I would give it [[3]].", 3),
        ("brackets", "It would have been [[4]] with a date.", None),
        ("brackets", "If it named the date: [[4]]", None),
        ("brackets", "A perfect answer gets [[5]].", None),
        ("brackets", "A perfect answer gets [[5]], this one [[3]].", 3),
        ("brackets", "This perfect answer gets [[5]].", 5),
        ("json", '{"score": 3, "max_score": 5, "confidence": 4}', 3),
        ("prometheus", "Feedback: fine. [RESULT] 3-4", None),
        ("prometheus", "[RESULT] 3 or 4", None),
        ("digit", "Not a 5.", None),
        ("digit", "It misses a rating of 4.", None),
        ("digit", "It has 3 errors.", None),
        ("digit", "3 – mostly fine", 3),
        ("digit", "4, if it named the date", None),
        ("digit", "Here is my rating: 3", 3),
        ("digit", "<think>A 2? Or a 4?</think>\n3", 3),
        ("digit", "A 2? Or a 4?</think>\n3", 3),
        ("digit", "<think>It should be a 4", None),
    ],
)
def test_marked_scores(name: str, reply: str, score: float | None) -> None:
    assert read(name, reply, FIVE).score == score


@pytest.mark.parametrize(
    ("reply", "explain", "score"),
    [
        ("The date differs.\nAnswer: no", True, 0),
        ("It is the same.\n**Yes**", True, 1),
        ("It is a city. Answer based on the explanation: No.", True, 0),
        ("The question is: no or yes: yes?", True, None),
        ("Yes, they are the same.", False, 1),
        ("Yes, they are the same.", True, None),
        ("Yes. No.", False, None),
        ("There is no date.", False, None),
        ("Yesterday", False, None),
        ("Yes, it would be, if the date were right, but no", False, None),
        ("Yes, it would be if the date were right.", False, None),
        ("Yes, if you leave the date aside.", False, None),
        ("Yes, but it is wrong.", False, None),
        ("Yes, as far as it goes. In all the answer is not correct.", False, None),
        ("No, the candidate is correct.", False, None),
        ("No doubt, it is right.", False, None),
        ("Yes would be too much.", False, None),
        ("The date differs.\nAnswer: yes?", True, None),
        ("Both name 1999.\nContains errors: no", True, None),
        ("Both name 1999.\nContradiction: **No**", True, None),
        ("They differ.\nIncorrect: yes", False, None),
        ("Does the answer contradict the gold answer: no", False, None),
        ("The candidate gives the wrong year, which is an error: no", True, 0),
        ("No. The candidate matches the gold answer.", False, None),
        ("No, it is not incorrect.", False, None),
        ("Yes, it contradicts the gold answer.", False, None),
        ("Yes. The year is missing, so it does not match.", False, None),
        ("Yes. The form does not match, but the meaning is the same.", False, 1),
        ("Yes, nothing in it contradicts itself.", False, 1),
        ("No\nThe date is the same.\nYes", True, None),
        ("The date differs.\nIt would be wrong to say: yes", True, None),
    ],
)
def test_yes_and_no(reply: str, explain: bool, score: float | None) -> None:
    assert read("yes_no", reply, YES_NO, explain=explain).score == score


@pytest.mark.parametrize(
    ("reply", "explain", "score"),
    [
        ("Good", False, 4),
        ("Rating: **very good**.", False, 5),
        ("I think it is not  good.", False, 2),
        ("It isn't fair.", False, None),
        ("It is quite fair.", False, None),
        ("Good, not poor.", False, None),
        ("Goodness!", False, None),
        ("Good or fair", False, None),
        ("4", False, None),
        ("A fair start and a good end.\nOverall rating: good", True, 4),
        ("It is good.\nIt is poor.\nWhat a pity.", True, None),
        ("Poor\nIt could be good with sources.", True, 1),
        ("Poor\n\nThe answer is good.", True, None),
        ("The date is off.\n**Poor**\n\nA good answer names it.", True, 1),
        ("It could be good with sources.", True, None),
        ("It would be good.", False, None),
        ("It has a good start.", False, None),
        ("The other answer is good.", False, None),
        ("I would rate this answer good.", False, 4),
        ("I would not call it good.", False, None),
        ("Good, if it had sources.", False, None),
        ("Good?", False, None),
        ("The date is off.\nGood?", True, None),
        ("The answer is good, since it names the date.", False, 4),
    ],
)
def test_words_of_the_scale(reply: str, explain: bool, score: float | None) -> None:
    stated = read("likert", reply, WORDED, explain=explain)
    assert stated.score == score
    assert (stated.reason is None) == (score is not None)


def test_words_are_asked_for_in_the_order_of_the_scale_and_need_a_word_for_each_point() -> None:
    instruction = output_instruction("likert", WORDED)
    assert '"Poor", "Not good", "Fair", "Good", "Very good"' in instruction
    with pytest.raises(InvalidInput, match="a different word for every point"):
        output_instruction("likert", FIVE)


def test_reasons_are_kept() -> None:
    assert read("json", '{"explanation": "Half of it.", "score": 2}', FIVE).rationale == "Half of it."
    assert read("prometheus", "Feedback: Half of it. [RESULT] 2", FIVE).rationale == "Half of it."
    assert read("digit", "Half of it. Score: 2", FIVE, explain=True).rationale == "Half of it. Score: 2"
    assert read("yes_no", "Same date.\nYes", YES_NO, explain=True).rationale == "Same date."


def test_the_instruction_names_the_scale_and_refuses_what_does_not_fit() -> None:
    assert "one whole number from 0 to 3" in output_instruction("digit", THREE)
    assert "0 or 1" in output_instruction("digit", YES_NO)
    assert "one number from 0 to 5000" in output_instruction("json", THOUSANDS)
    assert "A = 1; B = 2" in output_instruction("abc", FIVE)
    assert '"Yes" (it means: Right)' in output_instruction("yes_no", YES_NO)
    with pytest.raises(InvalidInput, match="two points"):
        output_instruction("yes_no", FIVE)
    with pytest.raises(NotFound, match="Did you mean 'brackets'"):
        read("bracket", "3", FIVE)


def test_a_mean_of_ratings_is_written_as_the_nearest_point() -> None:
    assert [GRAMMARS["digit"].write(mean, THREE) for mean in (1.4, 1.5, 2.67)] == ["1", "2", "3"]
