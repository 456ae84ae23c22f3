import io
import json
import zipfile

import pytest
from sqlalchemy import select

from judgelab.imports.images import image_sizes
from judgelab.imports.service import import_files
from judgelab.store.frames.preference_frames import preference_frame
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.projects.contents import count_systems, imported_files, item_page, item_texts
from judgelab.store.projects.overview import overview
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.transfer import importing
from judgelab.ui.data.import_problems import in_page_words
from judgelab.ui.shared.project_export import zipped
from tests.imports import published_files
from tests.imports.pictures import png
from tests.imports.test_inspect import archive, sample

PAGE = "researcher/data.py"
QA = b"""question,response,system,reference
Does the pan fit an oven?,Yes up to 220 degrees.,alpha,It fits.
Does the pan fit an oven?,<b>No</b> ![x](https://example.org/x.png),beta,It fits.
How long do blades last?,Two years.,alpha,About two years.
"""
NAMED = b"""item_id,question,response_id,response,system
q1,How long do blades last?,a1,Two years.,alpha
"""
WIDE = b"""item_id,response,rater,score,criterion
q1,Yes.,Ada,3,Helpfulness
q1,Yes.,Bo,1,Helpfulness
"""


@pytest.fixture
def slug(app_store):
    with app_store.writing() as session:
        return create_project(session, name="Pans").slug


def held(app_store, slug="pans"):
    with app_store.reading() as session:
        return overview(session, find_project(session, slug).id, raters_wanted=1)


def upload(at, name, content):
    (uploader,) = at.file_uploader
    uploader.upload(name, content, "text/csv")
    return at.run()


def test_an_empty_project_says_what_to_bring(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "No data yet" in at.markdown[0].value
    assert not [b for b in at.button if b.key == "data_import"]


def test_looking_stores_nothing_and_the_button_stores_all(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA)
    assert not at.exception
    assert held(app_store).responses == 0
    button = at.button(key="data_import")
    assert "2 items, 3 responses" in button.label
    button.click().run()
    assert not at.exception
    assert "3 responses new" in at.info[0].value.replace("\\", "")
    contents = held(app_store)
    assert (contents.items, contents.responses, contents.systems, contents.references) == (2, 3, 2, 2)
    with app_store.reading() as session:
        assert [f.source for f in imported_files(session, find_project(session, slug).id)] == ["pans.csv"]


def test_all_problems_are_listed_and_the_button_waits(open_page, app_store, slug):
    bad = (
        b"question,response,system\nDoes it fit?,Yes.,alpha\nDoes it fit?,Yes.,alpha,extra,cells\n,No.,beta\n"
    )
    at = upload(open_page(PAGE, project=slug), "pans.csv", bad)
    assert not at.exception
    assert at.error
    button = [b for b in at.button if b.key == "data_import"]
    assert all(b.disabled for b in button)
    assert held(app_store).responses == 0


def means(at, column):
    """Return the field to choose what a column means."""
    return next(element for element in at.selectbox if element.label == f"Meaning of “{column}”")


def whys(at):
    return [element.value.replace("\\", "") for element in at.caption]


def test_what_contradicts_stored_texts_is_listed_before_anything_is_pressed(open_page, app_store, slug):
    import_files(app_store, slug, [("pans.csv", NAMED)])
    at = open_page(PAGE, project=slug)
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "pans.csv", NAMED.replace(b"Two years.", b"Ten years."))
    assert not at.exception and "is already stored with a different text" in " ".join(
        element.value for element in at.text
    )
    assert at.button(key="data_import").disabled
    at = upload(at, "more.csv", NAMED.replace(b"a1", b"a2").replace(b"alpha", b"beta"))
    assert not at.error and not at.button(key="data_import").disabled


def test_an_answer_column_that_is_neither_is_left_out(open_page, slug):
    content = b"question,response,system,answer\nDoes it fit?,Yes.,alpha,It does.\n"
    at = upload(open_page(PAGE, project=slug), "pans.csv", content)
    assert at.button(key="data_import").disabled
    at.segmented_control[0].set_value("ignored").run()
    assert means(at, "answer").value == "ignored" and "chosen" in whys(at)
    assert not at.button(key="data_import").disabled


def test_an_answer_column_is_asked_about(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA.replace(b"response", b"answer"))
    assert at.button(key="data_import").disabled
    assert means(at, "answer").value == "ignored" and "choose its content above" in whys(at)
    at.segmented_control[0].set_value("reference").run()
    assert (means(at, "answer").value, means(at, "reference").value) == ("reference", "ignored")
    assert "chosen" in whys(at) and "'answer' was chosen instead" in whys(at)
    at.segmented_control[0].set_value("response").run()
    assert not at.exception
    assert (means(at, "answer").value, means(at, "reference").value) == ("response", "reference")
    assert "recognised by its name" in whys(at)
    at.button(key="data_import").click().run()
    assert held(app_store).responses == 3


def test_the_question_above_the_columns_follows_what_is_chosen_in_them(open_page, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA.replace(b"response", b"answer"))
    means(at, "answer").set_value("reference").run()
    assert at.segmented_control[0].value == "reference" and means(at, "reference").value == "ignored"
    means(at, "reference").set_value("reference").run()
    assert (means(at, "answer").value, at.segmented_control[0].value) == ("ignored", "ignored")
    assert not at.exception


def test_a_row_may_hold_a_question_with_a_column_for_each_system(open_page, app_store, slug):
    content = b"Frage;Antwort A;Antwort B\nWie lang?;Zwei Jahre.;Eins.\nWie breit?;Zehn.;Elf.\n"
    at = upload(open_page(PAGE, project=slug), "pans.csv", content)
    means(at, "Frage").set_value("question").run()
    assert "only items will be stored" in " ".join(whys(at))
    for column in ("Antwort A", "Antwort B"):
        means(at, column).set_value(f"response[{column}]").run()
    assert "Import 2 items, 4 responses" in at.button(key="data_import").label
    at.button(key="data_import").click().run()
    assert not at.exception
    assert (held(app_store).responses, held(app_store).systems) == (4, 2)


def test_the_next_file_with_the_same_columns_means_what_the_first_one_did(open_page, app_store, slug):
    first = b"Frage;Antwort A;answer\nWie lang?;Zwei Jahre.;Zwei.\n"
    at = upload(open_page(PAGE, project=slug), "eins.csv", first)
    means(at, "Frage").set_value("question").run()
    means(at, "Antwort A").set_value("response[Antwort A]").run()
    at.segmented_control[0].set_value("reference").run()
    at.button(key="data_import").click().run()
    at.toggle(key="data_adding").set_value(True).run()

    at = upload(at, "zwei.csv", b"answer;Frage;Antwort A\nZehn.;Wie breit?;Elf.\n")
    assert not at.exception
    assert "The columns are the same as in eins.csv, imported" in " ".join(whys(at))
    meanings = [means(at, column).value for column in ("Frage", "Antwort A", "answer")]
    assert meanings == ["question", "response[Antwort A]", "reference"]
    assert whys(at).count("as in eins.csv") == 3 and not at.segmented_control
    assert "Import 1 item, 1 response" in at.button(key="data_import").label
    means(at, "answer").set_value("ignored").run()
    assert "chosen" in whys(at) and whys(at).count("as in eins.csv") == 2
    at.button(key="data_import").click().run()
    assert (held(app_store).responses, held(app_store).references) == (2, 1)

    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "drei.csv", b"answer;Frage;Antwort A\nVier.;Wie hoch?;Neun.\n")
    assert means(at, "answer").value == "ignored"  # the newest counts
    at = open_page(PAGE, project=slug)
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "vier.csv", b"Frage;Antwort A\nWie schwer?;Acht.\n")
    assert means(at, "Frage").value == "ignored" and "The columns are the same" not in " ".join(whys(at))


def test_scores_of_a_judge_do_not_become_a_persons_by_memory(open_page, app_store, slug):
    content = b"item_id,response,who,pts,crit\nq1,Two years.,gemini,3,good\n"
    mapping = [("rater", "who"), ("score", "pts"), ("criterion", "crit")]
    kind = "judgments"
    import_files(app_store, slug, [("judged.csv", content)], kind=kind, mapping=mapping, create_missing=True)
    at = open_page(PAGE, project=slug)
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "more.csv", content.replace(b"q1", b"q2"))
    assert not at.exception
    assert "The columns are the same" not in " ".join(whys(at)) and means(at, "who").value == "ignored"
    at.selectbox(key="data_kind_0").set_value("judgments").run()
    assert "The columns are the same" in " ".join(whys(at)) and means(at, "who").value == "rater"


def test_what_is_imported_meanwhile_changes_no_mapping_on_the_screen(open_page, app_store, slug):
    first = b"Frage,response,Dritte\nWie lang?,Zwei Jahre.,x\n"
    import_files(app_store, slug, [("eins.csv", first)], mapping=[("question", "Frage")])
    at = open_page(PAGE, project=slug)
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "zwei.csv", first.replace(b"lang", b"breit"))
    assert (means(at, "Frage").value, means(at, "Dritte").value) == ("question", "ignored")
    other_mapping = [("question", "Frage"), ("system", "Dritte")]
    import_files(app_store, slug, [("drei.csv", first.replace(b"lang", b"hoch"))], mapping=other_mapping)
    at.button(key="data_import").click().run()
    assert not at.exception
    with app_store.reading() as session:
        response = session.query(ResponseRow).join(ItemRow).filter(ItemRow.question == "Wie breit?").one()
        assert response.system == ""


def test_imports_without_columns_hide_no_earlier_one(app_store, slug, monkeypatch):
    monkeypatch.setattr(importing, "IMPORTS_SEARCHED", 1)
    import_files(
        app_store, slug, [("eins.csv", b"Frage,response\nWie lang?,Zwei.\n")], mapping=[("question", "Frage")]
    )
    with app_store.writing() as session:
        project = find_project(session, slug).id
        importing.save_import(session, project, source="texts", sha256="", counts={}, columns={})
        assert importing.find_import(session, project, ["response", "Frage"]).source == "eins.csv"


def test_columns_that_are_known_by_their_names_are_not_said_to_be_remembered(open_page, app_store, slug):
    import_files(app_store, slug, [("pans.csv", QA)])
    at = open_page(PAGE, project=slug)
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "more.csv", QA.replace(b"fit", b"suit"))
    assert not at.exception and "The columns are the same" not in " ".join(whys(at))


def test_of_very_many_columns_the_unread_ones_are_chosen_from_a_list(open_page, slug):
    names = [f"c{number}" for number in range(300)]
    content = (
        f"question,system,{','.join(names)}\nWho?,a,{','.join(f'text of {n}' for n in names)}\n".encode()
    )
    at = upload(open_page(PAGE, project=slug), "wide.csv", content)
    assert len([element for element in at.selectbox if element.label.startswith("Meaning of “")]) == 42
    column_picker = next(element for element in at.multiselect if "260 more columns" in element.label)
    column_picker.set_value(["c299"]).run()
    means(at, "c299").set_value("response").run()
    assert not at.exception and "1 item, 1 response" in at.button(key="data_import").label


def test_new_criteria_are_shown_and_can_be_changed(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "scores.csv", WIDE)
    assert "Helpfulness" in " ".join(m.value for m in at.markdown)
    at.checkbox(key="data_change_0").check().run()
    at.number_input(key="data_criterion_0_helpfulness_high").set_value(5).run()
    assert not at.exception
    at.button(key="data_import").click().run()
    with app_store.reading() as session:
        (criterion,) = find_project(session, slug).criteria
    assert (criterion.scale["low"], criterion.scale["high"]) == (1, 5)
    assert held(app_store).ratings == 2


def test_a_zip_named_csv_is_a_sentence(open_page, app_store, slug):
    zip_file = io.BytesIO()
    with zipfile.ZipFile(zip_file, "w") as archive:
        archive.writestr("a.txt", "a")
    at = upload(open_page(PAGE, project=slug), "pans.csv", zip_file.getvalue())
    assert not at.exception
    assert held(app_store).responses == 0
    assert "zip" in " ".join(str(t.value) for t in [*at.text, *at.error])


def test_items_can_be_found_and_read_as_text(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA)
    at.button(key="data_import").click().run()
    at.text_input(key="data_search").set_value("blades").run()
    assert not at.exception
    assert "1 item matches." in " ".join(c.value for c in at.caption)
    with app_store.reading() as session:
        project_id = find_project(session, slug).id
        page = item_page(session, project_id, search="100%_", limit=10)
        assert page.total == 0
        assert [t.name for t in count_systems(session, project_id)] == ["alpha", "beta"]
        first = item_page(session, project_id, limit=1).lines[0]
        assert (first.responses, first.references) == (2, 1)
        assert "![x]" in item_texts(session, project_id, first.item).responses[1].text


def test_metrics_score_every_response(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA)
    at.button(key="data_import").click().run()
    at.button(key="data_score").click().run()
    assert not at.exception
    assert held(app_store).metrics == 5
    assert "ROUGE" in " ".join(c.value for c in at.caption)


def test_the_export_is_a_zip_of_tables(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA)
    at.button(key="data_import").click().run()
    zip_file = zipped(app_store, slug, file_format="csv")
    names = zipfile.ZipFile(io.BytesIO(zip_file)).namelist()
    assert {"project.json", "items.csv", "responses.csv"} <= set(names)


def test_command_line_remedies_become_words_of_the_page():
    words = in_page_words("'r1' may contain scores; to read it, add --map rater[NAME:KIND]=COLUMN")
    assert words.endswith(
        "; choose the column's meaning above, “rater[…]” for a column with one rater's scores"
    )
    words = in_page_words("no field has this name; to use a column, give its meaning with --map FIELD=COLUMN")
    assert words == "no field has this name; choose the column's meaning above"


def test_the_page_says_what_a_file_was_read_as_and_how_to_leave_a_column_out(open_page, app_store, slug):
    combined = b"Pilot\n" + NAMED + NAMED.replace(b"q1,How", b"q2,Now how")
    at = upload(open_page(PAGE, project=slug), "joined.csv", combined)
    captions = [caption.value for caption in at.caption]
    assert any("1 row above the header was left out" in caption for caption in captions)
    assert any("1 row repeats the header and was left out" in caption for caption in captions)
    assert "2 items, 2 responses" in at.button(key="data_import").label
    at = upload(
        open_page(PAGE, project=slug),
        "timed.csv",
        WIDE.replace(b"criterion", b"time").replace(b"Helpfulness", b"34.2"),
    )
    assert any(
        "'34.2' is not a time" in text.value and "select “ignored” for the column above" in text.value
        for text in at.text
    )


CODED = """item_id,question,response,rater,score
q1,Why?,So.,Ada,4
q2,Who?,Me.,Ada,5
q3,When?,Now.,Ada,-99
"""


def test_a_code_for_no_score_is_asked_about_and_the_scale_is_the_usual_one(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "coded.csv", CODED.encode())
    assert not at.exception
    assert at.button(key="data_import").disabled
    assert at.multiselect(key="data_missing_0").options == ["-99"]
    at.multiselect(key="data_missing_0").set_value(["-99"]).run()
    assert not at.exception
    assert any(
        "inferred from the scores in the file (4 to 5)" in caption.value.replace("\\", "")
        for caption in at.caption
    )
    at.button(key="data_import").click().run()
    with app_store.reading() as session:
        (criterion,) = find_project(session, slug).criteria
    assert (criterion.scale["low"], criterion.scale["high"]) == (1, 5)
    assert held(app_store).responses == 3


def test_who_compares_in_a_column_of_judges_is_asked(open_page, app_store, slug):
    head = "item_id,question,system_a,response_a,system_b,response_b,judge,choice\n"
    at = upload(open_page(PAGE, project=slug), "pairs.csv", f"{head}q1,Why?,m1,So,m2,No,Ada,a\n".encode())
    assert "1 comparison by a judge" in at.button(key="data_import").label
    assert any("stored as judges because of the column name" in caption.value for caption in at.caption)
    at.button_group(key="data_raters_0").set_value("human").run()
    assert not at.exception
    button = at.button(key="data_import")
    assert "1 comparison by a rater" in button.label and not button.disabled


PANEL = """item_id,question,response_1,response_2,annotator1,annotator2
q{n},Why {n}?,So,No,0,1
q{n}b,Who {n}?,Me,You,2,0
"""


def test_numbers_for_choices_are_asked_about_once_for_all_files_with_the_columns(open_page, app_store, slug):
    at = upload(open_page(PAGE, project=slug), "panel.csv", PANEL.replace("{n}", "1").encode())
    assert at.button(key="data_import").disabled
    assert any("give its meaning above" in text.value for text in at.text)
    at.selectbox(key="data_value_0_0").set_value("tie").run()
    assert "4 comparisons by raters" in at.button(key="data_import").label
    at.button(key="data_import").click().run()
    assert not at.exception
    at.toggle(key="data_adding").set_value(True).run()
    at = upload(at, "more.csv", PANEL.replace("{n}", "2").encode())
    assert at.selectbox(key="data_value_1_0").value == "tie"
    assert "4 comparisons by raters" in at.button(key="data_import").label
    at.button(key="data_import").click().run()
    with app_store.reading() as session:
        project = find_project(session, slug).id
        frame = preference_frame(session, project)
    assert sorted(frame["choice"]) == ["a", "a", "b", "b", *["tie"] * 4]


def test_signs_and_shares_for_choices_are_asked_about_in_place_of_a_guess(open_page, app_store, slug):
    content = published_files.long_answers(annotator="Ann").encode()
    at = upload(open_page(PAGE, project=slug), "experts.jsonl", content)
    assert at.button(key="data_import").disabled
    for cell, meaning in (("-1", "a"), ("0", "tie"), ("1", "b")):
        at.selectbox(key=f"data_value_0_{cell}").set_value(meaning).run()
    assert not at.exception
    assert "4 comparisons by raters" in at.button(key="data_import").label
    at.button(key="data_import").click().run()
    at.toggle(key="data_adding").set_value(True).run()
    shares = published_files.instructions([0.02, 0.5, 0.9, 0.31], annotator="Ann").encode()
    at = upload(at, "shares.jsonl", shares)
    for cell, meaning in (("<0.5", "a"), ("0.5", "tie"), (">0.5", "b")):
        at.selectbox(key=f"data_value_1_{cell}").set_value(meaning).run()
    assert not at.exception
    assert "4 comparisons by raters" in at.button(key="data_import").label


def test_a_models_name_among_annotators_is_asked_about(open_page, app_store, slug):
    content = published_files.instructions([1, 2], annotator="alpaca_eval_gpt4").encode()
    at = upload(open_page(PAGE, project=slug), "annotations.jsonl", content)
    assert at.button(key="data_import").disabled
    at.button_group(key="data_raters_0").set_value("judge").run()
    assert not at.exception
    assert "2 comparisons by judges" in at.button(key="data_import").label
    at.button_group(key="data_raters_0").set_value("human").run()
    assert "2 comparisons by" in at.button(key="data_import").label
    assert not at.button(key="data_import").disabled


def test_labels_of_raters_whose_kind_no_file_tells_ask_one_question(open_page, app_store, slug):
    labels = {name: {"x": 1, "y": 2, "z": 3} for name in ("w1", "w2")}
    at = upload(open_page(PAGE, project=slug), "set.json", json.dumps(labels).encode())
    assert at.button(key="data_import").disabled
    at.button_group(key="data_raters_0").set_value("judge").run()
    assert not at.exception
    assert "6 judgments" in at.button(key="data_import").label
    assert not at.button(key="data_import").disabled


def test_a_word_that_means_cannot_judge_is_no_label(open_page, app_store, slug):
    lines = ["item_id,question,response,rater,verdict"]
    for place, words in enumerate(["supported contradicted", "unsure supported", "contradicted unsure"]):
        for rater, word in zip(("Ada", "Bo"), words.split(), strict=True):
            lines.append(f"q{place},Why {place}?,So {place}.,{rater},{word}")
    file = "\n".join(lines).encode()
    at = upload(open_page(PAGE, project=slug), "words.csv", file)
    assert not at.exception
    passing = at.multiselect(key="data_passing_0")
    assert passing.options == ["supported", "contradicted", "unsure"]
    passing.set_value(["unsure"]).run()
    assert not at.exception
    at.button(key="data_import").click().run()
    with app_store.reading() as session:
        (criterion,) = find_project(session, slug).criteria
        scores = session.scalars(select(Rating.score).order_by(Rating.id)).all()
    assert criterion.scale == {
        "kind": "categorical",
        "labels": ["supported", "contradicted"],
        "cannot_judge": True,
    }
    assert sorted(scores, key=str) == [1, 1, 2, 2, None, None]


def test_the_encoding_of_a_file_that_is_not_utf_8_can_be_chosen(open_page, app_store, slug):
    text = "item_id,question,response\nq1,Nerede?,İstanbul'da şiş ağaç\n"
    at = upload(open_page(PAGE, project=slug), "turkish.csv", text.encode("cp1254"))
    (choice,) = (box for box in at.selectbox if (box.key or "").startswith("data_encoding_"))
    assert choice.value is None
    assert any("choose the encoding above" in caption.value for caption in at.caption)
    choice.select("cp1254").run()
    assert not any("not UTF" in caption.value for caption in at.caption)
    at.button(key="data_import").click().run()
    with app_store.reading() as session:
        assert session.scalars(select(ResponseRow.text)).all() == ["İstanbul'da şiş ağaç"]


@pytest.mark.parametrize("name", ["log.eval", "logs.zip"])
def test_a_log_of_an_evaluation_needs_no_choice(open_page, app_store, slug, name):
    log = archive([sample(1, "It rains.", "C"), sample(2, "No idea.", "I")], zipfile.ZIP_DEFLATED)
    if name.endswith(".zip"):
        runs = io.BytesIO()
        with zipfile.ZipFile(runs, "w") as packed:
            for file, content in (("log.eval", log), ("again.eval", log), ("notes.csv", b"a,b\n1,2\n")):
                packed.writestr(f"runs/{file}", content)
        log = runs.getvalue()
    at = upload(open_page(PAGE, project=slug), name, log)
    assert not at.exception
    assert any("Inspect results: 1 item, 2 responses, 1 judge" in why for why in whys(at))
    at.button(key="data_import").click().run()
    assert not at.exception
    contents = held(app_store)
    assert (contents.items, contents.responses, contents.judges) == (1, 2, 1)


def test_images_are_counted_and_deleted(open_page, app_store, slug):
    import_files(app_store, slug, [("qa.csv", QA), ("a.png", png()), ("b.png", png((0, 0, 9)))])
    at = open_page(PAGE, project=slug)
    at.multiselect(key="data_images").select("a.png").run()
    at.button(key="data_images_delete").click().run()
    assert not at.exception
    assert list(image_sizes(app_store, slug)) == ["b.png"]
    assert at.multiselect(key="data_images").options == ["b.png"]
