"""Answers from Markdown to safe HTML: pure, deterministic and bounded; done once, at import.

Every word of the text stays; nothing in it becomes active, and nothing is loaded from anywhere.
"""

from __future__ import annotations

from arena.rendering.answers import RENDERER_VERSION, Rendered, render, visible
from arena.rendering.invisible import Cleaned, clean

__all__ = ["RENDERER_VERSION", "Cleaned", "Rendered", "clean", "render", "visible"]
