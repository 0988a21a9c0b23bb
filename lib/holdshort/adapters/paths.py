"""What a hook needs of `os.path` and `os`, over `posix`: importing `os` costs a tenth of the start.

The functions carry the names of the standard library and answer alike, which a property test holds
(docs/adr/0008-cheap-imports.md).
"""

from __future__ import annotations

import posix
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TOO_LONG = (36, 63)  # ENAMETOOLONG, on Linux and on macOS
MOST_LINKS = 40  # followed for one path, as Linux does; beyond that it is a loop


def join(base: str, *parts: str) -> str:
    """`os.path.join`."""
    for part in parts:
        if part.startswith("/"):
            base = part
        elif not base or base.endswith("/"):
            base += part
        else:
            base += "/" + part
    return base


def dirname(path: str) -> str:
    """`os.path.dirname`."""
    head = path[: path.rfind("/") + 1]
    return head.rstrip("/") or head


def basename(path: str) -> str:
    """`os.path.basename`."""
    return path[path.rfind("/") + 1 :]


def isabs(path: str) -> bool:
    """`os.path.isabs`."""
    return path.startswith("/")


def lexists(path: str) -> bool:
    """`os.path.lexists`."""
    return _mode(posix.lstat, path) != 0


def is_possible(path: str) -> bool:
    """Whether anything can have this path: no NUL in it, and nothing that cannot be encoded."""
    try:
        return b"\0" not in encoded(path)
    except UnicodeEncodeError:
        return False


def is_absent(path: str) -> bool:
    """Whether nothing is at `path`, for certain: what cannot be looked at may well be there."""
    try:
        posix.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        return error.errno in TOO_LONG
    except ValueError:
        return True
    return False


def isdir(path: str) -> bool:
    """`os.path.isdir`."""
    return stat.S_ISDIR(_mode(posix.stat, path))


def is_own_directory(path: str) -> bool:
    """Whether a directory is there, and no link to one that somebody has planted."""
    return stat.S_ISDIR(_mode(posix.lstat, path))


def isfile(path: str) -> bool:
    """`os.path.isfile`."""
    return stat.S_ISREG(_mode(posix.stat, path))


def realpath(path: str) -> str:
    """`os.path.realpath`; of a path with a loop, or a NUL, what lies before it is resolved."""
    todo = [part for part in reversed(path.split("/")) if part]
    real = "" if isabs(path) else posix.getcwd().rstrip("/")
    links = 0
    while todo:
        part = todo.pop()
        if part == "..":
            real = real[: max(0, real.rfind("/"))]
        elif part != ".":
            target = _target_of(f"{real}/{part}")
            links += target is not None
            if target is None or links > MOST_LINKS:
                real = f"{real}/{part}"
                continue
            real = "" if isabs(target) else real
            todo += [part for part in reversed(target.split("/")) if part]
    return real or "/"


def normpath(path: str) -> str:
    """`os.path.normpath` of an absolute path: `..` takes back what is written, whatever it links to."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/" + "/".join(kept)


def expanduser(path: str) -> str:
    """`os.path.expanduser` for one's own `~`; another user's is left as it is."""
    if path != "~" and not path.startswith("~/"):
        return path
    home = variable("HOME") or _home_of_record()
    return home.rstrip("/") + path[1:] or "/"


def variable(name: str) -> str:
    """The environment variable called `name`; empty when it is not set."""
    return decoded(posix.environ.get(name.encode(), b""))


def encoded(path: str) -> bytes:
    """`os.fsencode`."""
    return path.encode(sys.getfilesystemencoding(), "surrogateescape")


def decoded(path: bytes) -> str:
    """`os.fsdecode`."""
    return path.decode(sys.getfilesystemencoding(), "surrogateescape")


def is_same(one: posix.stat_result, other: posix.stat_result) -> bool:
    """`os.path.samestat`."""
    return one.st_ino == other.st_ino and one.st_dev == other.st_dev


def makedirs(path: str, mode: int) -> None:
    """`os.makedirs` for a directory that may be there already. Raises OSError."""
    if isdir(path):
        return
    parent = dirname(path)
    if not lexists(parent):
        makedirs(parent, mode)
    try:
        posix.mkdir(path, mode)
    except FileExistsError:
        if not isdir(path):
            raise


def _home_of_record() -> str:
    import pwd  # noqa: PLC0415  # hardly anyone has no HOME

    try:
        return pwd.getpwuid(posix.getuid()).pw_dir
    except KeyError:
        return "/"


def _mode(probe: Callable[[str], posix.stat_result], path: str) -> int:
    try:
        return probe(path).st_mode
    except (OSError, ValueError):
        return 0


def _target_of(path: str) -> str | None:
    try:
        return posix.readlink(path)
    except (OSError, ValueError):
        return None
