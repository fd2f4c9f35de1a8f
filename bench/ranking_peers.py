"""Times other people's fits of the same votes; run by `bench.ranking` in an environment apart.

Reads the sets, best pick first, from the file named; prints one JSON line a program, with log-
strengths of mean 0. Pairwise programs get the three pairs a vote gives: best against each other.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sets = NDArray[np.int64]
Fitted = Sequence[float]


def choix(sets: Sets, models: int) -> Callable[[], Fitted]:
    """Luce spectral ranking, iterated to the maximum: the fastest of choix."""
    fit = import_module("choix").ilsr_top1
    data = [(best, tuple(others)) for best, *others in sets.tolist()]
    return lambda: list(fit(models, data, alpha=0.0))


def evalica(sets: Sets, models: int) -> Callable[[], Fitted]:
    """Bradley-Terry in Rust."""
    module: Any = import_module("evalica")
    winners, losers = np.repeat(sets[:, 0], sets.shape[1] - 1), sets[:, 1:].ravel()
    outcome = [module.Winner.X] * len(winners)

    def fit() -> Fitted:
        scores = module.bradley_terry(winners, losers, outcome).scores
        return [float(np.log(scores[model])) for model in range(models)]

    return fit


def arena_rank(sets: Sets, models: int) -> Callable[[], Fitted]:
    """Bradley-Terry in JAX; the first call compiles, so call it twice."""
    model_of: Any = import_module("arena_rank.models.bradley_terry").BradleyTerry
    dataset: Any = import_module("arena_rank.utils.data_utils").PairDataset
    winners, losers = np.repeat(sets[:, 0], sets.shape[1] - 1), sets[:, 1:].ravel()
    columns = {"model_a": winners, "model_b": losers, "winner": "model_a"}
    frame = import_module("pandas").DataFrame(columns)

    def fit() -> Fitted:
        model = model_of(models)
        model.fit(dataset.from_pandas(frame))
        return [float(rating) for rating in model.params["ratings"]]

    return fit


def main() -> None:
    """Fit with the program named: arguments are its name, the file, the models and the rounds."""
    name, path, models, rounds = sys.argv[1:]
    sets = np.load(Path(path)).astype(np.int64)
    fit = {"choix": choix, "evalica": evalica, "arena-rank": arena_rank}[name](sets, int(models))
    best_s, cpu_s, theta = float("inf"), float("inf"), np.zeros(int(models))
    for _ in range(int(rounds)):
        wall, cpu = time.perf_counter(), time.process_time()
        fitted = fit()
        best_s = min(best_s, time.perf_counter() - wall)
        cpu_s = min(cpu_s, time.process_time() - cpu)
        theta = np.array(fitted) - np.mean(fitted)
    print(json.dumps({"seconds": best_s, "cpu_s": cpu_s, "theta": theta.tolist()}))


if __name__ == "__main__":
    main()
