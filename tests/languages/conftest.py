"""What the tests of the languages share."""

from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog

from judgelab.languages.collect import collect_texts


@pytest.fixture(scope="session")
def template() -> Catalog:
    """All texts of the sources, which take seconds to collect; nothing may change it."""
    return collect_texts()


@pytest.fixture(scope="session")
def todays_texts(template: Catalog) -> frozenset[str]:
    """The same as plain texts; a counted one is two."""
    return frozenset(
        text for message in template for text in ([message.id] if isinstance(message.id, str) else message.id)
    )
