"""Programs that run other programs, and those that change the directory. See `shell_programs`."""

from __future__ import annotations

from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import FILE, HOLE, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_programs import Arguments, Program, Stdin
    from holdshort.core.shell_targets import Shell


def cd(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`cd`: where relative paths count from now on."""
    operands = read_options(arguments).operands
    into = operands[0] if operands else shell.variables.get("HOME", HOLE)
    place = shell.place(into) if into != "-" else ""
    shell.cwd = place.rstrip("/") or ("/" if place else None)
    shell.variables.pop("PWD", None)
    if shell.cwd is not None:
        shell.variables["PWD"] = shell.cwd


def popd(shell: Shell, _arguments: Arguments, _stdin: Stdin) -> None:
    """`popd`: back to somewhere."""
    shell.cwd = None


def wrapper(
    valued: str = "", long: Sequence[str] = (), operands: int = 0, writes: str = ""
) -> Program:
    """A program that runs another: `operands` of its own come first. writes: options with a file."""

    def program(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
        options = read_options(arguments, valued, long, stops=True)
        for path in options.values(*writes):
            shell.write(path)
        words = options.operands[operands:]
        if words:
            shell.program(words, stdin)

    return program


def command(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`command`: the program it runs."""
    options = read_options(arguments, stops=True)
    if options.operands and not options.has("v", "V"):
        shell.program(options.operands, stdin)


def env(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`env`: the program it runs, perhaps elsewhere."""
    options = read_options(arguments, "uCS", ("unset", "chdir", "split-string"), stops=True)
    words = [*options.operands]
    for text in options.values("S", "split-string"):
        words = [*text.split(), *words]
    while words and "=" in words[0]:
        words.pop(0)
    cwd = shell.cwd
    for directory in options.values("C", "chdir"):
        cd(shell, [directory], None)
    if words:
        shell.program(words, stdin)
    shell.cwd = cwd


def runner(*skipped: str) -> Program:
    """`npx`, `uv run` and their like: the words after their own are a program."""

    def program(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
        options = read_options(arguments, "pw", ("package", "with", "python", "filter"), stops=True)
        words = options.operands
        if skipped:
            if words[:1] and words[0] not in skipped:
                return
            words = read_options(words[1:], "", ("with", "python"), stops=True).operands
        if words:
            shell.program([words[0].partition("@")[0] or words[0], *words[1:]], stdin)

    return program


def xargs(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`xargs`: the program it runs, with what it is given, if that is known."""
    options = read_options(
        arguments,
        "adEILnPs",
        ("arg-file", "delimiter", "max-args", "max-procs", "replace"),
        stops=True,
    )
    words = options.operands or ["echo"]
    is_known = stdin is not None and HOLE not in stdin and not options.has("a", "arg-file")
    values = (stdin or "").split() if is_known else [HOLE]
    mark = (options.values("I", "replace") or [""])[-1]
    for value in values[:64] if mark else ():
        shell.program([one.replace(mark, value) for one in words], None)
    if not mark:
        shell.program([*words, *values], None)


def find(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`find`: what it deletes, and what it runs on what it finds."""
    at = next((at for at, one in enumerate(arguments) if one[:1] in "-(!" and one), len(arguments))
    roots, tests = arguments[:at] or ["."], arguments[at:]
    found = [_found(root, tests) for root in roots]
    shell.output = "\n".join(found) if "-print" not in tests or "-o" not in tests else None
    if "-delete" in tests:
        for path in found:
            shell.write(path, TREE if path in roots else FILE)
    for place, one in enumerate(tests):
        if one in ("-exec", "-execdir", "-ok", "-okdir"):
            _executed(shell, tests[place + 1 :], found)
        elif one in ("-fprint", "-fls", "-fprintf"):
            shell.write("".join(tests[place + 1 : place + 2]))


def _found(root: str, tests: Sequence[str]) -> str:
    """A glob for what `find` finds; a hole where other tests than the name and type narrow it."""
    name, at = "", 0
    while at < len(tests):
        test = tests[at]
        if test in ("-exec", "-execdir", "-delete", "-print", "-print0", "-ok"):
            break
        if test == "-name":
            name = "".join(tests[at + 1 : at + 2])
        elif test != "-type":
            return HOLE
        at += 2
    if HOLE in name or "[" in name:
        return HOLE
    if not name:
        return f"{root.rstrip('/')}/**" if tests and "-type" in tests else root
    is_root = root.rstrip("/").rpartition("/")[2] == name
    return root if is_root else f"{root.rstrip('/')}/**/{name}"


def _executed(shell: Shell, words: Sequence[str], found: Sequence[str]) -> None:
    end = next((at for at, one in enumerate(words) if one in (";", "+", "\\;")), len(words))
    for path in found:
        shell.program([one.replace("{}", path) for one in words[:end]] or ["true"], None)
