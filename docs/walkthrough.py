"""Answers three questions in a browser on published data and writes down what the pages said.

    python docs/walkthrough.py DATASETS [coherence] [elect] [systems]

DATASETS is the folder of the verification sets (docs/datasets.md). Each question is asked on the pages as a
person would: the data are imported, the page is opened, and what it answers goes into `docs/walkthroughs/`,
with a picture. No text of the data stands on these pages.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from judgelab.imports.service import collect_files, import_files  # noqa: E402
from judgelab.runs.metrics.scoring import score_project  # noqa: E402
from judgelab.store.db.engine import Store  # noqa: E402
from judgelab.store.projects.projects import create_project  # noqa: E402
from judgelab.studies import studies  # noqa: E402
from tests.conftest import find_chromium  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, App, settled, sign_in  # noqa: E402

ICON = re.compile(r"^(check|priority_high|remove) ")  # an icon is a word of its typeface
FOLDER = ROOT / "docs" / "walkthroughs"
WAIT = 120_000  # milliseconds; a page of 1,600 responses computes for some seconds at its first opening


@dataclass(frozen=True)
class View:
    """A page that is opened: its path, the parameters of its address, and what a reader looks for there.

    On *Trust*, the cell in this `column` of the table's first row is selected; 0 leaves it as opened.
    """

    path: str
    parameters: dict[str, str]
    looks_for: str
    column: int = 0


@dataclass(frozen=True)
class Walk:
    """A question, the data it needs, and the pages that answer it."""

    question: str
    name: str
    study: str
    folder: str
    views: Sequence[View]
    metrics: Sequence[str] = ()


SIX = "gpt-4o|gpt-4o-mini|gemini_pro|gemini_flash|llama-31|mistral-v03"
WALKS = {
    "coherence": Walk(
        "Which of six LLM judges is best at coherence on SummEval, and is it as good as an expert?",
        "SummEval",
        "summeval",
        "summeval",
        (
            View(
                "compare",
                {"criterion": "coherence", "coefficient": "kendall", "level": "item", "judges": SIX},
                "which judge is ahead, and which differences are not significant",
            ),
            View(
                "trust",
                {"judge": "{best}", "level": "item", "coefficient": "kendall"},
                "the sentences on coherence",
            ),
        ),
    ),
    "elect": Walk(
        "Does the ELECT prompt beat G-Eval on the replies the authors released (Llama-3, three categories)?",
        "ELECT",
        "elect",
        "elect-rpqa",
        (
            View(
                "compare",
                {"coefficient": "spearman", "level": "none", "judges": "llama_elect4|llama_geval|llama_dp"},
                "the difference between the two and its interval",
            ),
            View(
                "more",
                {"claim": "judges", "first": "llama_elect4", "second": "llama_geval"},
                "how many more items are needed",
            ),
        ),
    ),
    "systems": Walk(
        "Which of the 12 question-answering systems of NQ301 would exact match and GPT-4 rank wrongly?",
        "NQ301",
        "qa_eval",
        "qa-eval-nq301",
        (
            View(
                "trust",
                {"judge": "exact_match", "level": "none"},
                "pairs of systems that it orders differently",
                column=3,
            ),
            View(
                "trust",
                {"judge": "gpt4_zero_shot", "level": "none"},
                "pairs of systems that it orders differently",
                column=3,
            ),
        ),
        metrics=("exact_match", "token_f1"),
    ),
}


def prepare(store: Store, walk: Walk, datasets: Path) -> str:
    """Import the data of a walk into a project of its own; return the project's short name."""
    chosen = studies.get(walk.study)
    with store.writing() as session:
        slug = create_project(
            session, name=walk.name, study=walk.study, task=chosen.task, criteria=chosen.criteria
        ).slug
    import_files(store, slug, collect_files([datasets / walk.folder]), preset=walk.folder)
    if walk.metrics:
        score_project(store, slug, walk.metrics)
    return slug


def look(tab: Page, address: str, slug: str, view: View, best: str) -> tuple[str, list[str]]:
    """Open a page as its link says; return the link and the sentences it answers with."""
    parameters = {name: value.format(best=best) for name, value in view.parameters.items()}
    link = f"/{view.path}?{urlencode({'project': slug, **parameters})}"
    tab.goto(address + link)
    expect(tab.locator("h5").first).to_be_visible(timeout=WAIT)
    expect(tab.locator("[data-testid^=stSkeleton]")).to_have_count(0, timeout=WAIT)
    settled(tab)
    tab.wait_for_timeout(2000)  # charts and tables are drawn after the script has ended
    if view.column:
        tab.locator("[data-testid=stDataFrame]").first.click(position={"x": 20, "y": 52})
        for _column in range(view.column):
            settled(tab).keyboard.press("ArrowRight")
        settled(tab).wait_for_timeout(2000)
    sentences = [tab.locator("h5").first.inner_text()]
    sentences += tab.locator("[data-testid=stMarkdownContainer] p").all_inner_texts()
    first, *others = [" ".join(sentence.split()) for sentence in sentences]
    stated = [sentence for sentence in others if " n = " in sentence or ICON.match(sentence)]
    return link, [ICON.sub("", sentence) for sentence in (first, *stated)]


def write(name: str, walk: Walk, steps: Sequence[tuple[View, str, list[str], str]]) -> None:
    """Write what was asked, opened and answered."""
    parts = [
        f"# {walk.question}",
        f"Made by `python docs/walkthrough.py DATASETS {name}`. The data set `{walk.folder}` "
        "([where it comes from](../datasets.md)) was imported with its preset. These pages were opened:",
    ]
    for number, (view, link, sentences, picture) in enumerate(steps, start=1):
        quoted = "\n".join(f"> {sentence}\n>" for sentence in sentences).removesuffix("\n>")
        parts += [
            f"## {number} · `{link}`",
            f"What to look for: {view.looks_for}. The page says:",
            quoted,
            f"![The page]({picture})",
        ]
    (FOLDER / f"{name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Walk the questions named on the command line, all three without a name."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    datasets, names = Path(sys.argv[1]), sys.argv[2:] or list(WALKS)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = App(f"sqlite:///{folder}/walk.db", Path(folder))
        slugs = {name: prepare(app.store, WALKS[name], datasets) for name in names}
        app.start()
        try:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
            window = browser.new_context(viewport={"width": 1366, "height": 1400})
            sign_in(window, app)
            for name in names:
                best, steps = "", []
                for number, view in enumerate(WALKS[name].views, start=1):
                    tab = window.new_page()
                    link, sentences = look(tab, app.address, slugs[name], view, best)
                    best = best or sentences[0].split(" is ahead")[0]
                    picture = f"{name}-{number}.png"
                    tab.screenshot(path=FOLDER / picture)
                    steps.append((view, link, sentences, picture))
                    tab.close()
                write(name, WALKS[name], steps)
                print(name, *(sentence for step in steps for sentence in step[2]), sep="\n  ")
            browser.close()
        finally:
            app.stop()


if __name__ == "__main__":
    main()
