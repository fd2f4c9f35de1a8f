"""Who looks at the moderators' pages."""

from __future__ import annotations

import pytest

from tests.fixtures.arena_site import ArenaSite
from tests.fixtures.moderators import Moderator, moderator_of


@pytest.fixture
def rosa(arena: ArenaSite) -> Moderator:
    """The browser of the moderator rosa, signed in."""
    return moderator_of(arena)
