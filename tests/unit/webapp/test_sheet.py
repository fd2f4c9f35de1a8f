"""Tables as files: what a spreadsheet does with them."""

from __future__ import annotations

import csv
import io

from flask import Flask

from webapp.board.sheet import Sheet, as_file


def test_a_name_is_never_a_formula() -> None:
    """Text that a spreadsheet would calculate gets an apostrophe; numbers stay numbers."""
    sheet = Sheet(
        ("model", "score", "change", "places", "provisional"),
        (("=HYPERLINK(1)", 1200.5, -12.25, "2-4", True), ("@sum", 3, None, "-", False)),
    )
    with Flask("files").test_request_context():
        text = as_file(None, "scores", sheet, "csv").get_data(as_text=True)

    assert list(csv.reader(io.StringIO(text)))[1:] == [
        ["'=HYPERLINK(1)", "1200.5", "-12.25", "2-4", "true"],
        ["'@sum", "3", "", "'-", "false"],
    ]
