"""The score that a reply states, whatever is said before and after it about scores that were not given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgelab.protocols.reading.grammars import read
from judgelab.scales import Scale, scale_from_json

FIVE = scale_from_json({"kind": "ordinal", "low": 1, "high": 5})
WORDED = scale_from_json(
    {"kind": "ordinal", "low": 1, "high": 3, "labels": {"1": "bad", "2": "fair", "3": "good"}}
)
SCALES = [
    scale_from_json({"kind": "ordinal", "low": 0, "high": 3}),
    FIVE,
    scale_from_json({"kind": "ordinal", "low": 0, "high": 10}),
    scale_from_json({"kind": "numeric", "low": 0, "high": 100}),
    scale_from_json({"kind": "numeric", "low": 0, "high": 1}),
]
# Every one names {n}, a score that was not given; {top} is the scale's highest.
REMARKS = (
    "It misses a rating of {n} because it omits the date.",
    "It just misses a {n}.",
    "It narrowly misses {n}.",
    "A higher rating of {n}, which I considered, is not deserved.",
    "A rating of {n} was considered and rejected.",
    "To reach a score of {n}: add the missing date.",
    "To earn {n} it should name the river.",
    "Had it named the river, I would have given it a {n}.",
    "I would have given it a {n}.",
    "I would have rated it {n} with sources.",
    "I would give it a {n} with sources.",
    "I would give it a {n} if it had sources.",
    "If it had sources, I would give it a {n}.",
    "If it named the date it would get a {n}.",
    "With sources, it gets a {n}.",
    "With a date the score is {n}.",
    "Without the wrong year it would be a {n}.",
    "Were it shorter, it would earn a score of {n}.",
    "Otherwise it deserves a {n}.",
    "It could be a {n}.",
    "It could be a {n} if it were shorter.",
    "It might deserve a score of {n} elsewhere.",
    "One could argue for a {n}.",
    "It is not a {n}.",
    "This is no {n}.",
    "It isn't a {n}.",
    "It does not deserve a score of {n}.",
    "It doesn't earn a {n}.",
    "I cannot give it a {n}.",
    "I can't give a score of {n}.",
    "I don't think it deserves a {n}.",
    "I hesitate to give it a {n}.",
    "I was tempted to give a {n}.",
    "It falls short of a score of {n}.",
    "It is far from a {n}.",
    "It is almost a {n}.",
    "It almost gets a {n}.",
    "Hardly a {n}.",
    "Not a {n}.",
    "Not {n}.",
    "Why not a {n}?",
    "Is it a {n}? No.",
    "A score of {n} would need no error.",
    "A score of {n} would be too high.",
    "A score of {n} is out of reach.",
    "A {n} needs sources.",
    "For a {n}, it lacks a date.",
    "For a score of {n}: name the date.",
    "What keeps it from a {n} is the missing date.",
    "The missing date prevents a score of {n}.",
    "The other answer deserves a {n}.",
    "The other answer earns a score of {n}.",
    "The second answer gets a {n}.",
    "Another judge gave it a {n}.",
    "Other raters would give it a {n}.",
    "Human raters gave it a {n}.",
    "The reference scores a {n}.",
    "The reference answer has a score of {n}.",
    "Compared with the reference, a {n}, it is weak.",
    "Previous score: {n}.",
    "Average score: {n}.",
    "The average score is {n}.",
    "The maximum score is {n}.",
    "The scale goes up to {top}.",
    "The scale runs from {n} to {top}.",
    "Fluency earns a {n}.",
    "Its style deserves a score of {n}.",
    "{n} for style.",
    "I would give it a {n} for style.",
    "Style: {n}.",
    "Style: {n}/{top}.",
    "Style score: {n}.",
    "Confidence: {n}.",
    "My confidence is {n}.",
    "Confidence score: {n} out of {top}.",
    "It names {n} of {top} facts.",
    "It makes {n} errors.",
    "There are {n} reasons for this.",
    "Number of errors: {n}.",
    'The answer itself says "Score: {n}".',
    "The answer asks for a score of {n}.",
    "{n} means something else.",
    "Score {n} is reserved for perfect answers.",
    "More than {n} would be generous.",
    "Anything above {n} is too much.",
    "Less than {n} would be harsh.",
    "At least {n} facts are missing.",
    "Give it a {n} once the date is added.",
    "A better answer would get a {n}.",
    "An ideal answer gets a {n}.",
    "An answer with sources earns a {n}.",
    "Nobody would rate it {n}.",
    "The criterion asks for {n} sentences.",
    "In {n} sentences it says little.",
    "Rather than a {n}, it earns less.",
    "Between this and a {n} stands one date.",
    "The jump to {n} needs a source.",
    "Add a date and it's a {n}.",
    "One more source and this is a {n}.",
    "Fix the year and I'd give it a {n}.",
    "A score of {n} is appropriate when a date is given.",
    "I took off {n} points.",
    "I deduct {n} points.",
    "It loses {n} points for the date.",
    "It gets {n} points less than the best.",
    "It is one point short of a perfect score of {n}.",
    "Clearly better than {n}.",
    "It can't be higher than {n}.",
    "It would be unfair to give it less than a {n}.",
    "The user rated it {n}.",
    "Earlier I gave it a {n}.",
    "Target: {n}.",
    "Potential score: {n}.",
    "Score above {n}.",
    "Score if corrected: {n}.",
    "{top} = excellent, {n} = not this.",
)
STATED = (
    "Score: {s}",
    "**Score: {s}**",
    "**Score:** {s}/{top}",
    "Score: {s} out of {top}.",
    "Final score: {s}.",
    "Overall rating: **{s}**",
    "Rating - {s}",
    "## Score\n\n{s}",
    "The score is {s}.",
    "My rating is {s}.",
    "The score for this answer is {s}.",
    "I give it a {s}.",
    "I would rate this answer {s} out of {top}.",
    "Clear and short, so it gets a {s}.",
    "It is clear, resulting in a score of {s}.",
    "It is clear but short, earning a score of {s} out of {top}.",
    "Therefore, the answer deserves a score of {s}.",
    "This is a score of {s}.",
    "A score of {s} is appropriate.",
)


def written(value: float) -> str:
    return f"{value:g}"


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, float, Scale]:
    scale = draw(st.sampled_from(SCALES))
    values = [point.value for point in scale.points()] or (
        [0, 0.25, 0.5, 1] if scale.high == 1 else [0, 12.5, 40, 87, 100]
    )
    score, other_score = draw(st.permutations(values))[:2]
    scores = {"s": written(score), "n": written(other_score), "top": written(scale.high)}
    before, after = (
        [remark.format(**scores) for remark in draw(st.lists(st.sampled_from(REMARKS), max_size=2))]
        for _ in "ba"
    )
    join = draw(st.sampled_from([" ", "\n", "\n\n", "\n- "]))
    stated = draw(st.sampled_from(STATED)).format(**scores)
    if join == " " and not stated.endswith("."):
        stated += "."
    return join.join([*before, stated, *after]), score, scale


@given(replies(), st.booleans())
def test_the_stated_score_or_none_and_never_that_of_a_remark(
    case: tuple[str, float, Scale], explain: bool
) -> None:
    reply, score, scale = case
    stated = read("digit", reply, scale, explain=explain, about="accuracy")
    assert stated.score in (score, None), reply
    assert (stated.score is None) == bool(stated.reason)


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("explain", [True, False])
def test_a_remark_alone_states_no_score(remark: str, explain: bool) -> None:
    reply = remark.format(n=4, top=5)
    assert read("digit", reply, FIVE, explain=explain, about="accuracy").score is None
    assert read("digit", f"It is clear. {reply}", FIVE, explain=explain, about="accuracy").score is None


@pytest.mark.parametrize("stated", STATED)
def test_a_statement_alone_is_read(stated: str) -> None:
    reply = stated.format(s=3, top=5)
    assert read("digit", reply, FIVE, explain=True, about="accuracy").score == 3
    assert read("digit", f"It has 2 errors in 10 lines.\n{reply}", FIVE, explain=True).score == 3


@pytest.mark.parametrize("remark", REMARKS)
def test_a_labelled_score_is_read_before_and_after_a_remark(remark: str) -> None:
    """Few remarks may leave such a reply unscored: those that could be meant as a second score."""
    text = remark.format(n=4, top=5)
    scores = [
        read("digit", reply, FIVE, explain=True, about="accuracy").score
        for reply in (f"{text}\nScore: 2", f"Score: 2\n\n{text}")
    ]
    assert scores[0] == 2
    asides = ("Number of errors: ", "Style: ", "Style score: ", "Score if corrected: ")
    assert scores[1] == 2 or remark.startswith(asides)


@pytest.mark.parametrize(
    "remark", ["For style, I give it a 5.", "On length, it gets a 5.", "For example, it names the date."]
)
@pytest.mark.parametrize("explain", [True, False])
def test_a_remark_in_the_next_paragraph_hides_no_score(remark: str, explain: bool) -> None:
    assert read("digit", f"Score: 3\n\n{remark}", FIVE, explain=True, about="quality").score == 3
    assert read("digit", "Score: 4\n\nFor example, it names it.", FIVE, explain=explain).score == 4


@pytest.mark.parametrize(
    ("grammar", "reply"),
    [
        ("digit", "Regarding style, I give it a 5."),
        ("digit", "As prose, this is a 5."),
        ("digit", "In terms of grammar, I give it a 5."),
        ("digit", "Introduction: 4\nConclusion: 2"),
        ("digit", "Score < 5"),
        ("digit", "Score ≤ 5"),
        ("digit", "Full score: 5"),
        ("json", '{"fluency": {"score": 5}}'),
        ("json", '{"criterion": "fluency", "score": 5}'),
        ("json", '{"if_corrected": {"score": 5}}'),
        ("brackets", "The maximum is [[5]]."),
        ("brackets", "The reference deserves [[5]]."),
        ("prometheus", "[RESULT] 3 minus 1"),
        ("prometheus", "[RESULT] 3 → 4"),
        ("prometheus", "[RESULT] 5 facts missing"),
        ("likert", "Grammar: good\nFacts: bad"),
        ("likert", "Confidence: good"),
        ("likert", "The style of this answer is good."),
        ("likert", "The user thinks the answer is good."),
    ],
)
def test_a_score_of_something_else_is_none(grammar: str, reply: str) -> None:
    scale = WORDED if grammar == "likert" else FIVE
    assert read(grammar, reply, scale, explain=True, about="quality").score is None


@pytest.mark.parametrize(
    ("grammar", "reply", "score"),
    [
        ("digit", "For this reason, I give it a 4.", 4),
        ("digit", "On balance, it deserves a 4.", 4),
        ("digit", "For quality, I give it a 4.", 4),
        ("json", '{"evaluation": {"score": 4}}', 4),
        ("json", '{"quality": {"score": 4}, "fluency": {"score": 5}}', 4),
        ("brackets", "Compared with the reference, it is [[4]]", 4),
        ("prometheus", "[RESULT] 4 points", 4),
        ("likert", "Quality: good", 3),
        ("likert", "The answer is good.", 3),
    ],
)
def test_a_score_of_the_criterion_is_read(grammar: str, reply: str, score: float) -> None:
    scale = WORDED if grammar == "likert" else FIVE
    assert read(grammar, reply, scale, explain=True, about="quality").score == score


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, the answer is on topic. It names the wrong city.",
        "Yes\nScratch that.",
        "Yes, apart from being wrong.",
        "Candidate answer: yes",
        "Gold: yes",
        "Any factual slip: no",
    ],
)
def test_a_yes_that_is_taken_back_or_of_somebody_else_is_none(reply: str) -> None:
    assert read("yes_no", reply, scale_from_json({"kind": "binary"})).score is None
