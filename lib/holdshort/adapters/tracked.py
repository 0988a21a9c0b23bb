"""Which files git tracks. Starts git, so only the command line asks."""

from __future__ import annotations

import subprocess

PATIENCE = 20.0  # seconds


def tracked_files(root: str) -> list[str] | None:
    """Paths of all tracked files below `root`, relative to it; None when git does not tell."""
    command = ["git", "-C", root, "ls-files", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)  # noqa: S603  # no shell, and `root` is one argument
    except (OSError, subprocess.SubprocessError):
        return None
    return [path for path in done.stdout.decode("utf-8", "surrogateescape").split("\0") if path]
