"""An application for bots, and what real votes say of people, fitted once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.attacks.application import Application, application
from bench.attacks.real_votes import Judges, People, fit_people, read_judges
from bench.attacks.setting import Setting

OpenApplication = Callable[..., Application]


@pytest.fixture(scope="session")
def judges(shared_data: Path) -> Judges:
    """The votes of real judges."""
    return read_judges(shared_data / "real" / "mt_bench" / "battles_human.json")


@pytest.fixture(scope="session")
def people(judges: Judges) -> People:
    """What those votes say of people."""
    return fit_people(judges, draws=60)


@pytest.fixture(scope="session")
def setting() -> Setting:
    """A small month: twelve models, a thousand ballots."""
    return Setting(mode="speed", ballots=1_000, questions=100, read_s=40, models=12)


@pytest.fixture
def open_application(tmp_path: Path, setting: Setting, people: People) -> Iterator[OpenApplication]:
    """Opens applications with the models of the setting and twenty questions each."""
    with ExitStack() as opened:

        def open_one(**settings: str) -> Application:
            folder = tmp_path / str(len(list(tmp_path.iterdir())))
            folder.mkdir()
            made = application(
                folder,
                setting.names(),
                setting.worths(people.scale),
                questions=20,
                seed=1,
                **{"rate_limit": "100000", **settings},
            )
            return opened.enter_context(made)

        yield open_one
