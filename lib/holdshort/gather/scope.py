"""Which files a dispatch may write: its words, its scope file and its agent type, resolved on disk."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.places import manifests, project
from holdshort.adapters.wire import text
from holdshort.core.extraction import extract
from holdshort.core.verdict import Verdict, told
from holdshort.core.words import clip, clip_path, listed, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.adapters.places import Place
    from holdshort.core.extraction import Extraction
    from holdshort.core.policy import Policy
    from holdshort.gather.manifest import Manifest


AGENTS = paths.join(".claude", "agents")
COORDINATOR = "coordinator"  # the scope file of who dispatches the wave
ISOLATIONS = ("worktree", "remote")


class Scope:
    """What a dispatch or message declares.

    entries: resolved against the tree. source: `prompt`, `file`, `both`, `weak`, `undeclared` or
    `message`. access: `write` or `read`. wave: `w<number>|<role>` of the manifest in force, or "".
    remarks: what the coordinator should be told of it. isolation: `worktree`, `remote` or "".
    """

    __slots__ = ("access", "entries", "isolation", "remarks", "source", "wave")

    def __init__(
        self,
        entries: list[str],
        source: str,
        access: str,
        wave: str,
        remarks: tuple[Verdict, ...],
        isolation: str = "",
    ) -> None:
        self.entries = entries
        self.source = source
        self.access = access
        self.wave = wave
        self.remarks = remarks
        self.isolation = isolation


def scope_of(
    call: dict[str, Any], place: Place, policy: Policy, session_started: float | None
) -> Scope:
    """The scope that the dispatch in `call` declares.

    session_started: epoch seconds at which the harness process started, if known; definitions
    that changed since, and manifests from before, are not this session's.
    """
    given = call.get("tool_input")
    names = tuple(text(given, key) for key in ("description", "name", "subagent_type"))
    found = extract(text(given, "prompt"), names, policy.markers)
    defined = _agent_type(names[2], place.root, session_started)
    readers = [type_name(name) for name in policy.read_only_types]
    listed_as_reader = bool(names[2]) and type_name(names[2]) in readers
    is_reader, isolation = defined or (listed_as_reader, "")
    is_reader = is_reader or text(call, "permission_mode") == "plan"
    access = "read" if is_reader else found.access
    manifest, filed = _filed(place, (names[1], *found.agent_ids), session_started)
    scope = _combined(call, place, found, access, manifest, filed)
    if manifest is not None and scope.entries and access == "write":
        scope.remarks += _planned(scope.entries, manifest, place, policy, session_started)
    isolation = text(given, "isolation") or isolation
    # a path spelled out to the main tree is written there, wherever the agent lives
    leaves = any(raw.startswith(f"{place.root}/") for raw in found.entries)
    scope.isolation = isolation if isolation in ISOLATIONS and not leaves else ""
    return scope


def _agent_type(name: str, root: str, session_started: float | None) -> tuple[bool, str] | None:
    """Whether agents defined under this name cannot write, and their isolation; None if undefined."""
    homes = [paths.join(base, AGENTS) for base in (root, paths.expanduser("~"))]
    found = [directory for directory in homes if paths.isdir(directory)]
    if not found or not name or session_started is None:
        return None
    from holdshort.gather.agent_types import defined  # noqa: PLC0415  # only who defines any pays

    return defined(name, found, session_started)


def _filed(
    place: Place, names: tuple[str, ...], session_started: float | None
) -> tuple[Manifest | None, tuple[str, ...] | None]:
    """The wave manifest of the tree, and the entries of the scope file that `names` lead to."""
    candidates = manifests(place, project())
    if not any(map(paths.lexists, candidates)):
        return None, None
    from holdshort.gather.manifest import filed_scope, manifest_in  # noqa: PLC0415  # waves only

    manifest = manifest_in(candidates)
    return manifest, filed_scope(manifest, names, session_started)


def _planned(
    entries: list[str],
    manifest: Manifest,
    place: Place,
    policy: Policy,
    session_started: float | None,
) -> tuple[Verdict, ...]:
    """What is to be said of the edits that the coordinator of the wave plans itself."""
    from holdshort.core.planned import planned_edits  # noqa: PLC0415  # waves only
    from holdshort.gather.manifest import filed_scope  # noqa: PLC0415  # same

    planned, _ = _resolved(
        filed_scope(manifest, (COORDINATOR,), session_started) or (), None, place
    )
    return planned_edits(entries, planned, policy.shared)


def message_scope(message: str, call: dict[str, Any], place: Place, policy: Policy) -> Scope:
    """The scope that a message to a running agent adds; only an unmistakable block adds any."""
    found = extract(message, (), policy.markers)
    entries, remarks = _resolved(found.entries if found.strength == "strong" else (), call, place)
    return Scope(entries, "message", found.access, "", remarks)


def _combined(
    call: dict[str, Any],
    place: Place,
    found: Extraction,
    access: str,
    manifest: Manifest | None,
    filed: tuple[str, ...] | None,
) -> Scope:
    worded, remarks = _resolved(found.entries, call, place)
    listed_in_file, _ = _resolved(filed or (), None, place)
    entries = list(dict.fromkeys([*worded, *listed_in_file]))
    strong = bool(worded) and found.strength == "strong"
    source = _source(strong=strong, weak=bool(worded), filed=filed is not None)
    remarks += _dropped(found)
    if access == "write":
        remarks += _differing(source, worded, listed_in_file)
        remarks += _missing(manifest, source)
    return Scope(entries, source, access, manifest.wave if manifest else "", remarks)


def _source(*, strong: bool, weak: bool, filed: bool) -> str:
    if filed:
        return "both" if strong else "file"
    return "prompt" if strong else "weak" if weak else "undeclared"


def _dropped(found: Extraction) -> tuple[Verdict, ...]:
    if not found.dropped or found.strength != "strong":
        return ()
    lines = [f"'{clip(line, 40)}' ({reason})" for line, reason in found.dropped]
    said = f"HS507 In the scope block but not held, so nobody is kept off it: {listed(lines, 3)}."
    return (told("HS507", said),)


def _differing(source: str, worded: list[str], filed: list[str]) -> tuple[Verdict, ...]:
    if source != "both" or set(worded) == set(filed):
        return ()
    only = [clip_path(entry, 40) for entry in worded if entry not in filed]
    lacks = [clip_path(entry, 40) for entry in filed if entry not in worded]
    parts = [f"only in the prompt {listed(only, 3)}"] * bool(only)
    parts += [f"only in the file {listed(lacks, 3)}"] * bool(lacks)
    said = f"HS508 The prompt and the scope file differ ({'; '.join(parts)}). The agent holds both."
    return (told("HS508", said),)


def _missing(manifest: Manifest | None, source: str) -> tuple[Verdict, ...]:
    if manifest is None or source != "undeclared" or not manifest.has_scope_files:
        return ()
    said = (
        "HS509 This wave has scope files, but this dispatch carries no FILE-SCOPE block and names "
        "none of them, so nobody is kept off its files."
    )
    return (told("HS509", said),)


def _resolved(
    entries: tuple[str, ...], call: dict[str, Any] | None, place: Place
) -> tuple[list[str], tuple[Verdict, ...]]:
    """Entries as they stand in the ledger: relative to the tree, symlinks and case folded away."""
    if not entries:
        return [], ()
    from holdshort.gather.resolve import Resolver  # noqa: PLC0415  # only who declares pays

    resolver = Resolver(place.root, text(call, "cwd") if call else place.root)
    found = {raw: resolver.resolve(raw) for raw in entries}
    lost = [clip_path(raw, 48) for raw, entry in found.items() if entry is None]
    kept = list(dict.fromkeys(entry for entry in found.values() if entry is not None))
    said = f"HS507 No path in the tree can be meant by {listed(lost, 3)}."
    return kept, (told("HS507", said),) if lost else ()
