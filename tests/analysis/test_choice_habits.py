"""What comparisons show of each rater, from the database."""

from __future__ import annotations

from pathlib import Path

from judgelab.analysis.filters.choice_habits import choice_habits, has_habits
from judgelab.imports.service import import_files
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from tests.compared import pairs_project
from tests.databases import new_sqlite

PAIRS = (("x", "y"), ("y", "z"), ("x", "z"))


def test_a_rater_whose_winners_go_in_a_circle_is_seen(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path / "a.db"))
    with store.writing() as session:
        slug = create_project(session, name="Three").slug
    lines = ["item_id,question,system,response"]
    lines += [f"q{n},Why {n}?,{system},{system} says {n}" for n in range(4) for system in "xyz"]
    import_files(store, slug, [("texts.csv", "\n".join(lines).encode())])
    lines = ["item_id,response_a,response_b,rater,choice"]
    for n in range(4):
        lines += [f"q{n},{a},{b},Ann,{a}" for a, b in PAIRS]
        circle = ("x", "y", "z") if n < 3 else ("x", "y", "x")
        lines += [f"q{n},{a},{b},Bob,{chosen}" for (a, b), chosen in zip(PAIRS, circle, strict=True)]
    import_files(store, slug, [("people.csv", "\n".join(lines).encode())])
    habits = choice_habits(store, slug, criterion="score")
    shares = {name: (habit.circular.value, habit.circular.n) for name, habit in habits.items()}
    assert shares == {"Ann": (0.0, 4), "Bob": (0.75, 4)}
    assert has_habits(habits) == (True, False) and habits["Ann"].first.reason
    store.close()


def test_two_systems_have_no_triples(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path / "a.db"))
    habits = choice_habits(store, pairs_project(store), criterion="score")
    assert set(habits) == {"Ann", "Bea", "Cid"} and has_habits(habits) == (False, False)
    store.close()
