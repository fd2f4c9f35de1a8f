"""The mark of a browser that has signed in before."""

from __future__ import annotations

import pytest

from antiabuse.known_browsers import browser_mark, is_known

KEYS = ("an-old-secret-key", "a-newer-secret-key")


def test_a_mark_holds_for_its_account_only() -> None:
    """Another account's mark lifts nothing."""
    mark = browser_mark(KEYS, "rosa")

    assert is_known(KEYS, mark, "rosa")
    assert not is_known(KEYS, mark, "otto")
    assert "rosa" not in mark


@pytest.mark.parametrize("mark", ["", "x", "a.b", "ü", "x" * 300])
def test_made_up_marks_are_not_known(mark: str) -> None:
    """Only what this server has signed is believed."""
    assert not is_known(KEYS, mark, "rosa")


def test_marks_outlive_a_new_key_and_end_with_their_own() -> None:
    """A mark signed by a key that is still listed holds."""
    mark = browser_mark(KEYS[:1], "rosa")

    assert is_known(KEYS, mark, "rosa")
    assert not is_known(KEYS[1:], mark, "rosa")
