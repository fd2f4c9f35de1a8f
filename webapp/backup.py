"""A copy of all that a restore needs: database, keys, last checkpoint (X-015)."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from webapp.settings import Settings, SettingsError

__all__ = ["back_up"]

_FILES: Final = ("log-key", "log-checkpoint", "secret-key")


def back_up(settings: Settings, folder: Path) -> str:
    """Copy what an installation is made of into a new folder; return a line about it.

    Raises:
        SettingsError: the folder exists and is not empty, or the database is no SQLite file.
    """
    if folder.exists() and any(folder.iterdir()):
        message = f"{folder} is not empty: name a new folder"
        raise SettingsError(message)
    if not settings.database_url.startswith("sqlite:///"):
        message = (
            f"copy {_listed(_FILES)} from {settings.data_dir}, then the PostgreSQL database with "
            f"pg_dump; leave {settings.key_dir} out, for its keys are to be destroyed"
        )
        raise SettingsError(message)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    source = settings.database_url.removeprefix("sqlite:///")
    # SQLite's own backup sees one moment, also while votes come in.
    with (
        closing(sqlite3.connect(source)) as old,
        closing(sqlite3.connect(folder / Path(source).name)) as new,
    ):
        old.backup(new)
    copied = [name for name in _FILES if (settings.data_dir / name).exists()]
    for name in copied:
        shutil.copy2(settings.data_dir / name, folder / name)
    names = ", ".join([Path(source).name, *copied])
    return f"Copied {names} to {folder}. Keep it private: it holds the keys."


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
