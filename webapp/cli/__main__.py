"""Lets the supervisor start its children as `python -m webapp.cli`."""

from webapp.cli import main

main()
