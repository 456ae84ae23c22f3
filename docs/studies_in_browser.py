"""Replays the five studies in a browser, as a person would, and lays their tables beside the papers'.

    python docs/studies_in_browser.py DATASETS [WALK ...] [--at FOLDER]

Walks are qa_eval, qa_eval_beams, elect, linkage, drpe, drpe_summeval and bioasq; all of them without a name.

With --at the database is kept in FOLDER, and a walk that was broken off after its preparation goes on there.

`ARTICLES=40` in the environment takes the first 40 articles of each collection of news in place of all 100.

DATASETS is the folder of the verification sets (docs/datasets.md). An empty database, the app, a worker and
the tests' own server are started on this machine; then a Chromium creates each project from its preset,
uploads the files, prepares what the study needs, adds the endpoint, presses the one button that plans every
missing run, waits for the runs, reads the paper's table and takes it as CSV, LaTeX and Markdown. What the
page shows is compared, number by number, with what `judgelab study` prints. The judges are stand-ins that
count words (docs/replays): their rows show that a study runs from the file to the table, not how any model
judges. `docs/studies/browser/STUDY.md` and its pictures are written anew.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from playwright.sync_api import BrowserContext, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "replays")]

import bioasq_standin  # noqa: E402
import drpe  # noqa: E402
import linkage  # noqa: E402
import stand_ins  # noqa: E402

from judgelab import __version__  # noqa: E402
from judgelab.runs.endpoints import service  # noqa: E402
from judgelab.runs.service import list_runs  # noqa: E402
from judgelab.runs.worker import metric_jobs  # noqa: E402
from judgelab.runs.worker.child_processes import LOCAL_WORKER, start_child, stop_children  # noqa: E402
from judgelab.store.frames.score_frames import metric_names  # noqa: E402
from judgelab.store.projects.projects import find_project, list_projects  # noqa: E402
from judgelab.studies import studies  # noqa: E402
from judgelab.studies.tables import published_tables  # noqa: E402
from tests.conftest import find_chromium  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, SETTLED, App, sign_in  # noqa: E402
from tests.runs.openai_server import Habits, Server  # noqa: E402

FOLDER = ROOT / "docs" / "studies" / "browser"
DESK, PHONE = {"width": 1366, "height": 900}, {"width": 390, "height": 844}
QUALITY = 80
# Others wrote the texts: pictures show where they stand, not what they say.
VEILED = (
    "[data-testid=stText]",
    "[data-testid=stCode]",
    ".st-key-lists_question",
    ".st-key-examples_response",
    "[data-testid=stExpander]:has([class*=st-key-examples_]) summary p",
    ".st-key-roles_item",
    "[class*=st-key-data_map_] [data-testid=stDataFrame]",
    ".st-key-study_case",
)
BREATH = 300  # milliseconds between a click and the script that it starts
PATIENCE = 600_000  # milliseconds that a page may take where others use the machine, too
REASONED = """1. Understanding the question: the shopper wants to know one thing before buying.
2. Analysing the answer: it says yes or no to just that, and why.
3. Rating by the criterion: nothing that was asked is left open, so it is no 2.
4. Conclusion: it answers the question. Rating: 3."""
LONG = 3_600_000  # milliseconds that runs and metrics may take
HERE = "Model on this machine (transformers)"
ENDED = ("done", "stopped", "paused", "cancelled")
STEPS = {
    "project": "The project, created from the study's preset.",
    "data": "The files before the import, recognised by their names.",
    "preparation": "The study's preparation.",
    "plan": "All missing runs, with one estimate.",
    "runs": "The runs in progress.",
}
A_COUNTER = "a stand-in that counts words"
A_MODEL = "a tiny model that `docs/replays/tiny_judge.py` creates and trains first"


class Desk:
    """One person at one browser: goes to pages, presses what is written on buttons, takes pictures."""

    def __init__(self, app: App, window: BrowserContext, slug: str, name: str) -> None:
        self.app, self.slug, self.name = app, slug, name
        self.tab: Page = window.new_page()
        self.tab.set_default_timeout(PATIENCE)
        self.pictures: list[str] = []

    def go(self, path: str) -> None:
        """Open a page of the project."""
        self.tab.goto(f"{self.app.address}/{path}?project={self.slug}")
        self.rest()

    def rest(self) -> None:
        """Wait until the page has answered what was done last."""
        self.tab.wait_for_timeout(BREATH)
        self.tab.wait_for_function(SETTLED, polling=100, timeout=PATIENCE)

    def press(self, label: str | re.Pattern[str], *, exact: bool = True) -> None:
        """Press a button once it can be pressed."""
        button = self.tab.get_by_role("button", name=label, exact=exact).first
        expect(button).to_be_enabled(timeout=PATIENCE)
        button.click()
        self.rest()

    def choose(self, label: str, option: str, *, new: bool = False, exact: bool = True) -> None:
        """Choose from a list by typing, as the list lets one; `new` takes a word that is not in it."""
        box = self.tab.get_by_role("combobox", name=label, exact=True).first
        box.focus()
        self.tab.keyboard.type(option)
        wanted = self.tab.get_by_role(
            "option", name="Add: " if new else option, exact=exact and not new
        ).first
        wanted.click()
        self.rest()

    def pick(self, option: str) -> None:
        """Press one of several words that stand side by side."""
        self.tab.get_by_role("radio", name=option, exact=True).first.click()
        self.rest()

    def write(self, label: str, said: str) -> None:
        """Fill a field and leave it."""
        box = self.tab.get_by_label(label, exact=True).first
        box.fill(said)
        box.press("Tab")
        self.rest()

    def tick(self, label: str) -> None:
        """Press a switch or a box by its words."""
        self.tab.get_by_text(label, exact=True).first.click()
        self.rest()

    def says(self, what: str | re.Pattern[str], *, timeout: float = PATIENCE) -> Locator:
        """Wait until the page says something."""
        found = self.tab.get_by_text(what).first
        expect(found).to_be_visible(timeout=timeout)
        return found

    def picture(self, step: str, *, whole: bool = False) -> str:
        """Keep a picture of the window, or of the whole page."""
        self.tab.wait_for_timeout(1200)  # charts are drawn after the script has ended
        name = f"{self.name}-{len(self.pictures) + 1}-{step}.webp"
        self.tab.add_style_tag(content=f"{', '.join(VEILED)} {{ filter: blur(6px) }}")
        before = self.tab.viewport_size or DESK
        if whole:
            self._as_high_as_its_page()
        taken = Image.open(io.BytesIO(self.tab.screenshot()))
        taken.save(FOLDER / name, quality=QUALITY, method=6)
        if whole:
            self.tab.set_viewport_size(before)
        self.pictures.append(name)
        print(f"  {name}", flush=True)
        return name

    def cells(self) -> list[list[str]]:
        """Return what the paper's table shows, row by row, all columns of it."""
        everything = self.tab.get_by_text("Show all columns in the paper")
        if everything.count() and not self.tab.get_by_label("Show all columns in the paper").is_checked():
            everything.click()
            self.rest()
        self.tab.set_viewport_size({"width": 9000, "height": 1400})
        self.tab.wait_for_timeout(2500)
        rows = self.tab.get_by_test_id("stDataFrame").first.locator("canvas tbody tr")
        found = [row.locator("td").all_inner_texts() for row in rows.all()]
        self.tab.set_viewport_size(DESK)
        return found

    def _as_high_as_its_page(self) -> None:
        inner = self.tab.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        self.tab.set_viewport_size({**self.tab.viewport_size, "height": min(4000, int(inner) + 60)})
        self.tab.wait_for_timeout(1200)


class Table:
    """A paper's table as `judgelab study` prints it, to be found again on the page."""

    def __init__(self, printed: Mapping[str, Any]) -> None:
        self.number, cells = str(printed["table"]), printed["cells"]
        first = [cell for cell in cells if cell["model"] == cells[0]["model"]]
        heads = list(dict.fromkeys((cell["over"], cell["column"]) for cell in first))
        self.heads = heads
        self.lines = [first[at : at + len(heads)] for at in range(0, len(first), len(heads))]
        known = {table.number: table for table in published_tables(str(printed["study"]))}
        self.decimals = known[self.number].decimals

    @property
    def filled(self) -> bool:
        """Whether the project has a number in it."""
        return any(cell["value"] is not None for line in self.lines for cell in line)

    def measures(self) -> list[str]:
        """Return the figures between which the page lets one choose, empty where it shows all at once."""
        labels = list(dict.fromkeys(label for over, label in self.heads if over))
        repeated = len(labels) > 1 and len(self.heads) >= 2 * len(labels)
        return labels if repeated and all(over for over, _label in self.heads) else []

    def expected(self, measure: str | None) -> list[list[tuple[float | None, list[float]]]]:
        """Return printed number and own numbers (value, interval, n) of each cell that the page shows."""
        places = [
            k
            for k, (_over, label) in enumerate(self.heads)
            if measure in (None, label)
            and any(line[k]["published"] is not None or line[k]["value"] is not None for line in self.lines)
        ]
        return [[self._cell(line[k]) for k in places] for line in self.lines]

    def _cell(self, cell: Mapping[str, Any]) -> tuple[float | None, list[float]]:
        own = [] if cell["value"] is None else [cell["value"], *(cell["ci"] or ()), cell["n"]]
        return cell["published"], own


def same(shown: Sequence[Sequence[str]], table: Table, measure: str | None) -> int:
    """Return how many numbers of this project the page shows; raises where one is not the command's."""
    expected, compared, half = table.expected(measure), 0, 0.51 * 10.0 ** -(table.decimals - 1)
    assert len(shown) == len(expected), (table.number, len(shown), len(expected))
    for row, cells in zip(shown, expected, strict=True):
        words = list(row[1:])
        assert len(words) == 2 * len(cells), (table.number, row, len(cells))
        for (printed, own), before, here in zip(cells, words[::2], words[1::2], strict=True):
            wanted = [] if printed is None else [round(printed, table.decimals)]
            assert numbers(before) == wanted, (row[0], before, printed)
            said = numbers(here.split(" (")[0]) if own else []
            assert len(said) == len(own), (row[0], here, own)
            assert all(abs(one - other) <= half for one, other in zip(said, own, strict=True)), (here, own)
            compared += bool(own)
    return compared


def numbers(said: str) -> list[float]:
    """Return the numbers in a cell of the page."""
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", said.replace("−", "-").replace(",", ""))]


@dataclass
class Walk:
    """One study as it is walked: its data, how it is prepared, and how a stand-in answers.

    Args:
        title: the project's name.
        part: the data and what of them is taken, in words.
        files: makes the files that are uploaded, given the data sets and a folder to write to.
        speaks: the stand-in.
        prepare: what is done on *Preparation*; None for nothing.
        share: the probability of every word of a reply, where the study wants log-probabilities; 0 for none.
        study: the paper whose tables are read; "" where the walk has its name.
        shape: the study that the project is made from; "" for that of the paper.
        metrics: titles of metrics to choose beside those that are chosen already.
        rated: whether only responses with a human value are judged; not all have one.
        model: makes a model on this machine and returns its folder, where no endpoint is asked.
    """

    title: str
    files: Callable[[Path, Path], list[Path]]
    speaks: Callable[[str], str]
    part: str
    prepare: Callable[[Desk], None] | None = None
    share: float = 0.0
    study: str = ""
    shape: str = ""
    metrics: Sequence[str] = ()
    rated: bool = False
    model: Callable[[Path, Path], Path] | None = None


@dataclass
class Walked:
    """What came of a walk: the pictures with what they show, and the counts."""

    name: str
    study: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    compared: int = 0
    tables: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def walk(app: App, window: BrowserContext, name: str, datasets: Path, place: Path) -> Walked:
    """Replay one study from the empty project list to the paper's tables."""
    given, done = WALKS[name], Walked(name, WALKS[name].study or name)
    desk = Desk(app, window, _broken_off(app, given.title), name)
    port = _port(app, name) if desk.slug else 0
    with Server(Habits(speaks=given.speaks, share=given.share), port) as server:
        if desk.slug:
            _take_up(desk, done)
        else:
            _bring(desk, given, done, server.url, given.files(datasets, place))
        if not _scored(app, desk.slug):
            _score(desk, given.metrics)
        job = metric_jobs.latest_job(app.store, desk.slug)
        if job is not None and job.started_at and job.finished_at:
            done.seconds["metrics"] = (job.finished_at - job.started_at).total_seconds()
        if not any(run.origin != "imported" for run in list_runs(app.store, desk.slug)):
            _judge(desk, given, done, given.model(datasets, place) if given.model else None)
        _away(desk, lambda: all(run.state in ENDED for run in list_runs(app.store, desk.slug)))
        done.seconds["runs"] = max(run.seconds for run in list_runs(app.store, desk.slug))
        desk.go("runs")
        done.steps.append((desk.picture("judged"), "The finished runs."))
    done.steps += _read(desk, done, place)
    desk.tab.close()
    return done


def _bring(desk: Desk, given: Walk, done: Walked, url: str, files: Sequence[Path]) -> None:
    """Make the project, upload the files, prepare what is judged."""
    _create(desk, given, given.shape or done.study)
    done.steps.append((desk.picture("project"), STEPS["project"]))
    done.steps.append(_upload(desk, files))
    if given.model is None:
        _endpoint(desk, url)
    if given.prepare is not None:
        given.prepare(desk)
        done.steps.append((desk.picture("preparation", whole=True), STEPS["preparation"]))


def _broken_off(app: App, title: str) -> str:
    """Return the project of a walk that was broken off; "" where there is none."""
    with app.store.reading() as session:
        return next((one.slug for one in list_projects(session) if one.name == title), "")


def _scored(app: App, slug: str) -> bool:
    """Return whether the metrics of a project are scored."""
    with app.store.reading() as session:
        return bool(metric_names(session, find_project(session, slug).id))


def _port(app: App, name: str) -> int:
    """Return where the server of a walk that was broken off listened; 0 for anywhere."""
    found = [one.base_url for one in service.list_endpoints(app.store) if one.name == name]
    return next((urlsplit(url).port or 0 for url in found), 0)


def _take_up(desk: Desk, done: Walked) -> None:
    """Note the pictures that were taken before."""
    for step, said in STEPS.items():
        there = FOLDER / f"{desk.name}-{len(desk.pictures) + 1}-{step}.webp"
        if there.is_file():
            desk.pictures.append(there.name)
            done.steps.append((there.name, said))


def _create(desk: Desk, given: Walk, name: str) -> None:
    desk.go("project")
    desk.rest()
    if desk.tab.get_by_role("button", name="All projects").count():
        desk.press("All projects")
    if desk.tab.get_by_role("button", name="New project").count():
        desk.press("New project")
    desk.write("Name", given.title)
    desk.choose("Rating task", str(studies.get(name).title))
    desk.press("Create project")
    desk.says("Next: import your questions")
    desk.slug = parse_qs(urlsplit(desk.tab.url).query)["project"][0]


def _upload(desk: Desk, files: Sequence[Path]) -> tuple[str, str]:
    desk.go("data")
    desk.tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([str(file) for file in files])
    label = re.compile("^Import [0-9]")
    expect(desk.tab.get_by_role("button", name=label)).to_be_enabled(timeout=PATIENCE)
    desk.rest()
    shown = (desk.picture("data", whole=True), STEPS["data"])
    desk.press(label)
    desk.says("Score with metrics")
    return shown


def _endpoint(desk: Desk, url: str) -> None:
    desk.go("endpoints")
    desk.write("Name", desk.name)
    desk.write("Base URL", url)
    desk.press("Add")
    desk.says("Test it before a run")


def _score(desk: Desk, further: Sequence[str]) -> None:
    desk.go("data")
    for title in further:
        desk.choose("Metrics", title)
        desk.tab.keyboard.press("Escape")  # the list stays open, and while it does nothing else is there
    desk.press("Score all responses")
    if metric_jobs.latest_job(desk.app.store, desk.slug) is None:
        # No worker was heard of just then, so the page did it itself.
        desk.says(re.compile(r"responses scored"), timeout=LONG)
        return
    _away(
        desk, lambda: (job := metric_jobs.latest_job(desk.app.store, desk.slug)) is not None and job.resting
    )
    job = metric_jobs.latest_job(desk.app.store, desk.slug)
    assert job is not None and job.state == "done", job


def _away(desk: Desk, ready: Callable[[], bool]) -> None:
    """Leave the page until something is ready: a page that watches takes time from what it watches."""
    desk.tab.goto("about:blank")
    began = time.monotonic()
    while not ready() and time.monotonic() - began < LONG / 1000:
        time.sleep(2)


def _judge(desk: Desk, given: Walk, done: Walked, model: Path | None) -> None:
    """Plan all that is missing for one model, and start it."""
    _open_study(desk, given.study or desk.name)
    if model is None:
        _ask(desk)
    else:
        desk.choose("Endpoint", HERE)
        desk.write("Model", str(model))
    if given.rated:
        desk.choose("Responses", "only rated ones", exact=False)
    desk.tick("List the missing runs")
    start = desk.tab.get_by_role("button", name=re.compile(r"^Start \d+ runs?"))
    expect(start).to_be_visible(timeout=PATIENCE)
    desk.rest()
    desk.tab.get_by_role("heading", name="Ablations").scroll_into_view_if_needed()
    done.steps.append((desk.picture("plan"), STEPS["plan"]))
    start.click()
    desk.tab.wait_for_url("**/runs**", timeout=PATIENCE)
    desk.rest()
    desk.tab.wait_for_timeout(6000)
    done.steps.append((desk.picture("runs"), STEPS["runs"]))


def _open_study(desk: Desk, study: str) -> None:
    """Open the page of a paper, which is not always that of the project."""
    desk.go("studies")
    title = str(studies.get(study).title)
    if desk.tab.get_by_text(title, exact=True).count() == 0:
        desk.choose("Paper", title)


def _ask(desk: Desk) -> None:
    desk.choose("Endpoint", desk.name)
    desk.press("List the endpoint's models")


def _read(desk: Desk, done: Walked, place: Path) -> list[tuple[str, str]]:
    """Read every table on the page, compare it with the command's, and take the three files."""
    said = _judgelab(desk.app, "study", desk.slug, "--study", done.study, "--json")
    printed = [Table(one) for one in json.loads(said)["tables"]]
    steps = []
    _open_study(desk, done.study)
    for table in printed:
        if len(printed) > 1:
            desk.pick(table.number)
        named = table.number if " " in table.number else f"table {table.number}"
        if table.filled:
            steps.append((desk.picture(named.replace(" ", "-"), whole=True), f"{named.capitalize()}."))
        for measure in table.measures() or [None]:
            if measure:
                desk.pick(measure)
            if any(table.expected(measure)):
                done.compared += same(desk.cells(), table, measure)
        done.tables += 1
    _open_study(desk, done.study)
    desk.tab.set_viewport_size(PHONE)
    steps.append((desk.picture("phone", whole=True), "The page on a phone."))
    desk.tab.set_viewport_size(DESK)
    _take(desk, done.study, place / desk.name)
    return steps


def _take(desk: Desk, study: str, folder: Path) -> None:
    """Download the three files and compare them with those that the command writes."""
    _judgelab(desk.app, "study", desk.slug, "--study", study, "--export", str(folder))
    desk.press(re.compile("Export"))
    for label, ending in (("CSV", "csv"), ("Markdown", "md"), ("LaTeX", "tex")):
        with desk.tab.expect_download(timeout=PATIENCE) as taken:
            desk.tab.get_by_role("button", name=label, exact=True).click()
        body = Path(taken.value.path()).read_text(encoding="utf-8").strip()
        written = (folder / f"{study}.{ending}").read_text(encoding="utf-8").strip()
        assert body in written, f"{desk.slug}: the page's {label} is not the command's"


def write(given: Walk, done: Walked, tables: str) -> None:
    """Write what was done, with its pictures, and the tables as the page gave them."""
    study = studies.get(done.study)
    took = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in done.seconds.items())
    parts = [
        f"# {study.title}, in the browser" + ("" if done.name == done.study else f": {given.title}"),
        f"Made by `python docs/studies_in_browser.py DATASETS {done.name}` with JudgeLab {__version__}. "
        f"Data: {given.part} ([where they come from](../../datasets.md)). The judges are "
        f"{A_MODEL if given.model else A_COUNTER}; its rows say nothing about any model. For "
        f"differences from the paper, see [{done.study}.md](../{done.study}.md).",
        f"All {done.compared:,} numbers of this project on the page, in "
        f"{_counted(done.tables, 'table')}, equal the output of `judgelab study`, and so do its CSV, "
        f"Markdown and LaTeX. Time on the test machine: {took}.",
        *(
            f"{place}. {said}\n\n   ![{said}]({picture})"
            for place, (picture, said) in enumerate(done.steps, 1)
        ),
        "## The tables on the page",
        tables.strip(),
    ]
    (FOLDER / f"{done.name}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _judgelab(app: App, *words: str) -> str:
    command = [sys.executable, "-m", "judgelab", *words]
    done = subprocess.run(command, cwd=ROOT, env=app.environment, capture_output=True, text=True, check=True)
    return done.stdout


def _nq301(datasets: Path, _place: Path) -> list[Path]:
    folder = datasets / "qa-eval-nq301"
    names = ("predictions_12systems.jsonl", "labels_12systems.csv", "NQ301_human.tsv")
    return [folder / name for name in names]


def _rpqa(datasets: Path, _place: Path) -> list[Path]:
    return sorted((datasets / "elect-rpqa").glob("llama3_*.csv"))


FEW = 5  # questions for a model that runs here: ten beams of 256 tokens take a second each
ARTICLES = int(os.environ.get("ARTICLES", "100"))  # of each collection of news


def _trec(datasets: Path, _place: Path) -> list[Path]:
    return [datasets / "linkage-nfqa" / "TREC-DL-NF.json"]


def _nq_few(datasets: Path, place: Path) -> list[Path]:
    """Return the lines of the published files that are about the first questions, as files of their names."""
    files = _nq301(datasets, place)
    first = list(dict.fromkeys(json.loads(line)["question"] for line in _lines(files[0])))[:FEW]
    found = []
    for file in files:
        lines = _lines(file)
        kept = [line for line in lines if any(one in line for one in first)]
        found.append(place / file.name)
        found[-1].write_text("\n".join([*([] if file.suffix == ".jsonl" else lines[:1]), *kept]) + "\n")
    return found


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def _tiny(datasets: Path, place: Path) -> Path:
    """Make the tiny judge in a process of its own, whose memory is given back."""
    command = [
        sys.executable,
        str(ROOT / "docs" / "replays" / "tiny_judge.py"),
        str(datasets),
        str(place / "tiny"),
    ]
    if not (place / "tiny" / "model.safetensors").is_file():
        subprocess.run(command, cwd=ROOT, check=True)
    return place / "tiny"


def _reference_lists(desk: Desk) -> None:
    """Draw the lists of the paper's pattern from graded answers, and a reference for metrics."""
    _prepare(desk, "Reference lists")
    desk.press("Create the lists")
    desk.says("1 set")
    desk.press("Use the best-rated responses")
    desk.says(re.compile("became the reference"))


def _news(datasets: Path, place: Path) -> list[Path]:
    """Return the two files; for fewer ARTICLES, files of their names that hold the first ones."""
    files = [datasets / "cnn-bbc-2022" / name for name in ("cnn_human.json", "bbc_human.json")]
    if ARTICLES == 100:
        return files
    for file in files:
        every = json.loads(file.read_text(encoding="utf-8"))
        (place / file.name).write_text(json.dumps(dict(list(every.items())[:ARTICLES])), encoding="utf-8")
    return [place / file.name for file in files]


def _one_reference(datasets: Path, place: Path) -> list[Path]:
    """Return SummEval's files, each article with the first of its eleven references: the panel sees one."""
    folder = datasets / "summeval"
    articles = place / "documents.jsonl"
    rows = [json.loads(line) for line in _lines(folder / "documents.jsonl")]
    said = [json.dumps({**row, "references": row["references"][:1]}) for row in rows]
    articles.write_text("\n".join(said) + "\n", encoding="utf-8")
    return [articles, folder / "summaries.jsonl", folder / "ratings_experts.csv"]


def _summeval_panel(desk: Desk) -> None:
    """Take the two best and the two worst summaries of each article; let the model make the roles."""
    _prepare(desk, "Human scores of responses")
    desk.press("Use the extremes as human scores")
    desk.rest()
    desk.pick("Role panels")
    _ask(desk)
    desk.press("Generate roles")
    desk.says("100 of 100 items", timeout=LONG)


def _panels(desk: Desk) -> None:
    """Let the model write references (three sentences for CNN, one for BBC) and roles; count the votes."""
    _prepare(desk, "Role panels")
    _ask(desk)
    desk.choose("Group", f"cnn, {ARTICLES}")
    desk.press("Generate references")
    desk.says(re.compile("references? written"), timeout=LONG)
    desk.write("Sentences per reference", "1")
    desk.press("Generate references")
    desk.says(re.compile("references? written"), timeout=LONG)
    desk.press("Generate roles")
    desk.says(f"{2 * ARTICLES} of {2 * ARTICLES} items", timeout=LONG)
    desk.pick("Human scores of responses")
    desk.press("Use the votes as human scores")
    desk.rest()
    desk.pick("Role panels")


def _summeval(datasets: Path, place: Path) -> list[Path]:
    """Return SummEval under BioASQ's criteria, as two files of rows."""
    rows, ratings = bioasq_standin.as_rows(datasets / "summeval")
    found = []
    for name, lines in (("summaries.jsonl", rows), ("ratings.jsonl", ratings)):
        found.append(place / name)
        found[-1].write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return found


def _worked_example(desk: Desk) -> None:
    """Let the model draft the reasoning of one rated answer, refine it, and save it as the next version."""
    _prepare(desk, "Worked examples")
    _ask(desk)
    desk.press("Draft the reasoning")
    desk.tab.get_by_text("draft, not refined yet").last.click()
    desk.rest()
    box = desk.tab.get_by_label("Reasoning in four steps").last
    box.fill(REASONED)
    box.press("Tab")
    desk.rest()
    desk.press("Save as new version")
    desk.says("Example saved.")


def _prepare(desk: Desk, part: str) -> None:
    desk.go("preparation")
    desk.pick(part)


WALKS = {
    "qa_eval": Walk("NQ301", _nq301, stand_ins.qa_eval, "all 301 questions of NQ301 with twelve systems"),
    "qa_eval_beams": Walk(
        f"NQ301, {FEW} questions",
        _nq_few,
        stand_ins.qa_eval,
        f"the first {FEW} questions of NQ301 with twelve systems",
        study="qa_eval",
        model=_tiny,
    ),
    "elect": Walk(
        "RPQA", _rpqa, stand_ins.elect, "all 479 answers of the three published categories", _worked_example
    ),
    "linkage": Walk(
        "TREC-DL-NF",
        _trec,
        linkage.stand_in,
        "all 55 questions of TREC-DL-NF with their 5,541 answers",
        _reference_lists,
    ),
    "drpe": Walk(
        "CNN and BBC 2022",
        _news,
        drpe.stand_in,
        f"the first {ARTICLES} of 100 articles of CNN2022 and of BBC2022. The summaries voted best or "
        "worst are judged",
        _panels,
        share=0.8,
        rated=True,
    ),
    "drpe_summeval": Walk(
        "SummEval",
        _one_reference,
        drpe.stand_in,
        "SummEval's 100 articles with 1,600 summaries, the first of eleven references each. The two best and "
        "the two worst summaries of each article are judged",
        _summeval_panel,
        share=0.8,
        study="drpe",
        shape="summeval",
        metrics=("ROUGE-L", "BLEU", "METEOR (exact + stem)", "BERTScore F1", "MoverScore"),
        rated=True,
    ),
    "bioasq": Walk(
        "SummEval as BioASQ",
        _summeval,
        stand_ins.bioasq,
        "1,200 summaries of SummEval under BioASQ's four criteria, in twelve batches",
    ),
}


def main() -> None:
    """Walk the studies named on the command line, all five without a name."""
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    words, kept = _words(sys.argv[1:])
    datasets, names = Path(words[0]).resolve(), words[1:] or list(WALKS)
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        place = kept or stack.enter_context(tempfile.TemporaryDirectory())
        app = App(f"sqlite:///{place}/studies.db", Path(place))
        app.start()
        app.start_worker()
        here = start_child(LOCAL_WORKER, app.environment) if any(WALKS[one].model for one in names) else None
        try:
            FOLDER.mkdir(exist_ok=True)
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
            window = browser.new_context(viewport=DESK, accept_downloads=True)
            sign_in(window, app)
            for name in names:
                done = walk(app, window, name, datasets, Path(place))
                tables = (Path(place) / name / f"{done.study}.md").read_text(encoding="utf-8")
                write(WALKS[name], done, tables)
                print(name, done.compared, done.tables, done.seconds, flush=True)
            browser.close()
        finally:
            stop_children([here] if here else [])
            app.stop()


def _words(given: list[str]) -> tuple[list[str], str]:
    """Return the words of the command line without `--at FOLDER`, and that folder ("" for none)."""
    if "--at" not in given:
        return given, ""
    at = given.index("--at")
    folder = Path(given[at + 1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return [*given[:at], *given[at + 2 :]], str(folder)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
