"""What each program writes, by its arguments. Programs that are not here are taken to write nothing.

Each function is given the shell, the arguments, and the text on stdin: None where none is redirected,
`HOLE` where it cannot be told.
"""

from __future__ import annotations

from holdshort.core.shell_files import (
    cat,
    changes_mode,
    cp,
    curl,
    dd,
    each,
    echo,
    install,
    ln,
    ls,
    mv,
    printf,
    rm,
    rsync,
    sort,
    tar,
    tee,
    unzip,
    wget,
)
from holdshort.core.shell_formatters import FORMATTERS, rewrite
from holdshort.core.shell_interpreters import (
    alias,
    awk,
    bash,
    edits,
    edits_in_place,
    evaluate,
    node,
    php,
    python,
    sed,
    source,
    vim,
)
from holdshort.core.shell_repositories import apply_patch, git, patch
from holdshort.core.shell_wrappers import cd, command, env, find, popd, runner, wrapper, xargs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdshort.core.shell_targets import Shell

    Arguments = list[str]
    Stdin = str | None
    Program = Callable[[Shell, Arguments, Stdin], None]


def _formatter(name: str) -> Program:
    return lambda shell, arguments, _: rewrite(shell, name, arguments)


_TIMEOUT = wrapper("ks", ("kill-after", "signal"), 1)
_SUDO = wrapper("ughpCTrtDR", ("user", "group", "host", "prompt", "chdir"))
PROGRAMS: dict[str, Program] = {
    **{name: _formatter(name) for name in FORMATTERS},
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh", "ash"), bash),
    **dict.fromkeys(("python", "pypy", "python3"), python),
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node"), node),
    **dict.fromkeys(("sed", "gsed"), sed),
    **dict.fromkeys(("awk", "gawk", "mawk"), awk),
    **dict.fromkeys(("source", "."), source),
    **dict.fromkeys(("cd", "pushd"), cd),
    **dict.fromkeys(("chmod", "chown", "chgrp"), changes_mode),
    **dict.fromkeys(("apply_patch", "applypatch"), apply_patch),
    **dict.fromkeys(("ed", "ex"), edits),
    **dict.fromkeys(("vim", "nvim", "vi"), vim),
    **dict.fromkeys(("nohup", "setsid", "builtin", "chronic", "busybox"), wrapper()),
    **dict.fromkeys(("xargs", "parallel"), xargs),
    **dict.fromkeys(("npx", "bunx", "pnpx", "uvx", "pipx"), runner()),
    **dict.fromkeys(("uv", "poetry", "pdm", "hatch", "rye", "pipenv"), runner("run")),
    **dict.fromkeys(("npm", "pnpm", "yarn"), runner("exec", "dlx")),
    **dict.fromkeys(("sudo", "doas"), _SUDO),
    **dict.fromkeys(("timeout", "gtimeout"), _TIMEOUT),
    "ionice": wrapper("cnp"),
    "nice": wrapper("n", ("adjustment",)),
    "time": wrapper("of", ("output", "format"), writes="o"),
    "exec": wrapper("a"),
    "stdbuf": wrapper("ioe"),
    "command": command,
    "env": env,
    "alias": alias,
    "eval": evaluate,
    "popd": popd,
    "cp": cp,
    "mv": mv,
    "install": install,
    "ln": ln,
    "rm": rm,
    "unlink": each(),
    "shred": each("ns", ("iterations", "size")),
    "touch": each("drt", ("date", "reference")),
    "truncate": each("sr", ("size", "reference")),
    "sponge": each(),
    "tee": tee,
    "cat": cat,
    "echo": echo,
    "printf": printf,
    "ls": ls,
    "perl": edits_in_place("perl", "eEIMm", "iF", "eE"),
    "ruby": edits_in_place("ruby", "eIr", "iFKT", "e"),
    "php": php,
    "find": find,
    "dd": dd,
    "sort": sort,
    "curl": curl,
    "wget": wget,
    "tar": tar,
    "unzip": unzip,
    "rsync": rsync,
    "patch": patch,
    "git": git,
}
