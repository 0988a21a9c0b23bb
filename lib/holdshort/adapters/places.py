"""Where a call happens: the working tree it can write, and the directory that keeps our state.

Found by reading `.git`, never by starting git, which would cost more than the whole hook. The state
lies in the main working tree, so that linked worktrees share it (docs/ledger.md).
"""

from __future__ import annotations

import posix
import stat

from holdshort.adapters import paths

STATE_NAME = ".orchestrator"
TOUCHED = "touched.jsonl"  # in the state directory: names that are looked for before any is read
PENDING = "pending"
MANIFEST = "wave-scope.json"
MANIFEST_DIRECTORIES = (".pi", ".cursor", ".codex", ".claude")  # the original's precedence
SCOPE_FILES = "filescopes"  # beside the manifest
_LARGEST = 1 << 20  # bytes of a .git file or a config that are read


class Place:
    """root: real path of the working tree. state_dir: absolute. fallback: why it is not in the tree.

    A submodule or nested repository belongs to the working tree around it, as one agent may reach it
    from inside and another from outside.
    """

    __slots__ = ("fallback", "root", "state_dir")

    def __init__(self, root: str, state_dir: str, fallback: str = "") -> None:
        self.root = root
        self.state_dir = state_dir
        self.fallback = fallback


def locate(cwd: str, project: str) -> Place:
    """The place of a session working in `cwd`; `project` is where it was started."""
    start = paths.realpath(cwd if paths.isabs(cwd) and paths.isdir(cwd) else project)
    root = _outermost_tree(start)
    if root is None:
        root = paths.realpath(project) if paths.isabs(project) else start
        return _placed(root, paths.join(root, STATE_NAME))
    return _placed(root, _shared_state(root))


def project() -> str:
    """Where the session was started, for a call whose own directory is missing or gone."""
    try:
        return paths.variable("CLAUDE_PROJECT_DIR") or posix.getcwd()
    except OSError:
        return "/"


def session_place(cwd: str) -> Place:
    """The place of a session whose call comes from `cwd`: where it was started, or a worktree of that.

    A session that has gone into another repository is still bound by what governs its own.
    """
    started = project()
    place = locate(cwd, started)
    home = place if cwd == started else locate(started, started)
    return place if place.state_dir == home.state_dir else home


def manifests(place: Place, started: str = "") -> list[str]:
    """Where a wave manifest for `place` may lie, the path that counts first.

    Where the session was started, which stays so inside worktrees, if that is given; the tree
    itself; the main one.
    """
    begun = (paths.realpath(started),) if started else ()
    homes = (*begun, place.root, paths.dirname(place.state_dir))
    return [
        paths.join(home, name, MANIFEST)
        for home in dict.fromkeys(homes)
        for name in MANIFEST_DIRECTORIES
    ]


def manifest_at(place: Place, started: str = "") -> str | None:
    """The path of the wave manifest for `place`, whatever is in it; None when there is none.

    What cannot be looked at may be one, unless that is since the directory is another user's.
    """
    return next((path for path in manifests(place, started) if _may_be_one(path)), None)


def folds_case(root: str) -> bool:
    """Whether the file system under `root` takes `.GIT` for `.git` (probed, not configured)."""
    for name in (".git", paths.basename(root)):
        path = paths.join(root if name == ".git" else paths.dirname(root), name)
        other = paths.join(paths.dirname(path), name.swapcase())
        if other != path and paths.lexists(path):
            return _is_same_file(path, other)
    return False


def _may_be_one(path: str) -> bool:
    return not paths.is_absent(path) and (paths.lexists(path) or _is_own(paths.dirname(path)))


def _is_own(path: str) -> bool:
    try:
        return posix.lstat(path).st_uid == posix.geteuid()
    except OSError:
        return True


def _placed(root: str, wanted: str) -> Place:
    trouble = _trouble_with(wanted)
    if not trouble:
        return Place(root, wanted)
    home = paths.variable("XDG_STATE_HOME") or paths.join(paths.expanduser("~"), ".local", "state")
    name = f"{paths.basename(root)[:40]}-{_digest(paths.dirname(wanted))}"
    return Place(root, paths.join(home, "holdshort", name), trouble)


def _trouble_with(state_dir: str) -> str:
    """Why `state_dir` cannot keep our state, or nothing."""
    try:
        info = posix.lstat(state_dir)
    except FileNotFoundError:
        parent = paths.dirname(state_dir)
        return (
            "" if posix.access(parent, posix.W_OK | posix.X_OK) else "the project cannot be written"
        )
    except PermissionError:
        return "it cannot be looked at"
    except OSError:
        return ""  # what is read there next tells why not
    if not stat.S_ISDIR(info.st_mode):
        return "something that is no directory is in its place"
    if info.st_uid != posix.geteuid():
        return "it belongs to another user"
    return "" if posix.access(state_dir, posix.W_OK | posix.X_OK) else "it cannot be written"


def _outermost_tree(start: str) -> str | None:
    """The working tree around `start` that is in no other, or that is a linked worktree."""
    found = None
    for directory in _upwards(start):
        git = paths.join(directory, ".git")
        if paths.is_absent(git) or (found is not None and _is_foreign(directory, git)):
            continue
        found = directory
        if _is_linked_worktree(git):
            break
    return found


def _is_foreign(directory: str, git: str) -> bool:
    """Whether a repository around another is none of ours: the home directory's, or another user's.

    A home directory kept in git would otherwise make one tree of all of its user's projects.
    """
    home = paths.realpath(paths.expanduser("~"))
    if directory == home or home.startswith(directory.rstrip("/") + "/"):
        return True
    try:
        return posix.lstat(git).st_uid != posix.geteuid()
    except OSError:
        return True


def _is_linked_worktree(git: str) -> bool:
    """Whether a `.git` file is that of a worktree, and the repository that it names knows it.

    Any directory could be made another tree by a file in it, and what is held in it be free.
    """
    gitdir = _pointed_to(git)
    if gitdir is None:
        return False
    common = paths.realpath(paths.join(gitdir, _text_of(paths.join(gitdir, "commondir")) or "."))
    if paths.dirname(gitdir) != paths.join(common, "worktrees"):
        return False
    back = _text_of(paths.join(gitdir, "gitdir")) or ""
    return paths.realpath(paths.join(gitdir, back)) == paths.realpath(git)


def _shared_state(root: str) -> str:
    """The state directory that all working trees of the repository at `root` share."""
    git = paths.join(root, ".git")
    gitdir = _pointed_to(git) or git
    common = gitdir
    relative = _text_of(paths.join(gitdir, "commondir"))
    if relative:
        common = paths.realpath(paths.join(gitdir, relative))
    if common == git and paths.isdir(git):
        return paths.join(root, STATE_NAME)
    return _state_of_common(common, root)


def _state_of_common(common: str, root: str) -> str:
    """Where a repository that is not simply the `.git` of its tree keeps our state.

    Its own settings are asked only where its name does not tell: they can be changed on the way.
    """
    if paths.basename(common) == ".git":
        main = paths.dirname(common)
    elif _setting(common, "bare") == "true":
        return paths.join(common, "holdshort")
    else:
        worktree = _setting(common, "worktree")
        main = paths.realpath(paths.join(common, worktree)) if worktree else root
    if not paths.isdir(main):
        return paths.join(common, "holdshort")
    return paths.join(_outermost_tree(main) or main, STATE_NAME)


def _pointed_to(git: str) -> str | None:
    """The directory that a `.git` file names, or None when `.git` is no such file."""
    text = _text_of(git)
    if not text or not text.startswith("gitdir:"):
        return None
    target = text[len("gitdir:") :].strip()
    return paths.realpath(paths.join(paths.dirname(git), target))


def _setting(common: str, name: str) -> str:
    """The value of `core.<name>` in a repository's own config, or nothing."""
    in_core = False
    value = ""
    for raw in (_text_of(paths.join(common, "config")) or "").splitlines():
        line = raw.strip()
        if line.startswith("["):
            in_core = line.lower().replace(" ", "").startswith("[core]")
            line = line.partition("]")[2].strip()
        key, equals, rest = line.partition("=")
        if in_core and key.strip().lower() == name:
            value = rest.strip().strip('"') if equals else "true"
    return value.lower() if name == "bare" else value


def _text_of(path: str) -> str | None:
    """The text of a small regular file, or None."""
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        is_file = stat.S_ISREG(posix.fstat(fd).st_mode)
        found = paths.decoded(posix.read(fd, _LARGEST)).strip() if is_file else "\0"
    except OSError:
        return None
    finally:
        posix.close(fd)
    return None if "\0" in found else found  # a NUL is in the name of no path


def _upwards(start: str) -> list[str]:
    directories = [start]
    while paths.dirname(directories[-1]) != directories[-1]:
        directories.append(paths.dirname(directories[-1]))
    return directories


def _is_same_file(path: str, other: str) -> bool:
    try:
        return paths.is_same(posix.lstat(path), posix.lstat(other))
    except OSError:
        return False


def _digest(text: str) -> str:
    """16 hex digits that name a directory; FNV-1a, as `hashlib` costs a third of the start."""
    value = 0xCBF29CE484222325
    for byte in paths.encoded(text):
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"
