"""What git does to a whole tree: which subcommands, and to which of its changes. See `tree_wide`."""

from __future__ import annotations

from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import HOLE, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdshort.core.shell_targets import Shell

    Read = list[tuple[str, dict[str, Sequence[str]]]]

TAKES, MOVES, SWEEPS = "takes back", "moves", "sweeps in"
"""What happens to others' files: uncommitted changes go; what is committed replaces them; they are
staged or committed along with one's own."""


class Deed:
    """One git command that reaches beyond the files that it names.

    kind: `TAKES`, `MOVES` or `SWEEPS`. called: as it is shown, `git stash`. directory: where it is run,
    absolute. paths: pathspecs that it is limited to, none for the whole tree. target: the commit whose
    files come in, for `MOVES`, as git's `diff` takes it. reach: which changes it concerns.
    """

    __slots__ = ("called", "directory", "kind", "paths", "reach", "target")

    def __init__(
        self,
        kind: str,
        called: str,
        directory: str,
        paths: Sequence[str] = (),
        *,
        reach: Sequence[str] = (),
        target: Sequence[str] = (),
    ) -> None:
        self.kind = kind
        self.called = called
        self.directory = directory
        self.paths = tuple(paths)
        self.reach = frozenset(reach)
        self.target = tuple(target)

    def __repr__(self) -> str:
        reach = "+".join(sorted(self.reach))
        return f"Deed({self.called!r}, {self.kind!r}, {reach!r}, {self.paths}, {self.target})"


TRACKED, UNTRACKED, IGNORED, STAGED, SUBMODULES = (
    *("tracked", "untracked", "ignored", "staged", "submodules"),
)
"""Changes that a deed concerns, as `git status` tells them apart."""


def note(shell: Shell, arguments: Sequence[str]) -> None:
    """Note what a git command does to the tree. arguments: its subcommand and what follows."""
    name, *rest = arguments
    read = READ.get(name)
    if read is None or shell.cwd is None:
        return
    for kind, fields in read(tuple(rest)):
        if HOLE in "".join((*fields.get("paths", ()), *fields.get("target", ()))):
            shell.is_unread = True
            continue
        shell.deeds.append(Deed(kind, f"git {name}", shell.cwd, **fields))
    if name == "worktree" and rest[:1] == ["remove"]:
        for path in read_options(rest[1:]).operands:
            shell.write(path, WHOLE)


def _stash(arguments: Sequence[str]) -> Read:
    first = arguments[0] if arguments else "push"
    if first not in ("push", "save") and first[:1] != "-":
        return []
    options = read_options(arguments[first[:1] != "-" :], "m", ("message", "pathspec-from-file"))
    reach = [TRACKED, STAGED]
    reach += [UNTRACKED] * options.has("u", "include-untracked", "a", "all")
    reach += [IGNORED] * options.has("a", "all")
    return [(TAKES, {"paths": options.operands if first == "push" else (), "reach": reach})]


def _reset(arguments: Sequence[str]) -> Read:
    options = read_options(arguments)
    if not options.has("hard"):
        return []
    found: Read = [(TAKES, {"reach": (TRACKED, STAGED)})]
    return found + _moving(options.operands[:1])


def _checkout(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "bB", ("orphan", "conflict", "pathspec-from-file"))
    if "--" in arguments:
        return [
            (TAKES, {"paths": arguments[arguments.index("--") + 1 :], "reach": (TRACKED, STAGED)})
        ]
    forced = _taking(options.has("f", "force"))
    if options.has("b", "B", "orphan"):
        return forced + _moving(options.operands[:1])
    if "." in options.operands:
        return [(TAKES, {"paths": options.operands, "reach": (TRACKED, STAGED)})]
    return forced + _moving(options.operands[:1])


def _restore(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "s", ("source", "pathspec-from-file"))
    if options.has("S", "staged") and not options.has("W", "worktree"):
        return []
    return [(TAKES, {"paths": options.operands, "reach": (TRACKED,)})] if options.operands else []


def _switch(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "cC", ("create", "force-create", "orphan", "conflict"))
    return _taking(options.has("f", "force", "discard-changes")) + _moving(options.operands[:1])


def _clean(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "e", ("exclude",))
    if options.has("n", "dry-run") or not options.has("f", "force"):
        return []
    only_ignored = options.has("X")
    reach = [UNTRACKED] * (not only_ignored) + [IGNORED] * (only_ignored or options.has("x"))
    return [(TAKES, {"paths": options.operands, "reach": reach})]


def _joining(between: str) -> Callable[[Sequence[str]], Read]:
    """The reader of what brings another line of work in: `merge`, `rebase`."""

    def read(arguments: Sequence[str]) -> Read:
        options = read_options(arguments, "msXSxC", ("strategy", "strategy-option", "onto", "exec"))
        if options.has("abort", "quit", "continue", "skip", "edit-todo", "show-current-patch"):
            return []
        into = (options.values("onto") or options.operands or ["@{upstream}"])[0]
        return [*_taking(options.has("autostash")), (MOVES, {"target": (f"HEAD{between}{into}",)})]

    return read


def _pull(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "sX", ("strategy", "strategy-option", "depth"))
    upstream = "HEAD...@{upstream}"
    return [*_taking(options.has("autostash")), (MOVES, {"target": (upstream,)})]


def _picking(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "msXS", ("mainline", "strategy", "strategy-option"))
    if options.has("abort", "quit", "continue", "skip", "n", "no-commit"):
        return []
    return [(MOVES, {"target": (f"{one}^!",)}) for one in options.operands[:8] if ".." not in one]


def _add(arguments: Sequence[str]) -> Read:
    options = read_options(arguments, "", ("pathspec-from-file", "chmod"))
    if options.has("n", "dry-run", "p", "patch", "i", "interactive", "e", "edit"):
        return []
    is_all = options.has("A", "all", "u", "update", "no-ignore-removal")
    if not options.operands and not is_all:
        return []
    reach = [TRACKED] + [UNTRACKED] * (not options.has("u", "update"))
    return [(SWEEPS, {"paths": options.operands, "reach": reach})]


def _commit(arguments: Sequence[str]) -> Read:
    valued = ("message", "file", "author", "date", "reuse-message", "reedit-message", "template")
    options = read_options(arguments, "mFCct", valued, "uS")
    if options.has("dry-run", "p", "patch", "interactive"):
        return []
    if options.operands and not options.has("i", "include"):
        return [(SWEEPS, {"paths": options.operands, "reach": (TRACKED, STAGED)})]
    reach = [STAGED] + [TRACKED] * options.has("a", "all")
    return [(SWEEPS, {"reach": reach})]


def _submodule(arguments: Sequence[str]) -> Read:
    options = read_options(arguments[1:], "j", ("reference", "depth", "jobs"))
    if not arguments or arguments[0] != "update":
        return []
    return [(TAKES, {"paths": options.operands, "reach": (SUBMODULES,)})]


def _taking(does: bool) -> Read:  # a condition, not a choice of the caller's
    return [(TAKES, {"reach": (TRACKED, STAGED)})] if does else []


def _moving(targets: Sequence[str]) -> Read:
    names = [("@{-1}" if one == "-" else one) for one in targets]
    return [(MOVES, {"target": ("HEAD", one)}) for one in names]


READ: dict[str, Callable[[Sequence[str]], Read]] = {
    "stash": _stash,
    "reset": _reset,
    "checkout": _checkout,
    "restore": _restore,
    "switch": _switch,
    "clean": _clean,
    "merge": _joining("..."),
    "rebase": _joining("..."),
    "pull": _pull,
    "cherry-pick": _picking,
    "revert": _picking,
    "add": _add,
    "stage": _add,
    "commit": _commit,
    "submodule": _submodule,
    "worktree": lambda _: [],
}
