"""Every sentence of the methods section agrees with the project's data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.project_contents import project_counts
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.domain import Criterion
from judgelab.imports.service import collect_files, import_files
from judgelab.metaeval.coefficients.registry import COEFFICIENTS as KNOWN
from judgelab.metaeval.core import pairing
from judgelab.reporting.anonymous import export_anonymised
from judgelab.reporting.commands import recompute_commands
from judgelab.reporting.figures import axis_title
from judgelab.reporting.gathering import gather_facts
from judgelab.reporting.judge_description import describe_judge
from judgelab.reporting.methods import methods
from judgelab.reporting.prompt_contents import parts_shown
from judgelab.reporting.terms import COEFFICIENT_NAMES, LEVEL_WORDS
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db.engine import Store
from judgelab.store.judging.judge_use import JudgeUse, SentPrompt, judge_uses
from judgelab.store.judging.judgments import JudgmentUnit
from judgelab.store.models import ItemRow, ReferenceRow
from judgelab.store.models.base import now
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.numbered_raters import numbered_raters
from judgelab.store.rating.rating_records import imported_raters
from judgelab.ui.data.contents import contents_sentence
from tests.command import judgelab
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks, rate


@pytest.fixture
def judged(store: Store) -> str:
    """Six responses with contexts and references, three raters, and a judge with two samples each."""
    slug = flasks(store, 6)
    with store.writing() as session:
        for item in session.query(ItemRow):
            item.context = f"The manual of {item.external_id} says that its lid has a seal."
            session.add(ReferenceRow(item_id=item.id, position=0, text=f"No, {item.external_id} is tight."))
    for rater, offset in (("Ann", 0), ("Bob", 1), ("Cy", 2)):
        rate(store, slug, {n: (n + offset) % 4 for n in range(1, 7)}, rater=rater)
    with Server() as server:
        endpoints.add_endpoint(store, "local", base_url=server.url)
        judge_spec = spec(samples=2, options={"show_references": True}, parameters={"temperature": 0.5})
        judge(store, service.create_run(store, slug, judge_spec))
    return slug


def test_what_a_judge_saw_is_read_from_its_prompts(store: Store, judged: str) -> None:
    text = methods(gather_facts(store, judged), version="1")
    assert "Its prompts (6 were read) contained the question, the response and reference answers" in text
    assert "and did not contain the source text, and asked for one criterion at a time." in text
    assert "show_" not in text


def test_who_answered_where_and_when_is_said(store: Store, judged: str) -> None:
    text = methods(gather_facts(store, judged), version="1")
    with store.reading() as session:
        (use,) = judge_uses(session, find_project(session, judged).id).values()
    assert sum(use.models.values()) == 12 and use.states == {"scored": 6}
    assert (
        "tiny was asked with the protocol direct at an OpenAI-compatible server on the same machine" in text
    )
    model = next(iter(use.models))
    assert model != "tiny" and f"the replies name {model} as the model" in text
    assert f"on {now().date()}" in text
    assert "judged 2 times at temperature 0.5; the score is the mean over the replies with a valid" in text
    assert "Of 6 judgments, 6 were scored." in text


def test_what_was_rated_is_told_from_what_the_project_holds(store: Store) -> None:
    slug = flasks(store, 6)
    rate(store, slug, {1: 2, 2: 3, 4: 0}, rater="Ann")
    text = methods(gather_facts(store, slug), version="1")
    assert "Of 6 items with 6 responses, 3 items with 3 responses" in text
    rate(store, slug, dict.fromkeys(range(1, 7), 1), rater="Bob")
    text = methods(gather_facts(store, slug), version="1")
    assert "6 items with 6 responses" in text and "Of 6 items" not in text


def test_how_means_become_points_is_said_of_the_coefficients_that_count_points(
    store: Store, judged: str
) -> None:
    text = methods(gather_facts(store, judged, coefficients=["qwk", "spearman"]), version="1")
    assert "For quadratic-weighted κ, a mean between two points is rounded to the nearest point" in text
    assert "rounded to the nearest" not in methods(
        gather_facts(store, judged, coefficients=["tau_c"]), version="1"
    )
    assert set(COEFFICIENT_NAMES) == set(KNOWN) and set(LEVEL_WORDS) == set(pairing.LEVELS)


def test_the_aggregation_of_the_filter_is_named(store: Store, judged: str) -> None:
    save_filter(store, judged, "main", FilterPolicy(threshold=-1.0, aggregate="median"))
    facts = gather_facts(store, judged)
    text = methods(facts, version="1")
    assert "The human score of a response is the median of its kept ratings" in text
    assert "with the median of the other raters" in text and "with the mean of" not in text
    assert "median of" in axis_title(facts, facts.scores.project.criteria[0].key)


def test_labels_by_mace_are_named_in_the_methods(store: Store, judged: str) -> None:
    save_filter(store, judged, "main", FilterPolicy(threshold=-1.0, aggregate="mace"))
    text = methods(gather_facts(store, judged), version="1")
    assert "The human score of a response is the MACE label of its kept ratings" in text
    assert "with the MACE label of the other raters" in text


def test_ratings_are_counted_by_where_they_came_from(store: Store, judged: str, tmp_path: Path) -> None:
    text = methods(gather_facts(store, judged), version="1")
    assert "3 people registered as raters in JudgeLab; 3 gave at least one rating." in text
    assert "Each response was rated by 3 raters, 18 ratings in total." in text

    file = tmp_path / "ratings.csv"
    rows = [f"q{n},Flask {n} is fine.,{rater},{n % 4}" for n in range(4) for rater in ("Eve", "rater_1", "2")]
    file.write_text("item_id,response,rater,score\n" + "\n".join(rows) + "\n")
    assert judgelab(store.url, "project", "create", "slots").returncode == 0
    assert judgelab(store.url, "import", "slots", str(file)).returncode == 0
    text = methods(gather_facts(store, "slots"), version="1")
    assert "1 rater is named in an imported file. 2 rater slots came from an imported file that" in text
    assert "12 ratings were imported; the file does not say what the raters were shown." in text
    assert "registered as raters" not in text
    assert contents_sentence(project_counts(store, project_named(store, "slots"))).endswith(
        "12 ratings by 1 rater and 2 rater slots (numbered in the file, perhaps several people each)."
    )
    export_anonymised(store, "slots", tmp_path / "pack")
    assert "removed" not in (tmp_path / "pack" / "memberships.csv").read_text()
    assert judgelab(store.url, "import", "again", str(tmp_path / "pack")).returncode == 0
    again = methods(gather_facts(store, "again"), version="1")
    assert "1 rater is named in an imported file. 2 rater slots came from an imported file that" in again
    with store.reading() as session:
        names = imported_raters(session, find_project(session, "again").id)
    assert sorted(name.rstrip("123") for name in names) == ["Person ", "Slot ", "Slot "], "nobody was erased"


def project_named(store: Store, slug: str) -> ProjectInfo:
    with store.reading() as session:
        return find_project(session, slug)


def test_who_beats_the_best_baseline_is_said_by_the_difference_that_decides(
    store: Store, judged: str
) -> None:
    facts = gather_facts(store, judged)
    coefficient = facts.recipe.coefficients[0]
    (row,) = [
        candidate
        for candidate in facts.vs_ceiling
        if (candidate.rater_kind, candidate.coefficient) == ("judge", coefficient)
    ]
    assert row.baseline is not None and row.baseline.difference.ci is not None
    assert row.baseline.difference.ci[0] <= 0, "it answers at random"
    text = methods(facts, version="1")
    assert "Baselines that ignore content (word count" in text
    assert f"is not above 0 for “{row.rater}”." in text and "resample, is above 0" not in text


@pytest.mark.parametrize("name", ["rater_1", "Slot 12", "Annotator 12", "3", "3.0", "R2", "worker-07", "#4"])
def test_a_number_for_a_name_is_a_slot(name: str) -> None:
    assert numbered_raters([name])


@pytest.mark.parametrize("name", ["Ann", "w40x", "A2ZDN4", "annotator", "Person 3", "2024001"])
def test_a_name_or_a_workers_id_is_no_slot(name: str) -> None:
    assert not numbered_raters([name])


def unit(item: int, **texts: str | Sequence[str]) -> JudgmentUnit:
    return JudgmentUnit(
        judgment_id=item, response_id=item, criteria="x", item_id=item,
        question=str(texts.get("question", "")), context=str(texts.get("context", "")),
        text=str(texts.get("text", "")),
        references=[ReferenceRow(text=reference) for reference in texts.get("references", ())],  # type: ignore[misc]
    )  # fmt: skip


def test_a_short_reference_is_not_found_in_the_answer_or_the_instructions() -> None:
    units = [unit(1, text="Paris", references=["Paris"]), unit(2, text="Rome", references=["yes"])]
    prompts = [
        SentPrompt(judged_unit, f"Say yes or no.\nAnswer: {judged_unit.text}") for judged_unit in units
    ]
    assert parts_shown(prompts) == {"response": (2, 2), "references": (0, 1)}
    with_gold = [
        SentPrompt(judged_unit, f"{prompt.text}\nGold: Paris")
        for judged_unit, prompt in zip(units, prompts, strict=True)
    ]
    assert parts_shown(with_gold[:1])["references"] == (1, 1)


def test_white_space_and_marks_of_a_prompt_hide_nothing() -> None:
    judged_unit = unit(1, question="What   is\nit?", text="*It* is a lamp.")
    assert parts_shown([SentPrompt(judged_unit, "<q>What is it?</q> It is a lamp.")]) == {
        "question": (1, 1),
        "response": (1, 1),
    }


def used(address: str = "", **changes: object) -> JudgeUse:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    defaults = {
        "address": address, "models": {"tiny": 1}, "first": day, "last": day.replace(day=4),
        "states": {"scored": 7, "unscored": 2, "failed": 1}, "by_criterion": False, "prompts": (),
    }  # fmt: skip
    return JudgeUse(**{**defaults, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("address", "where"),
    [
        ("https://api.example.org/v1", "(api.example.org)"),
        ("http://127.0.0.1:8000/v1", "on the same machine"),
        ("http://[::1]:8000/v1", "on the same machine"),
        ("http://gpu-box:8000/v1", "in a private network"),
        ("http://10.0.0.7/v1", "in a private network"),
    ],
)
def test_an_endpoint_is_told_by_its_kind(store: Store, judged: str, address: str, where: str) -> None:
    (info,) = gather_facts(store, judged).judges
    text = describe_judge(info, used(address))
    assert f"at an OpenAI-compatible server {where} between 2026-03-01 and 2026-03-04." in text
    assert (
        "Of 10 judgments, 7 were scored; 2 had a reply without a valid score (unscored) and 1 had no reply"
        in text
    )


def test_own_texts_of_a_prompt_are_named_and_not_printed(store: Store, judged: str) -> None:
    (info,) = gather_facts(store, judged).judges
    options = {"own_output": "A number from 0 to 3, and a long text of ours.", "instruction": "Judge it."}
    text = describe_judge(replace(info, options={**info.options, **options}))
    assert "the project's own text in these parts of the prompt: instruction and output" in text.replace(
        "output and instruction", "instruction and output"
    )
    assert "long text" not in text and "Judge it" not in text


def test_the_conflict_rule_and_missing_ratings_are_told_by_criterion(store: Store, tmp_path: Path) -> None:
    points, yes_no = {"kind": "ordinal", "low": 1, "high": 5}, {"kind": "binary"}
    with store.writing() as session:
        create_project(
            session, name="P", criteria=[Criterion("good", "Good", points), Criterion("true", "True", yes_no)]
        )
    lines = ["item_id,question,response,rater,rater_kind,criterion,score"]
    for item in range(8):
        for place, rater in enumerate(("Ann", "Bob")):
            lines.append(f"q{item},What?,word {item},{rater},human,good,{1 + (item + place) % 5}")
            if item < 7:
                lines.append(f"q{item},What?,word {item},{rater},human,true,{(item + place) % 2}")
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    import_files(store, "p", collect_files([tmp_path / "ratings.csv"]))
    save_filter(store, "p", "main", FilterPolicy(threshold=-1.0))
    text = methods(gather_facts(store, "p"), version="1")
    assert "with ratings at both ends of the scale (not on True, which has two points)." in text
    assert "on each criterion (1 response without a rating on True)" in text


def test_the_commands_say_what_the_data_leave_out_of_the_recipe(store: Store, judged: str) -> None:
    facts = gather_facts(store, judged)
    facts = replace(facts, uses={"any": used()})
    assert "addresses of endpoints" not in recompute_commands(judged, facts)
    facts = replace(facts, uses={"any": used("https://api.example.com/v1")})
    assert "# The data leave out the addresses of endpoints" in recompute_commands(judged, facts)
    assert "addresses of endpoints" not in recompute_commands(judged, facts, data=False)
