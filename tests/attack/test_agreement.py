"""The simulated month does what the application does."""

from __future__ import annotations

from bench.attacks.bots import Booster, Careless, Guess, Policy, Reader, Suppressor, TargetOnly
from bench.attacks.real_votes import People
from bench.attacks.replay import Voter, differences, record
from bench.attacks.setting import Setting
from tests.attack.conftest import OpenApplication


def test_simulation_and_application_agree(
    open_application: OpenApplication, setting: Setting, people: People
) -> None:
    """The same ballots and votes get the same chances, weights and boards in both.

    Two bots share a network, so that the cap of networks is at work.
    """
    app = open_application()
    names = setting.names()
    eyes = Guess(0.95, names)
    bots: list[Policy] = [
        TargetOnly(names[5], eyes),
        Booster(names[5], eyes, people),
        Suppressor((names[5],), eyes, people),
        Careless(),
    ]
    addresses = ["198.51.100.1", "198.51.100.2", "203.0.113.1", "203.0.114.1"]
    voters = [Voter(app.person(at), bot) for at, bot in zip(addresses, bots, strict=True)]
    voters += [Voter(app.person(f"192.0.{n}.1"), Reader(people, {})) for n in range(10)]

    happened = record(app, voters, votes=84, board_every=28, seed=3)
    found = differences(app, setting, happened)

    assert sum(one.board is not None for one in happened) == 3
    assert len({one.cast.weight for one in happened}) > 3
    assert found.chance < 1e-4
    assert found.weight == 0
    assert found.strength < 1e-5
