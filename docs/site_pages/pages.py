"""Which pages the site has beside those that lie in `docs`, and where links to their sources lead."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from docs.site_pages.api import GROUPS, group_page, names_page, results_page
from docs.site_pages.catalogue import metrics_page, protocols_page, scales_page, studies_page
from docs.site_pages.commands import commands_page
from docs.site_pages.notebooks import NOTEBOOKS, notebook_page
from docs.site_pages.statistics import statistics_page
from docs.site_pages.storage import fields_page, settings_page, tables_page

PAGES: Mapping[str, Callable[[], str]] = {
    "reference/protocols.md": protocols_page,
    "reference/metrics.md": metrics_page,
    "reference/scales.md": scales_page,
    "reference/statistics.md": statistics_page,
    "reference/studies.md": studies_page,
    "reference/import-fields.md": fields_page,
    "reference/command-line.md": commands_page,
    "reference/settings.md": settings_page,
    "reference/tables.md": tables_page,
    "api/names.md": names_page,
    **{f"api/{name}.md": partial(group_page, name) for name in GROUPS},
    "api/results.md": results_page,
    **{f"notebooks/{path.stem}.md": partial(notebook_page, path) for path in NOTEBOOKS},
}
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")
CODE = re.compile(r"`[^`\n]*`")
TABLE_ROW = re.compile(r"^\|.*\|$", flags=re.MULTILINE)


def carried(root: Path) -> dict[str, Path]:
    """Return the pages that lie beside `docs`, by their place in the site."""
    beside = {
        "project/contributing.md": root / "CONTRIBUTING.md",
        "project/changelog.md": root / "CHANGELOG.md",
        "project/sample-data.md": root / "sample_data" / "README.md",
    }
    return beside | {f"project/design/{one.name}": one for one in sorted((root / "design").glob("*.md"))}


def with_bars(markdown: str) -> str:
    """Return a page with plain bars in the code of its tables.

    GitHub wants them escaped there; the site would show the backslash.
    """
    return TABLE_ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), markdown)


def moved(markdown: str, page: str, root: Path) -> str:
    """Return a page with its links as they must be in the site.

    Args:
        markdown: the page.
        page: its place in the site.
        root: the folder of the repository.
    """
    places = {path.relative_to(root).as_posix(): name for name, path in carried(root).items()}
    home = {name: path for path, name in places.items()}.get(page, f"docs/{page}")

    def lead(found: re.Match[str]) -> str:
        target, part = found[1], found[2] or ""
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        source = posixpath.normpath(posixpath.join(posixpath.dirname(home), target))
        place = places.get(source) or (source.removeprefix("docs/") if source.startswith("docs/") else "")
        if not place or home.startswith("docs/") and source.startswith("docs/"):
            return found[0]
        return posixpath.relpath(place, posixpath.dirname(page) or ".") + part

    return LINK.sub(lead, markdown)
