"""What detectors found, in words that a moderator can judge by."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from flask import render_template_string

from antiabuse.detectors.finding import Detector
from tests.fixtures.arena_site import ArenaSite

TEMPLATE = """
{%- from "moderation/words.html" import detector_name, what_was_seen, what_was_expected,
  honest_reasons -%}
{{ detector_name(flag.detector) }}
{{ what_was_seen(flag, {"heron": "Heron"}) }}
{{ what_was_expected(flag) }}
{{ honest_reasons(flag.detector) }}"""


@pytest.mark.parametrize("detector", list(Detector))
def test_every_detector_speaks(arena: ArenaSite, detector: Detector) -> None:
    """Name, sight, expectation and the honest explanation are sentences of its own, not codes."""
    flag = SimpleNamespace(
        detector=detector.value,
        statistic="5",
        threshold="4",
        p_value="0.001",
        look=20,
        voters=3,
        numbers={"model": "heron", "kind": "best", "members": "3"},
    )
    with arena.app.test_request_context():
        lines = render_template_string(TEMPLATE, flag=flag).strip().splitlines()

    assert len(lines) == 4
    name, seen, expected, honest = (line.strip() for line in lines)
    assert all((name, seen, expected, honest))
    assert detector.value not in " ".join(lines)
    assert seen.endswith(".")
