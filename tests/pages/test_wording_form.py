"""Changed prompt texts on *Judge*: every part, versions, differences, and a file of others' prompts."""

import pytest

from judgelab.runs import template_editing
from tests.pages import kitchen

PAGE = "researcher/judges.py"
KEY = "judges_direct_own_output"


@pytest.fixture
def slug(app_store):
    return kitchen.rated(app_store)


def prompt(at):
    """Return the prompt as it will be sent: the last code block that is not a diff."""
    return "\n".join(element.value for element in at.code if element.language != "diff")


def test_every_part_of_the_prompt_has_a_tab(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    labels = [tab.label for tab in at.tabs]
    assert labels[:6] == [
        "System turn",
        "Instruction",
        "Reply format",
        "Criterion",
        "Marks",
        "Whole prompt",
    ]


def test_a_part_is_written_from_ours_kept_used_and_put_back(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    at.button(key=f"{KEY}_start").click().run()
    default_text = at.text_area(key=KEY).value
    assert default_text.startswith("Reply with one whole number")
    at.text_area(key=KEY).set_value("Give your feeling.").run()
    [diff] = [element.value for element in at.code if element.language == "diff"]
    assert diff.startswith("-Reply with one whole number") and diff.endswith("\n+Give your feeling.")
    assert "<output>\nGive your feeling.\n</output>" in prompt(at)
    assert any("does not mention number" in element.value for element in at.warning)
    at.text_input(key=f"{KEY}_note").set_value("freer").run()
    at.button(key=f"{KEY}_keep").click().run()
    output_part = next(
        template_part
        for template_part in template_editing.template_parts(app_store, slug, "direct")
        if template_part.name == "output"
    )
    assert (output_part.used.text, output_part.used.note, output_part.used.version) == (
        "Give your feeling.",
        "freer",
        1,
    )
    reloaded = open_page(PAGE, project=slug)
    assert reloaded.text_area(key=KEY).value == "Give your feeling."
    assert "version 1" in reloaded.selectbox(key=f"{KEY}_version").options[1]
    reloaded.button(key="judges_direct_reset").click().run()
    assert reloaded.text_area(key=KEY).value == "" and default_text in prompt(reloaded)
    assert not template_editing.reset(app_store, slug, "direct")


def test_a_file_of_others_is_mapped_by_hand(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    key, placeholders_key = "judges_direct_own_prompt", "judges_direct_own_placeholders"
    at.text_area(key=key).set_value("Q: {{Q}}\nA: %s, again %s. Score 0 to 3.").run()
    assert any("in the prompt have no meaning yet" in element.value for element in at.error)
    at.selectbox(key=f"{placeholders_key}_{{{{Q}}}}_0").select("question").run()
    at.selectbox(key=f"{placeholders_key}_%s_0").select("response").run()
    at.selectbox(key=f"{placeholders_key}_%s_1").select("criterion").run()
    assert not at.exception
    assert "Q: Is lid number 0 oven safe?\nA: " in prompt(at) and "<task>" not in prompt(at)
    at.button(key=f"{key}_keep").click().run()
    stored_texts = {
        template_part.name: template_part.used
        for template_part in template_editing.template_parts(app_store, slug, "direct")
        if template_part.used
    }
    assert stored_texts["placeholders"].text == "{{Q}} = question\n%s = response\n%s = criterion"
    reloaded = open_page(PAGE, project=slug)
    assert reloaded.selectbox(key=f"{placeholders_key}_%s_1").value == "criterion"
    assert "Q: Is lid number 0 oven safe?" in prompt(reloaded)
