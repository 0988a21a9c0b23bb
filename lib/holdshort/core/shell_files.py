"""Programs that write, move and remove the files they are given. See `shell_programs`."""

from __future__ import annotations

from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import FILE, HOLE, SOME, TREE, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_programs import Arguments, Program, Stdin
    from holdshort.core.shell_targets import Shell


def name_of(path: str) -> str:
    """The last name of a path; `*` where it is not one file's."""
    name = path.rstrip("/").rpartition("/")[2]
    return "*" if HOLE in path or name in ("", ".", "..") or any(c in name for c in "*?") else name


def put(shell: Shell, sources: Sequence[str], into: str, *, deep: bool, is_directory: bool) -> None:
    """Note that `sources` are put into `into`, or become it."""
    for source in sources:
        name = name_of(source)
        if name == "*":
            shell.write(into, SOME)
        elif is_directory or len(sources) > 1 or into.endswith("/"):
            shell.write(f"{into.rstrip('/')}/{name}", TREE if deep else FILE)
        else:
            shell.write(into, TREE if deep else FILE, name)


def cp(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`cp`: its target is written."""
    _copied(shell, arguments, "tS")


def mv(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`mv`: its sources go, its target is written."""
    _copied(shell, arguments, "tS", moves=True)


def install(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`install`: as `cp`; with `-d` it only makes directories."""
    if not read_options(arguments, "tSmog").has("d", "directory"):
        _copied(shell, arguments, "tSmog")


def ln(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`ln`: the link itself is what is written."""
    options = read_options(arguments, "tS", ("target-directory", "suffix"))
    if len(options.operands) == 1 and not options.has("t", "target-directory"):
        shell.write(name_of(options.operands[0]))
    elif options.has("n", "no-dereference", "T", "no-target-directory"):
        shell.write(options.operands[-1] if options.operands else "")
    else:
        _copied(shell, [one for one in arguments if one not in ("-r", "--relative")], "tS")


def rm(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`rm`: a directory goes as a whole."""
    options = read_options(arguments)
    for path in options.operands:
        shell.write(path, WHOLE if options.has("r", "R", "recursive") else FILE)


def _copied(shell: Shell, arguments: Arguments, valued: str, *, moves: bool = False) -> None:
    long = ("target-directory", "suffix", "mode", "owner", "group")
    options = read_options(arguments, valued, long)
    into = options.values("t", "target-directory")
    sources = options.operands if into else options.operands[:-1]
    if moves:
        for source in sources:
            shell.write(source, WHOLE)
    if sources:
        deep = moves or options.has("r", "R", "a", "recursive", "archive")
        target = into[-1] if into else options.operands[-1]
        put(shell, sources, target, deep=deep, is_directory=bool(into))


def each(valued: str = "", long: Sequence[str] = ()) -> Program:
    """A program that writes all its operands."""

    def program(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
        for path in read_options(arguments, valued, long).operands:
            shell.write(path)

    return program


def changes_mode(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`chmod` and its like: all operands but the mode."""
    named = [f"a{one}" if one[:2] in ("-x", "-w", "-r") else one for one in arguments]
    options = read_options(named)
    for path in options.operands[1:]:
        shell.write(path, TREE if options.has("R", "recursive") else FILE)


def tee(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`tee`: its operands; it prints what it is given."""
    for path in read_options(arguments).operands:
        shell.write(path)
        shell.note(shell.place(path), None if stdin == HOLE else stdin)
    shell.output = None if stdin == HOLE else stdin


def cat(shell: Shell, arguments: Arguments, stdin: Stdin) -> None:
    """`cat`: prints what it is given, or what the command has written before."""
    operands = [one for one in read_options(arguments).operands if one != "-"]
    texts = [shell.written.get(shell.place(one)) for one in operands]
    if not operands:
        shell.output = None if stdin == HOLE else stdin
    elif all(text is not None for text in texts):
        known = [text for text in texts if text is not None]
        shell.output = "".join(known) if shell.affords(*known) else None


def echo(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`echo`: prints its arguments."""
    shell.output = (
        " ".join(one for one in arguments if one not in ("-n", "-e", "-ne", "-en")) + "\n"
    )


def printf(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`printf`: prints its format, or its arguments one a line."""
    form, *rest = arguments or [""]
    text = "\n".join(rest) if "%s" in form else form
    shell.output = text.replace("\\n", "\n").replace("\\t", "\t") + "\n"


def ls(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`ls`: prints paths and globs that it is given, nothing that must be looked up."""
    operands = read_options(arguments).operands
    is_plain = operands and all("*" in one or "." in one.strip("./") for one in operands)
    shell.output = "\n".join(operands) if is_plain else None


def dd(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`dd`: `of=`."""
    for one in arguments:
        if one.startswith("of="):
            shell.write(one[3:])


def sort(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`sort`: `-o`."""
    for path in read_options(arguments, "okStT", ("output", "key")).values("o", "output"):
        shell.write(path)


def curl(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`curl`: `-o` and `-O`."""
    options = read_options(arguments, "oHdXuAebFmwcDKETxrtzQCPyY", ("output", "header", "data"))
    for path in options.values("o", "output", "D", "c"):
        if path != "-":
            shell.write(path)
    if options.has("O", "remote-name"):
        for url in options.operands:
            shell.write(name_of(url))


def wget(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`wget`: `-O`."""
    options = read_options(arguments, "OoaPUt", ("output-document", "directory-prefix"))
    for path in options.values("O", "output-document"):
        if path != "-":
            shell.write(path)


def tar(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`tar`: the archive, or some files in the directory."""
    given = list(arguments)
    if given and given[0][:1] != "-":
        given[0] = f"-{given[0]}"
    options = read_options(given, "fCbTXI", ("file", "directory", "exclude", "files-from"))
    if options.has("x", "extract", "get") and not options.has("O", "to-stdout"):
        shell.write((options.values("C", "directory") or ["."])[-1], SOME)
    elif options.has("c", "create", "r", "u", "append", "update"):
        for path in options.values("f", "file"):
            if path != "-":
                shell.write(path)


def unzip(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`unzip`: some files in the directory."""
    options = read_options(arguments, "dx")
    if not options.has("l", "t", "p", "v", "Z", "z"):
        shell.write((options.values("d") or ["."])[-1], SOME)


def rsync(shell: Shell, arguments: Arguments, _stdin: Stdin) -> None:
    """`rsync`: its target, unless that is elsewhere."""
    long = (
        *("exclude", "include", "rsh", "files-from", "exclude-from", "include-from", "filter"),
        *("chmod", "partial-dir", "backup-dir", "temp-dir", "rsync-path"),
    )
    options = read_options(arguments, "efTB", long)
    *sources, into = options.operands or [""]
    if options.has("n", "dry-run") or not sources or ":" in into.partition("/")[0]:
        return
    deep = options.has("a", "r", "archive", "recursive")
    for one in sources:
        if deep and one.endswith("/"):
            shell.write(into, SOME)
        else:
            put(shell, [one], into, deep=deep, is_directory=into.endswith("/"))
