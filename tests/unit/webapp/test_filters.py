"""How hours are written for people."""

from __future__ import annotations

import pytest

from webapp.filters import hour


@pytest.mark.parametrize(
    "recorded, written",
    [
        ("2026-11-30T21:00Z", "2026-11-30, 21–22 h UTC"),
        ("2026-11-30T00:00Z", "2026-11-30, 0–1 h UTC"),
        ("2026-11-30T23:00Z", "2026-11-30, 23–24 h UTC"),
    ],
)
def test_an_hour_is_written_from_its_start_to_its_end(recorded: str, written: str) -> None:
    """So that nobody reads it as a moment; the day's last hour ends at 24."""
    assert hour(recorded) == written


@pytest.mark.parametrize("text", ["2026-11-30T21:36Z", "2026-11-30", ""])
def test_what_is_no_hour_is_refused(text: str) -> None:
    """A moment is never passed off as an hour."""
    with pytest.raises(ValueError, match="does not match format"):
        hour(text)
