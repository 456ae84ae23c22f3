"""How long a rater waits: from a key press to the painted score, next answer, or differences of a pair.

    python benchmarks/bench_rating.py [--answers 200] [--pairs 40] [--units 60] [--pause 40]
                                       [--no-frame-limit]

Needs Chromium. A frame lasts 16.7 ms in a browser at 60 Hz, and a key press waits up to one for the next to
begin: `idle` is that floor, a key without meaning in the same tab. With --no-frame-limit it paints as
soon as it can, so that what is left is the page's own time.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judgelab.domain import Criterion  # noqa: E402
from judgelab.scales import parse_scale  # noqa: E402
from judgelab.store.models import ItemRow, Rating, ResponseRow  # noqa: E402
from judgelab.store.people import people  # noqa: E402
from judgelab.store.projects.projects import create_project  # noqa: E402
from judgelab.store.rating import units  # noqa: E402
from tests.e2e.conftest import ARGUMENTS, App, sign_in  # noqa: E402

UNLIMITED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"]
NAMES = ("Coherence", "Consistency", "Fluency", "Relevance")
SCALE = {"kind": "ordinal", "low": 1, "high": 5, "anchors": {str(n): f"What {n} means." for n in range(1, 6)}}
CRITERIA = tuple(Criterion(name.lower(), name, SCALE, f"How good is its {name.lower()}?") for name in NAMES)
# Listens before the page does, which keeps its keys to itself. The event carries the time of the press;
# a message sent in a frame arrives once the frame is painted.
WATCH = """
  window.painted = {};
  addEventListener("keydown", (event) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () =>
      (window.painted[event.key] ??= []).push(performance.now() - event.timeStamp);
    channel.port2.postMessage(0);
  }), { capture: true });
"""


def make(app: App, answers: int) -> tuple[int, int]:
    with app.store.writing() as session:
        project = create_project(session, name="Bench", task="summarisation", criteria=CRITERIA)
        items = [
            ItemRow(
                project_id=project.id,
                external_id=f"d{n}",
                context="A sentence of the source, some words long. " * 120,
            )
            for n in range(answers)
        ]
        session.add_all(items)
        session.flush()
        session.add_all(
            ResponseRow(
                project_id=project.id,
                item_id=item.id,
                external_id="r",
                text=f"Summary {item.id}. " + "It says so. " * 30,
            )
            for item in items
        )
        session.flush()
        units.offer_units(session, project.id)
        return project.id, people.find_or_create(session, "Rater of the benchmark")


def make_pairs(app: App, pairs: int) -> tuple[int, int]:
    """Pairs of texts of 400 words, a third of them replaced: hundreds of marks."""
    chance = random.Random(0)
    vocabulary = [f"{start}{end}" for start in ("lid", "soup", "flask", "warm") for end in range(100)]
    with app.store.writing() as session:
        settings = {"form": "pairwise"}
        project = create_project(session, name="Pairs", task="qa", criteria=CRITERIA[:1], settings=settings)
        for n in range(pairs):
            item = ItemRow(project_id=project.id, external_id=f"p{n}", question="Which lid is warm?")
            session.add(item)
            session.flush()
            first = chance.choices(vocabulary, k=400)
            second = [chance.choice(vocabulary) if chance.random() < 1 / 3 else word for word in first]
            session.add_all(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=name,
                    system=name,
                    text=" ".join(words),
                )
                for name, words in (("a", first), ("b", second))
            )
        session.flush()
        units.offer_units(session, project.id)
        return project.id, people.find_or_create(session, "Rater of the pairs")


MARKDOWN = """## Boiling a litre

The lid keeps the heat in, so that the **same flame** boils it sooner; see `minutes`.

| lid | flame | minutes |
|---|---|---|
| on | low | 9 |
| on | high | 4 |
| off | high | 7 |

```python
def minutes(lid: bool, flame: str = "high") -> int:
    # How long a litre takes
    return {"low": 9, "high": 4}[flame] if lid else 7
```

1. Fill the pot.
2. Put the lid on: $t = m c / P$.

> So says the test kitchen.

"""
PROSE = "The lid keeps the *heat* in, so the water boils **sooner**; `minutes` says how soon. " * 3 + "\n\n"
LABELS = {"kind": "categorical", "labels": ["Supported", "Contradicted", "Unclear"]}


@dataclass(frozen=True)
class FormOfRating:
    """One form of rating: the project's settings and criteria, its texts, and the keys that fill it in."""

    criteria: tuple[Criterion, ...]
    keys: tuple[str, ...]
    text: str = "It says so. " * 30
    systems: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)


FORMS = {
    "ranking": FormOfRating(CRITERIA[:1], ("1", "2", "3"), systems=3, settings={"form": "ranking"}),
    "labels": FormOfRating((Criterion("label", "Label", LABELS),), ("2",)),
    "sets of labels": FormOfRating((Criterion("set", "Set", {**LABELS, "several": True}),), ("1", "3")),
    "marked errors": FormOfRating(
        (Criterion("errors", "Errors", parse_scale("mqm")),), ("e", "ArrowDown", " ", "1", "2")
    ),
    "Markdown, 5 kB": FormOfRating(
        CRITERIA,
        ("1", "2", "3", "4"),
        text=MARKDOWN + PROSE * 18,
        settings={"text_formats": {"response": "markdown"}},
    ),
}


def make_form(app: App, name: str, form: FormOfRating, number: int) -> tuple[str, int]:
    """Store a project with so many units of a form; returns its address and the row id of its rater."""
    with app.store.writing() as session:
        settings = dict(form.settings)
        project = create_project(session, name=f"Form {name}", criteria=form.criteria, settings=settings)
        for n in range(number):
            item = ItemRow(project_id=project.id, external_id=f"f{n}", question=f"Which lid is warm? ({n})")
            session.add(item)
            session.flush()
            session.add_all(
                ResponseRow(
                    project_id=project.id,
                    item_id=item.id,
                    external_id=f"r{system}",
                    system=f"s{system}",
                    text=f"{form.text} {system}",
                )
                for system in range(form.systems)
            )
        session.flush()
        units.offer_units(session, project.id)
        return project.slug, people.find_or_create(session, f"Rater of {name}")


def rate_form(tab: Page, keys: Sequence[str], number: int, pause: int) -> None:
    question = tab.locator(".question")
    for _ in range(number):
        expect(question).to_be_visible(timeout=30_000)
        shown = question.inner_text()
        for key in (*keys, "Enter"):
            tab.keyboard.press(key)
            tab.wait_for_timeout(pause)
        expect(question).not_to_have_text(shown, timeout=30_000)


def compare(tab: Page, pairs: int, pause: int) -> int:
    """Show and hide the differences of each pair three times; returns how many the first one has."""
    texts, marks = tab.get_by_test_id("answers"), 0
    for _ in range(pairs):
        expect(texts).to_be_visible(timeout=30_000)
        shown = texts.inner_text()
        tab.wait_for_timeout(300)  # reading takes longer
        for _ in range(3):
            for key in ("d", "D"):  # the same to the page, told apart here
                tab.keyboard.press(key)
                tab.wait_for_timeout(pause)
                marks = marks or texts.locator("mark.different").count()
        tab.keyboard.press("2")
        tab.keyboard.press("Enter")
        expect(texts).not_to_have_text(shown, timeout=30_000)
    return marks


def rate(tab: Page, answers: int, pause: int) -> None:
    for _ in range(answers):
        answer = tab.get_by_test_id("answer")
        expect(answer).to_be_visible(timeout=30_000)
        shown = answer.inner_text()
        for key in ("1", "2", "3", "4", "Enter"):
            tab.keyboard.press(key)
            tab.wait_for_timeout(pause)
        expect(answer).not_to_have_text(shown, timeout=30_000)


def line(name: str, times: list[float]) -> str:
    ordered = sorted(times)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return f"{name:<28} median {statistics.median(ordered):5.1f} ms   p95 {p95:5.1f} ms   n {len(ordered)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--units", type=int, default=60, help="of each other form")
    parser.add_argument("--pause", type=int, default=40, help="milliseconds between two keys")
    parser.add_argument("--no-frame-limit", action="store_true", help="paint at once, not at 60 Hz")
    asked = parser.parse_args()
    answers, unlimited = asked.answers, UNLIMITED if asked.no_frame_limit else []
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("no Chromium was found: nothing measured")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = App(f"sqlite:///{folder}/bench.db", Path(folder))
        app.start()
        try:
            project, rater = make(app, answers + 5)
            browser = playwright.chromium.launch(executable_path=chromium, args=[*ARGUMENTS, *unlimited])
            window = browser.new_context(viewport={"width": 1366, "height": 900})
            sign_in(window, app)
            tab = window.new_page()
            tab.add_init_script(WATCH)
            tab.goto(f"{app.address}/rate?project=bench&rater={rater}")
            expect(tab.get_by_test_id("answer")).to_be_visible(timeout=30_000)
            for _ in range(50):
                tab.keyboard.press("F9")
                tab.wait_for_timeout(20)
            rate(tab, answers, asked.pause)
            expect(tab.get_by_test_id("saved")).to_contain_text("Saved", timeout=20_000)
            painted = tab.evaluate("window.painted")
            with app.store.reading() as session:
                stored = session.query(Rating).filter(Rating.project_id == project).count()
            print(line("idle (a key without meaning)", painted["F9"]))
            print(line("score key to painted score", [t for key in "1234" for t in painted[key]]))
            print(line("Enter to next answer", painted["Enter"]))
            print(f"{stored} of {answers * len(CRITERIA)} scores stored")
            _project, rater = make_pairs(app, asked.pairs + 5)
            tab.goto(f"{app.address}/rate?project=pairs&rater={rater}")
            marks = compare(tab, asked.pairs, asked.pause)
            painted = tab.evaluate("window.painted")
            print(line(f"D to {marks} painted differences", painted["d"]))
            print(line("D to none", painted["D"]))
            print(line("Enter to next pair", painted["Enter"]))
            for name, form in FORMS.items():
                address, rater = make_form(app, name, form, asked.units + 5)
                tab.goto(f"{app.address}/rate?project={address}&rater={rater}")
                rate_form(tab, form.keys, asked.units, asked.pause)
                painted = tab.evaluate("window.painted")
                print(line(f"Enter, {name}", painted["Enter"]))
            browser.close()
        finally:
            app.stop()


if __name__ == "__main__":
    main()
