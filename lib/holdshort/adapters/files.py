"""Small files of our own: read whole without following a planted link, replaced in one step."""

from __future__ import annotations

import posix
import stat

from holdshort.adapters import paths
from holdshort.adapters.json_text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 32 << 20  # bytes; a larger file is none that we wrote

_PLAIN = posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC
_READ = posix.O_RDONLY | _PLAIN
_APPEND = posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT | _PLAIN


def contents(path: str, largest: int = LARGEST) -> bytes | None:
    """The bytes of the regular file at `path`, or None when there is none.

    Raises OSError when something is there that cannot be read: a link, a directory, a file that is
    too large or that we may not open.
    """
    try:
        fd = posix.open(path, _READ)
    except FileNotFoundError:
        return None
    try:
        info = posix.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise IsADirectoryError(21, "not a regular file", path)
        if info.st_size > largest:
            raise OSError(27, "file too large", path)
        return _all_of(fd, info.st_size)
    finally:
        posix.close(fd)


def json_at(path: str, largest: int = LARGEST) -> Any:
    """The value in the JSON file at `path`; None when there is none, or none that can be read."""
    try:
        return parse(contents(path, largest) or b"")
    except (OSError, ValueError):
        return None


def size_of(path: str) -> int:
    """Bytes in the file at `path` now; 0 when there is none yet."""
    try:
        return posix.stat(path).st_size
    except (OSError, ValueError):
        return 0


def replace(path: str, text: str, *, mark: str = "") -> None:
    """Put `text` at `path` in one step: readers see the old file or the new one.

    Raises OSError, and leaves no temporary file, when that fails. Under the lock the temporary name
    is always the same, so that a writer that was killed leaves one file and not one per kill;
    without the lock, `mark` keeps writers apart.
    """
    temporary = f"{path}{mark}.new"
    _unlink(temporary)
    fd = posix.open(
        temporary, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600
    )
    try:
        try:
            _write_all(fd, text.encode())
        finally:
            posix.close(fd)
        posix.replace(temporary, path)
    except OSError:
        _unlink(temporary)
        raise


def append_line(path: str, line: str) -> None:
    """Add one line under 4 KiB in a single write, which concurrent writers cannot tear."""
    fd = posix.open(path, _APPEND, 0o600)
    try:
        if not stat.S_ISREG(posix.fstat(fd).st_mode):
            raise OSError(21, "not a regular file", path)
        posix.write(fd, line.encode()[:4095] + b"\n")
    finally:
        posix.close(fd)


def append_rotating(path: str, line: str, largest: int, older: str) -> None:
    """Add one line as `append_line` does; a file over `largest` bytes first becomes `older`."""
    if size_of(path) > largest:
        posix.replace(path, older)
    append_line(path, line)


def make_private(directory: str) -> None:
    """Make the state directory, readable by its owner alone and ignored by git."""
    if paths.isdir(directory):
        return
    paths.makedirs(directory, 0o700)
    append_line(paths.join(directory, ".gitignore"), "*")


def _all_of(fd: int, size: int) -> bytes:
    chunks = []
    while chunk := posix.read(fd, max(size, 4096) + 1):
        chunks.append(chunk)
    return b"".join(chunks)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[posix.write(fd, view) :]


def _unlink(path: str) -> None:
    try:
        posix.unlink(path)
    except FileNotFoundError:
        pass
