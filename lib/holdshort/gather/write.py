"""PreToolUse of the writing tools. Most writes concern nobody else, and are let go for next to nothing."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import Place, locate, manifests, project
from holdshort.adapters.wire import text
from holdshort.core.verdict import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
GUARD = __file__.rpartition("/lib/")[0]  # the plugin's own directory


def judge(call: dict[str, Any], now: float) -> Outcome:
    """The verdict on one write; silent where nothing governs it. now: epoch seconds."""
    given = call.get("tool_input")
    written = text(given, "file_path") or text(given, "notebook_path")
    if text(call, "tool_name") not in TOOLS or not written:
        return Outcome()
    place = locate(text(call, "cwd"), project())
    if not _may_matter(written, place):
        return Outcome()
    from holdshort.gather.governed_write import judge_governed  # noqa: PLC0415  # only then

    return judge_governed(call, written, place, now)


def is_governed() -> bool:
    """Whether a wave manifest is in force where the session was started: then doubt denies."""
    return any(map(paths.lexists, manifests(locate(project(), project()))))


def _may_matter(written: str, place: Place) -> bool:
    """Whether anybody holds anything here, a wave is on, or the write is aimed at the guard."""
    if paths.lexists(place.state_dir) or any(map(paths.lexists, manifests(place))):
        return True
    real = paths.realpath(written if paths.isabs(written) else paths.join(place.root, written))
    return real.startswith((f"{GUARD}/", f"{place.state_dir}/")) or "holdshort" in real
