"""What an agent type brings along: whether its agents can write, and whether in a tree of their own.

The client takes both from the definition, not from the call (docs/harness-claude.md).
"""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.adapters.files import contents
from holdshort.core.words import type_name

# Tools that cannot write; whatever is not known here can (docs/harness-claude.md).
READING_TOOLS = (
    *("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "TodoWrite", "NotebookRead"),
    *("ToolSearch", "AskUserQuestion"),
)
SOONEST = 1.0  # seconds after its start before which no agent of a session has changed anything
_LARGEST = 1 << 20
_MOST = 256  # definitions looked at


def defined(name: str, directories: list[str], session_started: float) -> tuple[bool, str] | None:
    """Whether agents of the type `name` have no tool that writes, and the isolation they get.

    directories: of definitions, the first that knows the name decides. session_started: epoch
    seconds; a definition that changed since is not the one in force. None when none knows it.
    """
    for directory in directories:
        fields = _definition(directory, type_name(name), session_started)
        if fields is not None:
            tools = [tool.partition("(")[0] for tool in _items(fields.get("tools", ""))]
            return bool(tools) and all(tool in READING_TOOLS for tool in tools), fields.get(
                "isolation", ""
            )
    return None


def _items(value: str) -> list[str]:
    return [item for part in value.strip("[]").split(",") if (item := part.strip(" \"'"))]


def _definition(directory: str, wanted: str, session_started: float) -> dict[str, str] | None:
    """The frontmatter of the definition called `wanted`; empty if not in force, None if unknown."""
    try:
        names = sorted(name for name in posix.listdir(directory) if name.endswith(".md"))[:_MOST]
    except OSError:
        return None
    for name in sorted(names, key=lambda name: type_name(name[:-3]) != wanted):
        path = paths.join(directory, name)
        fields = _frontmatter(path)
        if type_name(fields.get("name", name[:-3])) == wanted:
            return fields if posix.stat(path).st_ctime < session_started + SOONEST else {}
    return None


def _frontmatter(path: str) -> dict[str, str]:
    """The plain `key: value` fields; a list of items below a key is joined by commas."""
    try:
        lines = (contents(path, _LARGEST) or b"").decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    fields: dict[str, str] = {}
    key = ""
    for line in lines[1:200] if lines and lines[0].strip() == "---" else ():
        if line.strip() == "---":
            break
        if line.lstrip().startswith("- ") and key:
            fields[key] += f",{line.strip()[2:]}"
        elif ":" in line and not line.startswith(" "):
            key, _, value = line.partition(":")
            fields[key] = value.strip(" \"'")
    return fields
