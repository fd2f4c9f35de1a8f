"""A process that appends events one by one, for the race: python appender.py URL COUNT NAME."""

from __future__ import annotations

import random
import sys

from ledger.database import open_database
from ledger.errors import DatabaseBusy
from ledger.event import Disclosure, NewEvent
from ledger.ids import uuid4
from ledger.store import Log


def main(url: str, count: int, name: str) -> None:
    """Append so many events, each in a transaction of its own."""
    rng = random.Random(name)
    log = Log(lambda: rng.randbytes(32))
    database = open_database(url, pool_size=1)
    for number in range(count):
        event = NewEvent(
            id=uuid4(rng),
            kind="vote.cast",
            version=1,
            stream="arena/speed/2026-11",
            ruleset="arena.2026.1",
            body={"name": name, "number": number},
            private={"secret": number},
            disclosure=Disclosure.ARCHIVE,
            shuffled=number % 2 == 0,
        )
        for _attempt in range(20):
            try:
                with database.write() as conn:
                    log.append(conn, event)
                break
            except DatabaseBusy:
                continue
        else:
            raise SystemExit("the database stayed busy")
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
