"""Ledger records for tests of the pure core."""

from __future__ import annotations

from typing import Any

from holdshort.core.words import iso_of

NOW = 1_800_000_000.0
SESSION = {"id": "s1", "pid": 11, "start": 5, "boot": "b", "pidns": "n", "host": "h"}


def a_record(
    call: str = "toolu_a", *files: str, age: float = 60.0, **fields: Any
) -> dict[str, Any]:
    """A sound record, dispatched `age` seconds before NOW."""
    return {
        "id": f"agent {call} (general-purpose)",
        "desc": f"agent {call}",
        "files": list(files) or ["src/a.py"],
        "at": iso_of(NOW - age),
        "wave": "",
        "session": SESSION,
        "harness": "claude",
        "toolUseId": call,
        "agentId": None,
        "agentType": "general-purpose",
        "name": None,
        "parent": None,
        "tree": "/repo",
        "isolation": None,
        "access": "write",
        "source": "prompt",
        "transcripts": [],
        "listed": False,
        "waits": [],
        "state": "reserved",
        "events": [],
        **fields,
    }
