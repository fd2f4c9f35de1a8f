"""A case file: what was seen against what was expected, and what a moderator may decide."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from arena import review_rules
from arena.case_subject import Subject
from arena.cases import Case, case_for_moderators
from arena.review_queue import neighbours_in_queue
from arena.review_rules import REASONS, Act, flag_reasons
from arena.standing_reasons import JOIN_REASONS, PART_REASONS
from webapp.board.caches import board_caches
from webapp.board.names import model_names
from webapp.charts.figures import Plate
from webapp.charts.render import ChartKey
from webapp.charts.theme import SizeName, ThemeName
from webapp.moderation.case_view import (
    figure_key,
    join_rows,
    picks_figure,
    statistics_of,
)
from webapp.moderation.guard import MODERATORS, moderators_only, session_now, uncached
from webapp.moderation.plain_numbers import few_digits, one_in
from webapp.moderation.vote_story import vote_story
from webapp.visitors import request_time_us
from webapp.wiring import services

__all__ = ["back_to", "case_pages", "read_case", "reasons_of"]

case_pages = Blueprint("moderation_cases", __name__, url_prefix="/moderation")
for _filter in (few_digits, one_in):
    case_pages.add_app_template_filter(_filter)

_THEMES: Final[dict[str, ThemeName]] = {"light": "light", "dark": "dark"}
_SIZES: Final[dict[str, SizeName]] = {"half": "half", "narrow": "narrow"}


@case_pages.get("/cases/<subject>")
@moderators_only(*MODERATORS)
def show(subject: str) -> AnyResponse:
    """Show a case, open or decided."""
    asked = Subject.read(subject)
    if asked.kind == "vote":
        return redirect(f"/moderation/votes/{asked.name}", code=303)
    case = read_case(asked)
    with services().database.read() as conn:
        before, after = neighbours_in_queue(conn, asked)
        names = model_names(services().ports.catalogue.current(conn).models)
        contested = None if case.dispute is None else vote_story(conn, case.dispute.vote or "")
    page = render_template(
        "moderation/case.html",
        session=session_now(),
        case=case,
        flag=case.flag,
        contested=contested,
        done="done" in request.args,
        names=names,
        statistics=statistics_of(case, names),
        may_join=join_rows(case) if case.month_open else [],
        reasons={act.value: reasons_of(act) for act in Act},
        uphold_reasons=list(flag_reasons(case.flag.detector).items()) if case.flag else [],
        join_reasons={code.value: text for code, text in JOIN_REASONS.items()},
        part_reasons={code.value: text for code, text in PART_REASONS.items()},
        rules=review_rules.current(),
        before=before,
        after=after,
        nav="moderation",
        room="queue",
    )
    return make_response(page)


@case_pages.get("/cases/<subject>/picks.svg")
@moderators_only(*MODERATORS)
def draw(subject: str) -> AnyResponse:
    """Draw the picks of a case's voters against what was to be expected."""
    theme = _THEMES.get(request.args.get("theme", "light"))
    size = _SIZES.get(request.args.get("size", "half"))
    if theme is None or size is None:
        abort(404)
    case = read_case(Subject.read(subject))
    with services().database.read() as conn:
        names = model_names(services().ports.catalogue.current(conn).models)
    kind = request.args.get("kind", "best")
    asked = [each for each in statistics_of(case, names) if each.kind == kind]
    if not asked:
        abort(404)
    figure = picks_figure(asked[0])
    key = ChartKey(figure_key(figure), "picks", (), theme, size, "svg")
    # Drawn for this page alone, which says what it is about.
    plate = Plate(figure, scope=case.month, mark=None)
    response = make_response(board_caches().charts.get(key, lambda: plate))
    response.mimetype = "image/svg+xml"
    return uncached(response)


def read_case(subject: Subject) -> Case:
    """Return a case as it stands.

    Raises:
        UnknownCase: there is none of that name.
    """
    with services().database.read() as conn:
        return case_for_moderators(conn, subject, request_time_us())


def reasons_of(act: Act) -> list[tuple[str, str]]:
    """Return the codes and sentences that an act may be done for."""
    return list(REASONS[act].items())


def back_to(subject: object) -> AnyResponse:
    """Lead back to the case, which tells what was decided."""
    return redirect(f"/moderation/cases/{subject}?done=1#decided", code=303)
