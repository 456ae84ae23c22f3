"""Heads stand above their numbers, whatever the column is called."""

import pandas as pd
import streamlit as st
from streamlit.column_config import TextColumn
from streamlit.testing.v1 import AppTest

from judgelab.ui.kit import viewport
from judgelab.ui.kit.column_widths import first_words, item_labels, short_labels
from judgelab.ui.kit.widgets import column_settings


def test_heads_of_numbers_are_drawn_from_the_right_and_the_others_are_left_alone():
    frame = pd.DataFrame({"Rater": ["Ada"], "n": [3], "95 % interval": ["[0.1, 0.2]"]})
    settings = column_settings(frame, {"95 % interval": {"alignment": "right", "width": 120}})
    assert set(settings) == {"n", "95 % interval", "Rater"}
    assert settings["n"]["label"] == "\u061c\u2066n\u2069"
    assert settings["95 % interval"] == {
        "alignment": "right",
        "width": 120,
        "label": "\u061c\u206695 % interval\u2069",
    }


def test_no_cell_at_the_right_loses_its_sign():
    cells = ["0.799 [0.715, 0.863]", "−0.154 [−0.353, 0.078]"]
    frame = pd.DataFrame({"Rater": ["a", "embedding (encoder=tfidf)"], "r": cells, "ρ": cells})
    settings = column_settings(frame, {"r": {"alignment": "right"}, "ρ": {"alignment": "right", "width": 60}})
    measured_width = 146  # pixels of the longer one, in a browser
    assert measured_width + 16 <= settings["r"]["width"] == settings["ρ"]["width"] < measured_width + 60
    assert 160 < settings["Rater"]["width"] <= 200


def test_texts_are_measured_in_every_row_even_if_the_column_has_settings_without_a_width():
    frame = pd.DataFrame({"Criterion": ["", "Answers the question"], "Part": ["all", "electronics"]})
    settings = column_settings(frame, {"Criterion": TextColumn(), "Part": TextColumn("Group")})
    assert 128 + 16 <= settings["Criterion"]["width"] < 128 + 40  # 128 pixels in a browser
    assert 67 + 16 <= settings["Part"]["width"] < 67 + 40


def test_on_a_phone_names_are_seen_whole_and_longer_texts_leave_room_for_the_first_interval(monkeypatch):
    monkeypatch.setitem(st.session_state, viewport.MEASURED, True)
    intervals, right = ["−0.154 [−0.353, 0.078]"], {"ρ": {"alignment": "right"}}
    name = pd.DataFrame({"Rater": ["baseline: always the same answer"], "ρ": intervals})
    measured_width = 188  # pixels in a browser
    assert measured_width + 16 <= column_settings(name, right)["Rater"]["width"] <= 256
    question = pd.DataFrame({"Question": ["Why do we see lightning before we hear thunder?"], "ρ": intervals})
    settings = column_settings(question, right)
    assert sum(column["width"] for column in settings.values()) <= 326  # of 390 pixels, in an expander


def test_on_a_phone_the_texts_after_the_names_are_seen_whole(monkeypatch):
    monkeypatch.setitem(st.session_state, viewport.MEASURED, True)
    frame = pd.DataFrame({"Split by": ["Order shown to the judge"], "Group": ["both orders, same choice"]})
    assert 150 <= column_settings(frame, {})["Group"]["width"] <= 200


def test_a_long_question_ends_at_a_word():
    assert first_words("Does it come with a connector?", 128) == "Does it come …"
    assert first_words("Is it loud?", 128) == "Is it loud?"
    assert first_words("Donaudampfschifffahrtsgesellschaft", 128) == "Donaudampfschifffahrtsgesellschaft"


def test_a_head_of_its_own_is_kept():
    frame = pd.DataFrame({"its interval": ["[0.1, 0.2]"]})
    settings = column_settings(frame, {"its interval": {"alignment": "right", "label": "95 % interval"}})
    assert settings["its interval"]["label"] == "\u061c\u206695 % interval\u2069"


def test_a_row_that_was_chosen_before_there_were_fewer_is_chosen_no_more():
    def drawn() -> None:
        import pandas as pd
        import streamlit as st

        from judgelab.ui.kit import widgets

        rows = {"selection": {"rows": [2], "columns": [], "cells": []}}
        st.session_state["short"] = st.session_state["long"] = rows
        for key, length in {"short": 2, "long": 3}.items():
            st.text(str(widgets.table(pd.DataFrame({"Item": range(length)}), key=key, select=True)))

    at = AppTest.from_function(drawn, default_timeout=60).run()
    assert [element.value for element in at.text] == ["None", "2"]


def test_questions_that_begin_alike_are_told_apart_by_their_last_words():
    eggs, herbs, loud = "How do I have to boil eggs?", "How do I have to store herbs?", "Is it loud?"
    assert short_labels([eggs, herbs, eggs, loud], 128) == {
        eggs: "… to boil eggs?",
        herbs: "… store herbs?",
        loud: loud,
    }


def test_questions_whose_first_word_is_too_long_end_in_their_last_word():
    library, chimney = "Summarise: Library lends librarians", "Summarise: Goat climbs chimney"
    labels = short_labels([library, chimney, "Donaudampfschifffahrt"], 84)
    assert labels == {
        library: "… librarians",
        chimney: "… chimney",
        "Donaudampfschifffahrt": "Donaudampfschifffahrt",
    }


def test_each_item_has_its_id_and_the_words_of_its_question_that_fit() -> None:
    questions = [
        "Why do we blink at all?",
        "Summarise: Goat climbs chimney",
        "I photosynthesised it.",
        "",
        "Why?",
    ]
    items = ["pot-1", "pot-2", "pot-3", "pot-4", "pot-5"]
    labels = item_labels(questions, items, 140)
    assert labels == ["pot-1 Why do we blink at all?", "pot-2", "pot-3", "pot-4", "pot-5 Why?"]
    assert short_labels(labels, 140)[labels[0]] == "pot-1 Why do …"
    assert item_labels(["pot-1"], ["pot-1"], 140) == ["pot-1"], "a question that is the id is not repeated"


def test_ids_that_do_not_fit_stand_only_before_questions_that_do_not_say_which_item_it_is() -> None:
    eggs, herbs = "How long do the eggs need to boil?", "How long do the herbs keep?"
    ids = [f"3f9c2a7e-5b1d-4c60-{number}" for number in range(3)]
    assert item_labels([eggs, herbs, "Why?"], ids, 110) == [f"{ids[0]} {eggs}", f"{ids[1]} {herbs}", "Why?"]
    one_word_fits = "Explain photosynthesis to a child."
    assert item_labels([one_word_fits, "Why?"], ids[:2], 110) == [f"{ids[0]} {one_word_fits}", "Why?"]
