"""The reference is written from the code: everything that can be named there stands in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from docs.explained.draw import PICTURES
from docs.site_pages import catalogue, commands, statistics, storage
from judgelab.cli import COMMANDS_BY_MODULE
from judgelab.config import Settings
from judgelab.imports.core.fields import FIELDS
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS
from judgelab.metaeval.coefficients.registry import COEFFICIENTS
from judgelab.metaeval.core.aggregation import AGGREGATIONS
from judgelab.metaeval.inference.contrast_tests import TESTS
from judgelab.metaeval.inference.multiplicity import CORRECTIONS
from judgelab.metaeval.judges.juries import WAYS
from judgelab.metrics.base import metrics
from judgelab.protocols.core.base import protocols
from judgelab.store.models import Base
from tests.documentation.pages import DOCS


def _absent(names: list[str], text: str) -> list[str]:
    return [name for name in names if f"`{name}`" not in text]


def test_protocols_and_metrics_stand_with_their_options() -> None:
    for page, registry in ((catalogue.protocols_page(), protocols), (catalogue.metrics_page(), metrics)):
        options = [option.name for _, component in registry.items() for option in component.options]
        assert _absent([*registry.names(), *options], page) == []


def test_every_command_stands_with_its_options() -> None:
    page = commands.commands_page()
    names = [name for module_commands in COMMANDS_BY_MODULE.values() for name in module_commands]
    assert [name for name in names if f"## judgelab {name}" not in page] == []
    assert "| `--workers` |" in page and "`--browser` `--no-browser`" in page


def test_settings_fields_tables_and_coefficients_stand() -> None:
    settings = [f"JUDGELAB_{name.upper()}" for name in Settings.model_fields]
    assert _absent(settings, storage.settings_page()) == []
    assert _absent(list(FIELDS), storage.fields_page()) == []
    assert [name for name in Base.metadata.tables if f"## {name} {{" not in storage.tables_page()] == []
    assert _absent([*COEFFICIENTS, *INTER_RATER_COEFFICIENTS], statistics.statistics_page()) == []


def _explained() -> dict[str, str]:
    """Return the pages that explain and have a picture, by name."""
    pages = {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "explained").glob("*.md")}
    return {name: text for name, text in pages.items() if re.search(r"!\[[^\]]+\]\([\w-]+\.svg\)", text)}


def test_every_statistic_is_explained_in_plain_words_on_a_page_with_a_picture() -> None:
    names = [*COEFFICIENTS, *INTER_RATER_COEFFICIENTS, *AGGREGATIONS, *TESTS, *CORRECTIONS]
    assert _absent(names, "\n".join(_explained().values())) == []


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("chance.md", ("cohen", "conger", "fleiss", "gwet", "brennan_prediger")),
        ("variance.md", [name for name in INTER_RATER_COEFFICIENTS if name.startswith("icc_")]),
        ("crowd-labels.md", ("dawid_skene", "mace", *WAYS)),
        ("many-tests.md", [*TESTS, *CORRECTIONS]),
    ],
)
def test_what_has_a_page_of_its_own_is_computed_there(page: str, names: Sequence[str]) -> None:
    text = _explained()[page]
    assert _absent([*names], text) == []
    assert ">>>" in text


def test_every_picture_is_drawn_and_shown_with_what_it_says() -> None:
    text = "\n".join(_explained().values())
    pictures = re.findall(r"!\[([^\]]{20,})\]\(([\w-]+)\.svg\)", text)
    assert sorted({name for _, name in pictures}) == sorted(PICTURES)
    assert sorted(path.stem for path in (DOCS / "explained").glob("*.svg")) == sorted(PICTURES)
