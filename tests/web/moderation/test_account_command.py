"""`arena moderator`: accounts from the command line."""

from __future__ import annotations

import functools
import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import webapp.wiring
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import SECRET, Clock
from tests.fixtures.moderators import PASSWORD, Moderator
from webapp.cli import main

Command = Callable[..., Result]


@pytest.fixture
def command(
    arena_file: Path, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Runs `arena moderator` on the test's installation, with this input."""
    built = functools.partial(webapp.wiring.build_services, clock=clock, rng=random.Random(5))
    monkeypatch.setattr("webapp.prepare.build_services", built)
    environ = {
        "ARENA_DATA_DIR": str(tmp_path / "data"),
        "ARENA_DATABASE_URL": f"sqlite:///{arena_file}",
        "ARENA_SECRET_KEYS": SECRET,
        "ARENA_PUBLIC_URL": "http://localhost",
    }

    def run(*words: str, typed: str = PASSWORD + "\n") -> Result:
        return CliRunner().invoke(main, ["moderator", *words], env=environ, input=typed)

    return run


def test_an_added_account_can_sign_in(command: Command, open_arena: OpenArena) -> None:
    """The password comes from the input, and is not said again."""
    done = command("add", "Rosa", "--role", "moderator")

    assert done.exit_code == 0, done.output
    assert re.match(r"Added rosa \(moderator\).*M-[0-9a-f]{4}", done.output)
    assert PASSWORD not in done.output
    assert Moderator(open_arena(), "203.0.113.9").sign_in().status_code == 303


def test_the_key_of_codes_is_shown_once(command: Command) -> None:
    """Adding with codes prints address and key; the list does not."""
    done = command("add", "rosa", "--role", "operator", "--totp")
    listed = command("list", "--json")

    found = re.search(r"otpauth://totp/Evidence%20Arena:rosa\?secret=([A-Z2-7]{32})", done.output)
    assert found is not None
    assert found[1] in done.output.replace(" ", "")
    assert found[1] not in listed.output
    assert json.loads(listed.output)[0]["has_code"] is True


@pytest.mark.parametrize(
    "words,typed,says",
    [
        (("add", "rosa klein", "--role", "moderator"), PASSWORD, "a name has 1 to 32"),
        (("add", "rosa", "--role", "moderator"), "short", "15 characters or more"),
        (("add", "rosa", "--role", "moderator"), "", "15 characters or more"),
        (("disable", "rosa"), "", "no open account rosa"),
        (("password", "rosa"), PASSWORD, "no open account rosa"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    command: Command, words: tuple[str, ...], typed: str, says: str
) -> None:
    """An error is one line with its reason, and exit code 1."""
    done = command(*words, typed=typed)

    assert done.exit_code == 1
    assert says in done.output
    assert len(done.output.splitlines()) == 1


def test_at_a_terminal_the_password_is_asked_for_twice(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that differ are asked for again; none of them is shown."""
    # The package gives the group its module's name.
    monkeypatch.setattr(sys.modules["webapp.cli.moderator"], "at_terminal", lambda: True)
    typed = "".join(f"{line}\n" for line in ("four calm rivers", "four", PASSWORD, PASSWORD))

    done = command("add", "rosa", "--role", "moderator", typed=typed)

    assert done.exit_code == 0, done.output
    assert "do not match" in done.output
    assert PASSWORD not in done.output


def test_roles_are_a_closed_list(command: Command) -> None:
    """Another role is a wrong use of the command."""
    assert command("add", "rosa", "--role", "admin").exit_code == 2
    assert command("add", "rosa").exit_code == 2


def test_disabling_and_listing(command: Command) -> None:
    """A disabled account stays in the list, marked."""
    command("add", "rosa", "--role", "moderator")
    assert "No accounts" not in command("list").output

    assert "disabled and signed out" in command("disable", "rosa").output

    assert re.search(r"rosa +M-[0-9a-f]{4} +moderator +disabled", command("list").output)


def test_an_empty_list_says_what_to_do(command: Command) -> None:
    """Without accounts the list names the command that makes one."""
    assert "arena moderator add NAME" in command("list").output


def test_a_new_password_replaces_the_old(command: Command, open_arena: OpenArena) -> None:
    """The old one opens nothing any more, and open sessions have ended."""
    command("add", "rosa", "--role", "moderator")
    browser = Moderator(open_arena(), "203.0.113.9")
    browser.sign_in()

    assert command("password", "rosa", typed="seven loud rivers run\n").exit_code == 0

    assert browser.get("/moderation/account").status_code == 303
    assert browser.sign_in().status_code == 403
    assert browser.sign_in(password="seven loud rivers run").status_code == 303
