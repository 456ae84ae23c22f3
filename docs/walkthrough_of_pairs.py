"""Walks a study of comparisons in the browser, from its raw files to the report computed again.

    python docs/walkthrough_of_pairs.py

An empty database, the app, a worker and a server that answers as a judge are started on this machine. A
Chromium creates a project and uploads the files of `sample_data/pairs`: the responses, the choices of three
raters, a column each, and those of two judges with their rationales. It filters the raters, decides conflicts
by key, runs a third judge in both orders, reads *Agree*, *Trust* and one disagreement, and downloads the
report, whose commands are run in a database of their own. What the pages say is written to
`docs/walkthroughs/pairs.md`, with a picture of each step on a desktop and on a phone.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
from PIL import Image
from playwright.sync_api import BrowserContext, Locator, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs"), str(ROOT / "docs" / "replays")]

from stand_ins import choose_by_words  # noqa: E402
from studies_in_browser import DESK, PHONE, QUALITY, Desk  # noqa: E402

from judgelab.studies import studies  # noqa: E402
from tests.conftest import find_chromium  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, App, sign_in  # noqa: E402
from tests.runs.openai_server import Habits, Server  # noqa: E402

FOLDER = ROOT / "docs" / "walkthroughs"
FILES = [ROOT / "sample_data" / "pairs" / name for name in ("items.jsonl", "choices.csv", "judged_pairs.csv")]
JUDGE = "Word counter"
ICON = re.compile(r"^(check|priority_high|remove|info|error|trending_flat)\s+")  # words of an icon's typeface
HIGHEST = 1500  # points of a picture
PATIENCE = 60_000  # milliseconds that a page may take where others use the machine, too


@dataclass(frozen=True)
class Step:
    """What was done on a page, what it said then, and the two pictures."""

    title: str
    done: str
    said: list[str]
    pictures: tuple[str, str]


class PairsDesk(Desk):
    """The person who walks the study, and the steps so far."""

    def __init__(self, app: App, window: BrowserContext) -> None:
        super().__init__(app, window, "", "pairs")
        self.tab.set_default_timeout(PATIENCE)
        self.steps: list[Step] = []

    def keep(self, title: str, done: str, *said: Locator, at: str = "") -> None:
        """Keep a step: texts of the page, and its picture on a desktop and, from a heading on, a phone."""
        texts = [" ".join(text.inner_text().split()) for text in said]
        pictures = (self._take("desktop", DESK), self._take("phone", PHONE, at))
        self.tab.set_viewport_size(DESK)
        self.rest()
        self.steps.append(Step(title, done, [ICON.sub("", text) for text in texts if text], pictures))
        print(f"{title}:", *self.steps[-1].said, sep="\n  ", flush=True)

    def main(self, beginning: str) -> Locator:
        """Return the paragraph of the page that has these words."""
        shown = self.tab.locator("[data-testid=stMain]").locator("h5, p").filter(has_text=beginning)
        expect(shown.first).to_be_visible(timeout=PATIENCE)
        return shown.first

    def _take(self, device: str, size: dict[str, int], at: str = "") -> str:
        self.tab.set_viewport_size(size)  # type: ignore[arg-type]
        self.rest()
        self.tab.wait_for_timeout(2000)  # charts are drawn after the script has ended
        self.rest()
        inner = int(self.tab.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight"))
        self.tab.set_viewport_size({**size, "height": max(size["height"], min(HIGHEST, inner))})
        self.tab.wait_for_timeout(800)
        self.tab.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 0")
        if at:
            self.tab.get_by_role("heading", name=at).evaluate("heading => heading.scrollIntoView()")
        assert self.tab.evaluate("document.documentElement.scrollWidth") <= size["width"], self.tab.url
        name = f"pairs-{len(self.steps) + 1}-{device}.webp"
        Image.open(io.BytesIO(self.tab.screenshot())).save(FOLDER / name, quality=QUALITY, method=6)
        return name


def create(desk: PairsDesk) -> None:
    """Create the project, in which raters compare two responses."""
    desk.go("project")
    desk.write("Name", "Two answers compared")
    desk.choose("Rating task", str(studies.get("custom").title))
    desk.write("Criterion", "Better answer")
    desk.write("Question for the rater", "Which answer would you rather get to this request?")
    desk.choose("Raters", "compare two responses to the same item")
    desk.press("Create project")
    desk.says("Next: import your questions")
    desk.slug = parse_qs(urlsplit(desk.tab.url).query)["project"][0]


def bring(desk: PairsDesk) -> None:
    """Upload the three files, look at what each column means, and import them."""
    desk.go("data")
    desk.tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([str(file) for file in FILES])
    label = re.compile("^Import [0-9]")
    button = desk.tab.get_by_role("button", name=label)
    expect(button).to_be_enabled(timeout=PATIENCE)
    desk.rest()
    desk.tab.get_by_role("radio", name="judges", exact=True).click()
    desk.rest()
    expect(button).to_be_enabled(timeout=PATIENCE)
    desk.keep(
        "Data: what is in the files",
        "`items.jsonl`, `choices.csv` and `judged_pairs.csv` were uploaded. The columns of the three raters "
        "are recognised because they contain only a, b and tie. The page asks whether those in the column "
        "`judge` are judges or people; *judges* was pressed.",
        *desk.tab.get_by_text(re.compile("rows have no choice|have no valid score")).all(),
        button,
        at="choices.csv",
    )
    desk.press(label)
    desk.says("40 items and 96 responses")
    desk.go("project")
    said = [
        desk.main(words)
        for words in ("comparisons by 3 raters", "agrees with the majority of the other raters")
    ]
    desk.keep("Project: what can be done now", "The files are stored.", *said)


def filter_raters(desk: PairsDesk) -> None:
    """Look at the raters and apply the filter."""
    desk.go("quality")
    found = desk.main("the remaining raters")
    desk.press(re.compile("^Apply as version 1"), exact=False)
    desk.says("In use as version 1")
    done = "The filter was applied as it was proposed, as version 1."
    desk.keep("Quality: which raters are kept", done, found)


def decide(desk: PairsDesk) -> None:
    """Decide four conflicts with one key each."""
    desk.go("adjudicate")
    desk.tick("Also list pairs where one rater chose a winner and another a tie")
    reason = desk.tab.get_by_role("textbox", name="Reason")
    reason.fill("It keeps the condition of the request.")
    reason.press("Tab")
    desk.rest()
    for count, key in enumerate(("1", "3", "2", "x"), start=1):
        desk.tab.locator("body").press(key)
        desk.says(re.compile(f"^{count} of \\d+ conflicts decided"))
        desk.rest()
    desk.keep(
        "Conflicts: decided by key",
        "*Also list pairs where one rater chose a winner and another a tie* was switched on, since few kept "
        "raters chose opposite winners, and a "
        "reason typed for the first pair; then 1 (A is better), 3 (B is better), 2 (tie) and X (can't "
        "be decided) were pressed, one for each pair.",
        desk.tab.get_by_text("conflicts decided"),
    )


def judge(desk: PairsDesk, url: str) -> None:
    """Add the endpoint and let a model compare every pair in both orders."""
    desk.go("endpoints")
    desk.write("Name", "local")
    desk.write("Base URL", url)
    desk.press("Add")
    desk.says("Test it before a run")
    desk.press("Test")
    desk.says("Works:")
    desk.go("judge")
    desk.choose("Protocol", "Pairs of responses")
    desk.write("Name of this judge", JUDGE)
    desk.choose("Endpoint", "local")
    desk.press("List the endpoint's models")
    start = desk.tab.get_by_role("button", name="Start the run")
    expect(start).to_be_enabled(timeout=PATIENCE)
    desk.keep(
        "Judge: each pair in both orders",
        "The protocol *Pairs of responses*, which shows each pair in both orders, and the endpoint on this "
        "machine were chosen.",
        desk.main("This item takes "),
    )
    start.click()
    desk.tab.wait_for_url("**/runs**", timeout=PATIENCE)
    ended = desk.tab.get_by_role("heading", name=re.compile("40 of 40 judgments made in"))
    expect(ended).to_be_visible(timeout=PATIENCE)
    desk.rest()
    desk.keep("Runs: the judge's run", "The run was watched to its end.", desk.main("judgments made"))


def read(desk: PairsDesk) -> None:
    """Read agreement, trust in the judge that was run, and one pair on which it differs."""
    desk.go("agree")
    said = desk.main("agrees with the majority of the other raters")
    desk.keep("Agree: who makes the raters' majority choice", "The page was opened.", said)
    desk.go("trust")
    desk.choose("Judge", JUDGE)
    desk.says("Can I trust this judge?")
    desk.rest()
    desk.keep(
        "Trust: can it replace a rater?",
        f"“{JUDGE}” was chosen.",
        desk.tab.locator("h5").first,
        desk.main("it agrees with the majority of the other raters"),
    )
    desk.tab.get_by_role("link", name="Read the disagreements").click()
    desk.says("disagrees with the raters' majority")
    desk.rest()
    desk.keep(
        "Explain: one disagreement read",
        "The link *Read the disagreements* was followed; the first pair is shown with everybody's "
        "choice, what was shown first, and the judges' rationales.",
        desk.main("disagrees with the raters' majority"),
    )


def report(desk: PairsDesk, place: Path) -> str:
    """Download the report's files, run their commands, and return how many tables are equal."""
    desk.go("report")
    desk.says("Recompute every number")
    said = desk.main("Not significantly better")
    desk.keep("Report: what to publish", "The report's files were downloaded.", said)
    with desk.tab.expect_download(timeout=PATIENCE) as taken:
        desk.tab.get_by_role("button", name="Download the report files").click()
    pack = place / "pack"
    zipfile.ZipFile(taken.value.path()).extractall(pack)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    subprocess.run(["sh", "commands.sh"], cwd=pack, env=environment, check=True, stdout=subprocess.DEVNULL)
    tables = sorted(file.name for file in (pack / "tables").glob("*.csv"))
    for name in tables:
        files = (folder / "tables" / name for folder in (pack, pack / "again"))
        before, after = (pd.read_csv(file, dtype=str) for file in files)
        told = [column for column in before if column == "recipe"]  # names the endpoint, not exported
        pd.testing.assert_frame_equal(before.drop(columns=told), after.drop(columns=told))
    return (
        f"The report's `commands.sh` was run in a database of its own: all {len(tables)} tables "
        f"({', '.join(f'`{name}`' for name in tables)}) are equal. Only the sentence about each judge in "
        "`judges.csv` differs: the data do not contain the endpoint, so it is no longer named."
    )


def write(steps: list[Step], equal: str) -> None:
    """Write the page."""
    parts = [
        "# Comparisons of two answers, from raw files to a report computed again",
        "Made by `python docs/walkthrough_of_pairs.py` on our own "
        "[sample of pairs](../../sample_data/README.md#two-answers-compared). The raters and judges in the "
        "files are simulated; the judge that is run here is a server on the same machine that counts words. "
        "So the figures say nothing about any model.",
    ]
    for number, step in enumerate(steps, start=1):
        desktop, phone = step.pictures
        parts += [f"## {number} · {step.title}", step.done + (" The page says:" if step.said else "")]
        parts += ["\n>\n".join(f"> {said}" for said in step.said)] if step.said else []
        parts += [f"![{step.title}, on a desktop]({desktop})", f"![{step.title}, on a phone]({phone})"]
    parts += [f"## {len(steps) + 1} · The report computed again", equal]
    (FOLDER / "pairs.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def main() -> None:
    """Walk the study and write its page."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        Server(Habits(speaks=choose_by_words)) as server,
    ):
        app = App(f"sqlite:///{folder}/walk.db", Path(folder))
        app.start()
        app.start_worker()
        try:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
            window = browser.new_context(viewport=DESK, accept_downloads=True)  # type: ignore[arg-type]
            sign_in(window, app)
            desk = PairsDesk(app, window)
            create(desk)
            bring(desk)
            filter_raters(desk)
            decide(desk)
            judge(desk, server.url)
            read(desk)
            equal = report(desk, Path(folder))
            print(equal)
            write(desk.steps, equal)
            browser.close()
        finally:
            app.stop()


if __name__ == "__main__":
    main()
