"""What holds for every test: no outside network, no skipping, reference data, steady properties."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.fixtures import network

ROOT = Path(__file__).resolve().parent.parent
pytest_plugins = (
    "tests.fixtures.databases",
    "tests.fixtures.valkey",
    "tests.fixtures.arena_app",
    "tests.fixtures.simulated_month",
)

network.install()

# No deadline: a slow machine is no fault. On the build server the same examples each time, so that
# a change is judged by what it changes; people's own runs go on looking for new ones.
hypothesis.settings.register_profile("arena", deadline=None)
hypothesis.settings.register_profile("arena-ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("arena-ci" if os.environ.get("CI") else "arena")


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real answers and reference values, which lies beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.fail(f"the reference data is missing: expected the folder {folder}")
    return folder


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that skipped a test: what cannot run is mended or removed, not passed over."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("skipped tests count as failures here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
