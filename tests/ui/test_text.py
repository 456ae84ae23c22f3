"""Numbers and words as pages write them."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from judgelab.cli import shared
from judgelab.ui.kit import text


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.704, "0.70"), (-0.68, "−0.68"), (-0.001, "0.00"), (None, "–"), (float("nan"), "–")],
)
def test_numbers_have_two_places_and_a_true_minus(value: float | None, expected: str) -> None:
    assert text.number(value) == expected


def test_differences_carry_their_sign() -> None:
    assert [text.signed(v) for v in (2.3, -2.3, 0.0, None)] == ["+2.3", "−2.3", "0.0", "–"]
    assert [text.signed(v) for v in (0.04, -0.04)] == ["0.0", "0.0"], "neither is printed as above 0"


def test_tau_b_is_not_broken_at_its_hyphen() -> None:
    assert text.plain("Kendall's τ-b is a number") == "Kendall's τ\\-\u2060b is a number"


def test_an_interval_stands_behind_its_value() -> None:
    assert text.with_interval(0.7, (0.62, 0.77)) == "0.70 [0.62, 0.77]"
    assert text.with_interval(None, None) == "–"


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((-0.003, 0.14), "[−0.003, 0.14]"),
        ((0.0041, 0.14), "[0.004, 0.14]"),
        ((0.0, 0.14), "[0.00, 0.14]"),
        ((-1e-12, 0.14), "[0.00, 0.14]"),
        ((-0.00004, 0.0049), "[−0.00004, 0.005]"),
    ],
)
def test_an_end_near_0_has_the_digits_that_show_its_side(ends: tuple[float, float], expected: str) -> None:
    assert text.interval(ends) == expected
    assert shared.interval(ends) == f" {expected}".replace("−", "-")


def test_counts_shares_times_and_money() -> None:
    assert text.count(1462) == "1,462"
    assert text.share(59, 100) == "59 %" and text.share(0, 0) == "–"
    assert text.per_cent(0.586) == "59 %" and text.per_cent(None) == text.per_cent(float("nan")) == "–"
    assert text.duration(372) == "6 min 12 s" and text.duration(7500) == "2 h 5 min"
    assert text.money(None) == "unknown" and text.money(4.606) == "$4.61"


def test_today_is_a_time_and_another_day_a_date() -> None:
    today = datetime(2026, 11, 21, 14, 3, tzinfo=UTC)
    assert text.when(today, today=today) == today.astimezone().strftime("%H:%M")
    past = today - timedelta(days=3)
    assert text.when(past, today=today) == f"{past.astimezone().day} Nov"


def test_a_list_of_names_stays_short() -> None:
    assert text.listing(["Hugo"]) == "Hugo"
    assert text.listing(["Hugo", "Farid"]) == "Hugo and Farid"
    assert text.listing(list("abcde")) == "a, b, c and 2 more"


def test_uploaded_text_cannot_become_markup() -> None:
    escaped = text.plain("![x](http://a/b.png) **bold** <b> :material/home:\nnext")
    unescaped = re.sub(r"\\.", "", escaped)
    assert not set("![](*<>:#_`$~|") & set(unescaped)
    assert "\n" not in escaped


@pytest.mark.parametrize("read_as_more", [":material/home:", ":+1:", "a -> b", "<->", "x >= 1", "-- ~="])
def test_what_streamlit_replaces_even_when_escaped_is_parted(read_as_more: str) -> None:
    escaped = text.plain(read_as_more)
    assert escaped.replace("\\", "") != read_as_more
    assert escaped.replace("\\", "").replace(text.ZERO_WIDTH_SPACE, "") == read_as_more


@pytest.mark.parametrize(
    "address", ["https://a.b/c", "see HTTP://a.b", "(www.a.b)", "ann@example.org", "a.b+c@d-e.example"]
)
def test_an_address_is_no_link_and_loses_no_letter(address: str) -> None:
    plain_text = text.plain(address).replace("\\", "")
    # What remark-gfm makes links of once the marks are read.
    linked = r"(https?://|www(?=\.))([-.\w]+)|[-.\w+]+@[-\w]+(\.[-\w]+)+"
    assert re.search(linked, address, re.IGNORECASE) and not re.search(linked, plain_text, re.IGNORECASE)
    assert plain_text.replace(text.ZERO_WIDTH_SPACE, "") == address


def test_a_label_that_is_read_out_has_no_marks_of_markdown() -> None:
    assert text.for_screen_reader("Die *Frage*  [A] (1-5) :red[b]\\n") == "Die Frage A (1-5) red b n"


@pytest.mark.parametrize("name", ["gpt-4o: strict", "a->b", "ann @ home", "12:30", "http", "www", "x@"])
def test_usual_names_hold_no_unseen_space(name: str) -> None:
    assert text.plain(name).replace("\\", "") == name


def test_what_stood_after_a_colon_can_open_a_sentence() -> None:
    results = [text.capitalised(words) for words in ("", "the budget of this run is too small", "BLEU alone")]
    assert results == ["", "The budget of this run is too small", "BLEU alone"]


def test_select_boxes_show_names_as_they_are() -> None:
    """Select boxes show plain text: an escaped name would be shown with its backslashes."""
    for path in sorted((Path(__file__).resolve().parents[2] / "judgelab").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("selectbox", "multiselect"):
                shown = [ast.unparse(word.value) for word in call.keywords if word.arg == "format_func"]
                assert "plain" not in "".join(shown), f"{path}:{call.lineno}"
