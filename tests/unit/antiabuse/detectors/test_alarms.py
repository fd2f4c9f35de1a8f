"""False alarms as measured: the page about detectors shows the numbers that the rules rest on."""

from __future__ import annotations

from pathlib import Path

from antiabuse.detectors.alarms import FALSE_ALARMS, JUDGES, SIMULATED
from antiabuse.detectors.finding import Detector

PAGE = Path(__file__).parents[4] / "docs" / "detectors.md"


def test_the_page_shows_what_was_measured() -> None:
    """A row for each detector, with its numbers and whether it may ever take weight."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.partition("## Two thresholds")[2].partition("\n## ")[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines()]
    rows = {row[0].strip("`"): row for row in cells if row and row[0].startswith("`")}

    assert set(rows) == set(Detector)
    assert f"{JUDGES} real judges" in part
    assert f"{SIMULATED} simulated" in part
    for detector, row in rows.items():
        alarms = FALSE_ALARMS.get(Detector(detector))
        assert row[2].startswith("never") is (alarms is None or alarms.strict is None), detector
        if alarms is not None:
            shown = ["–" if alarms.judges is None else str(alarms.judges), str(alarms.simulated)]
            shown.append("never" if alarms.strict is None else str(alarms.strict))
            assert row[3:] == shown, detector
