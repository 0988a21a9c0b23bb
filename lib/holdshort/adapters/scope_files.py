"""The scope files of a wave: written all or not at all, cleared when the wave is over.

Everything goes through directory handles opened without following links, from the root of the tree
down, so that nothing planted below it leads elsewhere. One run at a time: the directory is locked.
"""

from __future__ import annotations

import errno
import fcntl
import posix
import stat

from holdshort.adapters import paths
from holdshort.adapters.places import MANIFEST, SCOPE_FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_DIRECTORY = posix.O_RDONLY | posix.O_DIRECTORY | posix.O_NOFOLLOW | posix.O_CLOEXEC
_FRESH = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC


class ScopeFileError(OSError):
    """Something is in the way, or another run is at work."""


def wave_name(wave: int | str) -> str:
    """The name of the directory of one wave."""
    return f"wave-{wave}"


def aggregate_name(wave: int | str) -> str:
    """The name of the file with all declarations of one wave."""
    return f"wave-{wave}.scopes.json"


def publish(
    root: str, parts: Sequence[str], wave: int, files: Mapping[str, str], aggregate: str
) -> None:
    """Put `files` (name to text) and the `aggregate` of a wave in place of what is there.

    root: the tree. parts: the state directory below it, segment by segment. Readers see the old
    files without an aggregate at worst, never a mixture. Raises OSError, and then all is as before.
    """
    made: list[tuple[int, str]] = []
    handles = [_opened(None, root, root)]
    try:
        path = root
        for part in (*parts, SCOPE_FILES):
            path = f"{path}/{part}"
            handles.append(_entered(handles[-1], part, path, made))
        _lock(handles[-1], path)
        _Swap(handles[-1], path, wave).run(files, aggregate)
    except BaseException:
        for handle, name in reversed(made):
            _attempt(posix.rmdir, name, handle)
        raise
    finally:
        _close(handles)


class Cleared:
    """What `clear` removed and what it left, as paths below the state directory."""

    __slots__ = ("kept", "removed")

    def __init__(self) -> None:
        self.removed: list[str] = []
        self.kept: list[str] = []


def clear(root: str, parts: Sequence[str]) -> Cleared:
    """Remove the manifest and the scope files below the state directory; what is not ours stays.

    Raises OSError.
    """
    done = Cleared()
    handles = [_opened(None, root, root)]
    try:
        path = root
        for part in parts:
            path = f"{path}/{part}"
            if _kind(handles[-1], part) == 0:
                return done
            handles.append(_opened(handles[-1], part, path))
        _remove_file(handles[-1], MANIFEST, "", done)
        if _kind(handles[-1], SCOPE_FILES):
            handles.append(_opened(handles[-1], SCOPE_FILES, f"{path}/{SCOPE_FILES}"))
            _lock(handles[-1], f"{path}/{SCOPE_FILES}")
            _clear_waves(handles[-1], done)
            _remove_directory(handles[-2], SCOPE_FILES, "", done)
    finally:
        _close(handles)
    return done


class _Swap:
    """One replacement of a wave, and the way back from each of its steps."""

    __slots__ = ("_aggregate", "_handle", "_mark", "_path", "_undo", "_wave")

    def __init__(self, handle: int, path: str, wave: int) -> None:
        self._handle = handle
        self._path = path
        self._wave = wave_name(wave)
        self._aggregate = aggregate_name(wave)
        self._mark = str(posix.getpid())
        self._undo: list[Callable[[], None]] = []

    def run(self, files: Mapping[str, str], aggregate: str) -> None:
        """Write beside, move the old away, move the new in, publish; on OSError go all the way back."""
        self._check()
        sweep(self._handle)
        try:
            self._write(files, aggregate)
            self._exchange()
        except BaseException:
            for step in reversed(self._undo):
                step()
            raise
        sweep(self._handle)

    def _check(self) -> None:
        """Refuse, before anything is touched, where something that is not ours is in the way."""
        kind = _kind(self._handle, self._aggregate)
        if kind and not stat.S_ISREG(kind):
            raise _in_the_way(f"{self._path}/{self._aggregate}", "no regular file")
        if not (kind := _kind(self._handle, self._wave)):
            return
        path = f"{self._path}/{self._wave}"
        handle = _opened(self._handle, self._wave, path)
        try:
            odd = [name for name in posix.listdir(handle) if not _is_scope_file(handle, name)]
        finally:
            _close([handle])
        if odd:
            raise _in_the_way(f"{path}/{min(odd)}", "none of our files")

    def _write(self, files: Mapping[str, str], aggregate: str) -> None:
        fresh, draft = self._named(self._wave, "new"), self._named(self._aggregate, "new")
        self._undo.append(lambda: _remove_tree(self._handle, fresh))
        posix.mkdir(fresh, 0o755, dir_fd=self._handle)
        handle = _opened(self._handle, fresh, f"{self._path}/{fresh}")
        try:
            for name, text in files.items():
                _write_file(handle, name, text)
        finally:
            _close([handle])
        self._undo.append(lambda: _attempt(posix.unlink, draft, self._handle))
        _write_file(self._handle, draft, aggregate)

    def _exchange(self) -> None:
        for name in (self._aggregate, self._wave):
            if _kind(self._handle, name):
                self._move(name, self._named(name, "old"))
        self._move(self._named(self._wave, "new"), self._wave)
        self._move(self._named(self._aggregate, "new"), self._aggregate)

    def _move(self, name: str, target: str) -> None:
        posix.rename(name, target, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        self._undo.append(lambda: _move_back(self._handle, target, name))

    def _named(self, name: str, kind: str) -> str:
        return f".{name}.{kind}-{self._mark}"


def sweep(handle: int) -> None:
    """Remove what runs that were killed, or this one, left beside the waves; best effort."""
    try:
        names = posix.listdir(handle)
    except OSError:
        return
    for name in names:
        if is_leftover(name):
            _remove_tree(handle, name)


def is_leftover(name: str) -> bool:
    """Whether this is the name of a draft or of something moved away: `.wave-3.new-4711`."""
    kind, _, mark = name.rpartition(".")[2].partition("-")
    return name.startswith(".wave-") and kind in ("new", "old") and mark.isdigit()


def wave_of(name: str) -> str:
    """The number in the name of a wave's directory or aggregate; empty when it is neither."""
    number = name.removeprefix("wave-").removesuffix(".scopes.json")
    is_ours = number.isascii() and number.isdigit() and number[0] != "0"
    return number if is_ours and name in (wave_name(number), aggregate_name(number)) else ""


def _clear_waves(handle: int, done: Cleared) -> None:
    for name in sorted(posix.listdir(handle)):
        kind = _kind(handle, name)
        if is_leftover(name):
            _remove_tree(handle, name)
            (done.kept if _kind(handle, name) else done.removed).append(f"{SCOPE_FILES}/{name}")
        elif wave_of(name) and name == wave_name(wave_of(name)) and stat.S_ISDIR(kind):
            _clear_wave(handle, name, done)
        elif wave_of(name):
            _remove_file(handle, name, f"{SCOPE_FILES}/", done)
        else:
            done.kept.append(f"{SCOPE_FILES}/{name}")


def _clear_wave(handle: int, wave: str, done: Cleared) -> None:
    inner = _opened(handle, wave, wave)
    try:
        for name in sorted(posix.listdir(inner)):
            if name.endswith(".json"):
                _remove_file(inner, name, f"{SCOPE_FILES}/{wave}/", done)
            else:
                done.kept.append(f"{SCOPE_FILES}/{wave}/{name}")
    finally:
        _close([inner])
    _remove_directory(handle, wave, f"{SCOPE_FILES}/", done)


def _remove_file(handle: int, name: str, above: str, done: Cleared) -> None:
    """Remove a regular file; anything else of that name was not written by us."""
    kind = _kind(handle, name)
    if stat.S_ISREG(kind):
        posix.unlink(name, dir_fd=handle)
        done.removed.append(above + name)
    elif kind:
        done.kept.append(above + name)


def _remove_directory(handle: int, name: str, above: str, done: Cleared) -> None:
    """Remove a directory that has nothing in it any more; what is in it has been named."""
    if any(kept.startswith(f"{above}{name}/") for kept in done.kept):
        return
    posix.rmdir(name, dir_fd=handle)
    done.removed.append(f"{above}{name}/")


def _opened(handle: int | None, name: str, path: str) -> int:
    """A handle on a directory. Raises OSError for a link, and for whatever is no directory."""
    try:
        return posix.open(name, _DIRECTORY, dir_fd=handle)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _in_the_way(path, "a symbolic link or no directory") from None
        raise


def _entered(handle: int, name: str, path: str, made: list[tuple[int, str]]) -> int:
    """A handle on a directory that is made if it is missing, which `made` then says."""
    try:
        posix.mkdir(name, 0o755, dir_fd=handle)
        made.append((handle, name))
    except FileExistsError:
        pass
    return _opened(handle, name, path)


def _lock(handle: int, path: str) -> None:
    """Keep other runs out until the handle is closed; some network file systems cannot."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise ScopeFileError(errno.EAGAIN, "another run is writing here; try again", path) from None
    except OSError:
        pass


def _write_file(handle: int, name: str, text: str) -> None:
    fd = posix.open(name, _FRESH, 0o644, dir_fd=handle)
    try:
        view = memoryview(text.encode())
        while view:
            view = view[posix.write(fd, view) :]
    except BaseException:
        _close([fd])
        raise
    posix.close(fd)  # some file systems say only here that the disk is full


def _kind(handle: int, name: str) -> int:
    """The mode of what stands there, links not followed; 0 for nothing."""
    try:
        return posix.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def _is_scope_file(handle: int, name: str) -> bool:
    return name.endswith(".json") and stat.S_ISREG(_kind(handle, name))


def _remove_tree(handle: int, name: str) -> None:
    """Remove one of our drafts: a file, or a directory of files. Best effort."""
    try:
        if not stat.S_ISDIR(_kind(handle, name)):
            posix.unlink(name, dir_fd=handle)
            return
        inner = _opened(handle, name, name)
        try:
            for inside in posix.listdir(inner):
                _attempt(posix.unlink, inside, inner)
        finally:
            _close([inner])
        posix.rmdir(name, dir_fd=handle)
    except OSError:
        pass


def _move_back(handle: int, name: str, target: str) -> None:
    try:
        posix.rename(name, target, src_dir_fd=handle, dst_dir_fd=handle)
    except OSError:
        pass


def _attempt(deed: Callable[..., None], name: str, handle: int) -> None:
    try:
        deed(name, dir_fd=handle)
    except OSError:
        pass


def _close(handles: Sequence[int]) -> None:
    for handle in handles:
        try:
            posix.close(handle)
        except OSError:
            pass


def _in_the_way(path: str, what: str) -> ScopeFileError:
    return ScopeFileError(errno.EEXIST, f"{what} is in its place; move it away first", path)


def below(root: str, cwd: str, given: str) -> tuple[str, ...] | None:
    """The segments that lead from the tree's real root to the directory `given`, links kept.

    None when it is not below the root, or is the root itself.
    """
    spelled = [part for part in paths.join(paths.realpath(cwd), given).split("/") if part]
    parts: list[str] = []
    for part in spelled:
        if part == "..":
            del parts[-1:]
        elif part != ".":
            parts.append(part)
    for end in range(len(parts)):
        if paths.realpath("/" + "/".join(parts[:end])) == root:
            return tuple(parts[end:])
    return None
