"""Programs that are given code, and editors that write in place. See `shell_programs`."""

from __future__ import annotations

from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import HOLE, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_programs import Arguments, Program, Stdin
    from holdshort.core.shell_targets import Shell


def sed(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`sed`: files in place, and what `w` names."""
    given = list(arguments)
    for at, one in enumerate(given):
        if one == "-i" and given[at + 1 : at + 2] == [""]:  # BSD's empty suffix
            del given[at + 1]
            break
    options = read_options(given, "efl", ("expression", "file", "line-length"), attached="i")
    scripts = options.values("e", "expression")
    files = options.operands
    if not scripts and not options.has("f", "file"):
        scripts, files = files[:1], files[1:]
    if options.has("i", "in-place"):
        for path in files:
            shell.write(path)
    for script in scripts:
        _written_by_sed(shell, script)


def awk(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`awk`: files in place, and what a literal `print > "..."` names."""
    options = read_options(arguments, "Ffviel", ("assign", "file", "source", "include"))
    has_file = options.has("f", "file", "e", "source")
    if "inplace" in options.values("i", "include"):
        for path in options.operands[not has_file :]:
            shell.write(path)
    for script in options.operands[: not has_file]:
        _, printed, rest = script.partition("print")
        before, _, after = rest.partition(">")
        path, quote, _ = after.lstrip("> ").removeprefix('"').partition('"')
        if printed and quote and after.lstrip("> ").startswith('"') and "}" not in before:
            shell.write(path)


def edits_in_place(language: str, valued: str, attached: str, code: str) -> Program:
    """`perl` and `ruby`: files in place, and the code that the options in `code` give."""

    def program(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
        options = read_options(arguments, valued, attached=attached, stops=True)
        scripts = options.values(*code)
        if options.has("i"):
            for path in options.operands[not scripts :]:
                shell.write(path)
        _interpret(shell, language, scripts, options.operands, stdin)

    return program


def python(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`python`: its code; with `-m`, the module as a program."""
    for at, one in enumerate(arguments):
        if one == "-m" or (one[:1] == "-" and one[1:2] != "-" and one.endswith("m")):
            shell.program(arguments[at + 1 :] or ["true"], stdin)
            return
        if one[:1] == "-" and one[1:2] != "-" and one.endswith("c"):
            _interpret(shell, "python", arguments[at + 1 : at + 2], [], stdin)
            return
        if one in ("-W", "-X"):
            continue
        if one[:1] != "-" or one == "-":
            _interpret(shell, "python", [], arguments[at:], stdin)
            return
    if not {"--version", "-V", "--help", "-h"} & {*arguments}:
        _interpret(shell, "python", [], [], stdin)


def node(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`node`: its code."""
    if {"--check", "-c", "--version", "-v", "--test"} & {*arguments}:
        return
    given = arguments[1:] if arguments[:1] in (["run"], ["eval"]) else arguments
    options = read_options(given, "epr", ("eval", "print", "require", "import"), stops=True)
    scripts = options.values("e", "eval", "p", "print")
    if arguments[:1] == ["eval"]:
        scripts, options.operands = options.operands[:1], []
    _interpret(shell, "node", scripts, options.operands, stdin)


def php(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`php`: its code."""
    options = read_options(arguments, "rdfc", stops=True)
    scripts = options.values("r")
    _interpret(shell, "php", scripts, options.operands, stdin)


def edits(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`ed` and `ex`: the files they are given, if anything is written."""
    if stdin is None or stdin == HOLE or any(line[:1] in "wx" for line in stdin.splitlines()):
        for path in read_options(arguments, "pc").operands:
            shell.write(path)


def vim(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`vim`: its files, if a command writes."""
    options = read_options([one for one in arguments if one[:1] != "+"], "cSu")
    commands = [*options.values("c"), *(one[1:] for one in arguments if one[:1] == "+")]
    if options.has("e", "E") or any("w" in one or "x" in one for one in commands):
        for path in options.operands:
            shell.write(path)


def bash(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """A shell: its text, as of a shell of its own."""
    options = read_options(arguments, "oO", ("rcfile", "init-file"), stops=True)
    if options.has("n"):
        return
    if options.has("c"):
        shell.source_apart(options.operands[0] if options.operands else "", stdin)
    elif options.operands and not options.has("s"):
        _run_file(shell, options.operands[0])
    elif stdin is not None:
        shell.source_apart(stdin)


def alias(shell: Shell, _arguments: Arguments, _stdin: Stdin) -> None:
    """`alias`: what it makes of later words is not followed."""
    shell.is_unread = True


def evaluate(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`eval`: its arguments as a text."""
    shell.source(" ".join(arguments), stdin)


def source(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`source`: a file that the command has written before."""
    if arguments:
        _run_file(shell, arguments[0])


def _written_by_sed(shell: Shell, script: str) -> None:
    """`w FILE` as a command of its own, or as a flag of `s`."""
    for raw in script.replace("\n", ";").split(";"):
        piece = raw.strip().lstrip("0123456789,$ {")
        if piece.startswith("w "):
            shell.write(piece[2:].strip())
        elif piece.startswith("s") and "/w " in piece:
            shell.write(piece.rpartition("/w ")[2].strip())


def _interpret(
    shell: Shell, language: str, scripts: Sequence[str], operands: Sequence[str], stdin: Stdin
) -> None:
    """Read the code that an interpreter is given: inline, on stdin, or in a file just written."""
    sources = list(scripts)
    if not sources and operands[:1] and operands[0] != "-":
        written = shell.written.get(shell.place(operands[0]))
        sources = [written] if written is not None else []
        shell.is_unread = shell.is_unread or HOLE in operands[0]
    elif not sources and stdin is not None:
        sources = [stdin]
    if sources:
        _read_code(shell, language, "\n".join(sources))


def _read_code(shell: Shell, language: str, source: str) -> None:
    from holdshort.core.shell_code import code_of  # noqa: PLC0415  # only inline code pays

    if not shell.affords(source):
        return
    code = code_of(source, language)
    shell.is_unread = shell.is_unread or code.is_unread or source.strip("\n ") == HOLE
    for path in code.paths:
        shell.write(path, WHOLE)
    for command in code.commands:
        shell.source(command)
    for words in code.calls:
        if words:
            shell.program(words, None)


def _run_file(shell: Shell, path: str) -> None:
    """A script that the command has written itself is read; another is not looked into."""
    text = shell.written.get(shell.place(path))
    if path == HOLE:
        shell.is_unread = True
    elif text is not None:
        shell.source_apart(text)
