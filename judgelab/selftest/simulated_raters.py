"""Simulated raters: each signs in by a link, rates without pause, and notes what the server acknowledged.

They speak to the same route as the rating screen, with the same outbox rule: an operation is sent again,
under the same name, until the server says that it is stored.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp

RETRY_SECONDS = 0.2
GIVE_UP_SECONDS = 60.0  # after the end of the test: a server that has not come back by then is lost
TIMEOUT = aiohttp.ClientTimeout(total=15)


@dataclass
class SentRating:
    """One rating as a rater sent it; `acknowledged` once the server said that it is stored."""

    uid: str
    assignment: int
    scores: Mapping[str, float]
    acknowledged: bool = False


@dataclass
class RaterLog:
    """What one rater did and how long each answer to it took, in seconds."""

    person_id: int
    sent: list[SentRating] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    retries: int = 0
    refusals: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class RatingTarget:
    """Where to rate: address of the app, project, and the criteria with their points."""

    address: str
    project: str
    points: Mapping[str, Sequence[float]]


class RateUntil(Protocol):
    """How a rater rates until `end`, seeing every rating through; see `rate_until`."""

    def __call__(
        self, end: float, place: RatingTarget, link: str, diary: RaterLog, *, seed: int, pause: float
    ) -> Awaitable[None]:
        """Rate."""


async def rate_until(
    end: float, place: RatingTarget, link: str, diary: RaterLog, *, seed: int, pause: float
) -> None:
    """Rate until `end` (`time.monotonic`) or until nothing is left; every rating sent is seen through.

    Args:
        end: when to stop taking new work.
        place: where.
        link: path of the person's invitation.
        diary: is filled.
        seed: of the scores.
        pause: seconds between an answer and the next rating.
    """
    jar = aiohttp.CookieJar(
        unsafe=True
    )  # cookies of a server that goes by its number, as a browser keeps them
    headers = {"Origin": place.address}
    async with aiohttp.ClientSession(timeout=TIMEOUT, headers=headers, cookie_jar=jar) as client:
        await sign_in(client, place, link)
        await keep_rating(client, end, place, diary, seed=seed, pause=pause)


async def keep_rating(
    client: aiohttp.ClientSession,
    end: float,
    place: RatingTarget,
    diary: RaterLog,
    *,
    seed: int,
    pause: float,
) -> None:
    """Rate, as `rate_until` does, in a browser that is signed in."""
    chance = random.Random(seed)
    queue = (await _exchange(client, place, diary, []))["queue"]
    while queue and time.monotonic() < end:
        sent = SentRating(
            str(uuid.uuid4()),
            int(queue[0]["id"]),
            {key: chance.choice(points) for key, points in place.points.items()},
        )
        diary.sent.append(sent)
        started = time.perf_counter()
        answer = await _exchange(client, place, diary, [sent])
        diary.seconds.append(time.perf_counter() - started)
        sent.acknowledged = sent.uid in answer["stored"]
        if answer["refusal"]:
            diary.refusals.append(str(answer["refusal"]))
        queue = [item for item in answer["queue"] if item["id"] != sent.assignment]
        await asyncio.sleep(pause)


async def sign_in(client: aiohttp.ClientSession, place: RatingTarget, link: str) -> None:
    """Sign in by a person's link, as a browser does."""
    async with client.post(place.address + link, allow_redirects=False) as answer:
        if answer.status != 303:
            raise RuntimeError(f"a rater could not sign in: the server answered {answer.status}")


def operation(sent: SentRating) -> dict[str, Any]:
    """Return a rating as the rating screen words it."""
    return {
        "uid": sent.uid,
        "kind": "rate",
        "form": "pointwise",
        "item": sent.assignment,
        "scores": dict(sent.scores),
        "seconds": 1.0,
    }


async def _exchange(
    client: aiohttp.ClientSession, place: RatingTarget, diary: RaterLog, ratings: Sequence[SentRating]
) -> dict[str, Any]:
    """Send ratings and return what the screen would get; what gets no answer is sent again."""
    body = {
        "project": place.project,
        "person": diary.person_id,
        "ops": [operation(rating) for rating in ratings],
    }
    give_up = time.monotonic() + GIVE_UP_SECONDS
    while True:
        try:
            async with client.post(f"{place.address}/rate/work", json=body) as answer:
                if answer.status == 200:
                    reply: dict[str, Any] = await answer.json()
                    if not ratings or reply["stored"]:
                        return reply
                elif answer.status in (401, 403):
                    raise PermissionError(await answer.text())
        except (TimeoutError, aiohttp.ClientError):
            pass
        if time.monotonic() > give_up:
            raise TimeoutError("the server did not come back")
        diary.retries += 1
        await asyncio.sleep(RETRY_SECONDS)
