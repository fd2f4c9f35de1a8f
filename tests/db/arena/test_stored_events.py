"""Events that read models name."""

from __future__ import annotations

import pytest

from arena.stored_events import stored_event
from tests.fixtures.arena_site import ArenaSite


def test_an_event_that_is_not_in_the_log_is_an_error(either_arena: ArenaSite) -> None:
    """One that is there is returned; a read model that names another is not passed over."""
    either_arena.voter().ballot()
    (issued,) = either_arena.events("ballot.issued")

    with either_arena.database.read() as conn:
        assert stored_event(conn, issued.id) == issued
        with pytest.raises(LookupError, match="another is not in the log"):
            stored_event(conn, "another")
