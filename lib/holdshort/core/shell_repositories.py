"""What git and patches write. See `shell_programs`."""

from __future__ import annotations

from holdshort.core.shell_files import mv
from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import HOLE, TREE, WHOLE
from holdshort.core.shell_wrappers import cd

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.shell_programs import Arguments, Program, Stdin
    from holdshort.core.shell_targets import Shell


def patch(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`patch`: the file it is given, or those that the patch names."""
    options = read_options(
        arguments, "pidoDFBVYzrg", ("strip", "input", "directory", "output", "fuzz", "reject-file")
    )
    if options.has("dry-run"):
        return
    if options.operands:
        shell.write(options.operands[0])
        return
    strip = (options.values("p", "strip") or ["0"])[-1]
    named = options.values("i", "input")
    text = shell.written.get(shell.place(named[-1])) if named else stdin
    _patched(shell, text, int(strip) if strip.isascii() and strip.isdigit() else 0)


def apply_patch(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`apply_patch`: the files of its envelope."""
    from holdshort.core.shell_patches import paths_of_envelope  # noqa: PLC0415  # same

    text = arguments[0] if arguments else stdin
    if text is None or HOLE in text:
        shell.is_unread = True
    for path in paths_of_envelope(text or ""):
        shell.write(path)


def git(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`git`: what moves, removes or brings back files by path, and `apply`."""
    options = read_options(arguments, "Cc", ("git-dir", "work-tree", "namespace"), stops=True)
    if not options.operands:
        return
    cwd = shell.cwd
    for directory in options.values("C"):
        cd(shell, [directory], None)
    does = GIT.get(options.operands[0])
    if does is not None:
        does(shell, options.operands[1:], stdin)
    from holdshort.core.shell_git import note  # noqa: PLC0415  # only git pays

    note(shell, options.operands)
    shell.cwd = cwd


def _patched(shell: Shell, text: Stdin, strip: int) -> None:
    from holdshort.core.shell_patches import paths_of_diff  # noqa: PLC0415  # only a patch pays

    if text is None or text.strip() == HOLE:
        shell.is_unread = True
        return
    for path in paths_of_diff(text, min(strip, 64)):
        shell.write(path)


def _git_rm(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    options = read_options(arguments)
    if not options.has("cached", "n", "dry-run"):
        for path in options.operands:
            shell.write(path, WHOLE)


def _git_restore(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    options = read_options(arguments, "s", ("source", "pathspec-from-file"))
    if not options.has("S", "staged") or options.has("W", "worktree"):
        for path in options.operands:
            shell.write(path, TREE)


def _git_checkout(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    options = read_options(arguments, "bB", ("orphan", "conflict", "pathspec-from-file"))
    if "--" in arguments:
        for path in arguments[arguments.index("--") + 1 :]:
            shell.write(path, TREE)
    elif not options.has("b", "B", "orphan", "t", "track", "detach"):
        for path in options.operands:
            if path != HOLE:
                shell.write(path, TREE, must_exist=True)


def _git_apply(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    options = read_options(arguments, "pC", ("directory", "exclude", "include"))
    if options.has("check", "stat", "numstat", "summary", "cached") and not options.has("apply"):
        return
    names = [one for one in options.operands if one != "-"]
    texts = [shell.written.get(shell.place(one)) for one in names] or [stdin]
    for text in texts:
        _patched(shell, text, 1)


GIT: dict[str, Program] = {
    "mv": mv,
    "rm": _git_rm,
    "restore": _git_restore,
    "checkout": _git_checkout,
    "apply": _git_apply,
}
