"""Own texts of a prompt: kept, used by new judges, tried before they are kept, and there after a restore."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.protocols import protocols
from judgelab.runs import service, template_editing
from judgelab.runs.plan.judge_config import load_judge_config
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.store.db.engine import Store
from judgelab.store.judging.judges import list_judges
from judgelab.store.models import JudgeRow
from judgelab.store.projects.projects import find_project
from tests.runs.projects import flasks

THEIRS = "Q: {{question}}\nA: {{answer}}\nReply with a number from 0 to 3."
MEANT = "{{question}} = question\n{{answer}} = response"


def judge(store: Store, slug: str, name: str, **options: str) -> int:
    return service.create_run(
        store,
        slug,
        JudgeSpec("direct", "rule", backend="scripted", options=options, name=name),
        Selection(limit=1),
    )


def versions(store: Store, slug: str) -> dict[str, str]:
    with store.reading() as session:
        return {
            judge.name: judge.template_version
            for judge in list_judges(session, find_project(session, slug).id)
        }


def prompt(store: Store, slug: str, **options: str) -> str:
    spec = JudgeSpec("direct", "rule", backend="scripted", options=options)
    return "\n".join(m.content for m in service.preview_calls(store, slug, spec, 1)[0].messages)


def test_new_judges_use_what_is_kept_until_it_is_put_back(any_store: Store) -> None:
    slug = flasks(any_store, 2)
    saved = template_editing.save(
        any_store, slug, "direct", {"output": "One number, please.", "system": "Be strict."}
    )
    assert [(version.part, version.version) for version in saved.versions] == [("output", 1), ("system", 1)]
    assert saved.forgotten == []
    assert "<output>\nOne number, please.\n</output>" in prompt(any_store, slug)
    judge(any_store, slug, "theirs")
    judge(any_store, slug, "said otherwise", own_output="", own_system="Be kind.")
    assert template_editing.reset(any_store, slug, "direct", ["output"]) == ["output"]
    assert template_editing.reset(any_store, slug, "direct", ["output"]) == []
    judge(any_store, slug, "half")
    template_editing.reset(any_store, slug, "direct")
    judge(any_store, slug, "ours")
    assert versions(any_store, slug) == {
        "theirs": "2, system 1, output 1",
        "said otherwise": "2, system 2",
        "half": "2, system 1",
        "ours": "2",
    }
    parts = {version.name: version for version in template_editing.template_parts(any_store, slug, "direct")}
    assert list(parts) == ["system", "task", "output", "criterion", "markers", "prompt", "placeholders"]
    assert parts["output"].used is None and parts["output"].versions[0].text == "One number, please."
    assert parts["output"].built_in_text.startswith("Reply with one whole number")


def test_a_text_that_forgets_the_reply_is_said_and_kept(store: Store) -> None:
    slug = flasks(store, 1)
    assert template_editing.save(store, slug, "direct", {"output": "Say what you feel."}).forgotten == [
        "number"
    ]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"prompt": THEIRS}, "{{question}}, {{answer}} in the prompt have no meaning yet"),
        (
            {"prompt": THEIRS, "placeholders": "{{answer}}=text_1\n{{question}}=question"},
            "has no field 'text_1'",
        ),
        ({"markers": "nonsense"}, "can't read the marks 'nonsense'"),
    ],
)
def test_what_no_prompt_can_be_made_of_is_not_kept(store: Store, texts: dict[str, str], message: str) -> None:
    slug = flasks(store, 1)
    with pytest.raises(InvalidInput) as error:
        template_editing.save(store, slug, "direct", texts)
    assert message in str(error.value)
    assert all(not part.versions for part in template_editing.template_parts(store, slug, "direct"))


def test_an_unknown_part_is_named(store: Store) -> None:
    with pytest.raises(NotFound, match="outptu"):
        template_editing.save(store, flasks(store, 1), "direct", {"outptu": "x"})


def test_a_stored_run_keeps_its_texts_in_an_export(any_store: Store, tmp_path: Path) -> None:
    slug = flasks(any_store, 1)
    template_editing.save(any_store, slug, "direct", {"prompt": THEIRS, "placeholders": MEANT})
    judge(any_store, slug, "theirs")
    before = prompt(any_store, slug)
    assert before.startswith("Q: ") and before.endswith("Reply with a number from 0 to 3.")
    export_project(any_store, slug, tmp_path / "out")
    restored = "again"
    import_files(any_store, restored, collect_files([tmp_path / "out"]))
    assert prompt(any_store, restored) == before
    with any_store.reading() as session:
        [stored_judge] = list_judges(session, find_project(session, restored).id)
    assert (
        stored_judge.options["own_prompt"] == THEIRS
        and stored_judge.template_version == "2, prompt 1, placeholders 1"
    )


def test_a_run_under_an_earlier_wording_is_finished_in_it(any_store: Store) -> None:
    slug = flasks(any_store, 1)
    run = service.create_run(any_store, slug, JudgeSpec("otb", "rule", backend="scripted", name="old"))
    with any_store.writing() as session:
        session.query(JudgeRow).update({"template_version": "1, instruction 1"})
    with any_store.reading() as session:
        assert load_judge_config(session, run).protocol.template_version == "1"


def test_a_judge_goes_on_in_the_wording_it_began_with(any_store: Store) -> None:
    """A study that is continued after an upgrade stays one judge; new judges get the newest wording."""
    slug = flasks(any_store, 3)
    begun, new = (JudgeSpec("otb", "rule", backend="scripted", name=name) for name in ("begun", "new"))
    service.create_run(any_store, slug, begun, Selection(limit=1))
    with any_store.writing() as session:
        session.query(JudgeRow).update({"template_version": "1"})
    runs = [service.create_run(any_store, slug, spec) for spec in (begun, new)]
    statuses = [service.run_status(any_store, run) for run in runs]
    assert [status.template_version for status in statuses] == ["1", protocols.get("otb").template_version]
    prompts = [service.preview_prompt(any_store, slug, spec, 1).calls[0].messages for spec in (begun, new)]
    assert prompts[0] != prompts[1] and "Below you find" in prompts[0][-1].content
