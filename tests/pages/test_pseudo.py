"""Every page in a language that brackets translated texts: one without brackets is not translatable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.accounts import members, signin
from judgelab.config import settings
from judgelab.languages import LANGUAGES, in_language, locales, native_name
from judgelab.languages.collect import collect_texts
from judgelab.metrics.base import metrics
from judgelab.runs.endpoints import service
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.store.people import memberships, people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.studies import studies
from tests.databases import new_sqlite
from tests.languages import pseudo
from tests.pages.conftest import NewApp
from tests.pages.kitchen import RATERS, SYSTEMS, judged, rated

ROOT = Path(__file__).resolve().parents[2]
SLUG = "kitchen-questions"
READ = {"label", "help", "placeholder", "body", "text", "title", "captions", "options", "alt", "content"}
READ_IN_CHARTS = {"text", "name", "ticktext", "hovertext", "hovertemplate"}

# Texts on the pages that are not the interface's.
ELECT = studies.get("elect")
NO_TEXTS = (
    # The sample project: names, texts, labels of its scale.
    r"<b>Not</b> !\[x\]\(https://example\.org/x\.png\) above 180\.",
    r"Is lid number \d+ oven safe\?",
    r"Lid \d+ (is safe to \d+ degrees|of \w+ can go in|is made of glass. The handle is steel)\.",
    r"The \*question\* was about the lid\.|It depends on the kitchen\.",
    r"Kitchen questions|kitchen-questions|Answers the question",
    r"(direct, )?[Ss]trict(, direct)?(, strict)?(\.json)?",
    rf"\((?:{'|'.join(map(re.escape, metrics.names()))})\)|main",  # names of raters and of a rule
    r"Empty|hosted|MY_KEY|OPENAI_API_KEY|/tmp/\S+|rougeL|\bq\d\d(-\w+)?\b",
    *(*RATERS, *SYSTEMS, "Owner", "irrelevant", "related", "partly", "answers", "lids", "pots"),
    # An offered study: what its raters will read, in the words of the paper.
    *map(re.escape, (ELECT.guidelines, ELECT.criteria[0].question)),
    r"0 Irrelevant · 1 Related only · 2 Partly · 3 Answers",
    r"\{[a-z]+\}",  # a placeholder of a prompt
    # Languages by their own names; names of formats, models, protocols and metrics.
    *map(native_name, LANGUAGES),
    r"^(csv|jsonl|parquet|ascii|unicode|json|abc|likert|brackets|digit|yes_no|rule|user|prometheus|direct)$",
    # Kinds of files.
    r"CSV, TSV, TXT, JSON, JSONL, NDJSON, PARQUET, XLSX, EVAL, ZIP, PNG, JPG, JPEG, GIF, WEBP",
    # Why a judgment has no score, as it was stored when the reply was read.
    r"none of (the )?3 replies (holds|contains) a score: no number in the reply",
    r"ICC\(1\)|Holm|Benjamini–\w+|Fisher|BERTScore|BLEU|METEOR|MoverScore|Repscore|SMOG|BioASQ|DRPE|LINKAGE|QA-eval|LaTeX|PPI|PERM-\w+",
    r"ELECT|SummEval|Argilla|Label Studio|potato|G-Eval|ROUGE-\w+|JudgeLab|https?://\S+|^\{\"model\".*\}$",
    # Marks of markdown and of charts: icons, colours, places of values.
    r"\]\(/help/[\w/#-]+\)|:material/\w+:|:(violet|orange|red|green|gray|small|primary|gray-badge)\[|%\{[^}]*\}|<[^>]*>|&\w+;",
)
LEFT_OUT = re.compile("|".join(f"(?:{pattern})" for pattern in NO_TEXTS), re.DOTALL)
WORD = re.compile(r"[^\W\d_]{2,}")  # a single letter is a symbol: n, r, ρ
BRACKETED = re.compile(f"{pseudo.OPENING}[^{pseudo.OPENING}{pseudo.CLOSING}]*{pseudo.CLOSING}")
ESCAPES = re.compile("\\\\(?=[\\W_])|[\u200b\u061c\u2066\u2069]")


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The sample project; everybody in it uses the language of brackets."""
    folder = tmp_path_factory.mktemp("pseudo")
    pseudo.write(folder, collect_texts())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(folder / "app.db"))
        patch.chdir(ROOT)
        patch.setattr(locales, "FOLDER", folder)
        locales.translations.cache_clear()
        settings.cache_clear()
        store = shared_store(settings().database_url)
        slug = rated(store)
        judged(store, slug, folder)
        signin.new_owner_token(store)
        service.add_endpoint(store, "hosted", base_url="http://localhost/v1", api_key_env="MY_KEY", rpm=9)
        service.set_price(store, "hosted", "*", prompt=1.0, completion=2.0)
        with store.writing() as session:
            project = find_project(session, slug)
            create_project(session, name="Empty")
            for person in people.list_people(session):
                people.set_language(session, person.id, pseudo.LANGUAGE)
                memberships.join(session, project.id, person.id)
        yield store
        store.close()
        shared_store.cache_clear()
        settings.cache_clear()
        locales.translations.cache_clear()


def opened(
    store: Store,
    new_app: NewApp,
    page: str,
    state: Mapping[str, Any],
    *,
    name: str = "",
    project: str = SLUG,
) -> AppTest:
    """Open a page of the project as the owner, or as the rater of this name by a link of theirs."""
    at = new_app()
    token = signin.new_owner_token(store)
    if name:
        with store.reading() as session:
            project_id, person = find_project(session, project).id, people.find(session, name)
        assert person is not None
        token = members.new_link(store, None, project_id, person.id).path.removeprefix("/invite/")
    at.session_state["cookie"] = signin.redeem(store, token)
    at.query_params["project"] = project
    at.run()
    for key, value in state.items():
        at.session_state[key] = value
    at.switch_page(f"pages/{page}")
    at.query_params["project"] = project
    at.run()
    assert not at.exception
    return at


def forgotten(at: AppTest) -> list[str]:
    """Return all texts of the page with a word that is not from a catalogue."""
    shown_texts = [
        *texts(at._tree),
        *(str(page.get("page_name", "")) for page in at._registered_pages.values()),
    ]
    return sorted({text for text in shown_texts if WORD.search(rest_of(text))})


def rest_of(text: str) -> str:
    """Return what is left of a text without parts from the catalogue or the project."""
    remaining, before = ESCAPES.sub("", text).replace("\xa0", " "), ""
    while remaining != before:
        remaining, before = BRACKETED.sub("", remaining), remaining
    return LEFT_OUT.sub("", remaining)


def texts(node: Any) -> Iterator[str]:
    """Yield every text that a person may read in an element or block, and in what it contains."""
    kind = getattr(node, "type", "")
    if kind == "plotly_chart":
        yield from _of_chart(json.loads(node.proto.spec))
    if kind == "dataframe":
        yield from _of_table(node)
    if kind != "html":
        yield from _of_message(getattr(node, "proto", None))
    for child in getattr(node, "children", {}).values():
        yield from texts(child)


def _of_message(message: Any) -> Iterator[str]:
    for field, value in message.ListFields() if hasattr(message, "ListFields") else ():
        for item in value if field.is_repeated else (value,):
            if isinstance(item, str):
                yield from (item,) if field.name in READ else ()
            else:
                yield from _of_message(item)


def _of_table(table: Any) -> Iterator[str]:
    frame, column_settings = table.value, json.loads(table.proto.columns or "{}")
    for column in frame.columns:
        yield str(column_settings.get(column, {}).get("label") or column)
        yield from (cell for cell in frame[column] if isinstance(cell, str))


def _of_chart(node: Any, name: str = "") -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key != "template":
                yield from _of_chart(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from _of_chart(value, name)
    elif isinstance(node, str) and name in READ_IN_CHARTS:
        yield node


def selected(row: int) -> dict[str, Any]:
    return {"selection": {"rows": [row], "columns": [], "cells": []}}


# Without the report, whose text is for a paper and in English.
PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "project": ("researcher/projects.py", {}),
    "settings": ("researcher/projects.py", {"projects_view": "settings"}),
    "new project": ("researcher/projects.py", {"projects_view": "new"}),
    "projects": ("researcher/projects.py", {"projects_view": "list"}),
    "data": ("researcher/data.py", {"data_items": selected(0)}),
    "judges": ("researcher/judges.py", {}),
    "runs": ("researcher/runs.py", {}),
    "quality": ("researcher/quality.py", {}),
    "effect of a rule": ("researcher/quality.py", {"quality_effect": True}),
    "raters": ("researcher/raters.py", {}),
    "adjudicate": ("researcher/adjudicate.py", {}),
    "agreement": ("researcher/agreement.py", {}),
    "disagreements": ("researcher/disagreements.py", {}),
    "trust": ("researcher/trust.py", {}),
    "compare": ("researcher/compare.py", {}),
    "means": ("researcher/means.py", {}),
    "more": ("researcher/more.py", {}),
    "patterns": ("researcher/patterns.py", {"patterns_words": "lid"}),
    "people": ("owner/people.py", {"people_table": selected(0)}),
    "endpoints": ("owner/endpoints.py", {}),
    "account": ("everyone/account.py", {}),
    "own ratings of the owner": ("annotator/my_ratings.py", {}),
}
OF_NO_PROJECT = {"owner/endpoints.py", "everyone/account.py"}


@pytest.mark.parametrize("view", PAGES)
def test_a_page_says_nothing_that_the_catalogue_does_not_know(
    kitchen: Store, new_app: NewApp, view: str
) -> None:
    page, state = PAGES[view]
    assert forgotten(opened(kitchen, new_app, page, state)) == []


@pytest.mark.parametrize("page", sorted({page for page, _state in PAGES.values()} - OF_NO_PROJECT))
def test_a_page_of_an_empty_project_is_as_well_said(kitchen: Store, new_app: NewApp, page: str) -> None:
    assert forgotten(opened(kitchen, new_app, page, {}, project="empty")) == []


@pytest.mark.parametrize("page", ["annotator/rate.py", "annotator/my_ratings.py", "everyone/account.py"])
def test_a_rater_reads_every_word_in_their_language(kitchen: Store, new_app: NewApp, page: str) -> None:
    assert forgotten(opened(kitchen, new_app, page, {}, name="Amara")) == []


def test_who_is_not_signed_in_reads_the_language_of_their_browser(kitchen: Store, new_app: NewApp) -> None:
    at = new_app()
    at.context = {"locale": pseudo.LANGUAGE}
    at.run()
    with in_language(pseudo.LANGUAGE):  # the test refers to the chosen option by its text on the page
        at.switch_page("pages/everyone/welcome.py").run()
    assert forgotten(at) == []


def test_a_page_of_others_is_refused_in_the_language_of_the_reader(kitchen: Store, new_app: NewApp) -> None:
    at = opened(kitchen, new_app, "annotator/rate.py", {}, name="Chen")
    with kitchen.writing() as session:
        person = people.find(session, "Chen")
        assert person is not None
        memberships.set_state(session, find_project(session, SLUG).id, person.id, "removed")
    at.run()
    assert forgotten(at) == []
