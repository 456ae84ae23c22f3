"""MkDocs calls this while it builds the site: it adds the pages written from the code."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
LOADED = re.compile(r"""<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)=["'](?:https?:)?//[^"']+""")
sys.path.insert(0, str(ROOT))

from docs.site_pages.pages import PAGES, carried, moved, with_bars  # noqa: E402


def on_files(files: Files, *, config: Any) -> Files:
    """Add the reference, the pages that lie beside `docs` in the repository, and the app's fonts."""
    for name, write in PAGES.items():
        files.append(File.generated(config, name, content=write()))
    for name, path in carried(ROOT).items():
        files.append(File.generated(config, name, content=path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "static").glob("*.*")):
        files.append(File.generated(config, f"pictures/{path.name}", content=path.read_bytes()))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Turn links to files beside `docs` into links to their pages, and escaped bars in code into bars."""
    return with_bars(moved(markdown, page.file.src_uri, ROOT))


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Stop the build where a page would load something from elsewhere: the site needs no network."""
    found = LOADED.search(output)
    if found:
        raise PluginError(f"{page.file.src_uri} loads from elsewhere: {found[0]}")
    return output
