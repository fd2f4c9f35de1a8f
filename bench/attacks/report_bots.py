"""The report's second half: bots with a measure of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.attacks.http import Http
from bench.attacks.outcome import Outcome
from bench.attacks.plan import (
    LOOK_UP_MARKS,
    LOOK_UP_VOTES,
    POOLS,
    SIEGE_IDS,
    SNIPER_VOTES,
    Results,
)
from bench.attacks.prose import SIEGES_TEXT
from bench.attacks.report_ids import one_id_alone
from bench.attacks.report_measures import SIEGE_NAMES, SNIPERS, same_measures
from bench.attacks.report_suppliers import suppliers
from bench.attacks.sieges import SIEGES, Besieged
from bench.attacks.tables import share, spread, table
from bench.attacks.texts import Named

__all__ = ["bots_of_their_own"]


def bots_of_their_own(
    results: Results, http: Http, marks: dict[str, tuple[float, float, float]], named: Named
) -> str:
    """Return the sections in Markdown."""
    return "\n\n".join(
        (
            "## One network, one device (B10, B11)\n\n" + suppliers(results),
            one_id_alone(results),
            "## Careless votes (B5)\n\n" + _careless(results),
            "## Marks in answers (B6)\n\n" + _marks(marks),
            "## Answers that name their model (B7)\n\n" + _named(named),
            "## Answer look-up (B9)\n\n" + _look_up(results),
            "## The month's reset (B15)\n\n" + _sniper(results),
            "## Sieges (B16)\n\n" + _sieges(results),
            "## Near-copies (B17)\n\n" + _clones(results),
            "## All other bots by the same measures\n\n" + same_measures(results, http),
            "## Over HTTP (B10, B13, B18, B20, B21)\n\n" + _http(http),
        )
    )


def _careless(results: Results) -> str:
    rows = [
        [
            key[1],
            key[2].replace("%", " %"),
            spread([run.tau for run in runs], 2),
            spread([run.places for run in runs]),
        ]
        for key, runs in results.items()
        if key[0] == "careless"
    ]
    headings = ["picks", "of all ballots", "Kendall's tau", "most places moved"]
    return "Ids of fifty votes. Tau compares the board with the one before.\n\n" + table(
        headings, rows
    )


def _marks(marks: dict[str, tuple[float, float, float]]) -> str:
    rows = [[title, *(share([value]) for value in shares)] for title, shares in marks.items()]
    return (
        "A model puts a mark into each of its answers, here real answers of MT-bench; a program"
        " looks for it. What can be seen stays, for the text is the model's.\n\n"
        + table(["mark", "as sent", "as text for copying", "in the page"], rows)
    )


def _named(named: Named) -> str:
    rows = [[f"`{_shown(sentence)}`", share([held])] for sentence, held in named.held.items()]
    return (
        "Held before serving by the phrase rule, each sentence put before a real answer for five"
        f" models. Of {named.honest} real answers it holds {named.false}.\n\n"
        + table(["sentence", "held"], rows)
    )


def _shown(sentence: str) -> str:
    return sentence.replace("\u200b", "(zero-width space)")


def _look_up(results: Results) -> str:
    rows = []
    for questions, fresh in POOLS:
        runs = results["look-up", f"{questions:,}", str(fresh)]
        known = [share([run.known[mark] for run in runs]) for mark in LOOK_UP_MARKS]
        rows.append(
            [
                f"{questions:,}",
                str(fresh),
                *known,
                spread([run.outcome.points for run in runs]),
                share([run.bots_stale for run in runs]),
                share([run.stale for run in runs]),
            ]
        )
    headings = ["questions", "K", *(f"known after {mark:,} votes" for mark in LOOK_UP_MARKS)]
    headings += [f"points after {LOOK_UP_VOTES:,}", "bot votes stale", "honest votes stale"]
    return (
        "Ids share every reveal and name a model by an answer seen before. An answer counts in its"
        " first K reveals only; the rule is K = 300. Speed with 2,000 honest ballots.\n\n"
        + table(headings, rows)
    )


def _sniper(results: Results) -> str:
    rows = []
    for field, title in SNIPERS.items():
        runs: list[Outcome] = [getattr(run, field) for run in results["sniper",]]
        each = [100 * run.ranks / SNIPER_VOTES for run in runs]
        rows.append([title, spread(each, 1), spread([run.points for run in runs])])
    return (
        f"The same {SNIPER_VOTES} votes by two ids, after 100 honest ballots of the first day or"
        " after all 2,000.\n\n" + table(["when", "places for 100 votes", "points"], rows)
    )


def _sieges(results: Results) -> str:
    rows = []
    for siege in SIEGES:
        runs: list[Besieged] = results["siege", siege]
        rows.append(
            [
                SIEGE_NAMES[siege],
                spread([run.targets for run in runs]),
                spread([run.first for run in runs]),
                f"{sum(run.wrong for run in runs)} in {len(runs)} months",
                str(sum(run.standing for run in runs)),
                str(sum(run.eliminated for run in runs)),
            ]
        )
    headings = ["siege", "targets", "bot votes before the first wrong change", "wrong changes"]
    headings += ["still standing at the end", "changes to Eliminated"]
    return SIEGES_TEXT.format(ids=SIEGE_IDS) + "\n\n" + table(headings, rows)


def _clones(results: Results) -> str:
    runs = results["clones",]
    rows = [
        [
            title,
            spread([getattr(run, field) for run in runs]),
            spread([getattr(run, f"{field}_points") for run in runs]),
        ]
        for title, field in (("one entry", "alone"), ("five copies", "family"))
    ]
    gained = float(np.mean([run.family_points - run.alone_points for run in runs]))
    return (
        "A maker enters one middling model, or five copies of it. Points are above the mean of the"
        f" others. The best of five copies gains {gained:.0f} points on average, by luck alone.\n\n"
        + table(["entries", "best place among the others", "points"], rows)
    )


def _http(http: Http) -> str:
    joined: Any = http.joined
    rows = [
        (
            "B10 ids on one address, cookies cleared",
            (
                f"{joined.flagged} of {joined.ids} ids named by the sweep; their votes weigh"
                f" {joined.weight_before:.1f} on the board, {joined.weight_after:.1f} after joining"
            ),
        ),
        (
            "B13 forged address headers",
            (
                f"{http.direct.passed} of {http.direct.sent} requests in a minute passed, limit"
                f" {http.direct.allowed}; through a trusted proxy {http.proxied.passed}"
            ),
        ),
        (
            "B18 replayed, doubled, foreign and altered forms",
            (
                f"{http.replays.accepted} of {http.replays.tried} accepted"
                f" (answers {', '.join(map(str, http.replays.statuses))})"
            ),
        ),
        (
            "B20 mass reports",
            f"{http.reports.sent} reports, {http.reports.hidden} answers hidden",
        ),
        (
            f"B21 store of limits away for {http.outage.sent} minutes",
            (
                f"{http.outage.lost} of {http.outage.sent} honest ballots lost,"
                f" {http.outage.unchecked} requests counted as unchecked"
            ),
        ),
    ]
    return "Each on an application of its own with a SQLite database.\n\n" + table(
        ["bot", "measured"], rows
    )
