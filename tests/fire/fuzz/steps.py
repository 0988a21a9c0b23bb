"""What is fed to a hook, and what became of it."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """One input: the hook it is for, what stands on its stdin, and the files put in place first.

    A file of the value `b"->path"` is a link, `b"dir"` a directory, `b"pipe"` a pipe.
    """

    kind: str
    hook: str
    stdin: bytes
    files: tuple[tuple[str, bytes], ...] = ()


class Seen(NamedTuple):
    """What became of one input."""

    step: Step
    output: bytes
    escaped: str
    seconds: float
    ledger_fault: str
    wrote: bool
    was_sound: bool = False
    base: str = ""  # the directory of the world it was fed to
