"""A harness process is its id with its start, boot and namespace; anything less proves nothing."""

from __future__ import annotations

import os
import posix
import signal
import subprocess
import time
from typing import Any

import pytest

from holdshort.adapters.processes import (
    ALIVE,
    GONE,
    UNKNOWN,
    harness_pid,
    identity,
    started_at,
    status,
)

linux = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")


@pytest.fixture
def process() -> Any:
    child = subprocess.Popen(["sleep", "600"])
    yield child
    child.kill()
    child.wait()


def test_a_running_process_is_alive(process: subprocess.Popen[bytes]) -> None:
    assert status(identity(process.pid)) == ALIVE


def test_a_killed_process_is_gone_even_before_it_is_reaped(
    process: subprocess.Popen[bytes],
) -> None:
    known = identity(process.pid)
    process.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    assert status(known) == GONE
    process.wait()
    assert status(known) == GONE


@linux
def test_a_reused_id_is_not_the_same_process(process: subprocess.Popen[bytes]) -> None:
    known = identity(process.pid)

    assert status({**known, "start": known["start"] - 1}) == GONE


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"host": "elsewhere"}, UNKNOWN),
        ({"boot": "an earlier one"}, GONE),
        ({"pidns": "pid:[1]"}, UNKNOWN),
        ({"pid": None}, UNKNOWN),
        ({"pid": "12"}, UNKNOWN),
        ({"pid": -1}, UNKNOWN),
    ],
)
def test_what_cannot_be_compared_is_unknown(change: dict[str, Any], expected: str) -> None:
    assert expected == status({**identity(os.getpid()), **change})


@pytest.mark.parametrize("unread", ["boot_id", "/stat", ""])
def test_what_cannot_be_read_at_the_moment_is_no_evidence_of_an_end(
    process: subprocess.Popen[bytes], unread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = {"id": "s", **identity(process.pid)}
    really = posix.open

    def too_many(path: str, flags: int, mode: int = 0o777) -> int:
        if unread in path:
            raise OSError(24, "Too many open files", path)
        return really(path, flags, mode)

    monkeypatch.setattr(posix, "open", too_many)

    assert status(session) in (ALIVE, UNKNOWN)


def test_a_session_recorded_with_less_is_still_known_by_its_start(
    process: subprocess.Popen[bytes],
) -> None:
    session = {"id": "s", **identity(process.pid)}
    session.pop("boot")

    assert status(session) == ALIVE
    assert status({**session, "start": 1}) == GONE


def test_without_a_start_time_only_the_id_counts(process: subprocess.Popen[bytes]) -> None:
    known = identity(process.pid)
    known.pop("start", None)

    assert status(known) == ALIVE


@linux
def test_the_start_is_a_time(process: subprocess.Popen[bytes]) -> None:
    started = started_at(identity(process.pid))

    assert started is not None
    assert abs(time.time() - started) < 60


@pytest.mark.parametrize("told", ["", "x", "-1", "1e3", "９", "99999999999"])
def test_a_senseless_variable_is_not_believed(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PID", told)

    assert harness_pid() is None


def test_the_harness_names_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PID", "4242")

    assert harness_pid() == 4242
