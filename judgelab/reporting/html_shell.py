"""The HTML page of the results, in the pack and behind a share link: one file that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import pandas as pd
from markdown_it import MarkdownIt

CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
body{font:16px/1.5 "IBM Plex Sans",Helvetica,Arial,sans-serif;color:#1A2225;background:#FBFBF9;margin:0}
main{max-width:78rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}
p,li{max-width:46rem}.muted{color:#566266}.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.3rem .8rem .3rem 0;text-align:right;border-bottom:1px solid #E6E9E4;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
@media (max-width:40rem){th:first-child,td:first-child{white-space:normal;overflow-wrap:anywhere;width:8.5rem;
min-width:8.5rem}th{white-space:normal;vertical-align:bottom}}
svg{display:block;width:100%;min-width:20rem;max-width:44rem;height:auto}
code,pre{font-family:"IBM Plex Mono",Menlo,monospace;font-size:.88rem}
pre{background:#F1F3EF;padding:.8rem 1rem;overflow-x:auto}a{color:#0F5A6B}
@media (prefers-color-scheme:dark){body{color:#E4E9E9;background:#12181A}.muted{color:#9DAAAC}
th,td{border-color:#253033}pre{background:#1B2326}a{color:#6CBFD1}svg{background:#fff}}
"""


def section(title: str, *parts: str) -> str:
    """Return a section of the page."""
    return f"<section><h2>{escape(title)}</h2>{''.join(parts)}</section>"


def scrollable(html: str, *, name: str) -> str:
    """Return a region that scrolls by itself on a narrow screen, also by keyboard; `name` is its label."""
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(name, quote=True)}">{html}</div>'
    )


def table(data: pd.DataFrame, *, name: str) -> str:
    """Return a table whose cells are plain text; markup in them is escaped."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in data.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in data.itertuples(index=False, name=None)
    )
    return scrollable(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>", name=name)


def prose(text: str) -> str:
    """Return our own Markdown as HTML; HTML, links and images in it stay text."""
    return str(MarkdownIt("commonmark", {"html": False}).disable(["image", "link", "autolink"]).render(text))


def code_block(text: str) -> str:
    """Return a block of commands."""
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def file_list(names: Sequence[tuple[str, str]]) -> str:
    """Return a list of files with what each holds."""
    rows = "".join(
        f'<li><a href="{escape(name, quote=True)}">{escape(name)}</a> '
        f'<span class="muted">{escape(description)}</span></li>'
        for name, description in names
    )
    return f"<ul>{rows}</ul>"


def page(title: str, lead: str, sections: Sequence[str]) -> str:
    """Return the whole page; it loads nothing from elsewhere and runs no scripts."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main><h1>{escape(title)}</h1>"
        f'<p class="muted">{escape(lead)}</p>{"".join(sections)}</main></body></html>\n'
    )
