"""All blueprints of the moderators' rooms."""

from __future__ import annotations

from typing import Final

from flask import Blueprint

from webapp.moderation.account import account_pages
from webapp.moderation.audit import audit_pages
from webapp.moderation.cases import case_pages
from webapp.moderation.decide import decision_forms
from webapp.moderation.decisions import decision_pages
from webapp.moderation.influence import influence_pages
from webapp.moderation.operations import operation_pages
from webapp.moderation.queue import queue_pages
from webapp.moderation.sign_in import sign_in_pages
from webapp.moderation.votes import vote_pages

__all__ = ["MODERATION"]

MODERATION: Final[tuple[Blueprint, ...]] = (
    sign_in_pages,
    account_pages,
    queue_pages,
    audit_pages,
    case_pages,
    decision_forms,
    vote_pages,
    decision_pages,
    influence_pages,
    operation_pages,
)
