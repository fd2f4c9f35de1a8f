"""Runs web and worker as two children of one command: restarts the fallen, stops all together.

Each child leads its own process group and holds one end of a pipe; when the supervisor is gone,
however it went, the pipe ends and the child stops itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["PARENT_PIPE", "Supervisor", "stop_with_parent"]

PARENT_PIPE = "ARENA_PARENT_PIPE"
_MAX_CRASHES = 3
_CRASH_WINDOW_S = 30.0
_STOP_WAIT_S = 20.0
_POLL_S = 0.1


@dataclass(slots=True)
class _Child:
    name: str
    argv: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    crashes: deque[float] = field(default_factory=lambda: deque(maxlen=_MAX_CRASHES))


class Supervisor:
    """Keeps a set of commands running until it is told to stop.

    Args:
        commands: a name and the command line of each child.
        environ: the children's environment.
        say: takes one line for the operator.
    """

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        environ: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        self._children = [_Child(name, argv) for name, argv in commands.items()]
        self._environ = dict(environ)
        self._say = say
        self._stopping = threading.Event()
        self._read_end, self._write_end = os.pipe()

    def run(self) -> int:
        """Run until a signal or until a child keeps falling; return the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        for child in self._children:
            self._start(child)
        status = 0
        while not self._stopping.wait(_POLL_S):
            fallen = [c for c in self._children if c.process and c.process.poll() is not None]
            if not all(self._restart(child) for child in fallen):
                status = 1
                break
        self._stop()
        return status

    def _start(self, child: _Child) -> None:
        child.process = subprocess.Popen(
            child.argv,
            env={**self._environ, PARENT_PIPE: str(self._read_end)},
            pass_fds=(self._read_end,),
            start_new_session=True,
        )

    def _restart(self, child: _Child) -> bool:
        """Start a fallen child again; return False when it falls too often."""
        self._kill_group(child, signal.SIGKILL)
        child.crashes.append(time.monotonic())
        often = len(child.crashes) == _MAX_CRASHES
        if often and child.crashes[-1] - child.crashes[0] < _CRASH_WINDOW_S:
            self._say(
                f"The {child.name} process stopped {_MAX_CRASHES} times within "
                f"{_CRASH_WINDOW_S:.0f} s; its last lines above say why."
            )
            return False
        self._say(f"The {child.name} process stopped; starting it again.")
        self._start(child)
        return True

    def _stop(self) -> None:
        """Ask all children to finish, then end what is left."""
        for child in self._children:
            self._kill_group(child, signal.SIGTERM, leader_only=True)
        end = time.monotonic() + _STOP_WAIT_S
        for child in self._children:
            if child.process is None:
                continue
            try:
                child.process.wait(max(_POLL_S, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._say(f"The {child.name} process did not finish in time; ending it.")
            self._kill_group(child, signal.SIGKILL)
        os.close(self._write_end)
        os.close(self._read_end)

    @staticmethod
    def _kill_group(child: _Child, number: int, *, leader_only: bool = False) -> None:
        if child.process is None:
            return
        try:
            if leader_only:
                child.process.send_signal(number)
            else:
                os.killpg(child.process.pid, number)
        except ProcessLookupError:
            return


def stop_with_parent(environ: Mapping[str, str]) -> None:
    """Let this process end itself, by the usual signal, when its supervisor is gone."""
    handle = environ.get(PARENT_PIPE)
    if handle is None:
        return
    pipe = int(handle)

    def _wait() -> None:
        os.read(pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=_wait, name="parent-watch", daemon=True).start()
