"""A verb that takes nothing it does not understand: scripts call it, and nobody reads over them."""

from __future__ import annotations

import json
from contextlib import contextmanager

import click

from holdshort.cli.errors import RefusedError, said_of
from holdshort.core.words import clip_path, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_UNFIT = ("\0", "\n", "\r")


class StrictCommand(click.Command):
    """Each option once; no value empty, none that begins with `--`, none with a NUL or line end.

    An empty value is what a failed command substitution leaves, and must not switch a check off.
    With `--json`, faults stand on stdout too.
    """

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Parse `args`. Raises click.UsageError."""
        with _faults_as_json("--json" in args):
            return super().make_context(info_name, args, parent, **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look at the arguments before and after click does."""
        self._refuse_odd_options(list(args))
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            value = ctx.params.get(parameter.name or "")
            if isinstance(value, str) and (not value or any(sign in value for sign in _UNFIT)):
                name = (
                    parameter.opts[0] if parameter.param_type_name == "option" else "the argument"
                )
                what = "needs a value that is not empty" if not value else "cannot hold a line end"
                raise click.UsageError(f"{name} {what}")
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        with _faults_as_json(bool(ctx.params.get("as_json"))):
            return super().invoke(ctx)

    def _refuse_odd_options(self, args: list[str]) -> None:
        wants = {name: not _is_flag(param) for param in self.params for name in param.opts}
        seen: set[str] = set()
        for at, arg in enumerate(args):
            name, has_value, _ = arg.partition("=")
            if not name.startswith("--") or name == "--":
                continue
            if name in seen:
                raise click.UsageError(f"{name} is given twice")
            seen.add(name)
            value = arg[len(name) + 1 :] if has_value else "".join(args[at + 1 : at + 2])
            if wants.get(name) and value.startswith("--"):
                raise click.UsageError(f"{name} needs a value, not {clip_path(value)}")


def _is_flag(parameter: click.Parameter) -> bool:
    return bool(getattr(parameter, "is_flag", False))


@contextmanager
def _faults_as_json(wanted: bool) -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        _say(wanted, error.format_message())
        raise
    except RefusedError as error:
        _say(wanted, str(error))
        raise
    except OSError as error:
        _say(wanted, said_of(error))
        raise


def _say(wanted: bool, fault: str) -> None:
    if wanted:
        click.echo(json.dumps({"ok": False, "errors": [safe(fault)], "warnings": []}))
