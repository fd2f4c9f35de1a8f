"""W-1: the weight of a vote by dwell and scroll, with every row and edge of the table."""

from __future__ import annotations

from decimal import Decimal

import pytest

from antiabuse.rules import current
from antiabuse.sincerity import Sincerity, read_client_values, weigh

SECOND = 1_000_000
ROWS = [
    # dwell, dwell weight, weight at scroll 0, at 0.30, at 1
    ("0", "0", "0", "0", "0"),
    ("1.99", "0", "0", "0", "0"),
    ("2", "0", "0", "0", "0"),
    ("2.01", "0.00125", "0", "0.000625", "0.00125"),
    ("4", "0.25", "0", "0.125", "0.25"),
    ("6", "0.5", "0", "0.25", "0.5"),
    ("8", "0.75", "0", "0.375", "0.75"),
    ("9.99", "0.99875", "0", "0.499375", "0.99875"),
    ("10", "1", "0.5", "0.5", "1"),
    ("600", "1", "0.5", "0.5", "1"),
]
COLUMNS = [
    # scroll, and the column of ROWS it belongs to
    ("0", 2),
    ("0.0499", 2),
    ("0.05", 3),
    ("0.30", 3),
    ("0.4999", 3),
    ("0.5", 4),
    ("1", 4),
]


def weighed(client_s: str, server_s: str, scroll: str) -> Sincerity:
    """Weigh a vote as the form sends it."""
    dwell_ms = str(Decimal(client_s) * 1000)
    client = read_client_values(dwell_ms, scroll, current())
    return weigh(client, int(Decimal(server_s) * SECOND), (), current())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}s")
@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: f"scroll {column[0]}")
def test_every_row_and_edge_of_the_table(row: tuple[str, ...], column: tuple[str, int]) -> None:
    """Each dwell and scroll of the table gives its weight to the last digit."""
    scroll, place = column

    sincerity = weighed(row[0], row[0], scroll)

    assert str(sincerity.weight) == row[place]
    assert str(sincerity.dwell_weight) == row[1]
    assert str(sincerity.dwell_s) == row[0]
    assert sincerity.counts == (row[place] != "0")


@pytest.mark.parametrize(
    "client_s, server_s, weight", [("30", "6", "0.5"), ("1", "30", "0"), ("6", "600", "0.5")]
)
def test_the_shorter_of_both_dwells_is_used(client_s: str, server_s: str, weight: str) -> None:
    """A claim longer than the server saw does not count, a shorter one does."""
    assert str(weighed(client_s, server_s, "1").weight) == weight
