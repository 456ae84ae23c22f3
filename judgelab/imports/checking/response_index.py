"""Find the response that a row is about: by response id, by system, or because there is only one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from judgelab.imports.core.problems import listing
from judgelab.wording import sentence

ONLY_RESPONSE = "1"  # the response id if an item's only response has neither id nor system


class ResponseMatch(NamedTuple):
    """The response found, or why there is none; `missing` if it does not exist and could be created."""

    response_id: str = ""
    reason: str = ""
    missing: bool = False

    def with_remedy(self) -> str:
        """Return the reason, with a remedy if there is one."""
        if not self.missing:
            return self.reason
        return sentence("{problem}; import the texts first, or add --create-missing", problem=self.reason)


class ItemMatch(NamedTuple):
    """The item of a response, or why none was found; `several` if several items have such a response."""

    item_id: str = ""
    reason: str = ""
    several: bool = False


class ResponseIndex:
    """The known responses of every item.

    Args:
        stored: (item id, response id, system) of the project's responses.
    """

    def __init__(self, stored: Iterable[tuple[str, str, str]] = ()) -> None:
        self._items: dict[str, dict[str, str]] = {}
        self._of_response: dict[str, list[str]] | None = None
        for item_id, response_id, system in stored:
            self.add(item_id, response_id, system)

    def __contains__(self, item_id: str) -> bool:
        """Return whether the item is known."""
        return item_id in self._items

    def add_item(self, item_id: str) -> None:
        """Add an item."""
        self._items.setdefault(item_id, {})

    def add(self, item_id: str, response_id: str, system: str) -> None:
        """Add a response."""
        responses = self._items.setdefault(item_id, {})
        if self._of_response is not None and response_id not in responses:
            self._of_response.setdefault(response_id, []).append(item_id)
        responses[response_id] = system

    def item_of(self, response_id: str) -> ItemMatch:
        """Return the item of a response, if the response id alone identifies it, or the reason why not."""
        items = self._owners().get(response_id, [])
        if len(items) == 1:
            return ItemMatch(items[0])
        if not items:
            return ItemMatch(
                reason=sentence(
                    "there is no response '{response}'; import the texts first", response=response_id
                )
            )
        several = sentence(
            "{items} items have a response '{response}' (for example {examples}), so response_id alone is "
            "ambiguous; add an item_id column",
            items=len(items),
            response=response_id,
            examples=listing(items[:2]),
        )
        return ItemMatch(reason=several, several=True)

    def _owners(self) -> dict[str, list[str]]:
        if self._of_response is None:  # made only if needed: most files name their items
            self._of_response = {}
            for item_id, responses in self._items.items():
                for response_id in responses:
                    self._of_response.setdefault(response_id, []).append(item_id)
        return self._of_response

    def find(self, item_id: str, *, response_id: str, system: str) -> ResponseMatch:
        """Return the item's response with this id or system, or why it cannot be identified."""
        responses = self._items.get(item_id)
        if responses is None:
            return ResponseMatch(reason=sentence("there is no item '{item}'", item=item_id), missing=True)
        if response_id:
            if response_id in responses:
                return ResponseMatch(response_id)
            reason = sentence(
                "item '{item}' has no response '{response}'", item=item_id, response=response_id
            )
            return ResponseMatch(reason=reason, missing=True)
        if system:
            return self._by_system(item_id, responses, system)
        if len(responses) == 1:
            return ResponseMatch(next(iter(responses)))
        if not responses:
            return ResponseMatch(reason=sentence("item '{item}' has no response", item=item_id), missing=True)
        return ResponseMatch(
            reason=sentence(
                "item '{item}' has {responses} responses, but the row gives neither system nor "
                "response_id; add one of these columns",
                item=item_id,
                responses=len(responses),
            )
        )

    def named(self, item_id: str, name: str) -> ResponseMatch:
        """Return the item's response with `name` as its id or system, or why there is none."""
        responses = self._items.get(item_id, {})
        if item_id in self._items and name not in responses and name in responses.values():
            return self._by_system(item_id, responses, name)
        return self.find(item_id, response_id=name, system="")

    def items(self) -> Iterable[str]:
        """Return the ids of the known items."""
        return self._items.keys()

    def systems(self) -> set[str]:
        """Return the known systems."""
        return {system for responses in self._items.values() for system in responses.values()}

    def responses(self, item_id: str) -> list[str]:
        """Return the ids of the item's known responses."""
        return list(self._items.get(item_id, ()))

    @staticmethod
    def _by_system(item_id: str, responses: dict[str, str], system: str) -> ResponseMatch:
        if responses.get(system) == system:
            return ResponseMatch(system)
        matches = [response_id for response_id, name in responses.items() if name == system]
        if len(matches) == 1:
            return ResponseMatch(matches[0])
        if matches:
            return ResponseMatch(
                reason=sentence(
                    "item '{item}' has {responses} responses of '{system}'; add a response_id column",
                    item=item_id,
                    responses=len(matches),
                    system=system,
                )
            )
        reason = sentence("item '{item}' has no response of system '{system}'", item=item_id, system=system)
        return ResponseMatch(reason=reason, missing=True)
