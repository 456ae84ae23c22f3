"""DRPE's panel: votes, confidences and scores worked out by hand, and what each option changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from judgelab.domain import Criterion, PanelRole, Reading, Reference, Task
from judgelab.errors import InvalidInput
from judgelab.protocols import Heard, protocols
from judgelab.protocols.core.expected import Token

PANEL = protocols.get("role_panel")
DYNAMIC = (
    PanelRole("Fans", "They follow the singer.", "dynamic"),
    PanelRole("General Public", "They heard of it on the news.", "dynamic"),
)
TASK = Task(
    "",
    "The candidate text.",
    [Criterion("overall", "Overall", {"kind": "binary"})],
    context="The article.",
    references=[Reference("The reference text."), Reference("Another one.")],
    kind="summarisation",
    item="cnn-7",
    roles=DYNAMIC,
)
FIRST = {"order": "candidate_first", "k": 2}
REPLY = (
    "1. General Public\nReason: It is short. It has 2 names.\nVote: Summary 1\n\n"
    "2. Critic\nReason: Summary 1 runs on.\nVote: Summary 2\n\n"
    "3. News Author\nReason: True to the text.\nVote: Summary 1\n\n"
    "4. Fans\nReason: Names the album.\nVote: Summary 2\n\n"
    "5. General Public\nReason: Tells what is new.\nVote: Summary 1"
)


def hear(reply: str, tokens: Sequence[Token] = (), task: Task = TASK, **options: object) -> Reading:
    options = {**FIRST, **options}
    return PANEL.hear_call(PANEL.calls(task, options)[0], reply, tokens, task, options)


def spelt(reply: str, shares: dict[str, float]) -> list[Token]:
    """Return the reply in words as tokens; each line after "Reason:" up to the vote has its share."""
    tokens, share = [], 0.99
    for line in reply.splitlines(keepends=True):
        share = next((value for start, value in shares.items() if line.startswith(start)), share)
        for word in line.replace(" ", " \x00").split("\x00"):
            tokens.append(Token(word, {word: share}))
    return tokens


def test_votes_are_counted_where_no_log_probability_came() -> None:
    reading = hear(REPLY)
    assert reading.scores == {"overall": 3 / 5}
    assert [vote["for"] for vote in reading.detail["votes"]] == [
        "candidate",
        "reference",
        "candidate",
        "reference",
        "candidate",
    ]
    assert reading.detail["votes"][0]["reason"] == "It is short. It has 2 names."
    assert hear(REPLY, order="reference_first").scores == {"overall": 2 / 5}
    assert "log-probabilities" in (hear(REPLY, confidence="only").reason or "")


def test_a_role_weighs_what_its_own_words_weigh() -> None:
    """Equations 3 and 4: exp of the mean log-probability of each role, summed over voters, by the seats."""
    shares = {
        "1.": 0.99,
        "Reason: It is": 0.5,
        "2.": 0.9,
        "3.": 0.99,
        "Reason: True": 0.25,
        "4.": 0.3,
        "5.": 0.8,
    }
    reading = hear(REPLY, spelt(REPLY, shares))
    confidences = [vote["confidence"] for vote in reading.detail["votes"]]
    assert confidences == pytest.approx([0.5, 0.9, 0.25, 0.3, 0.8])
    assert reading.scores["overall"] == pytest.approx((0.5 + 0.25 + 0.8) / 5)
    assert hear(REPLY, spelt(REPLY, shares), confidence="no").scores == {"overall": 0.6}


def test_a_response_without_log_probabilities_stands_on_the_scale_of_the_others() -> None:
    """Sure votes of everybody come to 1 whether or not the endpoint told how sure they were."""
    reply = REPLY.replace("Vote: Summary 2", "Vote: Summary 1")
    assert hear(reply).scores == {"overall": 1.0}
    certain = hear(reply, spelt(reply, dict.fromkeys(("1.", "2.", "3.", "4.", "5.", "Reason"), 1.0)))
    assert certain.scores["overall"] == pytest.approx(1.0)


def test_a_panel_is_refused_where_a_lower_score_is_better() -> None:
    errors = Criterion("errors", "Errors", {"kind": "ordinal", "low": 0, "high": 3}, higher_is_better=False)
    refusal = PANEL.refusal(errors, {}, kind="summarisation")
    assert refusal and "a lower score is better" in refusal.reason


def test_the_mean_is_taken_over_logarithms() -> None:
    reply = "Reason: good\nVote: 1"
    tokens = [
        Token("Reason:", {"Reason:": 1.0}),
        Token(" good", {" good": 0.5}),
        Token("\nVote: 1", {"\nVote: 1": 0.125}),
    ]
    reading = hear(reply, tokens, panel=False)
    assert reading.scores["overall"] == pytest.approx(math.sqrt(0.5 * 0.125))


def test_letters_in_pieces_leave_the_confidences_as_they_are() -> None:
    tokens = spelt(REPLY.replace("short", r"s\xc3\xbc\xc3\x9f"), {"1.": 0.5})
    reading = hear(REPLY.replace("short", "süß"), tokens)
    assert [vote["confidence"] for vote in reading.detail["votes"]] == pytest.approx([0.5] * 5)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (REPLY[: REPLY.index("4.")], "nothing for Fans"),
        (REPLY.replace("Vote: Summary 2", "Vote: both are equal"), "Critic casts no vote"),
        (REPLY.replace("runs on.", "runs on. I vote for Summary 1."), "Critic votes for both"),
        ("", "nothing for General Public"),
    ],
)
def test_a_panel_that_is_not_whole_has_no_score(reply: str, reason: str) -> None:
    reading = hear(reply)
    assert not reading.scores and reason in str(reading.reason)


@pytest.mark.parametrize(
    "reply",
    [
        REPLY.replace("Vote: Summary", "**Vote:** "),
        REPLY.replace("1. General", "### 1) General").replace("2. Critic", "Role 2: Critic"),
        REPLY.replace("Reason: ", "").replace("\nVote:", " Vote:"),
        REPLY.replace("2. Critic", "2.").replace("1. General Public", "1.").replace("4. Fans", "4."),
    ],
)
def test_other_ways_of_writing_the_same_are_read(reply: str) -> None:
    assert hear(reply).scores == {"overall": 0.6}


def test_one_call_a_role_comes_to_the_same_as_one_for_all() -> None:
    options = {**FIRST, "batch": False}
    calls = PANEL.calls(TASK, options)
    assert len(calls) == 5 and "Critic" in calls[1].messages[0].content
    assert "Fans" not in calls[1].messages[0].content
    replies = ["Reason: a\nVote: 1", "Reason: b\nVote: 2", "Vote: 1", "Reason: d\nVote: Summary 2", "Vote: 1"]
    heard = [
        Heard(call, PANEL.hear_call(call, text, [], TASK, options))
        for call, text in zip(calls, replies, strict=True)
    ]
    combined = PANEL.combine(heard, TASK, options, "mean")
    assert combined.scores == {"overall": 0.6}
    assert [role["candidate"] for role in combined.detail["panel"]["roles"]] == [1, 0, 1, 0, 1]
    assert "panel answered" in str(PANEL.combine(heard[:3], TASK, options, "mean").reason)


def test_both_orders_are_averaged_and_a_vote_for_the_first_text_shows() -> None:
    options = {**FIRST, "order": "both"}
    calls = PANEL.calls(TASK, options)
    always_first = REPLY.replace("Summary 2", "Summary 1")
    heard = [Heard(call, PANEL.hear_call(call, always_first, [], TASK, options)) for call in calls]
    combined = PANEL.combine(heard, TASK, options, "mean")
    assert combined.scores == {"overall": 0.5}
    assert combined.detail["panel"]["order"] == {"both_orders": 5, "changed": 5}
    assert combined.detail["panel"]["weighed"] is False


def test_the_order_is_drawn_by_seed_and_text_and_comes_again() -> None:
    tasks = [replace(TASK, response=f"Text {n}.") for n in range(40)]
    firsts = ["<summary_1>\nText" in PANEL.build(task, {"k": 2})[0].content for task in tasks]
    assert 8 < sum(firsts) < 32
    assert firsts == ["<summary_1>\nText" in PANEL.build(task, {"k": 2})[0].content for task in tasks]
    assert firsts != ["<summary_1>\nText" in PANEL.build(t, {"k": 2, "seed": 1})[0].content for t in tasks]


def test_options_decide_who_sits_and_how_often() -> None:
    def roles(**options: object) -> list[str]:
        text = PANEL.build(TASK, {**FIRST, **options})[0].content
        if "<panel>" not in text:
            return []
        lines = text.split("<panel>\n")[1].split("\n</panel>")[0].splitlines()
        return [line.split(":")[0].split(". ")[1] for line in lines]

    assert roles() == ["General Public", "Critic", "News Author", "Fans", "General Public"]
    assert roles(k=0) == ["General Public", "Critic", "News Author"]
    assert roles(static=False) == ["Fans", "General Public"]
    assert roles(panel=False) == []
    prompts = {call.messages[0].content for call in PANEL.calls(TASK, {**FIRST, "variants": 5})}
    assert len(prompts) == 5
    assert len(PANEL.calls(TASK, {**FIRST, "variants": 5, "order": "both", "compared_with": "each"})) == 20
    own = replace(TASK, roles=[PanelRole("Teacher", "Marks it."), *DYNAMIC])
    assert "Teacher" in PANEL.build(own, FIRST)[0].content
    assert "Critic" not in PANEL.build(own, FIRST)[0].content


def test_what_is_missing_is_said() -> None:
    with pytest.raises(InvalidInput, match="no reference"):
        PANEL.calls(replace(TASK, references=[]), {})
    with pytest.raises(InvalidInput, match="this item has no roles"):
        PANEL.calls(replace(TASK, roles=[]), {})
    assert PANEL.calls(replace(TASK, roles=[]), {"k": 0})
    assert PANEL.default_parameters({})["logprobs"] is True and "logprobs" not in PANEL.default_parameters(
        {"confidence": "no"}
    )


@pytest.mark.parametrize("options", [{}, {"batch": False}, {"panel": False}, {"k": 0, "order": "both"}])
def test_a_rehearsal_says_what_can_be_read(options: dict[str, object]) -> None:
    for call in PANEL.calls(TASK, options):
        scores = [
            PANEL.hear_call(call, reply, [], TASK, options).scores["overall"]
            for reply in PANEL.replies(call, TASK, options)
        ]
        assert scores[0] == 0 and scores[-1] == 1 and scores == sorted(scores)
