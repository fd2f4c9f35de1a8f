"""Reads the vote's form fields; doubled, over-long and undecodable fields never become a choice."""

from __future__ import annotations

from typing import Final

from flask import request
from werkzeug.datastructures import MultiDict

from antiabuse import rules
from antiabuse.errors import BadToken
from antiabuse.identity import BallotToken
from antiabuse.sincerity import ClientValues, read_client_values
from arena.votes import Choice, read_choice
from webapp.wiring import services

__all__ = ["ballot_token", "choice", "client_values", "raw_values", "single"]

# What a doubled or over-long field is read as: text that no field's reader takes for a value.
UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"
_MAX_FIELD: Final = 512


def single(form: MultiDict[str, str], name: str) -> str | None:
    """Return a field's one value; None when absent, unreadable text when doubled or over-long."""
    values = form.getlist(name)
    if not values:
        return None
    if len(values) > 1 or len(values[0]) > _MAX_FIELD:
        return UNREADABLE
    return values[0]


def ballot_token() -> BallotToken:
    """Return the ballot the form names.

    Raises:
        BadToken: missing, doubled, malformed or not signed by us.
    """
    token = single(request.form, "ballot")
    if token is None:
        raise BadToken("the form names no ballot")
    return services().tokens.read(token)


def choice() -> Choice | None:
    """Return what was picked, or None where the fields contradict each other."""
    form = request.form
    return read_choice(single(form, "verdict"), single(form, "best"), single(form, "worst"))


def client_values() -> ClientValues:
    """Return dwell and scroll as the browser reports them."""
    form = request.form
    return read_client_values(single(form, "dwell_ms"), single(form, "scroll"), rules.current())


def raw_values() -> dict[str, str | None]:
    """Return dwell and scroll as sent, for the private part of the event."""
    return {"dwell_ms": single(request.form, "dwell_ms"), "scroll": single(request.form, "scroll")}
