"""Web and worker as children of one command, tried with tiny scripts in their place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

WAIT_S = 20.0

MAIN = """
import os, sys
from webapp import supervisor
supervisor._STOP_WAIT_S = 1.0
folder = sys.argv[1]
commands = {name: [sys.executable, f"{folder}/{name}.py", folder] for name in sys.argv[2:]}
say = lambda line: print(line, flush=True)
sys.exit(supervisor.Supervisor(commands, os.environ, say=say).run())
"""
STEADY = """
import os, pathlib, sys, time
from webapp.supervisor import stop_with_parent
stop_with_parent(os.environ)
path = pathlib.Path(sys.argv[1], pathlib.Path(__file__).stem + ".pids")
with path.open("a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(60)
"""
FALLS = STEADY.replace("time.sleep(60)", "sys.exit(3)")
STUBBORN = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + STEADY
WITH_CHILD = STEADY.replace(
    "time.sleep(60)",
    "import subprocess\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "pathlib.Path(sys.argv[1], 'grandchild.pids').write_text(f'{child.pid}\\n')\n"
    "time.sleep(60)",
)

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path, project_root: Path) -> Iterator[Start]:
    """Starts a supervisor over named scripts, and ends it and its children in the end."""
    started: list[subprocess.Popen[str]] = []

    def run(**scripts: str) -> subprocess.Popen[str]:
        (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
        for name, script in scripts.items():
            (tmp_path / f"{name}.py").write_text(script, encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, str(tmp_path / "main.py"), str(tmp_path), *scripts],
            env={**os.environ, "PYTHONPATH": str(project_root)},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
    for path in tmp_path.glob("*.pids"):
        for pid in map(int, path.read_text(encoding="ascii").split()):
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
    for process in started:
        process.communicate(timeout=WAIT_S)


def pids(folder: Path, name: str, count: int) -> Sequence[int]:
    """Wait until a script has been started so often, and return its process ids."""
    path = folder / f"{name}.pids"

    def found() -> list[int]:
        text = path.read_text(encoding="ascii") if path.exists() else ""
        return [int(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    until(lambda: len(found()) >= count)
    return found()


def alive(pid: int) -> bool:
    """Tell whether a process runs; a dead one that nobody has waited for does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def until(holds: Callable[[], bool]) -> None:
    """Wait for something, and fail when it does not come."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_all(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    """Told to stop, the supervisor ends its children and then itself, with status 0."""
    process = start(web=STEADY, worker=STEADY)
    children = [*pids(tmp_path, "web", 1), *pids(tmp_path, "worker", 1)]

    process.send_signal(number)

    assert process.wait(WAIT_S) == 0
    assert not any(map(alive, children))


def test_a_fallen_child_is_started_again(start: Start, tmp_path: Path) -> None:
    """One child's end is told and mended; the other one is left alone."""
    process = start(web=STEADY, worker=STEADY)
    (web,) = pids(tmp_path, "web", 1)
    (worker,) = pids(tmp_path, "worker", 1)

    os.kill(web, signal.SIGKILL)

    again = pids(tmp_path, "web", 2)[-1]
    assert again != web
    assert alive(again)
    assert alive(worker)
    process.terminate()
    out, _ = process.communicate(timeout=WAIT_S)
    assert "The web process stopped; starting it again." in out


def test_three_falls_end_the_whole(start: Start, tmp_path: Path) -> None:
    """A child that falls three times at once stops everything with status 1 and says why."""
    process = start(web=STEADY, worker=FALLS)

    out, _ = process.communicate(timeout=WAIT_S)

    assert process.returncode == 1
    assert "The worker process stopped 3 times within 30 s" in out
    assert len(pids(tmp_path, "worker", 3)) == 3
    assert not any(map(alive, pids(tmp_path, "web", 1)))


def test_a_child_that_will_not_stop_is_ended(start: Start, tmp_path: Path) -> None:
    """Whoever ignores the signal is ended after the wait, and that is said."""
    process = start(web=STUBBORN)
    (child,) = pids(tmp_path, "web", 1)

    process.terminate()
    out, _ = process.communicate(timeout=WAIT_S)

    assert process.returncode == 0
    assert "did not finish in time" in out
    until(lambda: not alive(child))


def test_the_childrens_children_end_as_well(start: Start, tmp_path: Path) -> None:
    """A child's own processes do not outlive it, as gunicorn's workers must not."""
    process = start(web=WITH_CHILD)
    (grandchild,) = pids(tmp_path, "grandchild", 1)
    assert alive(grandchild)

    process.terminate()

    assert process.wait(WAIT_S) == 0
    until(lambda: not alive(grandchild))


def test_orphans_stop_themselves(start: Start, tmp_path: Path) -> None:
    """When the supervisor is killed outright, the children notice and end."""
    process = start(web=STEADY, worker=STEADY)
    children = [*pids(tmp_path, "web", 1), *pids(tmp_path, "worker", 1)]

    process.kill()
    process.wait(WAIT_S)

    until(lambda: not any(map(alive, children)))
