"""How a small model replies to the prompts of the version before and to today's, and what is read in it.

    python benchmarks/prompt_versions.py MODEL [PROTOCOL ...] [--responses 16] [--tokens 24]

MODEL is the folder of a model that transformers loads. The responses are those of the demo project of product
questions; each prompt is a protocol's first call. Printed for both versions: how many greedy replies have no
score, and the mean log-probability per token of the replies that would be read as the lowest and the highest
score, which tells the two apart even where a model is too small to keep to any form. `--replies FILE.csv`
keeps every reply with what was read.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import pandas as pd  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

from judgelab.backends.local.batching import padded  # noqa: E402
from judgelab.backends.local.encoding import prompt_ids  # noqa: E402
from judgelab.domain import Contender, Criterion, Demonstration, Evidence, Reference, Task  # noqa: E402
from judgelab.protocols import Call, Protocol, protocols  # noqa: E402
from judgelab.protocols.reading.grammars import grammar_named  # noqa: E402
from judgelab.scales import scale_from_json  # noqa: E402

DEMO = ROOT / "sample_data" / "kitchen"
RIGHT = Criterion("right", "Right", {"kind": "binary"}, question="Is the answer right?")
SHOWN = 3  # rated responses, the last ones of the file, that few_shot shows and nothing judges
# No roles were made for the demo's items; with all nine examples a small model reads for minutes.
OPTIONS: Mapping[str, Mapping[str, Any]] = {"role_panel": {"k": 0}, "qa_eval": {"shots": 3}}


class Case(NamedTuple):
    """One prompt and the task to read its reply with."""

    task: Task
    call: Call
    ids: list[int]


def demo_tasks() -> list[Task]:
    """Return a task for every response of the demo, with all that any protocol needs."""
    [criterion] = [Criterion(**one) for one in pd.read_json(DEMO / "project.json", typ="series")["criteria"]]
    points = pd.read_csv(DEMO / "quality.csv").set_index(["item_id", "system"]).quality.round()
    tasks, rated = [], []
    for item in pd.read_json(DEMO / "items.jsonl", lines=True).itertuples():
        texts = [Reference(text, 3 - place) for place, text in enumerate(item.references)]
        contenders = [
            Contender(place, one["system"], one["response"]) for place, one in enumerate(item.responses)
        ]
        for one in contenders:
            score = float(points[item.item_id, one.system])
            rated.append(Demonstration(item.question, one.text, score, references=item.references))
            task = Task(item.question, one.text, [criterion], item.context, texts, item=item.item_id)
            evidence = [Evidence("repscore", 0.8), Evidence("smog", 11.5)]
            tasks.append(replace(task, reference_list=texts, evidence=evidence, contenders=contenders))
    return [replace(task, demonstrations=rated[-SHOWN:]) for task in tasks[:-SHOWN]]


def cases(protocol: Protocol, tasks: Sequence[Task], tokenizer: Any) -> Iterator[Case]:
    """Yield the first prompt of every response, or of every item where items are judged as a whole."""
    options, seen = OPTIONS.get(protocol.name, {}), set()
    for given in tasks:
        task = given if protocol.name == "few_shot" else replace(given, demonstrations=())
        if protocol.refusal(task.criteria[0], options, kind="qa", demonstrations=task.demonstrations):
            task = replace(task, criteria=[RIGHT])
        if protocol.judges == "item":
            task = replace(task, response="")
        call = protocol.calls(task, options)[0]
        if task.item not in seen or protocol.judges == "response":
            seen.add(task.item)
            yield Case(task, call, prompt_ids(tokenizer, call.messages))


class Judge:
    """A small model, which reads once what all prompts of a protocol begin with."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    @torch.inference_mode()
    def replies(self, prompts: Sequence[list[int]], tokens: int) -> list[str]:
        """Return the greedy reply to each prompt."""
        shared, cache, rests, seen = self._begun(prompts, prompts, left=True)
        made = self.model.generate(
            input_ids=torch.tensor([shared + rest for rest in rests]),
            attention_mask=torch.tensor([[1] * len(shared) + mask for mask in seen]),
            past_key_values=cache,
            max_new_tokens=tokens,
            do_sample=False,
            pad_token_id=self.tokenizer.pad_token_id,
        )
        new = made[:, len(shared) + len(rests[0]) :]
        return list(self.tokenizer.batch_decode(new, skip_special_tokens=True))

    @torch.inference_mode()
    def log_probability(self, prompts: Sequence[list[int]], given: Sequence[str]) -> float:
        """Return the mean log-probability of a token of the given replies, each with its end."""
        answers = [
            [*self.tokenizer(text, add_special_tokens=False)["input_ids"], self.tokenizer.eos_token_id]
            for text in given
        ]
        whole = [prompt + answer for prompt, answer in zip(prompts, answers, strict=True)]
        shared, cache, rests, seen = self._begun(prompts, whole, left=False)
        mask = torch.tensor([[1] * len(shared) + row for row in seen])
        output = self.model(torch.tensor(rests), attention_mask=mask, past_key_values=cache)
        means = []
        for prompt, answer, logits in zip(prompts, answers, output.logits, strict=True):
            start = len(prompt) - len(shared)
            said = logits[start - 1 : start - 1 + len(answer)].log_softmax(-1)
            means.append(said.gather(1, torch.tensor(answer)[:, None]).mean().item())
        return sum(means) / len(means)

    def _begun(
        self, prompts: Sequence[list[int]], whole: Sequence[list[int]], *, left: bool
    ) -> tuple[list[int], Any, list[list[int]], list[list[int]]]:
        """Return what all prompts begin with, the model's memory of it, the padded rests and their masks."""
        common = os.path.commonprefix(list(prompts))
        shared = common[: min(map(len, prompts)) - 1]
        cache = self.model(torch.tensor([shared]), use_cache=True, logits_to_keep=1).past_key_values
        cache.batch_repeat_interleave(len(whole))
        rests = [ids[len(shared) :] for ids in whole]
        return shared, cache, *padded(rests, pad=self.tokenizer.pad_token_id, left=left)


def readable(protocol: Protocol, case: Case) -> tuple[str, str]:
    """Return the replies that are read as the lowest and the highest score."""
    options = OPTIONS.get(protocol.name, {})
    known = protocol.replies(case.call, case.task, options)
    if not known:
        scale = scale_from_json(case.task.criteria[0].scale)
        grammar = grammar_named(protocol.settle(options)["grammar"])
        known = [grammar.write(score, scale) for score in (scale.low, scale.high)]
    return known[0], known[-1]


def main() -> None:
    """Print both figures by protocol, of the version before and of today's."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("protocols", nargs="*", default=protocols.names())
    parser.add_argument("--responses", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=24)
    parser.add_argument("--replies", type=Path)
    given = parser.parse_args()
    judge, tasks, rows = Judge(given.model), demo_tasks()[: given.responses], []
    for name in given.protocols:
        newest, unread, likely = protocols.get(name), [], []
        for version in (str(int(newest.template_version) - 1), newest.template_version):
            protocol = newest.at(version)
            asked = list(cases(protocol, tasks, judge.tokenizer))
            said = judge.replies([case.ids for case in asked], given.tokens)
            for case, reply in zip(asked, said, strict=True):
                reading = protocol.hear_call(case.call, reply, (), case.task, OPTIONS.get(name, {}))
                rows.append((name, version, case.task.item, reply, str(reading.reason or "")))
            unread.append(sum(bool(row[-1]) for row in rows[-len(asked) :]))
            ends = [(case.ids, text) for case in asked for text in readable(protocol, case)]
            likely.append(judge.log_probability(*map(list, zip(*ends, strict=True))))
        before, after = unread
        print(
            f"{name:15} {before:3} -> {after:3} of {len(asked)}  {likely[0]:6.2f} -> {likely[1]:6.2f}",
            flush=True,
        )
    if given.replies:
        columns = ["protocol", "version", "item", "reply", "reason"]
        pd.DataFrame(rows, columns=columns).to_csv(given.replies, index=False)


if __name__ == "__main__":
    main()
