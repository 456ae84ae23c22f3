"""Own wordings of a prompt are versions: kept by hand or with a run, named by the judge for ever."""

from __future__ import annotations

from judgelab.protocols.core import prompt_parts
from judgelab.runs import service, template_editing
from judgelab.runs.plan import prompt_templates
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db.engine import Store
from judgelab.store.judging.judges import list_judges
from judgelab.store.projects.projects import find_project
from tests.runs.projects import flasks


def spec(instruction: str, name: str) -> JudgeSpec:
    return JudgeSpec("direct", "rule", backend="scripted", options={"instruction": instruction}, name=name)


def test_a_run_keeps_its_own_wording_and_its_judge_names_the_version(any_store: Store) -> None:
    slug = flasks(any_store, 3)
    for wording, name in (
        ("Say how good it is.", "a"),
        ("", "b"),
        ("Another.", "c"),
        ("Say how good it is.", "d"),
    ):
        service.create_run(any_store, slug, spec(wording, name))
    with any_store.reading() as session:
        judges = {entry.name: entry for entry in list_judges(session, find_project(session, slug).id)}
    versions = {name: judge.template_version for name, judge in judges.items()}
    assert versions == {"a": "2, instruction 1", "b": "2", "c": "2, instruction 2", "d": "2, instruction 1"}
    known = prompt_templates.known_versions(any_store, slug, "direct")
    assert [(entry.version, entry.text) for entry in known] == [(2, "Another."), (1, "Say how good it is.")]
    [saved] = template_editing.save(
        any_store, slug, "direct", {"task": " Another. "}, note="shorter"
    ).versions
    assert saved.version == 2 and saved.text == "Another." and saved.part == "instruction"


def test_what_differs_from_ours_is_shown_sentence_by_sentence(any_store: Store) -> None:
    slug = flasks(any_store, 1)
    calls = service.preview_calls(any_store, slug, spec("", "x"), 1)
    ours = prompt_parts.default_text(calls[0].messages, "task")
    assert ours.startswith("You evaluate answers to questions.")
    assert prompt_parts.default_text(calls[0].messages, "steps") == ""
    assert prompt_templates.describe_difference("one\ntwo", "one\nthree") == " one\n-two\n+three"
    shorter = ours.replace("You evaluate answers to questions.", "You evaluate answers.")
    changed = prompt_templates.describe_difference(ours, shorter).splitlines()
    assert changed[:2] == ["-You evaluate answers to questions.", "+You evaluate answers."]
    assert len(changed) > 2 and all(line.startswith(" ") for line in changed[2:])
