"""`touched.jsonl`: who wrote what, one line per write, appended without a lock."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.files import append_line, append_rotating, contents, size_of
from holdshort.adapters.json_text import compact, parse
from holdshort.adapters.places import MANIFEST, TOUCHED
from holdshort.adapters.processes import GONE, status
from holdshort.core.book import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OLDER = "touched.1.jsonl"
MOST_AUTHORS = 2  # of one manifest that are kept
MOST_KEPT = 32  # lines
LARGEST = 1 << 20  # bytes; then the file becomes the older one and a new one begins


def touch(state_dir: str, line: dict[str, Any]) -> None:
    """Add one line: `{at, session, agent, tree, path}`. Raises OSError.

    Who wrote a wave manifest stays known as long as the manifest governs, so these lines are kept.
    """
    path, older = (paths.join(state_dir, name) for name in (TOUCHED, OLDER))
    kept = _authors(state_dir) if size_of(path) > LARGEST else []
    first, *rest = [*kept, line]
    append_rotating(path, compact(first), LARGEST, older)
    for one in rest:
        append_line(path, compact(one))


def touches(state_dir: str, since: float) -> list[dict[str, Any]]:
    """The lines written after `since` (epoch seconds), newest first; torn ones are left out.

    Lines stand in the order of their times, so reading stops at the first one that is older, but for
    those that were kept when an older file was set aside.
    """
    found: list[dict[str, Any]] = []
    for name in (TOUCHED, OLDER):
        try:
            raw = contents(paths.join(state_dir, name), LARGEST * 2) or b""
        except OSError:
            continue
        for text in reversed(raw.splitlines()):
            line = _line_in(text)
            if line is not None and line["at"] < since:
                if line.get("kept"):
                    continue
                return found
            found += [line] if line is not None else []
    return found


def _authors(state_dir: str) -> list[dict[str, Any]]:
    """The last two sessions that wrote each manifest, oldest first: whose it is, and whose it was."""
    found: list[dict[str, Any]] = []
    for line in touches(state_dir, 0.0):
        same = [one for one in found if (one["tree"], one["path"]) == (line["tree"], line["path"])]
        is_known = any(one["session"] == line["session"] for one in same)
        if line["path"].endswith(f"/{MANIFEST}") and len(same) < MOST_AUTHORS and not is_known:
            found.append({**line, "kept": True})
    return found[:MOST_KEPT][::-1]


def by_the_living(lines: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Those of `lines` whose party's process is not known to be gone."""
    parties = {str(line["session"]): line["session"] for line in lines}
    gone = {one for one, session in parties.items() if status(session) == GONE}
    return tuple(line for line in lines if str(line["session"]) not in gone)


def _line_in(raw: bytes) -> dict[str, Any] | None:
    try:
        line = parse(raw)
    except ValueError:
        return None
    if not isinstance(line, dict) or not is_number(line.get("at")):
        return None
    texts = all(isinstance(line.get(name), str) for name in ("agent", "tree", "path"))
    session = line.get("session")
    is_sound = texts and isinstance(session, dict) and isinstance(session.get("id"), str)
    return line if is_sound else None
