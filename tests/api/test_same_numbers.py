"""The app, the command line and the Python API give the same figures, to the last digit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judgelab as jl
from judgelab.analysis.agreement.agreement_table import agreement_and_ceiling
from judgelab.analysis.data.juries import make_jury
from judgelab.analysis.data.saved_filters import save_filter
from judgelab.analysis.data.to_json import json_values
from judgelab.api.projects import Project
from judgelab.imports.service import import_files
from judgelab.metaeval.core.result import Estimate
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.agree.compare_controls import ComparisonRequest, load_comparison
from judgelab.ui.agree.more_controls import ClaimChoice, load_sample_size
from judgelab.ui.agree.trust_controls import TrustRequest, load_trust
from judgelab.ui.cache import loaders
from tests.command import judgelab
from tests.databases import store_of_the_app
from tests.examples import examples

RATERS, JUDGES = ("Ann", "Bea", "Cid", "Dan"), ("one-judge", "two-judge")
SCALES: dict[str, dict[str, tuple[Any, ...]]] = {
    "points": {"clear": (1, 5), "fair": (0, 3)},
    "yes/no": {"correct": (0, 1)},
    "labels": {"kind": ("good", "bad", "odd")},
    "pairs": {"better": ("a", "b", "tie")},
}
Figure = tuple[float | None, tuple[float, ...] | None, int]
_numbers = count(1)


class Study(NamedTuple):
    """A random project: what is rated, and whether a quality filter is in use."""

    kind: str
    seed: int
    items: int
    filtered: bool


STUDIES = st.builds(
    Study, st.sampled_from(sorted(SCALES)), st.integers(0, 9999), st.integers(12, 16), st.booleans()
)


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The database of the app, of the commands and of `jl.open()`."""
    with (
        pytest.MonkeyPatch.context() as patch,
        store_of_the_app(tmp_path_factory.mktemp("app"), patch) as store,
    ):
        yield store


def make(store: Store, study: Study) -> str:
    """Store the study as a project; raters and judges see the same truth, each with errors of their own."""
    with store.writing() as session:
        slug = create_project(session, name=f"Study {next(_numbers)}").slug
    if study.kind == "pairs":
        texts = [
            f"q{item},{system},{'word ' * (1 + item % 4)}{system}"
            for item in range(study.items)
            for system in ("new", "old")
        ]
        content = "\n".join(["item_id,system,response", *texts])
        import_files(store, slug, [("texts.csv", content.encode())])
    import_files(store, slug, [("scores.csv", _csv(study).encode())], create_missing=True)
    if study.filtered:
        save_filter(store, slug, "strict", jl.Filter(threshold=0.5, min_overlap=4))
    return slug


def _csv(study: Study) -> str:
    draw = np.random.default_rng(study.seed)
    rows = []
    for criterion, points in SCALES[study.kind].items():
        values = list(range(points[0], points[1] + 1)) if isinstance(points[0], int) else list(points)
        truth = draw.integers(len(values), size=(study.items, 2))
        for rater in (*RATERS, *JUDGES):
            errors = draw.uniform(0.1, 0.9)
            for item, system in np.ndindex(study.items, 1 if study.kind == "pairs" else 2):
                if draw.random() < 0.1:
                    continue  # some scores are missing
                place = truth[item, system] if draw.random() > errors else draw.integers(len(values))
                kind = "judge" if rater in JUDGES else "human"
                text = "word " * int(draw.integers(1, 9))
                rows.append((f"q{item}", ("new", "old")[system], text, rater, kind, criterion, values[place]))
    names = ["item_id", "system", "response", "rater", "rater_kind", "criterion", "score"]
    frame = pd.DataFrame(rows, columns=names)
    if study.kind == "pairs":
        frame = frame.rename(columns={"score": "choice"}).drop(columns=["response", "system"])
        frame = frame.assign(system_a="new", system_b="old")
    else:
        frame["response"] = frame.groupby(["item_id", "system"])["response"].transform("first")
    return frame.to_csv(index=False)


def project(slug: str) -> Project:
    return jl.open().project(slug)


def command(store: Store, *words: str) -> Any:
    """Return what a command prints with `--json`."""
    done = judgelab(store.url, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def figure(estimate: Estimate) -> Figure:
    return estimate.value, None if estimate.ci is None else tuple(estimate.ci), estimate.n


def printed(row: Mapping[str, Any]) -> Figure:
    return row["value"], None if row["ci"] is None else tuple(row["ci"]), row["n"]


def of_api(table: Any) -> dict[tuple[str, ...], Figure]:
    return {row.names: figure(row.estimate) for row in table._rows}


def keys(row: Any) -> tuple[str, ...]:
    name = "raters" if row.rater_kind == "human" else row.rater
    return (name, row.rater_kind, row.criterion, row.level, row.coefficient)


def keys_printed(row: Mapping[str, Any]) -> tuple[str, ...]:
    name = "raters" if row["rater_kind"] == "human" else row["rater"]
    return (name, row["rater_kind"], row["criterion"], row["level"], row["coefficient"])


@examples(8)
@given(STUDIES)
def test_agreement(app: Store, study: Study) -> None:
    slug = make(app, study)
    s = project(slug).scores()
    level, pairs = s._data.level, s._data.compared is not None
    coefficient = s._data.defaults.coefficients[0]
    options: dict[str, Any] = {"level": level, "coefficient": coefficient}
    of_all = of_api(jl.agreement(s, targets="all", **options))
    beside = jl.agreement(s, targets="leave_one_out", **options)
    if pairs:  # agreement of comparisons is on the pages Trust and Compare, and has no command of its own
        page = agreement_and_ceiling(app, slug, level=level, coefficients=[coefficient], comparisons=True)
    else:
        page = loaders.agreement_and_ceiling(
            slug,
            loaders.data_version(slug),
            policy="in use",
            decisions=False,
            constant_groups="zero",
            **options,
        )
        words = ("agreement", slug, "--level", level, "--coefficient", coefficient, "--beside")
        said = command(app, *words)
        assert of_all == {keys_printed(row): printed(row) for row in said["rows"]}
        assert _differences(beside) == {
            keys_printed(row): (printed(row), row["raters"], row["difference"], row["baseline_value"])
            for row in said["beside"]
        }
    assert of_all == {keys(row): figure(row.estimate) for row in [*page.table.rows, *page.table.ceiling]}
    rows: list[Any] = [*page.vs_ceiling, *page.table.ceiling]
    assert of_api(beside) == {keys(row): figure(row.estimate) for row in rows}


def _differences(table: Any) -> dict[tuple[str, ...], Any]:
    """Return of each judge its figure, and the raters, the difference and the baseline beside it."""
    return {
        row.names: (
            figure(row.estimate),
            row.more["raters"].value,
            row.more["difference"].value,
            row.more["baseline"].value if "baseline" in row.more else None,
        )
        for row in table._rows
        if row.names[1] != "human"
    }


@examples(4)
@given(STUDIES.filter(lambda study: study.kind in ("points", "yes/no")))
def test_agreement_of_the_scores_as_a_frame(app: Store, study: Study) -> None:
    """Values and n are those of the project; intervals are not.

    A resample draws from the items that people rated before the filter, and the frame has those left.
    Averages over criteria and baselines of length need what a frame of scores does not have.
    """
    slug = make(app, study)
    s = project(slug).scores()
    frame = s.frame.drop(columns="response")
    again = jl.scores(frame, scale={key: scale.to_json() for key, scale in s.scales.items()})
    options: dict[str, Any] = {"level": s._data.level, "n_resamples": 0}
    for targets in ("all", "leave_one_out"):
        of_project = of_api(jl.agreement(s, targets=targets, **options))
        of_frame = of_api(jl.agreement(again, targets=targets, **options))
        judged = [names for names in of_project if names[1] == "judge"]
        assert judged
        for names in judged:
            value, _, n = of_project[names]
            assert of_frame[names][0] == (None if value is None else pytest.approx(value, abs=1e-12))
            assert of_frame[names][2] == n


@examples(4)
@given(STUDIES)
def test_inter_rater(app: Store, study: Study) -> None:
    slug = make(app, study)
    found = of_api(jl.inter_rater(project(slug).scores(), coefficient="all"))
    said = command(app, "raters", slug, "--coefficient", "all")
    assert found == {(row["criterion"], row["coefficient"]): printed(row) for row in said["rows"]}


@examples(4)
@given(STUDIES)
def test_filter(app: Store, study: Study) -> None:
    slug = make(app, study._replace(filtered=False))
    policy = jl.Filter(threshold=0.5, min_overlap=4)
    s = project(slug).scores("none")
    result = jl.filter_raters(s, filter=policy, n_resamples=0)
    said = command(app, "quality", slug, "--threshold", "0.5", "--min-overlap", "4", "--save", "strict")
    outcome = result.kept._data.outcome
    assert outcome is not None
    assert json.loads(json.dumps(json_values(outcome.to_json()))) == {
        name: value for name, value in said.items() if name not in ("saved", "rule", "choice_habits")
    }
    saved = project(slug).scores()
    assert saved._data.outcome is not None
    assert sorted(_rows(saved)) == sorted(_rows(result.kept))
    assert sorted(_rows(project(slug).scores(policy))) == sorted(_rows(saved))


def _rows(s: jl.Scores) -> Iterable[tuple[Any, ...]]:
    return s.frame[["item", "system", "criterion", "rater", "score"]].itertuples(index=False, name=None)


@examples(4)
@given(STUDIES)
def test_compare(app: Store, study: Study) -> None:
    slug = make(app, study)
    s = project(slug).scores()
    table = jl.compare(s)
    found = table._comparison.to_json() | {"project": slug}
    said = command(app, "compare", slug)
    assert _plain(found) == {name: said[name] for name in found}
    request = ComparisonRequest(
        raters=s.judges,
        criterion="",
        level=s._data.level,
        coefficient=s._data.defaults.coefficients[0],
        test="permutation",
        correction="holm",
        comparisons=s._data.compared is not None,
        decisions=False,
    )
    page = load_comparison(slug, loaders.data_version(slug), request)
    assert _plain(page.to_json()) == _plain(found)


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(json_values(value)))


@examples(4)
@given(STUDIES)
def test_alternative_annotator_test(app: Store, study: Study) -> None:
    slug = make(app, study._replace(items=32))
    s = project(slug).scores()
    judge = s.judges[0]
    table = jl.alt_test(s, judge=judge)
    found = {key: _plain(result) for (_, key), result in table._source["results"].items()}
    said = command(app, "trust", slug, judge)
    assert found == {one["criterion"]: one["alternative"] for one in said["criteria"]}
    request = TrustRequest(
        judge=judge,
        level=s._data.level,
        coefficient=s._data.defaults.coefficients[0],
        epsilon=0.2,
        own_systems=(),
        comparisons=s._data.compared is not None,
    )
    page = load_trust(slug, loaders.data_version(slug), request)
    assert found == {key: _plain(one.alternative) for key, one in page.criteria.items()}


@examples(4)
@given(STUDIES)
def test_trust(app: Store, study: Study) -> None:
    """All but what needs the judge's replies, which scores do not have: costs, and why some failed."""
    slug = make(app, study)
    s = project(slug).scores()
    judge = s.judges[0]
    found = _plain(jl.trust(s, judge).to_dict()) | {"project": slug}
    said = command(app, "trust", slug, judge)
    apart = {"cost", "unscored_reasons", "margin_notes", "template_versions"}
    assert {name: value for name, value in found.items() if name not in apart} == {
        name: value for name, value in said.items() if name not in apart
    }


@examples(4)
@given(STUDIES.filter(lambda study: study.kind != "labels"))
def test_means(app: Store, study: Study) -> None:
    slug = make(app, study)
    s = project(slug).scores()
    criterion, judge = s.criteria[0], s.judges[0]
    found = jl.mean(s, judge, criterion=criterion)._source["means"].to_json()
    said = command(app, "means", slug, judge, "--criterion", criterion)
    assert _plain(found) | {"project": slug} == {name: said[name] for name in found}


@examples(3)
@given(STUDIES.filter(lambda study: study.kind != "pairs"), st.sampled_from(["mean", "weights"]))
def test_jury(app: Store, study: Study, how: str) -> None:
    slug = make(app, study)
    alone = project(slug).scores()
    make_jury(app, slug, "both", members=JUDGES, way=how)
    command(app, "agreement", slug)  # stores the jury's scores
    stored, made = project(slug).scores(), jl.jury(alone, JUDGES, how=how, name="both")
    names = ["item", "system", "criterion", "score"]
    assert sorted(stored.frame.query("rater == 'both'")[names].dropna().itertuples(index=False)) == sorted(
        made.frame.query("rater == 'both'")[names].dropna().itertuples(index=False)
    )
    assert figure(jl.agreement(stored)["both", stored.criteria[0]]) == figure(
        jl.agreement(made)["both", made.criteria[0]]
    )


@examples(3)
@given(STUDIES, st.sampled_from(["judges", "baseline", "stand_in"]))
def test_sample_size(app: Store, study: Study, kind: str) -> None:
    slug = make(app, study)
    s = project(slug).scores()
    criterion, (first, second) = s.criteria[0], s.judges
    claims = {
        "judges": f"{first} beats {second}",
        "baseline": f"{first} beats the baseline",
        "stand_in": f"{first} is as good as a rater",
    }
    found = jl.sample_size(s, claims[kind], criterion=criterion).to_dict()
    names = (first, second) if kind == "judges" else (first,)
    said = command(app, "more", slug, *names, "--claim", kind, "--criterion", criterion)
    assert _plain(found) | {"project": slug} == said
    choice = ClaimChoice(
        kind, criterion, first, second if kind == "judges" else "", s._data.compared is not None
    )
    page = load_sample_size(slug, loaders.data_version(slug), choice)
    assert _plain(page.to_json()) == said


def test_a_file_of_the_study_gives_the_same_values(app: Store, tmp_path: Path) -> None:
    study = Study("points", 7, 12, False)
    slug = make(app, study)
    path = tmp_path / "scores.csv"
    path.write_text(_csv(study))
    of_project = of_api(jl.agreement(project(slug).scores()))
    assert of_api(jl.agreement(jl.read(path))) == of_project
