"""Every protocol end to end through models on this machine, loaded as a worker loads them.

A random model says nonsense: every unit still ends with its reason, and what is stored is what the model
gave. A model that was taught what to say answers in the protocol's own grammar: then scores are read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from judgelab.domain import Task
from judgelab.protocols import Call, protocols
from judgelab.protocols.reading.grammars import GRAMMARS
from judgelab.store.db.schema import open_store
from judgelab.store.models import Completion
from tests import tiny_models
from tests.databases import new_sqlite
from tests.runs.local_studio import Answer, Planned, Studio, furnish, quality, written

Way = tuple[str, dict[str, Any]]
NEEDED: dict[str, dict[str, Any]] = {"meta": {"evidence": "repscore"}}
TALKS: tuple[Way, ...] = (
    *((name, NEEDED.get(name, {})) for name in protocols.names()),
    ("qa_eval", {"turns": "two"}),
    ("role_panel", {"batch": False, "order": "both"}),
    ("linkage", {"list": "single"}),
)
WAYS = (*TALKS, *(("direct", {"grammar": name}) for name in GRAMMARS if name != "digit"))
SEED, MOST, WINDOW = 11, 12, 8192


def _named(way: Way) -> str:
    return "-".join((way[0], *map(str, way[1].values())))


EVERY = pytest.mark.parametrize("way", TALKS, ids=_named)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models.need_torch()
    return tmp_path_factory.mktemp("local")


@pytest.fixture(scope="module", autouse=True)
def one_thread(folder: Path) -> Iterator[None]:
    """Threads wait for one another on a busy machine, and these models have no work for two."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[Studio]:
    store = open_store(new_sqlite(folder / "test.db"))
    yield furnish(store)
    store.close()


# A random model


class Bare:
    """The random model itself, asked without any of JudgeLab."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.model = AutoModelForCausalLM.from_pretrained(folder)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def logprobs(self, prompt: Sequence[Mapping[str, str]], ids: Sequence[int]) -> Any:
        """Return the log-probabilities of all tokens at each place of a reply, and at the one after it."""
        import torch

        prompt_ids = self.tokenizer.apply_chat_template(prompt, add_generation_prompt=True)["input_ids"]
        with torch.inference_mode():
            logits = self.model(torch.tensor([[*prompt_ids, *ids]]), logits_to_keep=len(ids) + 1).logits[0]
        return logits.float().log_softmax(-1)


@pytest.fixture(scope="module")
def nonsense(studio: Studio, folder: Path) -> dict[str, tuple[Planned, Planned]]:
    """Each protocol twice under one seed, all judged side by side by one random model."""
    request = {"limit": 2, "samples": 2, "parameters": {"seed": SEED, "max_tokens": MOST}}
    planned = {}
    for name, chosen in TALKS:
        # What a protocol can read in log-probabilities it is to read, and so to ask for.
        option_names = {option.name for option in protocols.get(name).options}
        options = {**chosen, **({"expected": "only"} if "expected" in option_names else {})}
        run_name = _named((name, chosen))
        first_run, second_run = (
            studio.plan(folder / "random", name, options, f"{run_name} {turn}", **request)
            for turn in ("one", "two")
        )
        planned[run_name] = first_run, second_run
    texts = [written(call.messages) for run, _ in planned.values() for call in run.calls()]
    tiny_models.make_causal(folder / "random", template=tiny_models.TEMPLATE, window=WINDOW, texts=texts)
    studio.judge(*(run.run_id for pair in planned.values() for run in pair))
    return planned


@pytest.fixture(scope="module")
def bare(nonsense: object, folder: Path) -> Bare:
    return Bare(folder / "random")


@EVERY
def test_every_unit_of_a_random_model_ends_with_its_reason(
    studio: Studio, nonsense: dict[str, tuple[Planned, Planned]], way: Way
) -> None:
    run, repeated = nonsense[_named(way)]
    assert run.tasks
    for judgment in studio.judgments(run.run_id):
        assert judgment.state in ("scored", "unscored"), judgment.reason
        assert judgment.state == "scored" or judgment.reason
    replies = studio.replies(run.run_id)
    assert len(replies) == 2 * len(list(run.calls()))
    assert [row.text for row in studio.replies(repeated.run_id)] == [row.text for row in replies]


@EVERY
def test_what_is_stored_is_what_the_model_gave_to_the_protocols_prompt(
    studio: Studio, nonsense: dict[str, tuple[Planned, Planned]], bare: Bare, way: Way
) -> None:
    run, _ = nonsense[_named(way)]
    replies = studio.replies(run.run_id)
    parameters = run.judge_config.judge.parameters
    for row, prompt in zip(replies, run.prompts(replies), strict=True):
        assert studio.prompt(row) == prompt
        assert (row.model, row.cause) == (run.judge_config.judge.model, "")
        ids = json.loads(row.body)["token_ids"]
        text = bare.tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        assert row.text == text.replace("\x00", "\ufffd")
        _check_choice(row, bare.logprobs(prompt, ids), ids, parameters)


def _check_choice(row: Completion, logprobs: Any, ids: list[int], parameters: Mapping[str, Any]) -> None:
    """Check that the model would choose these tokens, and that they have the stored log-probabilities."""
    assert row.finish_reason == ("length" if len(ids) == MOST else "stop")
    for name in ("temperature", "max_tokens"):
        assert row.sent[name] == parameters[name]
    warmth, share = parameters["temperature"], parameters.get("top_p", 1.0)
    for at, token in enumerate(ids):
        if warmth == 0:
            assert float(logprobs[at, token]) == pytest.approx(float(logprobs[at].max()), abs=1e-3)
        else:
            shares = (logprobs[at] / warmth).softmax(-1)
            assert float(shares[shares > shares[token]].sum()) < share + 1e-3
    if parameters.get("logprobs"):
        assert [logprob for _, logprob in row.logprobs] == pytest.approx(
            [float(logprobs[at, token]) for at, token in enumerate(ids)], abs=1e-3
        )
        for at, best in enumerate(row.top_logprobs):
            best_values = logprobs[at].topk(parameters["top_logprobs"]).values.tolist()
            assert [logprob for _, logprob in best] == pytest.approx(best_values, abs=1e-3)
    else:
        assert row.logprobs is None


# A model that was taught what to say


def _by_light(call: Call, task: Task, replies: list[str]) -> dict[str, float]:
    """Answer by how much light the texts speak of; the protocols know what they can read, lowest first."""
    if "shown" in call.data:
        order = sorted(call.data["shown"], key=lambda index: -quality(task.contenders[index].text))
        names = {index: f"System {'ABCDEFG'[n]}" for n, index in enumerate(call.data["shown"])}
        ranks = {str(rank): names[index] for rank, index in enumerate(order, start=1)}
        return {json.dumps({"ranks": ranks, "Explanation": "By the light."}): 1.0}
    if task.contenders:
        first, second = (quality(task.contenders[call.data[word]].text) for word in ("first", "second"))
        return {replies[0 if first < second else -1]: 1.0}
    return {replies[round(quality(task.response) * (len(replies) - 1))]: 1.0}


@pytest.fixture(scope="module", params=("causal", "seq2seq"))
def answered(request: pytest.FixtureRequest, studio: Studio, folder: Path) -> dict[str, Planned]:
    """Each protocol judged by one model that was taught how to answer each of its prompts."""
    model = folder / f"taught {request.param}"
    studios = {}
    for name, options in WAYS:
        run_name = _named((name, options))
        studios[run_name] = studio.plan(
            model, name, options, f"{run_name} {request.param}", samples=1, parameters={"seed": SEED}
        )
    lessons: dict[str, Mapping[str, float]] = {}
    for run in studios.values():
        for prompt, replies in run.lessons(_by_light).items():
            assert lessons.setdefault(prompt, replies) == replies
    tiny_models.make_taught(model, lessons, seq2seq=request.param == "seq2seq")
    studio.judge(*(run.run_id for run in studios.values()))
    return studios


@pytest.mark.parametrize("way", WAYS, ids=_named)
def test_a_model_that_answers_in_the_grammar_is_read_and_orders_the_texts(
    studio: Studio, answered: dict[str, Planned], way: Way
) -> None:
    run = answered[_named(way)]
    assert {judgment.state for judgment in studio.judgments(run.run_id)} == {"scored"}
    scores = {text: verdict.score for text, verdict in studio.verdicts(run.run_id).items()}
    lamps: dict[str, dict[float, float]] = {}
    for text, score in scores.items():
        lamps.setdefault(text.split(" gives ")[0], {})[quality(text)] = score
    assert len(lamps) >= 2
    for by_quality in lamps.values():
        assert set(by_quality) == {0.0, 0.5, 1.0}
        assert by_quality[0.0] <= by_quality[0.5] <= by_quality[1.0]
        assert by_quality[0.0] < by_quality[1.0]


def _taught(
    studio: Studio, model: Path, way: Way, answer: Answer, *, seq2seq: bool = False, **asked: Any
) -> Planned:
    """Teach a model to answer a protocol so, and judge a project with it."""
    run = studio.plan(model, *way, model.name, **asked)
    tiny_models.make_taught(model, run.lessons(answer), seq2seq=seq2seq)
    studio.judge(run.run_id)
    return run


def test_geval_takes_the_mean_of_what_the_model_might_have_said(studio: Studio, folder: Path) -> None:
    probabilities = {
        0.0: {"0": 0.6, "Well": 0.4},
        0.5: {"1": 0.4, "2": 0.3, "0": 0.2, "3": 0.1},
        1.0: {"3": 0.5, "2": 0.4, "None": 0.1},
    }
    run = _taught(
        studio,
        folder / "expecting",
        ("geval", {"expected": "only"}),
        lambda call, task, replies: probabilities[quality(task.response)],
        samples=2,
        parameters={"temperature": 0.0},
    )
    verdicts = studio.verdicts(run.run_id)
    for text, verdict in verdicts.items():
        expected = {0.5: 0.4 + 0.6 + 0.3, 1.0: (1.5 + 0.8) / 0.9}[quality(text)]
        assert verdict.score == pytest.approx(expected, abs=1e-4)
    unscored = [judgment.reason for judgment in studio.judgments(run.run_id) if judgment.state != "scored"]
    assert len(unscored) * 2 == len(verdicts), "one text of three is not rated"
    assert all("cover 60 % of the probability, less than 80 %" in reason for reason in unscored)


def test_a_panel_weighs_its_votes_by_how_sure_the_model_was(studio: Studio, folder: Path) -> None:
    sure = (0.9, 0.8, 0.7)

    def vote(call: Call, task: Task, replies: list[str]) -> dict[str, float]:
        heads = [line for line in replies[0].splitlines() if line[:1].isdigit()]
        probabilities = {}
        for votes in product((True, False), repeat=len(heads)):
            parts = [
                f"{head}\nReason: It shines.\nVote: Summary {1 if own else 2}"
                for head, own in zip(heads, votes, strict=True)
            ]
            probabilities["\n\n".join(parts)] = math.prod(
                share if own else 1 - share for share, own in zip(sure, votes, strict=True)
            )
        return probabilities

    options = {"k": 0, "order": "candidate_first"}
    run = _taught(studio, folder / "voting", ("role_panel", options), vote, samples=1)
    # Each role says five words, of which the model was unsure of the last one alone.
    expected = [share ** (1 / 5) for share in sure]
    for verdict in studio.verdicts(run.run_id).values():
        assert [role["confidence"] for role in verdict.detail["panel"]["roles"]] == pytest.approx(expected)
        assert verdict.score == verdict.confidence == pytest.approx(sum(expected) / 3)


@pytest.mark.parametrize("seq2seq", [False, True], ids=("causal", "seq2seq"))
def test_the_votes_of_qa_eval_are_the_likeliest_beams(studio: Studio, folder: Path, seq2seq: bool) -> None:
    answers = {
        "It lacks.\nno": 0.4,
        "They agree.\nyes": 0.25,
        "It fits.\nyes": 0.2,
        "It differs.\nno": 0.1,
        "It fails.\nno": 0.05,
    }
    run = _taught(
        studio,
        folder / f"beams {seq2seq}",
        ("qa_eval", {}),
        lambda call, task, replies: answers,
        seq2seq=seq2seq,
        samples=3,
        parameters={"num_beams": 4, "temperature": 0.0},
    )
    best = list(answers)[:3]
    replies = studio.replies(run.run_id)
    assert [row.text for row in replies] == best * len(run.tasks)
    for row in replies:
        # Divided by the length, the end counted in, as beam search has it.
        assert json.loads(row.body)["score"] == pytest.approx(math.log(answers[row.text]) / 4, abs=1e-4)
    verdicts = studio.verdicts(run.run_id)
    assert {verdict.score for verdict in verdicts.values()} == {1.0}, "two of three say yes"
    assert len(verdicts) == len(run.tasks)
