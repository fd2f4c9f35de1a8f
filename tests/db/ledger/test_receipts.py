"""Every receipt checks offline in a process of its own, and none survives a changed byte."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ledger import receipt_check, store
from ledger.signing import Signer, sign_note

from .conftest import MINUTE, ORIGIN, Logbook


@pytest.fixture
def receipts(logbook: Logbook) -> dict[str, str]:
    """The receipts of 13 events, sequenced in three steps."""
    events = logbook.append(range(4))
    logbook.step(MINUTE)
    events += logbook.append(range(4, 11), shuffled=True)
    logbook.step(MINUTE)
    events += logbook.append(range(11, 13))
    logbook.step()
    with logbook.database.read() as conn:
        found = {event.id: store.receipt(conn, event.id) for event in events}
    assert len(found) == 13
    return {event_id: text for event_id, text in found.items() if text is not None}


def run_checker(root: Path, file: Path, key: str) -> subprocess.CompletedProcess[str]:
    """Run the checker as a reader would: one file, alone, isolated from the project."""
    return subprocess.run(
        [sys.executable, "-I", str(root / "ledger" / "receipt_check.py"), str(file), "--key", key],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_every_receipt_checks_offline(
    logbook: Logbook, receipts: dict[str, str], project_root: Path, tmp_path: Path
) -> None:
    """The stand-alone program accepts each receipt and shows its event."""
    assert len(receipts) == 13
    for event_id, text in receipts.items():
        file = tmp_path / f"{event_id}.tlog-proof"
        file.write_text(text, encoding="utf-8")
        done = run_checker(project_root, file, logbook.signer.verifier.vkey)
        assert (done.returncode, done.stderr) == (0, "")
        assert event_id in done.stdout


def test_receipt_tells_body_and_place(logbook: Logbook, receipts: dict[str, str]) -> None:
    """A checked receipt names log, index, event and what was written."""
    for event_id, text in receipts.items():
        checked = receipt_check.check(text.encode(), [logbook.signer.verifier.vkey])
        with logbook.database.read() as conn:
            assert checked.index == store.index_of(conn, event_id)
        (event,) = logbook.events([event_id])
        assert (checked.id, checked.kind, checked.body) == (event_id, event.kind, event.body)
        assert (checked.origin, checked.size) == (ORIGIN, 13)


def test_any_changed_byte_is_refused(logbook: Logbook, receipts: dict[str, str]) -> None:
    """Changing, dropping or doubling any byte of a receipt makes it fail."""
    content = list(receipts.values())[6].encode()
    key = logbook.signer.verifier.vkey
    assert receipt_check.check(content, [key]).size == 13
    for at in range(len(content)):
        for changed in (
            content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :],
            content[:at] + bytes([content[at] ^ 0x20]) + content[at + 1 :],
            content[:at] + content[at + 1 :],
            content[: at + 1] + content[at:],
        ):
            if changed != content:
                with pytest.raises(receipt_check.Refused):
                    receipt_check.check(changed, [key])


def test_program_refuses(
    logbook: Logbook, receipts: dict[str, str], project_root: Path, tmp_path: Path
) -> None:
    """A forged receipt and a missing file end the program with code 1 and one line of reason."""
    text = next(iter(receipts.values()))
    file = tmp_path / "forged.tlog-proof"
    file.write_text(text.replace("index ", "index 1"), encoding="utf-8")
    for path in (file, tmp_path / "missing"):
        done = run_checker(project_root, path, logbook.signer.verifier.vkey)
        assert done.returncode == 1
        assert done.stderr.startswith("refused: ")


def forge(text: str, **changes: object) -> bytes:
    """Return the receipt with changed fields in its extra line."""
    lines = text.split("\n")
    extra = json.loads(base64.b64decode(lines[1].removeprefix("extra ")))
    canonical = json.dumps(
        extra | changes, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    lines[1] = "extra " + base64.b64encode(canonical.encode()).decode()
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"body": {"number": 99}},
        {"kind": "other"},
        {"salt": "00" * 32},
        {"salt": "0"},
        {"salt": None},
        {"private_sha256": None},
        {"version": 2},
        {"version": 1.0},
        {"more": 1},
    ],
    ids=str,
)
def test_other_events_are_refused(
    logbook: Logbook, receipts: dict[str, str], changes: dict[str, object]
) -> None:
    """A well-formed receipt for another event than the one in the tree is refused."""
    text = next(iter(receipts.values()))
    assert receipt_check.check(forge(text), [logbook.signer.verifier.vkey]).size == 13
    with pytest.raises(receipt_check.Refused):
        receipt_check.check(forge(text, **changes), [logbook.signer.verifier.vkey])


@pytest.mark.parametrize("extra", [b"", b"[]", b"\xff", b'{"x":1.5}', b'{"x":"\\ud800"}'])
def test_extra_that_is_no_event_is_refused(
    logbook: Logbook, receipts: dict[str, str], extra: bytes
) -> None:
    """An extra line that holds something else than an event is refused, not tripped over."""
    lines = next(iter(receipts.values())).split("\n")
    lines[1] = "extra " + base64.b64encode(extra).decode()
    with pytest.raises(receipt_check.Refused):
        receipt_check.check("\n".join(lines).encode(), [logbook.signer.verifier.vkey])


def test_event_with_a_lone_surrogate_is_refused(logbook: Logbook, receipts: dict[str, str]) -> None:
    """A text that UTF-8 cannot write is refused, also when JSON hides it in an escape."""
    text = next(iter(receipts.values()))
    lines = text.split("\n")
    extra = json.loads(base64.b64decode(lines[1].removeprefix("extra ")))
    lines[1] = (
        "extra " + base64.b64encode(json.dumps(extra | {"stream": "\ud800"}).encode()).decode()
    )
    with pytest.raises(receipt_check.Refused, match="surrogate"):
        receipt_check.check("\n".join(lines).encode(), [logbook.signer.verifier.vkey])


def test_path_with_a_hash_too_many_is_refused(logbook: Logbook, receipts: dict[str, str]) -> None:
    """A path that goes on above the root is refused."""
    top, _gap, note = next(iter(receipts.values())).partition("\n\n")
    longer = "\n".join([top, base64.b64encode(bytes(32)).decode()]) + "\n\n" + note
    with pytest.raises(receipt_check.Refused, match="too many"):
        receipt_check.check(longer.encode(), [logbook.signer.verifier.vkey])


def test_program_says_what_it_found(
    logbook: Logbook,
    receipts: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The program's exit code and words tell good receipts from bad ones."""
    event_id, text = next(iter(receipts.items()))
    file = tmp_path / "receipt.tlog-proof"
    file.write_text(text, encoding="utf-8")
    said: list[str] = []
    vkey = logbook.signer.verifier.vkey
    assert receipt_check.main([str(file), "--key", vkey], said.append) == 0
    assert event_id in said[0]
    assert receipt_check.main([str(file), "--key", vkey, "--origin", "example.com/log"]) == 1
    assert capsys.readouterr().err.startswith("refused: the checkpoint is of another log")


@pytest.mark.parametrize("key", ["", "a+b+c", "a+00000000+AAAA", f"a+00000000+AQ{'A' * 42}"])
def test_malformed_keys_are_refused(receipts: dict[str, str], key: str) -> None:
    """A key that is none is said to be none."""
    with pytest.raises(receipt_check.Refused):
        receipt_check.check(next(iter(receipts.values())).encode(), [key])


def test_another_key_or_log_is_refused(logbook: Logbook, receipts: dict[str, str]) -> None:
    """A checkpoint by another key, or of another origin, does not count."""
    text = next(iter(receipts.values()))
    stranger = Signer(ORIGIN, bytes(32))
    with pytest.raises(receipt_check.Refused, match="no known key"):
        receipt_check.check(text.encode(), [stranger.verifier.vkey])
    with pytest.raises(receipt_check.Refused, match="another log"):
        receipt_check.check(text.encode(), [logbook.signer.verifier.vkey], "example.com/log")


def test_both_keys_of_a_rotation_check(logbook: Logbook, receipts: dict[str, str]) -> None:
    """A receipt signed by two keys holds for readers who know either."""
    text = next(iter(receipts.values()))
    new = Signer(ORIGIN, bytes(32))
    top, _gap, note = text.partition("\n\n")
    signed = note.rpartition("\n\n")[0] + "\n"
    both = (top + "\n\n" + sign_note(signed, [logbook.signer, new])).encode()
    for signer in (logbook.signer, new):
        assert receipt_check.check(both, [signer.verifier.vkey]).size == 13


def test_no_receipt_before_the_checkpoint(logbook: Logbook) -> None:
    """An event that no checkpoint covers yet has no receipt."""
    (event,) = logbook.append([1])
    with logbook.database.read() as conn:
        assert store.receipt(conn, event.id) is None
        assert store.index_of(conn, event.id) is None
    logbook.step()
    with logbook.database.read() as conn:
        assert store.receipt(conn, event.id) is not None
        assert store.receipt(conn, "no such id") is None
