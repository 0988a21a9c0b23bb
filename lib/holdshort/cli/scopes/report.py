"""What one run found: errors, warnings and notices, said in lines and, on demand, as JSON."""

from __future__ import annotations

import json

import click

from holdshort.core.words import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

CONTENT = 1
FILE_SYSTEM = 2


class Report:
    """Lines of three kinds; `collisions` as objects for scripts; `is_unreadable`: exit 2."""

    __slots__ = ("collisions", "errors", "is_unreadable", "notices", "warnings")

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.warnings: list[str] = []
        self.notices: list[str] = []
        self.collisions: list[dict[str, Any]] = []
        self.is_unreadable = False

    def unreadable(self, name: str, error: OSError) -> None:
        """Note that a file could not be read."""
        self.errors.append(f"{name}: {error.strerror or error}")
        self.is_unreadable = True

    def add_errors(self, faults: Iterable[str], place: str = "") -> None:
        """Note faults, each after its place."""
        self.errors += [f"{place}: {fault}" if place else fault for fault in faults]

    @property
    def code(self) -> int:
        """The exit code."""
        return FILE_SYSTEM if self.is_unreadable else CONTENT if self.errors else 0

    def finish(self, result: dict[str, Any], *, as_json: bool) -> None:
        """Say everything; as JSON with `result` if all is well. Exits when there are errors."""
        kinds = (("ERROR", self.errors), ("WARNING", self.warnings), ("NOTICE", self.notices))
        for kind, lines in kinds:
            for line in dict.fromkeys(lines):
                click.echo(f"{kind}: {safe(line)}", err=True)
        if as_json:
            click.echo(json.dumps(self._as_json() | ({} if self.errors else result), indent=2))
        if self.errors:
            click.get_current_context().exit(self.code)

    def _as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "ok": not self.errors,
            "errors": [safe(line) for line in dict.fromkeys(self.errors)],
            "warnings": [safe(line) for line in dict.fromkeys(self.warnings)],
        }
        if self.notices:
            found["notices"] = [safe(line) for line in dict.fromkeys(self.notices)]
        if self.collisions:
            found["collisions"] = self.collisions
        return found
