"""Test runs that were killed leave a PostgreSQL behind; the next run must remove it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
from sqlalchemy import make_url

from tests.fixtures import postgresql

RUN = """
import pathlib, sys
from tests.fixtures import postgresql

with (
    postgresql.run_folder(pathlib.Path(sys.argv[1])) as folder,
    postgresql.started(folder / "data") as url,
):
    print(url.render_as_string(hide_password=False), flush=True)
    sys.stdin.read()
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A test run in another process, with its server."""

    process: subprocess.Popen[str]
    server_pid: int


def test_a_killed_run_is_cleaned_up(project_root: Path) -> None:
    """The server of a killed run is stopped and its folder removed; a live run is left alone."""
    with (
        postgresql.run_folder(postgresql.memory_folder()) as parent,
        other_run(parent, project_root) as living,
        other_run(parent, project_root) as killed,
    ):
        killed.process.kill()
        killed.process.wait()
        assert psutil.pid_exists(killed.server_pid)

        postgresql.remove_dead_runs(parent)

        assert not psutil.pid_exists(killed.server_pid)
        assert psutil.pid_exists(living.server_pid)
        assert len(list(parent.glob(f"{postgresql.FOLDER_PREFIX}*"))) == 1


@contextmanager
def other_run(parent: Path, project_root: Path) -> Iterator[Run]:
    """Start a run with its own server in another process; end it by closing its input."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(parent)],
        cwd=project_root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = make_url(process.stdout.readline().strip()).set(drivername="postgresql")
        with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
            row = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
        assert row is not None
        yield Run(process, int(row[0].splitlines()[0]))
