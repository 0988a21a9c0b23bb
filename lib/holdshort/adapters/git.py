"""What git says of a tree, where a command on the whole of it is judged. Nothing is changed.

Started without `subprocess`, which costs more than the rest of the hook; the hook's own deadline bounds
it. Neither locks nor hooks nor a file system monitor are used, so that asking starts nothing else.
"""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.core.tree_wide import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST = 8 << 20  # bytes of an answer
QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")


class GitError(Exception):
    """Git could not be asked: it is missing, it refused, or its answer is too large."""


def changes(tree: str, *, ignored: bool) -> list[Change]:
    """What is not as it was committed, by files. ignored: ignored ones, too, whole directories as one.

    Raises GitError.
    """
    found = _status(tree, "--untracked-files=all")
    if ignored:
        whole = _status(tree, "--untracked-files=normal", "--ignored=traditional")
        found += [change for change in whole if change.index == "!"]
    return found


def _status(tree: str, *options: str) -> list[Change]:
    asked = ("status", "--porcelain=v1", "-z", "--ignore-submodules=none", *options)
    told = _answer(tree, asked).split("\0")
    found, at = [], 0
    while at < len(told) - 1:
        line, at = told[at], at + 1
        is_renamed = line[0] in "RC" or line[1] in "RC"
        path = line[3:]
        is_submodule = line[0] not in "?!" and paths.isdir(paths.join(tree, path))
        found.append(
            Change(
                line[0],
                line[1],
                f"{path}/" if is_submodule else path,
                told[at] if is_renamed else "",
            )
        )
        at += is_renamed
    return found


def brought_in(tree: str, target: Sequence[str]) -> list[str]:
    """The paths that differ between commits. target: what `git diff` compares. Raises GitError."""
    asked = ["diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", "--end-of-options"]
    return [name for name in _answer(tree, [*asked, *target, "--"]).split("\0") if name]


def _answer(tree: str, arguments: Sequence[str]) -> str:
    reading, writing = posix.pipe()
    try:
        pid = posix.posix_spawnp(
            "git",
            ["git", *QUIET, "-C", tree, *arguments],
            _environment(),
            file_actions=[
                (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0),
                (posix.POSIX_SPAWN_DUP2, writing, 1),
                (posix.POSIX_SPAWN_OPEN, 2, "/dev/null", posix.O_WRONLY, 0),
            ],
        )
    except (OSError, ValueError) as error:
        posix.close(reading)
        raise GitError(str(error)) from None
    finally:
        posix.close(writing)
    try:
        told = _read(reading)
    finally:
        posix.close(reading)
        _, status = posix.waitpid(pid, 0)
    if status != 0:
        raise GitError(f"git {arguments[0]} ended with {posix.waitstatus_to_exitcode(status)}")
    return paths.decoded(told)


def _read(fd: int) -> bytes:
    chunks, size = [], 0
    while chunk := posix.read(fd, 1 << 16):
        chunks.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise GitError("its answer is too large")
    return b"".join(chunks)


def _environment() -> dict[bytes, bytes]:
    """The environment of this process, without what would lead git elsewhere."""
    kept = {name: value for name, value in posix.environ.items() if name[:4] != b"GIT_"}
    return {**kept, b"LC_ALL": b"C", b"GIT_OPTIONAL_LOCKS": b"0", b"GIT_TERMINAL_PROMPT": b"0"}
