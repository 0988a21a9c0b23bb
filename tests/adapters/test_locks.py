"""The ledger's lock: exclusive between processes, shared with `filelock`, given back by the dead."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from tests.harness import CHECKOUT

from holdshort.adapters import locks

if TYPE_CHECKING:
    from pathlib import Path

COUNT_UP = """
import os, sys
sys.path.append({lib!r})
from holdshort.adapters import locks
from filelock import FileLock
counter, lock, way = sys.argv[1:]
sys.stdin.read()  # the barrier: all start when the parent closes the pipe
for _ in range(25):
    held = locks.acquire(lock, 60) if way == "flock" else FileLock(lock, mode=0o600)
    if way == "filelock":
        held.acquire()
    number = int(open(counter).read())
    with open(counter, "w") as file:
        file.write(str(number + 1))
    locks.release(held) if way == "flock" else held.release()
"""


def test_hook_and_command_line_exclude_each_other(tmp_path: Path) -> None:
    counter, lock = tmp_path / "counter", tmp_path / "lock"
    counter.write_text("0")
    program = COUNT_UP.format(lib=str(CHECKOUT / "lib"))
    argv = [sys.executable, "-c", program, str(counter), str(lock)]
    processes = [
        subprocess.Popen([*argv, way], stdin=subprocess.PIPE) for way in ("flock", "filelock") * 3
    ]

    for process in processes:
        assert process.stdin is not None
        process.stdin.close()

    assert [process.wait(60) for process in processes] == [0] * 6
    assert counter.read_text() == "150"


def test_a_lock_that_is_held_is_not_to_be_had_in_the_budget(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock"):
        assert locks.acquire(str(tmp_path / "lock"), 0.05) is None


def test_a_lock_file_left_behind_by_the_dead_is_free(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text('{"pid": 1}')

    fd = locks.acquire(str(tmp_path / "lock"), 0)

    assert fd is not None
    locks.release(fd)


def test_a_lock_file_replaced_under_its_holder_is_not_taken_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    really = locks._try
    replaced: list[bool] = []

    def replace_once(fd: int) -> bool:
        if not replaced:
            path.unlink()
            path.write_text("another file of the same name")
            replaced.append(True)
        return really(fd)

    monkeypatch.setattr(locks, "_try", replace_once)

    fd = locks.acquire(str(path), 1)

    assert fd is not None
    assert os.fstat(fd).st_ino == path.stat().st_ino
    locks.release(fd)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="lock"):
        locks.acquire(str(tmp_path / "lock"), 0)

    assert not (tmp_path / "elsewhere").exists()
