"""Verbs that disarm something are for people: no terminal, or a harness around us, and they refuse."""

from __future__ import annotations

import os
import sys

from holdshort.cli.errors import RefusedError

# Set by the harnesses for whatever their agents start.
HARNESS_VARIABLES = ("CLAUDECODE", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID", "CODEX_SANDBOX")


def refuse_agents(verb: str) -> None:
    """Raise RefusedError unless a person at a terminal outside any harness is asking."""
    inside = [name for name in HARNESS_VARIABLES if os.environ.get(name)]
    if inside or not (sys.stdin.isatty() and sys.stdout.isatty()):
        why = f"{inside[0]} is set" if inside else "this is no terminal"
        raise RefusedError(
            f"{verb} is for a person at a terminal ({why})", "run it in a shell of your own"
        )
