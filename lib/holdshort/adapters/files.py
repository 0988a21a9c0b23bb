"""Small files of our own: read whole without following a planted link, replaced in one step."""

from __future__ import annotations

import os
import stat

LARGEST = 32 << 20  # bytes; a larger file is none that we wrote

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def contents(path: str, largest: int = LARGEST) -> bytes | None:
    """The bytes of the regular file at `path`, or None when there is none.

    Raises OSError when something is there that cannot be read: a link, a directory, a file that is
    too large or that we may not open.
    """
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise IsADirectoryError(21, "not a regular file", path)
        if info.st_size > largest:
            raise OSError(27, "file too large", path)
        return _all_of(fd, info.st_size)
    finally:
        os.close(fd)


def size_of(path: str) -> int:
    """Bytes in the file at `path` now; 0 when there is none yet."""
    try:
        return os.stat(path).st_size
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
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            _write_all(fd, text.encode())
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except OSError:
        _unlink(temporary)
        raise


def append_line(path: str, line: str) -> None:
    """Add one line under 4 KiB in a single write, which concurrent writers cannot tear."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    fd = os.open(path, flags, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(21, "not a regular file", path)
        os.write(fd, line.encode()[:4095] + b"\n")
    finally:
        os.close(fd)


def append_rotating(path: str, line: str, largest: int, older: str) -> None:
    """Add one line as `append_line` does; a file over `largest` bytes first becomes `older`."""
    if size_of(path) > largest:
        os.replace(path, older)
    append_line(path, line)


def make_private(directory: str) -> None:
    """Make the state directory, readable by its owner alone and ignored by git."""
    if os.path.isdir(directory):
        return
    os.makedirs(directory, 0o700, exist_ok=True)
    append_line(os.path.join(directory, ".gitignore"), "*")


def _all_of(fd: int, size: int) -> bytes:
    chunks = []
    while chunk := os.read(fd, max(size, 4096) + 1):
        chunks.append(chunk)
    return b"".join(chunks)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
