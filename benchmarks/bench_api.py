"""How long `import judgelab as jl` and its statistics take, each beside what one would write without it.

python benchmarks/bench_api.py [--only import first million alt_test] [--rounds 7]

Every figure is the processor time of the fastest of several processes (a busy machine hardly matters), and
both sides run in turn. "Without" is our own plain
pandas, numpy and scipy, for the alternative annotator test its authors' algorithm (Calderon et al. 2025) in
Python loops; the values of both sides are compared.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# Each part is a script of its own: what it prints is JSON.
IMPORT = """
import json, resource, time
def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * resource.getpagesize() / 2**20
before, begin = resident(), time.process_time()
{statement}
took = time.process_time() - begin
print(json.dumps({{"ms": 1000 * took, "MB": resident() - before}}))
"""

DATA = """
import json, sys, time
import numpy as np
import pandas as pd

def scored(responses, people, judges):
    drawn = np.random.default_rng(7)
    quality = drawn.normal(size=responses)
    names = [f"rater {n}" for n in range(people)] + [f"judge {n}" for n in range(judges)]
    seen = quality[:, None] + drawn.normal(size=(responses, len(names)))
    return pd.DataFrame({
        "item": np.repeat([f"q{n // 2}" for n in range(responses)], len(names)),
        "system": np.repeat([f"s{n % 2}" for n in range(responses)], len(names)),
        "rater": np.tile(names, responses),
        "kind": np.tile(["human"] * people + ["judge"] * judges, responses),
        "score": np.clip(np.rint(3 + seen), 1, 5).astype(int).ravel(),
    })

def timed(step):
    begin = time.process_time()
    result = step()
    return time.process_time() - begin, result
"""

# What the statistics load of scipy, found by running them, so that importing it does not count.
LOADED = (
    DATA
    + """
import judgelab as jl
jl.agreement(jl.scores(scored(20, 3, 2)), n_resamples=10)
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] in ("numpy", "pandas", "scipy"))))
"""
)

WITH = """
def with_judgelab(frame):
    import judgelab as jl
    loading, s = timed(lambda: jl.scores(frame))
    measuring, table = timed(lambda: jl.agreement(s, coefficient="spearman", targets="all"))
    return {"jl.scores": loading, "jl.agreement": measuring}, {one: table[one].value for one in s.judges}, s
"""

WITHOUT = """
def without(frame, resamples):
    from scipy.stats import spearmanr
    def load():
        wide = frame.pivot_table(index=["item", "system"], columns="rater", values="score")
        people = frame.loc[frame["kind"] == "human", "rater"].unique()
        return wide[people].mean(axis=1), wide.drop(columns=people)
    def measure():
        human, judges = loaded
        items = pd.factorize(human.index.get_level_values("item"))[0]
        rows = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[rows], np.arange(items.max() + 2))
        values, drawn = {}, np.random.default_rng(0)
        for name in judges:
            values[name] = spearmanr(human, judges[name]).statistic
        for _ in range(resamples):
            chosen = drawn.integers(0, items.max() + 1, items.max() + 1)
            taken = np.concatenate([rows[starts[one]:starts[one + 1]] for one in chosen])
            for name in judges:
                spearmanr(human.to_numpy()[taken], judges[name].to_numpy()[taken])
        return values
    loading, loaded = timed(load)
    measuring, values = timed(measure)
    return {"pivot": loading, f"spearmanr, {resamples} resamples": measuring}, values, None
"""

FIRST = """
libraries, _ = timed(lambda: [__import__(name) for name in MODULES])
frame = scored(1000, 3, 2)  # 5,000 scores
whole, (times, values, _) = timed(lambda: {call})
print(json.dumps({{"libraries": libraries, "all beyond them": whole, **times, "values": values}}))
"""

MILLION = """
frame = scored(100_000, 5, 5)  # 1,000,000 scores
times, values, s = {call}
if s is not None:
    import judgelab as jl
    times["jl.agreement, each rater left out"], _ = timed(lambda: jl.agreement(s, coefficient="spearman"))
print(json.dumps({{**times, "values": values}}))
"""

ALT_TEST = (
    DATA
    + """
import judgelab as jl
from scipy.stats import ttest_1samp

def of_the_authors(people, judge, epsilon):
    p_values, advantages = [], []
    for name, own in people.items():
        judge_wins, rater_wins = [], []
        for item, score in own.items():
            others = [scores[item] for other, scores in people.items() if other != name and item in scores]
            of_judge = -np.sqrt(np.mean([(judge[item] - one) ** 2 for one in others]))
            of_rater = -np.sqrt(np.mean([(score - one) ** 2 for one in others]))
            judge_wins.append(int(of_judge >= of_rater))
            rater_wins.append(int(of_rater >= of_judge))
        lead = [rater - own for rater, own in zip(rater_wins, judge_wins)]
        p_values.append(ttest_1samp(lead, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(judge_wins))
    order, number = np.argsort(p_values), len(p_values)
    factor = sum(1 / k for k in range(1, number + 1))
    under = [k for k in range(number) if p_values[order[k]] <= 0.05 * (k + 1) / (number * factor)]
    return (max(under) + 1 if under else 0) / number, float(np.mean(advantages))

frame = scored(1700, 13, 1)
frame["item"] = np.repeat([f"q{n}" for n in range(1700)], 14)
by_rater = {
    name: dict(zip(part["item"], part["score"].astype(float))) for name, part in frame.groupby("rater")
}
judge = by_rater.pop("judge 0")
jl.scores, jl.alt_test  # loads what they need
loading, s = timed(lambda: jl.scores(by_rater, judges={"judge 0": judge}))
took, table = timed(lambda: jl.alt_test(s, epsilon=0.2, scoring="neg_rmse"))
theirs, values = timed(lambda: of_the_authors(by_rater, judge, 0.2))
ours = [table["judge 0", name].value for name in ("winning_rate", "advantage")]
assert np.allclose(ours, values), (ours, values)
print(json.dumps({"jl.scores": loading, "jl.alt_test": took, "without": theirs, "values": ours}))
"""
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parts = {"import": imports, "first": first, "million": million, "alt_test": alt_test}
    parser.add_argument("--only", nargs="+", choices=list(parts), default=list(parts))
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    for name in chosen.only:
        parts[name](chosen.rounds)


def imports(rounds: int) -> None:
    """Print the time and memory of an import, beside that of the libraries that one imports today."""
    statements = ("import judgelab as jl", "import pandas", "import scipy.stats")
    runs = {one: [run(IMPORT.format(statement=one)) for _ in range(rounds)] for one in statements}
    for statement, found in runs.items():
        ms, megabytes = (min(one[unit] for one in found) for unit in ("ms", "MB"))
        print(f"{statement:>40}  {ms:8.1f} ms  {megabytes:6.1f} MB", flush=True)


def first(rounds: int) -> None:
    """Print what the first agreement of a process takes beyond its libraries, on 5,000 scores."""
    head = f"{DATA}{WITH}{WITHOUT}MODULES = {run(LOADED)!r}\n"
    calls = {"with": "with_judgelab(frame)", "without": "without(frame, 1000)"}
    show("5,000 scores", {name: [head + FIRST.format(call=call)] for name, call in calls.items()}, rounds)


def million(rounds: int) -> None:
    """Print what 1,000,000 rows take; without JudgeLab with 20 resamples instead of 1,000."""
    calls = {"with": "with_judgelab(frame)", "without": "without(frame, 20)"}
    scripts = {name: [DATA + WITH + WITHOUT + MILLION.format(call=call)] for name, call in calls.items()}
    show("1,000,000 scores", scripts, min(rounds, 3))


def alt_test(rounds: int) -> None:
    """Print what the alternative annotator test of 13 raters and 1,700 items takes."""
    show("alternative annotator test", {"both": [ALT_TEST]}, min(rounds, 3))


def show(title: str, scripts: dict[str, list[str]], rounds: int) -> None:
    """Run the scripts in turn and print the fastest time of each of their steps; their values must agree."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in scripts}
    for _ in range(rounds):
        for name, (script,) in scripts.items():
            found[name].append(run(script))
    print(title)
    values = [runs[0]["values"] for runs in found.values()]
    if len(values) == 2:
        assert all(abs(values[0][name] - values[1][name]) < 1e-9 for name in values[1]), values
    for name, runs in found.items():
        for step in runs[0]:
            if step != "values":
                print(f"{name + ': ' + step:>52}  {min(one[step] for one in runs):8.3f} s", flush=True)


def run(script: str) -> Any:
    """Return what a script prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    main()
