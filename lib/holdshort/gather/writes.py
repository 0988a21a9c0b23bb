"""PostToolUse of the writing tools: who wrote which file, for the observed holds."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.files import make_private
from holdshort.adapters.ledger_file import exists
from holdshort.adapters.places import MANIFEST, folds_case, locate, project
from holdshort.adapters.processes import session_of
from holdshort.adapters.touched import touch
from holdshort.adapters.wire import text, written
from holdshort.core.verdict import Outcome, unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.verdict import Verdict


def judge(call: dict[str, Any], now: float) -> Outcome:
    """Write down one write that has happened. A person who works alone leaves no trace.

    Who writes the wave manifest always does: it governs its author's session (enforce_scope).
    """
    for path in filter(paths.is_possible, written(call, project())):
        trouble = _noted(call, paths.realpath(path), now)
        if trouble is not None:
            return Outcome(trouble)
    return Outcome()


def _noted(call: dict[str, Any], real: str, now: float) -> Verdict | None:
    """Note one write; what is to be said where that failed."""
    place = locate(paths.dirname(real), project())
    agent = text(call, "agent_id")
    if not real.startswith(f"{place.root}/"):
        return None
    path = real[len(place.root) + 1 :]
    if not (agent or exists(place.state_dir) or path.endswith(f"/{MANIFEST}")):
        return None
    line = {
        "at": round(now, 3),
        "session": session_of(text(call, "session_id")),
        "agent": agent,
        "tree": place.root,
        "path": path.casefold() if folds_case(place.root) else path,
    }
    try:
        make_private(place.state_dir)
        touch(place.state_dir, line)
    except OSError as error:
        return unwritable(place.state_dir, error.strerror, "This write is not noted.")
    return None
