"""Speed of the ranking engine beside what a user would otherwise use, in one run.

`python -m bench.ranking --help`. Synthetic votes from known strengths; the other programs go into a
throw-away environment and are no part of the project. Trust ratios of one run only.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

# One thread: where others want the processor too, those of OpenBLAS wait for each other in vain.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from bench import synthetic
from ranking import lobster

PEERS: Final = {
    "choix": ("choix==0.4.1",),
    "evalica": ("evalica==0.4.2",),
    "arena-rank": ("arena-rank==0.1.1",),
}
PEER_SCRIPT: Final = Path(__file__).with_name("ranking_peers.py")
PEER_ROUNDS: Final = {"choix": 1, "evalica": 2, "arena-rank": 2}
PEER_TIMEOUT_S: Final = 600
AGREE: Final = 1e-3  # natural logs between our fit and choix's
QUICK_VOTES: Final = 50_000
MEBIBYTE: Final = 1024  # of `ru_maxrss`, which is in KiB

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Timing:
    """Best of some rounds: seconds on the clock, and of the processor in all threads."""

    seconds: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Ours:
    """Times of the engine on so many votes and models."""

    votes: int
    models: int
    bare_pass: Timing
    reading: Timing
    fit: Timing
    fit_and_interval: Timing
    board: Timing
    peak_mib: int


@dataclass(frozen=True, slots=True)
class Result:
    """One run: our times for each size, and those of the others for the first."""

    ours: tuple[Ours, ...]
    peers: dict[str, Timing]


def timed(work: Callable[[], Made], rounds: int) -> tuple[Timing, Made]:
    """Do the work some times; return the best times and the last thing made."""
    made, seconds, cpu_s = None, float("inf"), float("inf")
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        made = work()
        seconds = min(seconds, time.perf_counter() - wall)
        cpu_s = min(cpu_s, time.process_time() - cpu)
    assert made is not None
    return Timing(seconds, cpu_s), made


def measure(votes: lobster.Choices, rounds: int) -> tuple[Ours, lobster.Fit]:
    """Time the engine on these votes."""
    columns = (*votes.sets.T, votes.worst, votes.weight, votes.cluster)
    bare, _ = timed(lambda: [int(column.sum()) for column in columns], rounds)
    reading, _ = timed(lambda: replace(votes), rounds)
    alone, _ = timed(lambda: lobster.strengths(votes), rounds)
    whole, fitted = timed(lambda: lobster.fit(votes), rounds)
    board, _ = timed(lambda: lobster.board(fitted), rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MEBIBYTE
    sizes = (len(votes.best), len(votes.models))
    return Ours(*sizes, bare, reading, alone, whole, board, peak), fitted


def peers(votes: lobster.Choices, fitted: lobster.Fit) -> dict[str, Timing]:
    """Time the other programs on the same votes, each in a process of its own.

    Raises:
        AssertionError: choix, which maximises the same likelihood, finds another maximum.
        subprocess.SubprocessError: a program cannot be installed or run in time.
    """
    found = {}
    with tempfile.TemporaryDirectory(prefix="bench-ranking-") as folder:
        python = environment(Path(folder))
        path = Path(folder) / "sets.npy"
        np.save(path, votes.sets)
        for name, rounds in PEER_ROUNDS.items():
            arguments = [name, str(path), str(len(votes.models)), str(rounds)]
            done = subprocess.run(
                [python, str(PEER_SCRIPT), *arguments],
                capture_output=True,
                text=True,
                check=True,
                timeout=PEER_TIMEOUT_S,
            )
            said = json.loads(done.stdout)
            found[name] = Timing(said["seconds"], said["cpu_s"])
            if name == "choix":
                off = np.abs(fitted.theta - fitted.theta.mean() - said["theta"]).max()
                assert off < AGREE, off
    return found


def environment(folder: Path) -> Path:
    """Install the other programs into a folder; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    wanted = [package for packages in PEERS.values() for package in packages]
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-input", *wanted]
    subprocess.run(install, check=True, timeout=PEER_TIMEOUT_S, stderr=subprocess.DEVNULL)
    return python


def tell(result: Result) -> None:
    """Print ratios, growth, and the distance to a bare pass."""
    first = result.ours[0]
    for name, timing in result.peers.items():
        print(
            f"{name:>10} {timing.seconds:8.2f} s: {timing.seconds / first.fit.seconds:6.1f} times "
            f"our fit, {timing.seconds / first.fit_and_interval.seconds:6.1f} times fit and "
            f"interval (processor {timing.cpu_s / first.fit.cpu_s:.1f} and "
            f"{timing.cpu_s / first.fit_and_interval.cpu_s:.1f})"
        )
    print("     votes models   read     fit  +interval   board  bare pass  ns/vote (cpu)    MiB")
    for row in result.ours:
        times = (row.reading, row.fit, row.fit_and_interval, row.board, row.bare_pass)
        read, fit, whole, board, bare = (timing.seconds * 1e3 for timing in times)
        cpu = row.fit_and_interval.cpu_s * 1e9 / row.votes
        print(
            f"{row.votes:>10,} {row.models:>6} {read:6.1f} {fit:7.1f} {whole:10.1f} {board:7.1f} "
            f"{bare:10.2f} {whole * 1e6 / row.votes:8.0f} {cpu:>5.0f} {row.peak_mib:>6}"
        )
        print(
            f"{'':>17} the fit takes {fit / bare:.0f} bare passes, {whole / bare:.0f} with interval"
        )


def main(arguments: Sequence[str] | None = None) -> Result:
    """Run the bench and print its figures."""
    parser = argparse.ArgumentParser(prog="bench.ranking", description=__doc__)
    parser.add_argument("--votes", type=float, nargs="+", default=[1_000_000], help="sizes")
    parser.add_argument("--models", type=int, nargs="+", default=[100], help="numbers of models")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many is taken")
    parser.add_argument("--quick", action="store_true", help="fewer votes, without the others")
    parser.add_argument("--alone", action="store_true", help="without the other programs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)
    sizes = [QUICK_VOTES] if options.quick else [int(votes) for votes in options.votes]
    ours: list[Ours] = []
    others: dict[str, Timing] = {}
    for count in sizes:
        for models in options.models:
            votes = synthetic.votes(count, models, seed=1)
            row, fitted = measure(votes, options.rounds)
            if not (ours or options.quick or options.alone):
                others = peers(votes, fitted)
            ours.append(row)
    result = Result(tuple(ours), others)
    if options.json:
        print(json.dumps(asdict(result)))
    else:
        tell(result)
    return result


if __name__ == "__main__":
    main()
