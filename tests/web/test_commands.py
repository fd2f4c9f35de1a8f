"""The `arena` command on an installation: what it prints, stores, refuses, and its exit codes."""

from __future__ import annotations

import functools
import json
import random
import re
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import webapp.cli.imports
import webapp.prepare
import webapp.wiring
from tests.fixtures.arena_app import OpenArena
from tests.fixtures.arena_site import (
    MODELS,
    SECRET,
    ArenaSite,
    Clock,
    open_site,
    route_of,
    write_pack,
)
from webapp.cli import main

Command = Callable[..., Result]


@pytest.fixture
def command(
    arena_file: Path, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Runs `arena` on the test's installation, by the test's clock."""
    built = functools.partial(webapp.wiring.build_services, clock=clock, rng=random.Random(5))
    monkeypatch.setattr(webapp.wiring, "build_services", built)
    monkeypatch.setattr(webapp.prepare, "build_services", built)
    monkeypatch.setattr(webapp.cli.imports, "build_services", built)
    environ = {
        "ARENA_DATA_DIR": str(tmp_path / "data"),
        "ARENA_DATABASE_URL": f"sqlite:///{arena_file}",
        "ARENA_SECRET_KEYS": SECRET,
        "ARENA_PUBLIC_URL": "http://localhost",
    }

    def run(*words: str | Path, **variables: str) -> Result:
        more = {f"ARENA_{name.upper()}": value for name, value in variables.items()}
        return CliRunner().invoke(main, [str(word) for word in words], env=environ | more)

    return run


@pytest.fixture
def voted(open_arena: OpenArena) -> ArenaSite:
    """A site with three sequenced votes."""
    arena = open_arena()
    for _ in range(3):
        arena.voter().read_and_vote()
    arena.sequence()
    return arena


def count(path: Path, table: str) -> int:
    """Return how many rows a table of a SQLite file has."""
    with closing(sqlite3.connect(path)) as conn:
        found: int = conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    return found


def test_a_dry_run_reports_and_stores_nothing(
    command: Command, shared_data: Path, arena_file: Path
) -> None:
    """On real answers: what would come, the findings with file and line, and no row written."""
    before = count(arena_file, "event")
    folder = shared_data / "real" / "alpacaeval"
    options = ("--mode", "speed", "--origin", "AlpacaEval", "--licence", "CC-BY-NC-4.0")

    result = command("import", folder, *options, "--dry-run")

    assert result.exit_code == 0, result.output
    assert "Would import alpacaeval into speed: 8 new models, 60 questions" in result.stdout
    assert re.search(r"text_davinci_003\.json:\d+: warning: .*holds no text", result.stderr)
    assert count(arena_file, "event") == before


def test_real_answers_import_once(command: Command, shared_data: Path, arena_file: Path) -> None:
    """MT-bench with its holes comes in whole; a second time there is nothing to do."""
    folder = shared_data / "real" / "mt_bench"
    options = ("--mode", "expert", "--origin", "MT-bench", "--licence", "CC-BY-4.0", "--json")

    first = command("import", folder, *options)
    events = count(arena_file, "event")
    second = command("import", folder, *options)

    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert told["stored"]
    assert (told["models"], told["questions"]) == (6, 80)
    assert count(arena_file, "answer") == told["answers"] + 14 * len(MODELS)
    assert second.exit_code == 0
    assert not json.loads(second.stdout)["stored"]
    assert json.loads(second.stdout)["already_there"] == told["answers"]
    assert count(arena_file, "event") == events


def test_a_broken_pack_stores_nothing(command: Command, tmp_path: Path, arena_file: Path) -> None:
    """One bad line refuses the whole import, with exit code 1 and the line's place."""
    pack = write_pack(tmp_path / "broken", "speed", questions=3, topic="broken")
    with (pack / "answers.jsonl").open("a", encoding="utf-8") as file:
        file.write("{no json\n")
    before = count(arena_file, "event")

    result = command("import", pack)

    assert result.exit_code == 1
    assert "answers.jsonl:19" in result.stderr
    assert count(arena_file, "event") == before


def test_a_pack_states_its_own_mode(command: Command, tmp_path: Path, arena_file: Path) -> None:
    """A pack needs no options; what it brings is said in one line."""
    pack = write_pack(tmp_path / "more", "expert", questions=3, topic="more")

    result = command("import", pack)

    assert result.exit_code == 0, result.output
    assert "into expert: 0 new models, 3 questions, 18 answers" in result.stdout


def test_models_lists_the_catalogue(command: Command) -> None:
    """Each model stands there with maker and showable answers by mode, also as JSON."""
    text, rows = command("models"), json.loads(command("models", "--json").stdout)

    assert [row["slug"] for row in rows] == sorted(model[0] for model in MODELS)
    assert {(row["speed"], row["expert"]) for row in rows} == {(10, 4)}
    for model in MODELS:
        assert re.search(rf"{model[0]} .*{model[2]}.* 10 .* 4", text.stdout)


def test_the_board_in_the_terminal(command: Command, voted: ArenaSite) -> None:
    """Before the fit it says that there is none; `--refit` fits what waits and prints it."""
    assert voted.count("vote") == 3
    none = command("board")
    as_json = command("board", "--json")
    fitted = command("board", "--refit")
    told = json.loads(command("board", "--json").stdout)

    assert "No board yet" in none.stdout
    assert as_json.stdout.strip() == "null"
    assert "3 votes of 3 voters" in fitted.stdout
    assert told["votes"] == 3
    assert {row["model"] for row in told["rows"]} <= {model[0] for model in MODELS}
    assert "No board yet" in command("board", "--mode", "expert").stdout


def test_the_log_verifies(command: Command, voted: ArenaSite) -> None:
    """A whole log is whole, in words and as JSON, and its checkpoint can be printed."""
    size = voted.sequence()

    said = command("log", "verify")
    told = json.loads(command("log", "verify", "--json").stdout)
    note = command("log", "checkpoint")

    assert said.exit_code == 0, said.output
    assert f"The log is whole: {size} entries" in said.stdout
    assert (told["ok"], told["size"], told["fault"]) == (True, size, None)
    assert note.stdout.startswith(f"localhost/log\n{size}\n")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET body = replace(body, 'best_worst', 'same') WHERE kind = 'vote.cast'",
        "UPDATE event_private SET part = '{}'",
        "UPDATE log_entry SET event_id = event_id || 'x' WHERE idx = 3",
        "UPDATE log_head SET root = replace(root, substr(root, 1, 2), '00')",
        "UPDATE log_checkpoint SET note = replace(note, 'localhost/log', 'elsewhere/log')",
    ],
)
def test_a_tampered_log_is_found(
    command: Command, voted: ArenaSite, arena_file: Path, change: str
) -> None:
    """Whoever changes the file behind the program's back is told the first fault, exit code 1."""
    voted.close()
    with closing(sqlite3.connect(arena_file)) as conn:
        names = conn.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            conn.execute(f"DROP TRIGGER {name}")
        assert conn.execute(change).rowcount > 0
        conn.commit()

    result = command("log", "verify")
    told = command("log", "verify", "--json")

    assert result.exit_code == 1
    assert "the log is not whole" in result.stderr
    assert told.exit_code == 1
    assert json.loads(told.stdout)["ok"] is False
    assert json.loads(told.stdout)["fault"]["what"]


def test_a_receipt_is_checked_offline(command: Command, voted: ArenaSite, tmp_path: Path) -> None:
    """A downloaded proof is good under the log's key, and refused under another or when cut."""
    voter = voted.voter()
    route = route_of(voter.read_and_vote())
    voted.sequence()
    file = tmp_path / "vote.tlog-proof"
    file.write_bytes(voter.get(f"/receipts/{route}.tlog-proof").data)
    short = tmp_path / "short.tlog-proof"
    short.write_bytes(file.read_bytes()[:-30])
    other = open_site(f"sqlite:///{tmp_path / 'o.sqlite3'}", tmp_path / "other")
    stranger = other.services.log_key.verifier.vkey
    other.close()

    own = command("log", "verify", "--receipt", file)
    named = command(
        "log", "verify", "--receipt", file, "--key", voted.services.log_key.verifier.vkey, "--json"
    )
    foreign = command("log", "verify", "--receipt", file, "--key", stranger)
    cut = command("log", "verify", "--receipt", short, "--json")

    assert own.exit_code == 0, own.output
    assert "Good: vote.cast is entry" in own.stdout
    assert json.loads(named.stdout)["body"] == voted.events("vote.cast")[-1].body
    assert foreign.exit_code == 1
    assert "proves nothing" in foreign.stderr
    assert (cut.exit_code, json.loads(cut.stdout)["ok"]) == (1, False)


def test_a_changed_key_keeps_log_and_receipts_good(
    command: Command, voted: ArenaSite, clock: Clock
) -> None:
    """`log rotate-key` names the new key; the running arena signs with both and lists both."""
    old = voted.services.log_key.verifier.vkey
    clock.advance(1)

    changed = command("log", "rotate-key")
    listed = voted.voter().get("/log/key").text.split()
    note = voted.voter().get("/log/checkpoint").text
    whole = command("log", "verify")
    voted.voter().read_and_vote()
    voted.sequence()

    assert changed.exit_code == 0, changed.output
    new = voted.services.log_key.verifier.vkey
    assert f"signed by {new}" in changed.stdout
    assert new != old
    assert listed == [new, old]
    assert note.count("\u2014 localhost/log ") == 2
    assert whole.exit_code == 0, whole.output
    assert voted.voter().get("/log/checkpoint").text.count("\u2014 localhost/log ") == 2
    assert command("log", "verify").exit_code == 0
    assert command("log", "verify", "--key", old).exit_code == 0


def test_a_receipt_without_any_key_is_wrong_use(command: Command, tmp_path: Path) -> None:
    """On a machine without the log's key, `--key` is asked for, and no key is made."""
    file = tmp_path / "x.tlog-proof"
    file.write_text("x", encoding="utf-8")

    result = command("log", "verify", "--receipt", file, data_dir=str(tmp_path / "none"))

    assert result.exit_code == 2
    assert "--key" in result.stderr
    assert not (tmp_path / "none").exists()


def test_check_and_upgrade(command: Command, arena_file: Path, tmp_path: Path) -> None:
    """The schema as migrated is as expected; a stray table is named; a bare file is upgraded."""
    assert command("db", "check").exit_code == 0
    with closing(sqlite3.connect(arena_file)) as conn:
        conn.execute("CREATE TABLE stray (id INTEGER)")
    strayed = command("db", "check")
    bare = f"sqlite:///{tmp_path / 'bare.sqlite3'}"
    nothing = command("models", database_url=bare)
    (tmp_path / "bare.sqlite3").touch()
    before = command("models", database_url=bare)
    upgraded = command("db", "upgrade", database_url=bare)

    assert strayed.exit_code == 1
    assert "stray" in strayed.stdout
    assert nothing.exit_code == 2
    assert "there is no arena" in nothing.stderr
    assert before.exit_code == 1
    assert "arena db upgrade" in before.stderr
    assert upgraded.exit_code == 0
    assert command("models", database_url=bare).exit_code == 0


def test_rebuild_tells_what_differed(command: Command, voted: ArenaSite) -> None:
    """Equal tables: exit code 0; a changed one is named with exit code 1, and mended."""
    same = command("db", "rebuild")
    voted.execute("UPDATE vote SET weight_micro = 1")
    changed = command("db", "rebuild", "--json")
    again = command("db", "rebuild", "--json")

    assert same.exit_code == 0, same.output
    assert re.search(r"Replayed \d+ events into \d+ rows\.", same.stdout)
    assert changed.exit_code == 1
    assert json.loads(changed.stdout)["differing"] == ["vote"]
    assert "vote" in changed.stderr
    assert (again.exit_code, json.loads(again.stdout)["differing"]) == (0, [])


def test_a_backup_restores(
    command: Command, voted: ArenaSite, tmp_path: Path, arena_file: Path
) -> None:
    """Database, key and checkpoint are copied; from the copy alone the log verifies (X-015)."""
    size = voted.sequence()
    folder = tmp_path / "copy"

    made = command("db", "backup", folder)
    second = command("db", "backup", folder)
    restored = command(
        "log",
        "verify",
        data_dir=str(folder),
        database_url=f"sqlite:///{folder / arena_file.name}",
    )

    assert made.exit_code == 0, made.output
    assert {"log-key", "log-checkpoint", arena_file.name} <= {p.name for p in folder.iterdir()}
    assert (folder / "log-key").stat().st_mode & 0o077 == 0
    assert list(voted.services.settings.key_dir.iterdir())
    assert not list(folder.rglob("*.key"))  # keys that are to be destroyed must not be copied
    assert folder.stat().st_mode & 0o077 == 0
    assert f"The log is whole: {size} entries" in restored.stdout
    assert second.exit_code == 2
    assert "is not empty" in second.stderr


def test_a_backup_of_postgresql_names_the_files_to_copy(command: Command, tmp_path: Path) -> None:
    """Each is named, and the folder of the digest keys as what no backup may hold."""
    answer = command(
        "db",
        "backup",
        tmp_path / "copy",
        database_url="postgresql://arena@127.0.0.1/arena",
        key_dir=str(tmp_path / "digest-keys"),
    )

    assert answer.exit_code == 2
    assert "log-key, log-checkpoint and secret-key" in answer.stderr
    assert f"leave {tmp_path / 'digest-keys'} out" in answer.stderr
    assert "the files of" not in answer.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("nosuch",),
        ("import",),
        ("import", "/no/such/file"),
        ("import", ".", "--mode", "slow"),
        ("import", ".", "--format", "xml"),
        ("board", "--mode", "both"),
        ("log", "verify", "--receipt", "/no/such/file"),
        ("models", "--no-such-option"),
        ("db", "backup"),
    ],
)
def test_wrong_use_is_exit_code_2(command: Command, words: tuple[str, ...]) -> None:
    """Whatever is misspelt or missing, the exit code is 2 and the usage is shown."""
    result = command(*words)
    assert result.exit_code == 2
    assert "Usage:" in result.stderr


def test_an_unusable_setting_is_one_line(command: Command) -> None:
    """A wrong variable is named in one line, exit code 2, for every command."""
    for words in (("models",), ("db", "check"), ("log", "verify"), ("web",), ("worker",)):
        result = command(*words, port="none")
        assert result.exit_code == 2, words
        assert result.stderr.startswith("arena: ARENA_PORT is 'none'")
        assert result.stderr.count("\n") == 1


def test_a_taken_port_is_told_before_anything_is_made(command: Command, tmp_path: Path) -> None:
    """`serve` names the port in one line, announces nothing and makes no data folder."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = command("serve", port=str(port), data_dir=str(tmp_path / "none"))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"arena: port {port} is taken")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("half", ["web", "worker"])
def test_half_an_arena_needs_a_prepared_database(
    command: Command, tmp_path: Path, half: str
) -> None:
    """On an empty database neither half starts: one line, exit code 1, what to run."""
    empty = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    result = command(half, database_url=empty)
    assert result.exit_code == 1
    assert "run `arena db upgrade`" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_new_data_folder_is_its_owners_alone(command: Command, tmp_path: Path) -> None:
    """The database holds what is private, so nobody else on the machine may enter the folder."""
    assert command("models", data_dir=str(tmp_path / "new")).exit_code == 0
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_one_line(command: Command, tmp_path: Path) -> None:
    """A data folder under a file is named with the system's reason."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = command("models", data_dir=str(tmp_path / "file" / "data"))
    assert result.exit_code == 1
    assert result.stderr == f"arena: Not a directory: {tmp_path / 'file' / 'data'}\n"


def test_nothing_signed_yet(command: Command) -> None:
    """Before the worker ran there is no checkpoint: exit code 1 and what to do."""
    result = command("log", "checkpoint")
    assert result.exit_code == 1
    assert "start the worker" in result.stderr


def test_help_and_version() -> None:
    """Every command explains itself."""
    runner = CliRunner()
    for words in ([], ["db"], ["log"], ["import"], ["board"], ["models"], ["serve"]):
        result = runner.invoke(main, [*words, "--help"])
        assert result.exit_code == 0
        assert "Usage: " in result.stdout
    assert runner.invoke(main, ["--version"]).stdout.startswith("arena")


def test_retention_asks_before_it_trusts_a_clock_far_ahead(
    command: Command, voted: ArenaSite, clock: Clock
) -> None:
    """It erases what is over; years later it refuses with what to do, and does it when told."""
    assert command("retention").output == "Erased 0 rows.\n"
    private = voted.count("event_private")
    clock.advance(400 * 86_400)

    refused = command("retention")
    assert refused.exit_code == 1
    assert "run `arena retention --clock-is-right`" in refused.output
    assert voted.count("event_private") == private
    done = command("retention", "--clock-is-right")

    assert done.exit_code == 0, done.output
    assert voted.count("event_private") == 0
