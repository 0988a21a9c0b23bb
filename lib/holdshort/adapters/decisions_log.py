"""`log/decisions.jsonl`: one line per verdict, without any payload."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.files import append_rotating
from holdshort.adapters.json_text import compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DIRECTORY = "log"
NAME = "decisions.jsonl"
OLDER = "decisions.1.jsonl"
LARGEST = 4 << 20  # bytes; then the file becomes `decisions.1.jsonl` and a new one begins
_LINE = 3500


def log(state_dir: str, entry: dict[str, Any]) -> None:
    """Add `entry` to the log of an existing state directory; losing a line never costs a verdict."""
    directory = paths.join(state_dir, DIRECTORY)
    path = paths.join(directory, NAME)
    try:
        if not paths.isdir(state_dir):
            return
        paths.makedirs(directory, 0o700)
        if not paths.is_own_directory(directory):
            return
        line = compact(entry)
        line = line if len(line) <= _LINE else compact({**entry, "reason": "(cut)"})
        append_rotating(path, line, LARGEST, paths.join(directory, OLDER))
    except OSError:
        pass
