"""PreToolUse of the writing tools and the shell.

Most writes concern nobody else, and are let go for next to nothing.
"""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import Place, locate, manifests, project
from holdshort.adapters.wire import text
from holdshort.core.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
SHELLS = ("Bash", "Monitor")
GUARD = paths.realpath(__file__.rpartition("/lib/")[0])  # the plugin's own directory


def judge(call: dict[str, Any], now: float) -> Outcome:
    """The verdict on one write or command; silent where nothing governs it. now: epoch seconds."""
    given, tool = call.get("tool_input"), text(call, "tool_name")
    if tool in SHELLS:
        return _judge_command(call, text(given, "command"), now)
    written = text(given, "file_path") or text(given, "notebook_path")
    if tool not in TOOLS or not written:
        return Outcome()
    place = locate(text(call, "cwd"), project())
    if not _may_matter(written, place):
        return Outcome()
    from holdshort.gather.governed_write import judge_governed  # noqa: PLC0415  # only then

    return judge_governed(call, written, place, now)


def is_governed() -> bool:
    """Whether a wave manifest is in force where the session was started: then doubt denies."""
    return any(map(paths.lexists, manifests(locate(project(), project()))))


def _judge_command(call: dict[str, Any], command: str, now: float) -> Outcome:
    from holdshort.core.shell_gate import may_write  # noqa: PLC0415  # only the shell's calls pay

    if not may_write(command):
        return Outcome()
    place = locate(text(call, "cwd"), project())
    is_governed_here = paths.lexists(place.state_dir) or any(map(paths.lexists, manifests(place)))
    if not is_governed_here and "holdshort" not in command and GUARD not in command:
        return Outcome()
    from holdshort.gather.shell_write import judge_command  # noqa: PLC0415  # only then

    return judge_command(call, command, place, now)


def _may_matter(written: str, place: Place) -> bool:
    """Whether anybody holds anything here, a wave is on, or the write is aimed at the guard."""
    if paths.lexists(place.state_dir) or any(map(paths.lexists, manifests(place))):
        return True
    real = paths.realpath(written if paths.isabs(written) else paths.join(place.root, written))
    return real.startswith((f"{GUARD}/", f"{place.state_dir}/")) or "holdshort" in real
