"""What people type into a form, as it is measured and kept."""

from __future__ import annotations

__all__ = ["typed_text"]


def typed_text(sent: str) -> str:
    """Return a form's text without space around it, each line break as one character.

    Forms send a line break as two characters, where the browser's own bound counts one.
    """
    return sent.replace("\r\n", "\n").strip()
