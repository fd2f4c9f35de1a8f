"""The public engine as a stranger runs it: a copied file, a votes file, nothing else."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ranking import lobster

Run = Callable[..., subprocess.CompletedProcess[str]]


def vote(models: str, best: str | None, voter: str, **other: object) -> dict[str, object]:
    """One line of `votes.jsonl`, with models named by letters in slot order."""
    line: dict[str, object] = {
        "id": "018f",
        "mode": "speed",
        "question": "q1",
        "models": list(models),
        "verdict": "best_worst",
        "best": best,
        "worst": None,
        "weight": "1",
        "weight_parts": {},
        "reasons": [],
        "voter": voter,
        "cluster": voter,
        "hour": "2026-11-01T10",
        "salt": "00",
        "index": 1,
    }
    return line | other


VOTES = [
    vote("ABCD", "A", "u1", worst="D"),
    vote("DABC", "A", "u1", weight="0.5"),
    vote("ABCE", "B", "u2", worst="A"),
    vote("ABDE", "E", "u3", weight="0.998750"),
    vote("ABCD", "C", "u4"),
    vote("ABCD", "D", "u4", weight="0"),
    vote("ABCD", None, "u5", verdict="same"),
    vote("ABCD", None, "u5", verdict="bad"),
]
OTHER_MODE = [vote("XYZ", "X", "u1", mode="expert"), vote("XY", "Y", "u2", mode="expert")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder apart, with the engine copied into it and votes of two modes."""
    shutil.copy(lobster.__file__, tmp_path / "lobster.py")
    write(tmp_path / "votes.jsonl.gz", [*VOTES, *OTHER_MODE])
    return tmp_path


def write(path: Path, votes: list[dict[str, object]]) -> Path:
    """Write votes, one a line, packed when the name says so."""
    text = "".join(json.dumps(line) + "\n" for line in votes).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


@pytest.fixture
def run(folder: Path) -> Run:
    """Run the copied file in its folder, without this project on the path."""

    def run_it(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "lobster.py", *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    return run_it


def records(done: subprocess.CompletedProcess[str]) -> Any:  # noqa: ANN401 - JSON
    """The JSON of a run that went well."""
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def shown(board: dict[str, Any]) -> list[dict[str, object]]:
    """Model, score and error of each row of a printed board."""
    return [{key: row[key] for key in ("model", "score", "se")} for row in board["models"]]


def in_process(
    path: Path, mode: str, *, basket: list[str] | None = None, reference: str | None = None
) -> list[dict[str, object]]:
    """The same board from the imported module, as JSON shows it."""
    choices = lobster.read_choices(path, cluster="voter")[mode]
    board = lobster.board(lobster.fit(choices), basket=basket, reference=reference)
    return [{"model": row.model, "score": row.score, "se": row.se} for row in board.models]


def test_the_copied_file_prints_the_same_board(run: Run, folder: Path) -> None:
    """One board a mode, equal to the board made in process to the last digit."""
    boards = records(run("votes.jsonl.gz", "--json"))["boards"]

    assert [board["mode"] for board in boards] == ["expert", "speed"]
    for board in boards:
        assert shown(board) == in_process(folder / "votes.jsonl.gz", board["mode"])


def test_one_mode_gives_one_record_with_the_agreed_keys(run: Run) -> None:
    """The JSON holds every key of the format, with counts of what the fit used."""
    board = records(run("votes.jsonl.gz", "--json", "--mode", "speed"))

    keys = ("model", "theta", "gamma", "score", "se", "low", "high", "exposures", "best", "worst")
    assert all(key in row for row in board["models"] for key in keys)
    assert board["log_likelihood"] > board["penalised_log_likelihood"]
    counts = {key: board[key] for key in ("board", "votes", "voters", "same", "bad")}
    assert counts == {"board": "pl.1", "votes": 5, "voters": 4, "same": 1, "bad": 1}
    rows = {row["model"]: row for row in board["models"]}
    assert (rows["A"]["exposures"], rows["A"]["best"], rows["A"]["worst"]) == (4.49875, 1.5, 1)


def test_plain_text_lists_every_model_once(run: Run) -> None:
    """Without --json a table is printed, best model first."""
    done = run("votes.jsonl.gz", "--mode", "speed")

    assert done.returncode == 0
    listed = [line.split()[7] for line in done.stdout.splitlines()[5:]]
    assert sorted(listed) == list("ABCDE")
    assert "provisional" in done.stdout


def test_an_unpacked_file_gives_the_same_output(run: Run, folder: Path) -> None:
    """Packing is seen from the content."""
    write(folder / "votes.jsonl", [*VOTES, *OTHER_MODE])

    assert run("votes.jsonl", "--json").stdout == run("votes.jsonl.gz", "--json").stdout


def test_the_extended_board_has_weights_and_the_test_of_its_scale(run: Run, folder: Path) -> None:
    """--board pl.extended.1 prints the same rows, δ, γ0, and whether one scale fits."""
    extended = ("votes.jsonl.gz", "--mode", "speed", "--board", "pl.extended.1")

    board, plain = records(run(*extended, "--json")), run(*extended)

    choices = lobster.read_choices(folder / "votes.jsonl.gz", cluster="voter")["speed"]
    fitted = lobster.fit_extended(choices)
    assert board["board"] == "pl.extended.1"
    assert shown(board) == [
        {"model": row.model, "score": row.score, "se": row.se}
        for row in lobster.board(fitted).models
    ]
    assert [extra["log_weight"] for extra in board["extra"]] == fitted.extra.tolist()
    assert board["one_scale"]["df"] == 4
    assert [extra["verdict"] for extra in board["extra"]] == ["same", "bad"]
    assert f"weight of 'bad' {board['extra'][1]['weight']:.6f}" in plain.stdout
    assert "voters not clustered" in plain.stdout
    official = records(run("votes.jsonl.gz", "--mode", "speed", "--json"))
    assert (official["extra"], official["one_scale"]) == ([], None)


def test_a_reference_and_a_basket_move_the_zero(run: Run, folder: Path) -> None:
    """Both options reach the board."""
    reference = records(run("votes.jsonl.gz", "--json", "--mode", "speed", "--reference", "B"))
    basket = records(run("votes.jsonl.gz", "--json", "--mode", "speed", "--basket", "A,C"))

    path = folder / "votes.jsonl.gz"
    assert shown(reference) == in_process(path, "speed", reference="B")
    assert shown(basket) == in_process(path, "speed", basket=["A", "C"])


def test_the_manifest_beside_the_votes_names_the_basket(run: Run, folder: Path) -> None:
    """Its models with a hundred exposures are the basket; given four of them, it is used."""
    many = [vote("ABCD", best, f"u{i}") for i, best in enumerate("AABC" * 25 + "D")]
    write(folder / "votes.jsonl", many)
    (folder / "manifest.json").write_text(json.dumps({"basket": {"speed": list("DCBAZ")}}))

    board = records(run("votes.jsonl", "--json", "--mode", "speed"))

    assert board["basket"] == list("DCBA")
    assert sum(row["theta"] for row in board["models"]) == pytest.approx(0, abs=1e-12)
    few = records(run("votes.jsonl.gz", "--json", "--mode", "speed"))
    assert few["basket"] is None


def test_a_manifest_without_a_basket_is_an_error(run: Run, folder: Path) -> None:
    """The zero of an archived board is never guessed."""
    (folder / "manifest.json").write_text("{}")

    done = run("votes.jsonl.gz", "--mode", "speed")

    assert done.returncode == 1
    assert "--basket" in done.stderr


def test_clustering_by_vote_counts_each_vote_as_a_voter(run: Run) -> None:
    """--cluster vote treats votes as independent and changes errors alone."""
    by_vote = records(run("votes.jsonl.gz", "--json", "--mode", "speed", "--cluster", "vote"))
    by_voter = records(run("votes.jsonl.gz", "--json", "--mode", "speed"))

    assert (by_vote["voters"], by_voter["voters"]) == (5, 4)
    assert [r["theta"] for r in by_vote["models"]] == [r["theta"] for r in by_voter["models"]]
    assert [r["se"] for r in by_vote["models"]] != [r["se"] for r in by_voter["models"]]


def test_no_ghost_without_a_finite_maximum_is_an_error(run: Run) -> None:
    """A model that never lost or never won has no plain maximum-likelihood score."""
    done = run("votes.jsonl.gz", "--mode", "speed", "--ghost", "0")

    assert (done.returncode, done.stdout) == (1, "")
    assert "no finite maximum" in done.stderr


def test_no_ghost_with_a_finite_maximum_is_plain_likelihood(run: Run, folder: Path) -> None:
    """W-4 without ghost through the command."""
    write(folder / "v.jsonl", [vote("ABCD", b, f"u{i}") for i, b in enumerate("AAAABBBCCD")])

    board = records(run("v.jsonl", "--json", "--mode", "speed", "--ghost", "0"))

    gammas = [row["gamma"] for row in board["models"]]
    assert gammas == pytest.approx((1.807204, 1.355403, 0.903602, 0.451801), abs=6e-7)
    assert board["log_likelihood"] == board["penalised_log_likelihood"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["votes.jsonl.gz", "--board", "elo"],
        ["votes.jsonl.gz", "--mode", "slow"],
        ["votes.jsonl.gz", "--cluster", "hour"],
        ["votes.jsonl.gz", "--basket", "A", "--reference", "B"],
        ["votes.jsonl.gz", "--mode", "speed", "--reference", "Z"],
        ["votes.jsonl.gz", "--mode", "speed", "--basket", "A,,B"],
        ["votes.jsonl.gz", "--ghost", "-1"],
        ["votes.jsonl.gz", "--ghost", "nan"],
        ["missing.jsonl"],
        ["."],
        [],
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(run: Run, arguments: list[str]) -> None:
    """Unknown boards and options, and files that are not there."""
    done = run(*arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("lobster.py: ")


def without(key: str) -> str:
    """A vote that lacks a key."""
    line = vote("ABCD", "A", "u1")
    del line[key]
    return json.dumps(line)


BAD_LINES = {
    "no JSON": ("{", "line 2"),
    "empty": ("", "line 2"),
    "no object": ("[]", "JSON object"),
    "deep": ("[" * 100_000, "line 2"),
    "no verdict": (without("verdict"), "'verdict' is missing"),
    "no weight": (without("weight"), "'weight' is missing"),
    "mode": (json.dumps(vote("ABCD", "A", "u1", mode="slow")), "'mode'"),
    "verdict": (json.dumps(vote("ABCD", "A", "u1", verdict="best")), "'verdict'"),
    "one model": (json.dumps(vote("A", "A", "u1")), "two models"),
    "twice": (json.dumps(vote("AABC", "A", "u1")), "twice"),
    "numbers": (json.dumps(vote("AB", "A", "u1") | {"models": [1, 2]}), "list of names"),
    "best": (json.dumps(vote("ABCD", "E", "u1")), "'best'"),
    "no best": (json.dumps(vote("ABCD", None, "u1")), "'best'"),
    "worst": (json.dumps(vote("ABCD", "A", "u1", worst="E")), "'worst'"),
    "both": (json.dumps(vote("ABCD", "A", "u1", worst="A")), "'worst'"),
    "same with best": (json.dumps(vote("ABCD", "A", "u1", verdict="same")), "must be null"),
    "float weight": (json.dumps(vote("ABCD", "A", "u1", weight=1.0)), "'weight'"),
    "negative": (json.dumps(vote("ABCD", "A", "u1", weight="-1")), "'weight'"),
    "fine weight": (json.dumps(vote("ABCD", "A", "u1", weight="0.1234567")), "'weight'"),
    "nobody": (json.dumps(vote("ABCD", "A", "u1") | {"cluster": None, "voter": None}), "'voter'"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_and_exit_code_1(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input is never skipped: one line says which line and what is wrong."""
    line, fault = BAD_LINES[name]
    path = folder / "bad.jsonl"
    path.write_text(json.dumps(VOTES[0]) + "\n" + line + "\n")

    code = lobster.main([str(path)])

    printed = capsys.readouterr()
    assert (code, printed.out) == (1, "")
    assert len(printed.err.splitlines()) == 1
    assert "bad.jsonl, line 2: " in printed.err
    assert fault in printed.err


@pytest.mark.parametrize("content", ["cut", "no text"])
def test_a_damaged_file_is_exit_code_1(
    content: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cut archive and bytes that are no UTF-8 are refused in one line."""
    packed = (folder / "votes.jsonl.gz").read_bytes()
    path = folder / "damaged"
    path.write_bytes(packed[:-20] if content == "cut" else b'{"mode": "\xff"}\n')

    code = lobster.main([str(path)])

    printed = capsys.readouterr()
    assert (code, printed.out, len(printed.err.splitlines())) == (1, "", 1)


def test_a_mode_without_votes_is_exit_code_1(run: Run, folder: Path) -> None:
    """Asking for a mode the file does not hold says so."""
    write(folder / "expert.jsonl", OTHER_MODE)

    done = run("expert.jsonl", "--mode", "speed")

    assert done.returncode == 1
    assert "no vote of mode speed" in done.stderr


def test_a_voter_stands_in_for_a_missing_cluster(folder: Path) -> None:
    """Joined accounts count as one; without a joined name the pseudonym is the voter."""
    lines = [vote("AB", "A", "u1", cluster="c1"), vote("AB", "A", "u2", cluster="c1")]
    lines += [vote("AB", "B", "u3", cluster=None)]
    path = write(folder / "joined.jsonl", lines)

    assert lobster.fit(lobster.read_choices(path, cluster="voter")["speed"]).clusters == 2


def test_a_month_without_votes_is_said_and_no_error(run: Run, folder: Path) -> None:
    """V-109: an empty file has no boards, which is not the same as printing nothing."""
    write(folder / "empty.jsonl", [])

    told = run("empty.jsonl")

    assert (told.returncode, told.stdout, told.stderr) == (0, "no votes\n", "")
    assert json.loads(run("empty.jsonl", "--json").stdout) == {"boards": []}


def test_names_beyond_ascii_are_printed_whatever_the_terminal_says(folder: Path) -> None:
    """Output is UTF-8, so that ranges of places and foreign names stop nobody's script."""
    names = ["é", "B", "C", "D"]
    write(folder / "foreign.jsonl", [vote("ABCD", "é", "u1") | {"models": names}])

    told = subprocess.run(
        [sys.executable, "lobster.py", "foreign.jsonl"],
        cwd=folder,
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1"},
        timeout=60,
    )

    assert told.returncode == 0, told.stderr
    assert "é" in told.stdout.decode("utf-8")
