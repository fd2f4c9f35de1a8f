"""The last signed checkpoint, kept in a file outside the database.

A power cut or a restored backup can take the database back behind what was signed; this cannot.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ledger.checkpoint import Checkpoint, parse_checkpoint
from ledger.errors import InvalidNote, LogForked
from ledger.signing import Verifier, open_note

__all__ = ["guard", "keep"]

ADVICE = (
    "Nothing is signed until this is settled, for two different trees under one key would make all"
    " receipts worthless. If a backup was restored, restore the newest one instead. If events are"
    " lost for good, the log has to begin anew under another origin and key, and say why in public."
)


def keep(path: Path, note: str) -> None:
    """Replace the file's content by a newer checkpoint, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w", encoding="utf-8", newline="") as file:
        file.write(note)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the new name itself has to survive a power cut too
    finally:
        os.close(folder)


def guard(
    path: Path,
    *,
    origin: str,
    verifiers: Sequence[Verifier],
    size: int,
    signed_size: int,
    root_at: Callable[[int], bytes],
) -> None:
    """Make sure that the database still holds the tree that was signed last.

    Args:
        path: of the kept checkpoint.
        origin: the log's name.
        verifiers: keys of which one signed it.
        size: leaves in the database's tree.
        signed_size: leaves under the database's newest checkpoint, 0 for none.
        root_at: the database's root at a size up to its own.

    Raises:
        LogForked: when it does not, or when that cannot be told.
    """
    if not path.exists():
        if signed_size:
            raise LogForked(
                f"the database says that {signed_size} entries were signed, but {path} is missing."
                " Put it back from the backup, or save there what /log/checkpoint answered last."
            )
        return
    kept = _read(path, origin, verifiers)
    if kept.size > size:
        raise LogForked(
            f"the database holds {size} entries, but {kept.size} were signed ({path}). {ADVICE}"
        )
    if root_at(kept.size) != kept.root:
        raise LogForked(
            f"the database's first {kept.size} entries are not those signed ({path}). {ADVICE}"
        )


def _read(path: Path, origin: str, verifiers: Sequence[Verifier]) -> Checkpoint:
    try:
        kept = parse_checkpoint(open_note(path.read_bytes().decode("utf-8"), verifiers))
    except (InvalidNote, UnicodeDecodeError) as error:
        raise LogForked(
            f"{path} is no checkpoint by this log's keys ({error}). Put it back from the backup, or"
            " save there what /log/checkpoint answered last; when keys changed, sign with both."
        ) from error
    if kept.origin != origin:
        raise LogForked(
            f"{path} is a checkpoint of {kept.origin}, not of {origin}: set the origin back, or"
            " begin the new log with an empty database and another data folder."
        )
    return kept
