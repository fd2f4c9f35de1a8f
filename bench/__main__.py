"""`make bench`: runs the benchmarks on both databases and keeps their results as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench import coverage, ranking, serve

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run, print tables, and write one file for this moment."""
    results = [asdict(result) for result in serve.main(["--postgres"])]
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"serve-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"\nWritten to {path}")
    ranking.main([])
    coverage.main([])


if __name__ == "__main__":
    main()
