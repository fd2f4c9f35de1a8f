"""What tests of accounts begin with."""

from __future__ import annotations

import pytest

from ledger.database import Database
from tests.fixtures.moderators import Means, People, seeded_means


@pytest.fixture
def means() -> Means:
    """The ports of accounts, with seeded chance."""
    return seeded_means()


@pytest.fixture
def people(database: Database, means: Means) -> People:
    """Adds accounts to the test's database."""
    return People(database, means)
