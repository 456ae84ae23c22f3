"""Reference of settings, import fields and tables."""

from __future__ import annotations

import inspect
import re

from docs.site_pages.catalogue import presets_page
from docs.site_pages.markdown import code, listed, page, table
from judgelab.config import Settings
from judgelab.imports.core.fields import AMBIGUOUS, SYNONYMS
from judgelab.store.models import Base

MEANINGS = {
    "item_id": "the question or document, by a name of yours",
    "question": "what was asked",
    "input": "the input of an instruction, put below it as part of the question",
    "context": "what the answer is about: an article, a passage",
    "group": "a product category, a batch, a topic",
    "response_id": "one response, by a name of yours",
    "system": "who or what wrote the response",
    "response": "the text that is rated",
    "reference": "a known good answer; `reference_2` and so on for more",
    "reference_grade": "how good that reference is, on a scale of yours",
    "rater": "who gave the score",
    "rater_kind": "`human`, `judge` or `metric`",
    "criterion": "what was rated",
    "score": "the score",
    "comment": "what the rater said about it",
    "reply": "the judge's whole reply",
    "samples": "several replies of a judge",
    "rated_at": "when",
    "aggregate": "whether the score is a mean of several",
    "choice": "`a`, `b` or `tie`, or the name of a response",
    "swapped_choice": "the choice when `response_b` was shown first",
    "swapped_comment": "the reason of `swapped_choice`",
    "response_a": "the first response of a comparison",
    "response_b": "the second",
    "system_a": "the system of the first",
    "system_b": "the system of the second",
    "strength": "how much better",
    "first": "which one was shown first",
    "confidence": "how sure the judge was of its choice",
    "best": "the best response of the item; several with `|` between",
    "worst": "the worst",
    "ranking": "an order with ties, `b > a = c`",
    "purpose": "`data`, `attention` or `training`",
    "cohort": "for which raters the item is kept",
    "tolerance": "how far off a known score still counts as right",
    "responses": "a list of responses within an item (JSON)",
    "ratings": "a list of ratings within an item or response (JSON)",
}


def fields_page() -> str:
    """Return the import fields with the names of columns by which they are recognised.

    Raises:
        KeyError: a field that has no meaning above yet.
    """
    rows = ((code(name), MEANINGS[name], listed(words)) for name, words in SYNONYMS.items())
    return page(
        "# Import fields",
        "Columns are recognised by these names, in capitals or not, with spaces or underscores; the mapping "
        "is shown and can be changed (`--map FIELD=COLUMN`). "
        f"{listed(sorted(AMBIGUOUS))} is never guessed: it is the reference answer in one study and the "
        "response in another.",
        table(["field", "what it is", "recognised names"], rows),
        "With a parameter: `response[SYSTEM]` is the column of one system's responses, `score[CRITERION]` "
        "that of one criterion, `rater[NAME:KIND]` that of one rater, `gold[CRITERION]` the known score, "
        "`meta[NAME]` anything you want to keep.",
        "## Published shapes",
        "`judgelab import PROJECT FOLDER --preset NAME`",
        presets_page(),
    )


def settings_page() -> str:
    """Return every setting, its default and its meaning."""
    said = _attributes(inspect.getdoc(Settings) or "")
    rows = (
        (code(f"JUDGELAB_{name.upper()}"), code(field.default), said[name])
        for name, field in Settings.model_fields.items()
    )
    return page(
        "# Settings",
        "From the environment, or from a file `.env` in the folder you start in. `judgelab doctor` shows "
        "what is in force.",
        table(["setting", "default", "meaning"], rows),
    )


def _attributes(text: str) -> dict[str, str]:
    """Return what a docstring in Google's style says of each attribute."""
    _, _, listing = text.partition("Attributes:\n")
    found = re.findall(r"^ {4}(\w+): (.*?)(?=^ {4}\w+: |\Z)", listing, flags=re.DOTALL | re.MULTILINE)
    return {name: " ".join(said.split()) for name, said in found}


def tables_page() -> str:
    """Return every table of the database with its columns."""
    words = {mapper.local_table.name: mapper.class_.__doc__ or "" for mapper in Base.registry.mappers}
    parts = []
    for name, one in sorted(Base.metadata.tables.items()):
        rows = ((code(column.name), str(column.type).lower(), _key(column)) for column in one.columns)
        parts += [
            f"## {name} {{ #{name} }}",
            _plain(words.get(name, "")),
            table(["column", "type", ""], rows),
        ]
    return page(
        "# Tables",
        "What the database holds, on SQLite and PostgreSQL alike. Times are UTC. Prefer `judgelab export`: "
        "columns may be added with any version, and every version upgrades the database by itself.",
        *parts,
    )


def _key(column: object) -> str:
    keys = sorted(key.target_fullname for key in getattr(column, "foreign_keys", ()))
    words = ["key" if getattr(column, "primary_key", False) else "", *(f"→ `{key}`" for key in keys)]
    if getattr(column, "nullable", False):
        words.append("may be empty")
    return ", ".join(filter(None, words))


def _plain(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines())
