"""CNN2022 and BBC2022: news summaries of three systems with best and worst votes by three people each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.core.records import OrderRecord, RecordChunk
from judgelab.imports.presets.base import SIZE, Folder, Preset, presets
from judgelab.store.transfer.records import ItemRecord, ResponseRecord
from judgelab.wording import mark, sentence

NAME = re.compile(r"(.+)_human\.json")
KEYWORDS = "keyword_human.json"
BESIDE = ("article", "annotators")
FIRST = ("gpt3", "brio", "t0")  # the source's order of its systems


@presets.register("cnn-bbc-2022")
class CnnBbc2022(Preset):
    """Articles of one or both broadcasters, which become groups; votes are best–worst rankings.

    The source does not say who the three voters of an article are, so a rater is a position in the list and
    not one person. The file of keyword summaries has votes without texts and is left out.
    """

    title = sentence("CNN and BBC 2022 (best and worst summaries)")
    summary = mark("News articles with three systems' summaries, voted best or worst by three people each.")
    study = "drpe"

    def check(self, folder: Folder) -> None:
        """Raise `InvalidInput` if neither broadcaster's file was given."""
        if not _sets(folder):
            raise InvalidInput(
                sentence(
                    "{shape} needs cnn_human.json or bbc_human.json (files given: {files}).",
                    shape=self.title,
                    files=", ".join(folder.names()) or sentence("none"),
                )
            )

    def read(self, folder: Folder) -> Iterator[RecordChunk]:
        """Yield the articles with their summaries and votes."""
        criterion = self.criteria(folder)[0].key
        for name, group in _sets(folder).items():
            chunk = RecordChunk(source=name)
            for number, article in folder.document(name).items():
                item = number if str(number).startswith(f"{group}-") else f"{group}-{number}"
                _add(chunk, article, item=item, group=group, criterion=criterion)
                if len(chunk) >= SIZE:
                    yield chunk
                    chunk = RecordChunk(source=name)
            yield chunk


def _sets(folder: Folder) -> dict[str, str]:
    """Return the group of each file with votes on summaries, by file name."""
    names = [name for name in folder.names() if name != KEYWORDS and NAME.fullmatch(name)]
    return {name: name.removesuffix("_human.json") for name in names}


def _add(chunk: RecordChunk, article: Mapping[str, Any], *, item: str, group: str, criterion: str) -> None:
    chunk.items.append(ItemRecord(item, context=article["article"], group=group))
    systems = [s for s in FIRST if s in article]
    systems += [s for s in article if s not in (*BESIDE, *FIRST)]
    chunk.responses += [ResponseRecord(item, s, s, article[s]["text"]) for s in systems]
    chunk.orders += [
        OrderRecord(
            item,
            f"voter {place}",
            "best_worst",
            (tuple(votes["best_summary"]), tuple(votes["worst_summary"])),
            criterion=criterion,
        )
        for place, votes in enumerate(article["annotators"], start=1)
    ]
