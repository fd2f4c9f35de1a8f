"""Checkpoints are written and read in one form only."""

from __future__ import annotations

import pytest

from ledger.checkpoint import Checkpoint, parse_checkpoint
from ledger.errors import InvalidNote

GOOD = Checkpoint("example.org/log", 7, bytes(32))


def test_round_trip() -> None:
    """A checkpoint reads back from its text."""
    assert parse_checkpoint(GOOD.text) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.org/log\n7\n",
        GOOD.text.replace("7", "07"),
        GOOD.text.replace("7", "-7"),
        GOOD.text.replace("AA", "A"),
        GOOD.text + "more\n",
        GOOD.text.replace("\n", "\r\n"),
        GOOD.text.replace("A=", "B="),
        "\n7\n" + GOOD.text.split("\n")[2] + "\n",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    """A checkpoint with other lines, numbers or base64 raises."""
    with pytest.raises(InvalidNote):
        parse_checkpoint(text)
