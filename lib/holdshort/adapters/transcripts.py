"""Searching the harness's transcripts for one dispatch, by bytes, whatever their size.

Only what was written since the dispatch is searched, plus one look back for the tool call itself,
which the client writes just before it asks the hook (docs/harness-claude.md).
"""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.adapters.json_text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BUFFER = 64 << 10  # bytes a read; 256 KiB took more than twice as long
LOOK_BACK = 256 << 10
FARTHEST = 256 << 20  # bytes searched; what lies beyond is no evidence
LONGEST_LINE = 4 << 20  # bytes of a record that are parsed


def records_naming(path: str, needles: tuple[str, ...], start: int) -> list[Any]:
    """The parsed records, oldest first, that hold one of `needles` at or after byte `start`.

    A file shorter than `start` is another file of the same name and is read from its beginning. What
    cannot be opened or parsed is left out.
    """
    words = tuple(needle.encode("utf-8", "surrogatepass") for needle in needles if needle)
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return []
    try:
        size = posix.fstat(fd).st_size
        start = 0 if size < start else start
        lines = _lines_naming(fd, words, start, min(size, start + FARTHEST)) if words else []
    except OSError:
        return []
    finally:
        posix.close(fd)
    return [record for line in lines if (record := _record_in(line)) is not None]


def mentions(path: str, needle: str) -> bool:
    """Whether `needle` stands anywhere in the transcript at `path`."""
    return bool(needle) and bool(records_naming(path, (needle,), 0))


def binding_of(transcript: str, agent_id: str) -> tuple[str, str | None, bool, float] | None:
    """`(tool-use id, parent agent id, finished, changed at)` from an agent's meta file, or None."""
    return _meta_in(_meta_path(transcript, agent_id))


def agents_by_call(transcript: str) -> dict[str, str]:
    """Tool-use id -> agent id, for every agent of a session that has a meta file."""
    directory = _agents_directory(transcript)
    try:
        names = [name for name in posix.listdir(directory) if name.endswith(".meta.json")]
    except (OSError, ValueError):
        return {}
    found = {}
    for name in names:
        meta = _meta_in(paths.join(directory, name))
        if meta is not None:
            found[meta[0]] = name[len("agent-") : -len(".meta.json")]
    return found


def agent_transcript(transcript: str, agent_id: str) -> str:
    """Where the client keeps the transcript of one agent of a session."""
    return paths.join(_agents_directory(transcript), f"agent-{_name(agent_id)}.jsonl")


def grew_at(transcript: str, agent_id: str) -> float | None:
    """Epoch seconds at which the agent's own transcript last grew, or None."""
    try:
        return posix.stat(agent_transcript(transcript, agent_id)).st_mtime
    except (OSError, ValueError):
        return None


def _lines_naming(fd: int, words: tuple[bytes, ...], start: int, end: int) -> list[bytes]:
    """Whole lines that hold a word, found buffer by buffer with an overlap of a word's length."""
    overlap = max(map(len, words)) - 1
    buffer = bytearray(BUFFER + overlap)  # one for all reads: fresh memory costs more than reading
    lines: list[bytes] = []
    at, searched = start, start
    while at < end:
        posix.lseek(fd, at, 0)
        size = posix.readv(fd, [buffer])
        for hit in _hits(buffer, size, words):
            if at + hit >= searched:
                line, searched = _line_around(fd, at + hit, end)
                lines.append(line)
        if size <= overlap:
            break
        at += BUFFER
    return lines


def _hits(buffer: bytearray, size: int, words: tuple[bytes, ...]) -> list[int]:
    found = []
    for word in words:
        at = buffer.find(word, 0, size)
        while at >= 0:
            found.append(at)
            at = buffer.find(word, at + 1, size)
    return sorted(found)


def _line_around(fd: int, hit: int, end: int) -> tuple[bytes, int]:
    """The line that holds byte `hit`, and the byte after it."""
    first = _line_start(fd, hit)
    parts, at = [], first
    while at < end and at - first <= LONGEST_LINE:
        chunk = posix.pread(fd, BUFFER, at)
        newline = chunk.find(b"\n", max(0, hit - at))
        if newline >= 0 or not chunk:
            parts.append(chunk[: max(newline, 0)])
            return b"".join(parts), at + newline + 1 if chunk else end
        parts.append(chunk)
        at += len(chunk)
    return b"", _next_line(fd, max(at, hit), end)


def _line_start(fd: int, hit: int) -> int:
    at = hit
    while at > 0 and hit - at <= LONGEST_LINE:
        size = min(BUFFER, at)
        newline = posix.pread(fd, size, at - size).rfind(b"\n")
        if newline >= 0:
            return at - size + newline + 1
        at -= size
    return at


def _next_line(fd: int, at: int, end: int) -> int:
    while at < end:
        chunk = posix.pread(fd, BUFFER, at)
        newline = chunk.find(b"\n")
        if newline >= 0:
            return at + newline + 1
        if not chunk:
            return end
        at += len(chunk)
    return end


def _record_in(line: bytes) -> Any | None:
    try:
        return parse(line)
    except ValueError:
        return None


def _agents_directory(transcript: str) -> str:
    return paths.join(transcript.removesuffix(".jsonl"), "subagents")


def _meta_path(transcript: str, agent_id: str) -> str:
    return paths.join(_agents_directory(transcript), f"agent-{_name(agent_id)}.meta.json")


def _name(agent_id: str) -> str:
    """`agent_id` as part of a file name; one that is no plain word names nothing."""
    return agent_id if agent_id.replace("-", "").replace("_", "").isalnum() else "none"


def _meta_in(path: str) -> tuple[str, str | None, bool, float] | None:
    try:
        fd = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        meta, changed = _record_in(posix.read(fd, BUFFER)), posix.fstat(fd).st_mtime
    except OSError:
        return None
    finally:
        posix.close(fd)
    if not isinstance(meta, dict) or not isinstance(meta.get("toolUseId"), str):
        return None
    parent = meta.get("parentAgentId")
    ended = meta.get("finished") is True or meta.get("stoppedByUser") is True
    return meta["toolUseId"], parent if isinstance(parent, str) else None, ended, changed
