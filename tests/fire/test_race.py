"""Of many dispatches of one file at one moment exactly one is allowed, whatever else goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.harness import CHECKOUT


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True)


@pytest.mark.parametrize("part", range(4))
def test_of_64_dispatches_at_once_exactly_one_is_allowed(part: int) -> None:
    """Four times 30 rounds, so that they can run side by side; `make stress` runs 10,000."""
    done = run("tests.fire.race", "30", "64", "plain")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "30 rounds of 64 processes, 0 wrong" in done.stdout, part


@pytest.mark.parametrize("kind", ["dead-lock-file", "mixed", "worktrees", "slow-disk"])
def test_nor_does_anything_around_it_matter(kind: str) -> None:
    done = run("tests.fire.race", "10", "64", kind)

    assert done.returncode == 0, done.stdout + done.stderr


def test_without_the_lock_the_race_is_lost_and_noticed() -> None:
    done = run("tests.fire.race", "5", "16", "unlocked")

    assert done.returncode == 1, done.stdout + done.stderr
    assert " 0 wrong" not in done.stdout
