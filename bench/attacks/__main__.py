"""`python -m bench.attacks`: attack the arena and print the report, or write it.

It needs the folder of MT-bench votes and answers, and takes some forty-five minutes of processor
time on two processes. With `--keep FOLDER` the results of each part and seed are stored there and
found again by the next run, which runs what is missing; `--only PART` runs parts anew, stores them
and writes no report. What is stored stays, whatever has changed in the code since.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

# Fits this small gain nothing from a second thread.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import structlog

from bench.attacks.honest_looks import alarms_of_judges
from bench.attacks.http import run_http
from bench.attacks.kept import Kept
from bench.attacks.plan import PARTS, run
from bench.attacks.real_votes import fit_people, read_judges
from bench.attacks.report import Run, report
from bench.attacks.texts import marks_left, names_found, read_answers

ROOT: Final = Path(__file__).resolve().parents[2]
VOTES: Final = ROOT.parent / "shared" / "data" / "real" / "mt_bench"
PAGE: Final = ROOT / "docs" / "attacks.md"
SEEDS: Final = 20
MINUTES: Final = 45.0
MARKED: Final = 200  # answers
MODELS: Final = {
    "GPT-4": "OpenAI",
    "Claude": "Anthropic",
    "Vicuna": "LMSYS",
    "Llama 2": "Meta",
    "Zanthor Nine": "Quillmere",
}
QUIET: Final = 50


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; return 1 when the time was up before one seed was done."""
    parser = argparse.ArgumentParser(prog="bench.attacks", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="months of each kind")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="begin nothing after so long"
    )
    parser.add_argument("--votes", type=Path, default=VOTES, help="folder of MT-bench data")
    parser.add_argument("--write", action="store_true", help="write docs/attacks.md")
    parser.add_argument("--keep", type=Path, help="folder for results, found again if there")
    parser.add_argument(
        "--only", nargs="+", choices=tuple(PARTS), default=[], help="run these parts anew, and keep"
    )
    options = parser.parse_args(arguments)
    if options.only and options.keep is None:
        parser.error("--only needs --keep")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(QUIET))
    judges = read_judges(options.votes / "battles_human.json")
    people = fit_people(judges)
    kept = None if options.keep is None else Kept(options.keep)
    done = run(people, options.seeds, options.minutes, kept=kept, only=options.only)
    print(f"{done.cpu_s:.0f} s of processor time, {done.seeds} seeds", file=sys.stderr)
    if options.only:
        return 0
    if not done.seeds:
        print("no seed was done: raise --minutes", file=sys.stderr)
        return 1
    answers = [
        text for texts in read_answers(options.votes / "model_answer").values() for text in texts
    ]
    page = report(
        Run(
            people=people,
            judges=alarms_of_judges(judges),
            results=done.results,
            seeds=done.seeds,
            http=run_http(people),
            marks=marks_left(answers[:MARKED]),
            named=names_found(MODELS, answers),
        )
    )
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
