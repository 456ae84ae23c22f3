"""A judgment can be shown whole: what was asked, sent and answered, every call with its cost."""

from __future__ import annotations

import json

import pytest

from judgelab.errors import NotFound
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.execute import provenance
from judgelab.runs.plan.code_version import code_version, commit_of
from judgelab.store.db.engine import Store
from tests.command import ROOT, judgelab
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_profiles import profiled
from tests.runs.projects import flasks


@pytest.fixture
def run(store: Store) -> int:
    """A run whose one unit was judged by the second call: the first one left no room to answer."""
    with profiled("reasoning") as server:
        endpoints.add_endpoint(store, "local", base_url=server.url)
        endpoints.set_price(store, "local", "tiny", prompt=1.0, completion=2.0)
        run_id = service.create_run(store, flasks(store, 1), spec(parameters={"max_tokens": 200}))
        judge(store, run_id)
    return run_id


def test_every_call_of_a_judgment_is_shown(store: Store, run: int) -> None:
    (record,) = provenance.judgments(store, run, 1)
    assert (record.state, record.protocol, record.model, record.endpoint) == (
        "scored",
        "direct",
        "tiny",
        "local",
    )
    assert (record.template_version, record.code_version) == ("2", code_version())
    (failed,), (reply,) = record.failures, record.replies
    assert (failed.cause, failed.status, failed.completion_tokens) == ("truncated", 200, 200)
    assert failed.sent["max_completion_tokens"] == 200
    assert reply.sent["max_completion_tokens"] == 400
    assert (reply.model, reply.calls, reply.finish_reason) == ("tiny-2026", 2, "stop")
    assert failed.request_id.startswith("req_") and failed.request_id != reply.request_id
    assert json.loads(reply.body)["choices"][0]["message"]["content"] == reply.text
    assert "Flask 0" in reply.messages[-1]["content"]
    assert reply.usage["completion_tokens_details"]["reasoning_tokens"] == 300
    assert record.verdicts[0].score == float(reply.text)
    assert failed.cost == pytest.approx((40 + 2 * 200) / 1e6)


def test_a_judgment_is_shown_by_a_command(store: Store, run: int) -> None:
    (name,) = {judgment.response for judgment in provenance.judgments(store, run, 1)}
    process = judgelab(store.url, "judgment", str(run), name, "--json")
    assert process.returncode == 0, process.stderr
    (record,) = json.loads(process.stdout)
    assert (record["response"], len(record["replies"]), len(record["failures"])) == (name, 1, 1)
    assert provenance.judgments(store, run, f"{record['item']}/{name}") == provenance.judgments(store, run, 1)
    output = judgelab(store.url, "judgment", str(run), name).stdout
    for excerpt in ("Prompt:", "Failed call 1 for reply 1: truncated, status 200", "answered by tiny-2026"):
        assert excerpt in output


def test_what_a_run_does_not_hold_is_named(store: Store, run: int) -> None:
    with pytest.raises(NotFound, match="no run named '9'"):
        provenance.judgments(store, 9, 1)
    with pytest.raises(NotFound, match="no judgment of this run named 'nobody'"):
        provenance.judgments(store, run, "nobody")


def test_the_version_names_the_commit_of_a_checkout(tmp_path: object) -> None:
    assert code_version().startswith("0.")
    assert commit_of(ROOT / "tests") == ""


def test_a_commit_is_found_in_every_way_git_keeps_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("checkout")
    git = root / ".git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "packed-refs").write_text(f"# pack-refs\n{'a' * 40} refs/heads/main\n")
    assert commit_of(root) == "a" * 40
    (git / "refs/heads/main").write_text("b" * 40 + "\n")
    assert commit_of(root) == "b" * 40
    tree = tmp_path_factory.mktemp("worktree")
    worktree = git / "worktrees/tree"
    worktree.mkdir(parents=True)
    (worktree / "HEAD").write_text("c" * 40)
    (tree / ".git").write_text(f"gitdir: {worktree}\n")
    assert commit_of(tree) == "c" * 40
    (worktree / "HEAD").write_text("ref: refs/heads/main")
    (worktree / "commondir").write_text("../..\n")
    assert commit_of(tree) == "b" * 40
