"""The list of leaks by number, each with the checks that look for it.

Point 22, style, has no check: it is measured by `bench/blindness.py` and told in docs/security.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.fixtures.arena_site import ArenaSite
from tests.web.blindness import (
    arena_checks,
    draw_checks,
    page_checks,
    response_checks,
    time_checks,
)

Check = Callable[[ArenaSite], Iterable[str]]

CHECKS: dict[str, Check] = {
    "1 phrases": page_checks.answers_say_who_they_are,
    "2 names": page_checks.responses_name_models,
    "3 ids": response_checks.ids_last,
    "3 bits": draw_checks.ids_tell_models,
    "4 headers": response_checks.headers_are_strange,
    "4 cookies": response_checks.cookies_tell,
    "4 contents": response_checks.contents_differ,
    "5 caches": response_checks.caches_compare,
    "6 places": draw_checks.places_depend_on_models,
    "7 time": time_checks.answers_come_apart,
    "8 requests": page_checks.answers_have_requests,
    "9 layout": page_checks.surroundings_differ,
    "9 blanks": page_checks.blanks_differ,
    "10 marks": page_checks.marks_remain,
    "11 outside": page_checks.pages_load_from_elsewhere,
    "12 referrer": response_checks.referrers_leave,
    "13 heads": page_checks.heads_differ,
    "14 shares": draw_checks.models_are_favoured,
    "15 seen": arena_checks.seen_answers_come_back,
    "16 again": arena_checks.votes_count_twice,
    "17 board": arena_checks.board_moves_with_a_vote,
    "18 log": arena_checks.log_tells_of_the_month,
    "19 moment": arena_checks.log_tells_the_moment,
    "20 failures": page_checks.failures_are_shown,
    "21 cuts": page_checks.answers_are_cut,
    "23 labels": page_checks.surroundings_differ,
    "24 operators": arena_checks.operators_pages_are_open,
    "V-169 joins": arena_checks.answers_join_models,
}
