"""The rooms of the package and the folders inside them: what each is for, and what it may import.

`tests/test_architecture.py` holds the code to these lines. The table in CONTRIBUTING.md is made from them:

    python -m tests.rooms
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- rooms -->\n", "<!-- end of rooms -->\n"


class Room(NamedTuple):
    """What a room or folder is for, and the rooms or folders beside it that it may import."""

    purpose: str
    may_import: frozenset[str] = frozenset()


def room(purpose: str, *may_import: str) -> Room:
    """Return a room; `may_import` are names, or several names in one word; "" is the room's own files."""
    return Room(purpose, frozenset(name for names in may_import for name in names.split() or [""]))


BASE = (
    "config db_text domain errors escaping latex literals logs money options package_files registry startup "
    "wording words"
)

ROOMS: dict[str, Room] = {
    "wording": room("the core's English sentences, with their values"),
    "domain": room("the columns of scores and preferences, and shared terms", "wording"),
    "errors": room("the error tree", "domain wording"),
    "registry": room("finding protocols, metrics, scales and other plug-ins", "errors wording"),
    "options": room("declared options of protocols and metrics", "errors wording"),
    "config": room("settings from the environment", "errors wording"),
    "logs": room("logging for all processes, without secrets", "config"),
    "escaping": room("escaping users' text for spreadsheets and Markdown"),
    "money": room("amounts of money, as decimals", "errors wording"),
    "latex": room("a data frame as a LaTeX table"),
    "db_text": room("text that every database can store"),
    "literals": room("lists and objects as programs write them, parsed one at a time"),
    "words": room("what a word is, in any script"),
    "startup": room("fast startup: no garbage collection while modules load"),
    "package_files": room("the package's own files"),
    "rendering": room("a text as people read it: Markdown, code, formulas; pure", BASE),
    "languages": room("the texts of the interface in the reader's language", "wording"),
    "scales": room("what a score may be", BASE),
    "protocols": room("how a judge is asked and how its reply is read; pure", BASE, "scales"),
    "metrics": room("scores computed from a text; pure", BASE),
    "backends": room("sending messages to a model and returning its replies", BASE),
    "metaeval": room("statistics about scores; pure", BASE, "scales"),
    "studies": room("the papers as data: criteria, judges, every printed number with its recipe", BASE),
    "store": room("the database; the only use of SQL", BASE, "scales"),
    "monitoring": room("Prometheus metrics of a process and of the database", BASE, "store"),
    "accounts": room("people, roles, sign-in, links", BASE, "store"),
    "imports": room(
        "from files to items, responses, ratings and judgments, and back",
        BASE,
        "scales store studies rendering",
    ),
    "annotation": room(
        "who rates what, their ratings, and which ratings are kept",
        BASE,
        "scales store metaeval rendering",
    ),
    "crowd": room("people who join by a recruitment link", BASE, "store accounts annotation"),
    "mailing": room("invitations and reminders by mail", BASE, "languages store accounts annotation scales"),
    "learned": room(
        "the learned judge: features, models, cross-validation, reasons; pure", BASE, "scales metrics"
    ),
    "runs": room(
        "judging in the background",
        BASE,
        "scales store protocols backends metrics accounts learned monitoring",
    ),
    "analysis": room(
        "the figures for pages and commands: statistics of stored scores",
        BASE,
        "scales store annotation metaeval studies",
    ),
    "learned_training": room(
        "the learned judge of a project: from filtered ratings to verdicts, report, proposals",
        BASE,
        "scales store metaeval analysis metrics learned runs",
    ),
    "preparation": room(
        "preparations for a run: lists, panels, examples, references, responses, tuned models",
        BASE,
        "scales store protocols backends metrics metaeval accounts runs",
    ),
    "replication": room(
        "a paper's tables for a project's scores; one file per measure in `replication/measures`",
        BASE,
        "scales store metaeval metrics studies analysis protocols runs",
    ),
    "charts": room("figures of results", BASE, "languages scales metaeval"),
    "reporting": room(
        "the paper pack and the page of shared results",
        BASE,
        "scales store metaeval analysis annotation charts imports runs",
    ),
    "api": room(
        "what `import judgelab` offers: scores in any shape in, estimates and tables out",
        BASE,
        "languages scales store annotation metaeval analysis charts imports metrics reporting ui",
        "protocols backends runs",
    ),
    "doctor": room(
        "the checks of `judgelab doctor`, one subject per file", BASE, "store accounts mailing metrics runs"
    ),
    "selftest": room(
        "simulated raters and judges on a separate server", BASE, "store accounts imports protocols runs"
    ),
    "ui": room(
        "the interface: parts of pages, the rating component, routes; the only use of Streamlit",
        BASE,
        "languages scales store accounts annotation crowd mailing analysis charts imports metaeval runs",
        "learned learned_training preparation replication reporting monitoring protocols metrics backends",
        "studies rendering",
    ),
}

# The folders of the large rooms. "" is the files that lie directly in the room.
FOLDERS: dict[str, dict[str, Room]] = {
    "protocols": {
        "core": room("what every protocol is made of: contract, calls, prompts, options, aggregation"),
        "reading": room("parsing a reply: numbers, words, letters, JSON, yes or no"),
        "panel": room("panels of roles: options, prompts, replies, members, votes", "core reading"),
        "examples": room("rated examples for prompts, and sample replies with their expected score", "core"),
        "": room(
            "one file per protocol, and what families of protocols share", "core reading panel examples"
        ),
    },
    "imports": {
        "core": room("cells, fields, records and problems: the basis of every import"),
        "files": room("files as columns and rows, whatever their format", "core"),
        "tools": room("exports of other annotation tools, one file per tool", "core files"),
        "results": room("result files of evaluation tools, one file per tool", "core files"),
        "columns": room("a file as one table, and what its columns mean", "core files tools results"),
        "presets": room("published data sets with a known format, one file each", "core files tools columns"),
        "checking": room("checking records against the project and against one another", "core columns"),
        "rows": room("rows of a mapped file as records", "core files tools columns checking"),
        "": room(
            "imports and exports as pages and commands use them",
            "core files tools results columns presets checking rows",
        ),
    },
    "metaeval": {
        "core": room("scores as arrays: units, pairing, aggregation, resampling, results"),
        "coefficients": room("coefficients of agreement", "core"),
        "inference": room("tests, corrections and sample sizes", "core coefficients"),
        "agreement": room(
            "judges compared with the raters, the ceiling and the baselines", "core coefficients"
        ),
        "raters": room("how each rater rates: offsets, use of the scale, repeats", "core coefficients"),
        "judges": room(
            "other properties of judges: bias, calibration, ranking", "core coefficients inference"
        ),
    },
    "store": {
        "models": room("the tables"),
        "db": room("the database itself: connections, schema, locks, health, backups, audit log", "models"),
        "rating": room("units, assignments, ratings, checks, decisions, filters, criteria", "models db"),
        "people": room("people, memberships, sessions, invitations, links", "models db rating"),
        "judging": room("judges, runs, judgments, verdicts, prompts, endpoints", "models db people"),
        "scoring": room(
            "computed scores: metrics, juries, learned and tuned judges, costs", "models db rating judging"
        ),
        "prepared": room(
            "preparations for judges: panels, reference lists, examples", "models db rating people"
        ),
        "frames": room("stored rows as data frames for the statistics", "models db rating people judging"),
        "projects": room("projects and what they contain", "models db rating people judging scoring"),
        "transfer": room(
            "exporting whole projects from the database and importing them",
            "models db rating people scoring prepared projects",
        ),
    },
    "runs": {
        "plan": room("from a user's request to a judge and its units"),
        "needs": room("what protocols need in addition to the texts, one file per need", "plan"),
        "calls": room("calling a model: retries, limits, concurrency, budgets, storing replies", "plan"),
        "endpoints": room("endpoints: adding, changing, testing", "calls"),
        "execute": room("judging units: prompt, replies, reading, verdict", "plan calls"),
        "batch": room("runs as batches", "plan calls execute"),
        "metrics": room("scoring with metrics"),
        "worker": room(
            "the worker process: engine, supervisor, janitor, jobs", "plan calls execute batch metrics"
        ),
        "": room("runs as pages and commands use them", "plan calls execute batch worker"),
    },
    "preparation": {
        "generation": room("texts written by models for a preparation: prompts, calls, reports"),
        "lists": room("reference lists of decreasing quality: drawing, writing, editing", "generation"),
        "panels": room("panels of roles: generating, clustering, editing", "generation"),
        "tuning": room("tuning a judge: its dataset, the split of items, hosted jobs, reports"),
        "": room("examples, references, responses, labels and proposals, one file each", "generation lists"),
        "steps": room(
            "the steps of `judgelab prepare`, one file per step", "generation lists panels tuning", ""
        ),
    },
    "annotation": {
        "rating": room("one rater in one project: session, settings, units as shown, operations"),
        "forms": room("rating forms, one file per form", "rating"),
        "links": room("recruitment links: options, visits, and how participation ends", "rating"),
        "assign": room(
            "which unit a rater gets next: ordinary work, checks, repeats, training", "rating forms links"
        ),
        "filters": room("the filter: unreliable raters, conflicting units, and the kept ratings"),
        "raters": room("each rater: pace, behaviour, agreement, flags", "filters"),
        "": room("the rating loop as the rating screen uses it", "rating forms links assign"),
    },
    "analysis": {
        "data": room("a project's scores and filters; caching, JSON and flat tables for all analyses"),
        "agreement": room("agreement of judges, metrics and raters", "data"),
        "trust": room("whether a judge can be trusted, and the answer in sentences", "data"),
        "comparison": room("comparisons of judges and of systems, and the ratings needed", "data trust"),
        "disagreement": room(
            "where judges and raters differ: conflicts, single responses, patterns, failure modes",
            "data agreement trust",
        ),
        "filters": room("the effect of a filter on ratings, agreement, systems and judges", "data"),
        "raters": room("each rater: work, behaviour, agreement with others", "data filters disagreement"),
        "": room("where a project stands on its steps", "data"),
    },
    "ui": {
        "kit": room("widgets, text, figures, and the size of the browser window"),
        "session": room("who is signed in, their rights, and their language", "kit"),
        "cache": room("what pages store between two runs of their scripts", "kit session"),
        "shared": room(
            "parts of several pages: choices, downloads, findings, job controls", "kit session cache rater"
        ),
        "rater": room("the rating screen: component, queue, standing", "kit session"),
        "server": room(
            "routes in addition to Streamlit's, and the middleware of every request", "kit session rater"
        ),
        "project": room(
            "*Project*: settings, criteria, assignment, progress, activity", "kit session cache shared rater"
        ),
        "data": room("*Data*: importing files, contents, metrics", "kit session cache shared project"),
        "people": room("*People*: members, erasing, recruitment links", "kit session shared rater"),
        "quality": room(
            "*Quality* and *Raters*: the filter and its effect, and each rater", "kit session cache shared"
        ),
        "explain": room(
            "*Explain*, *Conflicts*, *Patterns*: single responses and differences",
            "kit session cache shared rater",
        ),
        "judge": room(
            "*Judge* and *Endpoints*: protocol, prompt, model, scope, start",
            "kit session cache shared explain",
        ),
        "runs": room("*Runs*: progress, failures, budget, unscored replies", "kit session cache shared"),
        "prepare": room(
            "*Preparation*: what a judge needs before it runs", "kit session cache shared data judge"
        ),
        "agree": room("*Agree*, *Compare*, *Trust*, *Means*, *More*", "kit session cache shared"),
        "study": room("*Study*: a paper's plan, tables and figures", "kit session cache shared"),
        "report": room("*Report*: the recipe, the pack, links to share it", "kit session cache shared agree"),
    },
}


def table() -> str:
    """Return the rooms and their folders as the table of CONTRIBUTING.md."""
    lines = ["| part | purpose |", "|---|---|"]
    for name, room in ROOMS.items():
        lines.append(f"| `{name}` | {room.purpose} |")
        lines += [
            f"| `{name}/{folder}` | {inside.purpose} |"
            for folder, inside in FOLDERS.get(name, {}).items()
            if folder
        ]
    lines.append("| `cli` | the command line: one file per group of commands, on the pages' services |")
    return "\n".join(lines) + "\n"


def written(text: str) -> str:
    """Return CONTRIBUTING.md with the table as it is now."""
    before, after = text.split(START)
    return before + START + table() + END + after.split(END)[1]


if __name__ == "__main__":
    page = ROOT / "CONTRIBUTING.md"
    page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")
