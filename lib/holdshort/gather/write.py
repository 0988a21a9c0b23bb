"""PreToolUse of the writing tools and the shell.

Most writes concern nobody else, and are let go for next to nothing.
"""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import Place, locate, manifest_at, project
from holdshort.adapters.wire import text, written
from holdshort.core.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
SHELLS = ("Bash", "Monitor")
GUARD = paths.realpath(__file__.rpartition("/lib/")[0])  # the plugin's own directory


def judge(call: dict[str, Any], now: float) -> Outcome:
    """The verdict on one write or command; silent where nothing governs it. now: epoch seconds."""
    tool = text(call, "tool_name")
    if tool in SHELLS:
        return _judge_command(call, text(call.get("tool_input"), "command"), now)
    place = locate(text(call, "cwd"), project())
    path = written(call, place.root) if tool in TOOLS else ""
    if not path:
        return Outcome()
    manifest = manifest_at(place)
    if not (_is_watched(place, manifest) or _is_aimed_at_us(path, place)):
        return Outcome()
    from holdshort.gather.governed_write import judge_governed  # noqa: PLC0415  # only then

    return judge_governed(call, path, place, manifest, now)


def is_governed() -> bool:
    """Whether a wave manifest is in force where the session was started: then doubt denies."""
    return manifest_at(locate(project(), project())) is not None


def _judge_command(call: dict[str, Any], command: str, now: float) -> Outcome:
    from holdshort.core.shell_gate import may_write  # noqa: PLC0415  # only the shell's calls pay

    if not may_write(command):
        return Outcome()
    place = locate(text(call, "cwd"), project())
    manifest = manifest_at(place)
    if not _is_watched(place, manifest) and "holdshort" not in command and GUARD not in command:
        return Outcome()
    from holdshort.gather.shell_write import judge_command  # noqa: PLC0415  # only then

    return judge_command(call, command, place, manifest, now)


def _is_watched(place: Place, manifest: str | None) -> bool:
    """Whether anybody may hold anything here, or a wave is on."""
    return manifest is not None or not paths.is_absent(place.state_dir)


def _is_aimed_at_us(path: str, place: Place) -> bool:
    real = paths.realpath(path)
    return real.startswith((f"{GUARD}/", f"{place.state_dir}/")) or "holdshort" in real
