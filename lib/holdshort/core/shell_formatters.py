"""Programs that rewrite sources in place: the paths they are given, or the whole tree."""

from __future__ import annotations

from holdshort.core.shell_options import read_options
from holdshort.core.shell_script import TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.shell_targets import Shell


class Formatter:
    """subcommands: one of them must come first. needs: an option without which nothing is written.

    refuses: options that only look. valued, long: options with a value. is_wide: without paths it
    takes the tree.
    """

    __slots__ = ("is_wide", "long", "needs", "refuses", "subcommands", "valued")

    def __init__(
        self,
        subcommands: Sequence[str] = (),
        needs: Sequence[str] = (),
        refuses: Sequence[str] = (),
        valued: str = "",
        long: Sequence[str] = (),
        *,
        is_wide: bool = False,
    ) -> None:
        self.subcommands = subcommands
        self.needs = needs
        self.refuses = refuses
        self.valued = valued
        self.long = long
        self.is_wide = is_wide


LOOKS = ("check", "diff", "help", "version", "stdin-filename", "stdin-filepath")
CONFIG = (
    "config",
    "line-length",
    "target-version",
    "exclude",
    "extend-exclude",
    "select",
    "ignore",
)
RUFF_FORMAT = Formatter(("format",), (), LOOKS, "", CONFIG, is_wide=True)
FORMATTERS: dict[str, tuple[Formatter, ...]] = {
    "prettier": (
        Formatter((), ("write", "w"), LOOKS, "", ("config", "ignore-path", "parser", "log-level")),
    ),
    "eslint": (
        Formatter((), ("fix",), (), "cf", ("config", "ext", "rule", "format", "max-warnings")),
    ),
    "stylelint": (Formatter((), ("fix",), (), "", ("config",)),),
    "standard": (Formatter((), ("fix",), is_wide=True),),
    "xo": (Formatter((), ("fix",), is_wide=True),),
    "oxlint": (Formatter((), ("fix",), is_wide=True),),
    "biome": (
        Formatter(("format", "check", "lint"), ("write", "fix", "apply"), (), "", (), is_wide=True),
    ),
    "ruff": (
        RUFF_FORMAT,
        Formatter(("check",), ("fix", "fix-only"), ("diff", "no-fix"), "", CONFIG, is_wide=True),
    ),
    "black": (Formatter((), (), (*LOOKS, "c"), "lt", CONFIG),),
    "isort": (Formatter((), (), (*LOOKS, "c", "check-only"), "lp", ("profile", "src", "skip")),),
    "autopep8": (Formatter((), ("i", "in-place"), LOOKS, "", ("max-line-length", *CONFIG)),),
    "yapf": (Formatter((), ("i", "in-place"), LOOKS, "e", ("style",)),),
    "pyupgrade": (Formatter(),),
    "cargo": (
        Formatter(("fmt",), (), LOOKS, "p", ("package", "manifest-path"), is_wide=True),
        Formatter(("fix",), (), (), "p", ("package", "manifest-path"), is_wide=True),
        Formatter(("clippy",), ("fix",), (), "p", ("package", "manifest-path"), is_wide=True),
    ),
    "rustfmt": (Formatter((), (), LOOKS, "", ("edition", "config", "config-path")),),
    "gofmt": (Formatter((), ("w",), (), "r"),),
    "goimports": (Formatter((), ("w",), (), "", ("local",)),),
    "gofumpt": (Formatter((), ("w",)),),
    "go": (Formatter(("fmt",), (), ("n",), is_wide=True),),
    "clang-format": (Formatter((), ("i",), ("n", "dry-run"), "", ("style",)),),
    "shfmt": (Formatter((), ("w", "write"), ("d", "diff"), "i", ("indent",)),),
    "terraform": (Formatter(("fmt",), (), ("check",), is_wide=True),),
    "deno": (Formatter(("fmt",), (), LOOKS, is_wide=True),),
    "dprint": (Formatter(("fmt",), (), ("diff",), is_wide=True),),
    "dart": (Formatter(("format",), (), (), "o", ("output",)),),
    "mix": (Formatter(("format",), (), ("check-formatted",), is_wide=True),),
    "rubocop": (Formatter((), ("a", "A", "autocorrect", "autocorrect-all"), is_wide=True),),
    "zig": (Formatter(("fmt",), (), ("check",)),),
    "stylua": (Formatter((), (), LOOKS),),
    "taplo": (Formatter(("fmt", "format"), (), LOOKS, is_wide=True),),
    "swiftformat": (Formatter((), (), ("lint", "dryrun")),),
    "ktlint": (Formatter((), ("F", "format"), is_wide=True),),
    "php-cs-fixer": (Formatter(("fix",), (), ("dry-run",), is_wide=True),),
}


def rewrite(shell: Shell, name: str, arguments: Sequence[str]) -> None:
    """Note what the formatter `name` rewrites."""
    for formatter in FORMATTERS[name]:
        given = list(arguments)
        if formatter.subcommands:
            at = next((at for at, one in enumerate(given) if one[:1] != "-"), len(given))
            if given[at : at + 1] and given[at] in formatter.subcommands:
                del given[at]
            else:
                continue
        _rewrite(shell, formatter, given)


def _rewrite(shell: Shell, formatter: Formatter, arguments: Sequence[str]) -> None:
    options = read_options([*arguments], formatter.valued, formatter.long)
    refuses = formatter.refuses
    passed = arguments[list(arguments).index("--") :] if "--" in arguments else ()
    if options.has(*refuses) or any(f"--{one}" in passed for one in refuses):
        return
    if formatter.needs and not options.has(*formatter.needs):
        return
    operands = [
        one for one in options.operands if one not in ("-", "--") and one[:1] not in ("-", "+")
    ]
    for operand in operands or (["."] if formatter.is_wide else []):
        shell.write(operand.removesuffix("/...") or ".", TREE)
