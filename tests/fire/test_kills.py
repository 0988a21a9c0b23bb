"""A step that dies, fails or hangs at any of its system calls costs the others nothing."""

from __future__ import annotations

import pytest
from tests.fire.kills import FAULTS
from tests.fire.test_race import run

# With these every kind of step is tried, with the others those that change the ledger most.
EVERYWHERE = ("killed-before", "looking-fails-once")
CHOSEN = ("dispatch", "degraded", "stopped")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_any_system_call_leaves_the_ledger_whole(fault: str) -> None:
    """Every fault with every kind of step: `make stress`."""
    done = run("tests.fire.kills", fault, *(() if fault in EVERYWHERE else CHOSEN))

    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 troubles" in done.stdout


def test_a_lock_holder_that_hangs_at_any_system_call_overwrites_nobody() -> None:
    done = run("tests.fire.hangs")

    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 troubles" in done.stdout
