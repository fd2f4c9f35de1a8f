"""Checks of who stands where and how often: points 6 and 14 of the list of leaks, and ids of 3.

Over ballots as pages show them, and over many more draws, without a board and with one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from arena import ballot_draw, exposure
from arena.ballot_store import Revealed
from arena.boards import PublishedBoard
from arena.events import Mode
from tests.fixtures.arena_site import ArenaSite, Page, page_of
from tests.fixtures.arena_votes import refit, votes_by_order
from tests.web.blindness import crawl

FIRST_DRAWS, DRAWS = 2_000, 10_000
CHAINS, SKIPS = 6, 24  # voters, and how often each skips
ONE_IN_10_000, ONE_IN_10_000_000 = 3.719, 5.199  # normal quantiles


@dataclass(frozen=True, slots=True)
class Slate:
    """Four models in slot order, and what was logged of their draw."""

    question: str
    models: tuple[str, ...]
    draw: Mapping[str, Any]

    @property
    def set(self) -> frozenset[str]:
        """Return the models without their order."""
        return frozenset(self.models)


@dataclass(frozen=True, slots=True)
class Issued:
    """A ballot as its page shows it, with what only the server knows."""

    page: Page
    ballot: str
    slate: Slate


def with_board(arena: ArenaSite) -> PublishedBoard:
    """Let some voters agree on a leader, and publish the board of Speed."""
    votes_by_order(arena, 8)
    return refit(arena)


def draws(arena: ArenaSite, board: PublishedBoard | None, count: int) -> list[Slate]:
    """Return ballots of Speed as the arena itself draws them for voters who have seen nothing."""
    with arena.database.read() as conn:
        snapshot = arena.services.ports.catalogue.current(conn)
        known = exposure.mode_indices(conn, snapshot, "speed", board)
    nothing = Revealed(frozenset(), frozenset())
    drawn = (
        ballot_draw.draw_ballot(snapshot, "speed", known, nothing, arena.services.rng)
        for _ in range(count)
    )
    return [Slate(d.question.id, tuple(a.model for a in d.answers), d.draw) for d in drawn]


def issued(arena: ArenaSite, mode: Mode = "speed") -> list[Issued]:
    """Return ballots as pages show them: the first ones of voters, and those after each skip."""
    found: list[Issued] = []
    for _ in range(CHAINS):
        voter = arena.voter()
        page = voter.ballot(mode)
        found.append(_issued(arena, page))
        for _ in range(SKIPS):
            page = page_of(voter.post("/skip", {"ballot": page.token}, htmx=True))
            found.append(_issued(arena, page))
    recorded = {each.id: each for each in arena.events("ballot.issued")}
    return [Issued(i.page, i.ballot, _slate_of(i, recorded[i.ballot].body)) for i in found]


def _issued(arena: ArenaSite, page: Page) -> Issued:
    held = arena.held(page.token)
    by_slot = {slot.slot_id: slot for slot in held.slots}
    # In the order of the page: an order that only the page has counts as well.
    slots = [by_slot[each] for each in page.slots if each in by_slot]
    slate = Slate(held.question, tuple(slot.model for slot in slots), {})
    return Issued(page, held.id, slate)


def _slate_of(shown: Issued, body: Mapping[str, Any]) -> Slate:
    return Slate(shown.slate.question, shown.slate.models, body["draw"])


def improbable(
    counts: Mapping[Any, float],
    expected: Mapping[Any, float],
    free: int,
    quantile: float = ONE_IN_10_000,
) -> bool:
    """Say whether counts are further from the expected than chance would nearly ever make them.

    Pearson's chi-square with `free` degrees of freedom, its quantile by Wilson and Hilferty.
    """
    square = sum((counts.get(key, 0) - mean) ** 2 / mean for key, mean in expected.items())
    return _too_large(square, free, quantile)


def _too_large(square: float, free: int, quantile: float) -> bool:
    spread = 2 / (9 * free)
    return bool(square > free * (1 - spread + quantile * spread**0.5) ** 3)


def places_depend_on_models(arena: ArenaSite) -> Iterator[str]:
    """Point 6: a model stands in one place more often than in another, or letters are shuffled."""
    yield from _unlike_the_stored(arena)
    yield from _placed("Expert", [each.slate for each in issued(arena, "expert")])
    yield from _placed("no board", draws(arena, None, FIRST_DRAWS))
    board = with_board(arena)
    yield from _placed("with a board", [each.slate for each in issued(arena)])
    some = draws(arena, board, FIRST_DRAWS)
    yield from _placed("with a board, drawn", some)
    yield from _placed("many", some + draws(arena, board, DRAWS - FIRST_DRAWS))


def _unlike_the_stored(arena: ArenaSite) -> Iterator[str]:
    """Say where a page's order is not the one drawn, stored and logged, or a text another's."""
    for _, page, _ in crawl.ballots(arena):
        held = arena.held(page.token)
        (logged,) = (each for each in arena.events("ballot.issued") if each.id == held.id)
        stored = tuple(slot.slot_id for slot in held.slots)
        if page.slots != stored or list(logged.body["draw"]["models"]) != [
            slot.model for slot in held.slots
        ]:
            yield "not as stored"
        query = "SELECT text FROM answer WHERE id = ?"
        for slot, (_, raw) in zip(held.slots, crawl.texts(page), strict=True):
            with arena.database.read() as conn:
                if conn.exec_driver_sql(query, (slot.answer,)).scalar_one() != raw:
                    yield "another answer in the slot"
        letters = re.findall(r'<article[^>]* id="answer-([A-D])"', page.html)
        picks = re.findall(r' id="(?:best|worst)-([A-D])"', page.html)
        if letters != list("ABCD") or picks != list("ABCDABCD"):
            yield f"letters {letters} {picks}"


def _placed(name: str, slates: Sequence[Slate]) -> Iterator[str]:
    """Say whether places tell models: of all slates, a question's, or by who is before whom."""
    if _tells_models(slates):
        yield f"{name}: places"
    by_question: dict[str, list[Slate]] = {}
    for slate in slates:
        by_question.setdefault(slate.question, []).append(slate)
    yield from (
        f"{name}: places by question" for each in by_question.values() if _tells_models(each)
    )
    first = Counter(pair for slate in slates for pair in combinations(slate.models, 2))
    for one, other in combinations(sorted({m for slate in slates for m in slate.models}), 2):
        before, after = first[one, other], first[other, one]
        if abs(before - after) > ONE_IN_10_000_000 * (before + after) ** 0.5:
            yield f"{name}: {one} and {other}, {before} to {after}"


def _tells_models(slates: Sequence[Slate]) -> bool:
    """Say whether models stand in one of the four places more often than in another.

    In place of mutual information, to which it is proportional near 0. As each slate fills each
    place once, 3/4 of the square is at most a chi-square of 3 (models - 1) degrees.
    """
    shown = Counter(model for slate in slates for model in slate.models)
    counts = Counter((m, place) for slate in slates for place, m in enumerate(slate.models))
    square = sum(
        (counts[model, place] - times / 4) ** 2 / (times / 4)
        for model, times in shown.items()
        for place in range(4)
    )
    return _too_large(0.75 * square, 3 * (len(shown) - 1), ONE_IN_10_000)


def models_are_favoured(arena: ArenaSite) -> Iterator[str]:
    """Point 14: a model is always on, or on more often than the logged chances have it."""
    slates = draws(arena, None, FIRST_DRAWS)
    yield from _always_on(slates)
    yield from _unlike_its_equals(arena, slates)
    board = with_board(arena)
    leader = board.rows[0].model
    shown = [each.slate for each in issued(arena)]
    yield from _always_on(shown)
    drawn = draws(arena, board, FIRST_DRAWS)
    yield from _always_on(drawn)
    yield from _unlike_the_chances(arena, drawn, leader)
    drawn += draws(arena, board, DRAWS - FIRST_DRAWS)
    yield from _unlike_the_chances(arena, drawn, leader)
    chances = _chances(drawn)
    yield from _unlike(shown, chances, leader, "shown")
    yield from ("another chance" for s in shown if chances.get(s.set) != _chances([s])[s.set])
    yield from _always_on([each.slate for each in issued(arena, "expert")])


def _always_on(slates: Sequence[Slate]) -> Iterator[str]:
    shown = Counter(model for slate in slates for model in slate.models)
    yield from (f"{m} is always on" for m, times in shown.items() if times == len(slates))


def _unlike_its_equals(arena: ArenaSite, slates: Sequence[Slate]) -> Iterator[str]:
    """Say which models are on too often or too seldom while nothing is known of any."""
    makers = Counter(model.maker for model in arena.models().values())
    alone = {slug for slug, model in arena.models().items() if makers[model.maker] == 1}
    shown = Counter(model for slate in slates for model in slate.models)
    for alike in (alone, set(arena.models()) - alone):
        mean = sum(shown[slug] for slug in alike) / len(alike)
        if improbable(shown, dict.fromkeys(alike, mean), len(alike) - 1):
            yield f"shares of {sorted(alike)}: {[shown[slug] for slug in sorted(alike)]}"


def _chances(slates: Iterable[Slate]) -> dict[frozenset[str], float]:
    """Return the logged chance P(S) of each set that was drawn."""
    return {slate.set: float(slate.draw["probability"]) for slate in slates}


def _unlike_the_chances(arena: ArenaSite, slates: Sequence[Slate], leader: str) -> Iterator[str]:
    """Say where draws are not as their logged chances: each set's share, and the redraws."""
    told: dict[frozenset[str], set[str]] = {}
    for slate in slates:
        told.setdefault(slate.set, set()).add(slate.draw["probability"])
    yield from (f"{sorted(s)}: chances {sorted(p)}" for s, p in told.items() if len(p) > 1)
    maker = {slug: model.maker for slug, model in arena.models().items()}
    possible = {
        frozenset(four)
        for four in combinations(maker, 4)
        if len({maker[model] for model in four}) == 4
    }
    yield from (
        f"never drawn: {sorted(each)}" for each in sorted(map(sorted, possible - set(told)))
    )
    chances = _chances(slates)
    # A set with two models of one maker is drawn again: so often, if the chances are true.
    again = sum(slate.draw["redraws"] for slate in slates)
    kept = sum(chances.values())
    tries = len(slates) + again
    if abs(len(slates) - tries * kept) > ONE_IN_10_000 * (tries * kept * abs(1 - kept)) ** 0.5 + 1:
        yield f"{again} redraws where the chances make {len(slates) * (1 / kept - 1):.0f}"
    yield from _unlike(slates, chances, leader, "drawn")


def _unlike(
    slates: Sequence[Slate], chances: Mapping[frozenset[str], float], leader: str, name: str
) -> Iterator[str]:
    """Say whether sets, or the leader, come at other rates than their logged chances."""
    kept = sum(chances.values())
    counts = Counter(slate.set for slate in slates)
    expected = {each: len(slates) * chance / kept for each, chance in chances.items()}
    yield from (f"{name}: {sorted(each)}" for each in counts if each not in expected)
    if improbable(counts, expected, len(expected) - 1):
        yield f"{name}: sets not at their chances"
    share = sum(chance for each, chance in chances.items() if leader in each) / kept
    times = sum(leader in slate.models for slate in slates)
    noise = (len(slates) * share * (1 - share)) ** 0.5
    if abs(times - len(slates) * share) > ONE_IN_10_000 * noise:
        yield f"{name}: the leader on {times} of {len(slates)}, by the chances {share:.3f}"


def ids_tell_models(arena: ArenaSite) -> Iterator[str]:
    """Point 3: a slot's or a ballot's id, or a token, has a bit that goes with a model."""
    with_board(arena)
    shown = issued(arena)
    pairs = [
        (slot, model)
        for each in shown
        for slot, model in zip(each.page.slots, each.slate.models, strict=True)
    ]
    yield from bits("slot ids", pairs)
    for place in range(4):
        by_place = [(each, each.slate.models[place]) for each in shown]
        yield from bits("ballot ids", [(each.ballot, model) for each, model in by_place])
        yield from bits("tokens", [(each.page.token, model) for each, model in by_place])


def bits(name: str, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Say which bits of texts are set for one model more often than for another."""
    models = Counter(model for _, model in pairs)
    for at in range(min(len(text) for text, _ in pairs)):
        codes = [(ord(text[at]), model) for text, model in pairs]
        for bit in range(7):
            is_set = Counter(model for code, model in codes if code >> bit & 1)
            share = is_set.total() / len(pairs)
            if 0 < share < 1:
                square = sum(
                    (is_set[model] - times * share) ** 2 / (times * share * (1 - share))
                    for model, times in models.items()
                )
                if _too_large(square, len(models) - 1, ONE_IN_10_000_000):
                    yield f"{name}: bit {bit} at {at}"
