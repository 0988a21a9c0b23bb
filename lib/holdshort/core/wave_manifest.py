"""Is a wave manifest sound, and does it grant no more than a wave should? Every finding at once.

The fields and the refused roots are those of the original; entries are normalised before they are
judged, so that no spelling goes round a rule (docs/scopes.md).
"""

from __future__ import annotations

from holdshort.core.absolute import fault_of
from holdshort.core.cover import covers
from holdshort.core.declarations import below_root, climbs, is_drive, is_home
from holdshort.core.entries import MAX_ALTERNATIVES, NAME, TEXT, expand, normalise
from holdshort.core.words import clip_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

ENFORCEMENTS = ("strict", "warn", "off")
READ_ONLY_ROLE = "discovery"


class Judgement:
    """What is wrong with a manifest, and what is merely odd; one line each."""

    __slots__ = ("errors", "warnings")

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.warnings: list[str] = []


def judged(value: Any, bases: Sequence[str]) -> Judgement:
    """Judge a parsed manifest. bases: spellings of the root of its working tree."""
    found = Judgement()
    if not isinstance(value, dict):
        found.errors.append("the manifest is not an object")
        return found
    found.errors += _faults_of_fields(value)
    allowed = value.get("allowedPaths")
    if isinstance(allowed, list):
        for at, entry in enumerate(allowed):
            _judge_entry(f"allowedPaths[{at}]", entry, bases, found)
        if not allowed and not _reads_only(value.get("role")):
            found.warnings.append("allowedPaths is empty: nothing can be written in this wave")
    return found


def allowed_paths(value: Any) -> tuple[str, ...]:
    """The entries that a manifest grants; what is none is left out."""
    allowed = value.get("allowedPaths") if isinstance(value, dict) else None
    return tuple(e for e in allowed if isinstance(e, str)) if isinstance(allowed, list) else ()


def is_wave(value: Any) -> bool:
    """Whether this is the number of a wave."""
    return type(value) is int and value > 0


def _faults_of_fields(value: dict[str, Any]) -> Iterator[str]:
    if not is_wave(value.get("wave")):
        yield "wave: must be a positive whole number"
    if not _is_text(value.get("role")):
        yield "role: must be a text that is not blank"
    if value.get("enforcement") not in ENFORCEMENTS:
        yield f"enforcement: must be one of {', '.join(ENFORCEMENTS)}"
    for name in ("allowedPaths", "blockedCommands"):
        if not isinstance(value.get(name), list):
            yield f"{name}: must be a list"
    gates = value.get("gates", {})
    if not isinstance(gates, dict):
        yield "gates: must be an object of switches"
    elif not all(type(switch) is bool for switch in gates.values()):
        odd = [clip_path(str(name)) for name, switch in gates.items() if type(switch) is not bool]
        yield f"gates: {', '.join(odd)} must be true or false"


def _reads_only(role: Any) -> bool:
    return isinstance(role, str) and role.strip().casefold() == READ_ONLY_ROLE


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _judge_entry(place: str, entry: Any, bases: Sequence[str], found: Judgement) -> None:
    if not _is_text(entry):
        found.errors.append(f"{place}: must be a text that is not blank")
        return
    shown = f"{place}: '{clip_path(entry)}'"
    if climbs(entry):
        found.errors.append(f"{shown} has a segment `..`")
    if entry.startswith("\\\\"):
        found.errors.append(f"{shown} names a network share")
        return
    canonical = normalise(entry)
    names = expand(canonical) if canonical else ()
    if canonical is None and not climbs(entry):
        found.errors.append(f"{shown} can mean no path")
    if names is None:
        found.errors.append(f"{shown} has more than {MAX_ALTERNATIVES} alternatives in braces")
    faults = dict.fromkeys(fault for name in names or () if (fault := _fault_of(name, bases)))
    found.errors += [f"{shown} {fault}" for fault in faults]
    if not faults and names:
        found.warnings += [f"{shown} {oddity}" for oddity in _oddities(names, bases)]


def _fault_of(name: str, bases: Sequence[str]) -> str:
    """Why one alternative must not be granted, or nothing."""
    if is_home(name):
        return "is in a home directory"
    if is_drive(name):
        return "names a drive"
    is_outside = name.startswith("/") and below_root(name, bases) is None
    return _fault_outside(name) if is_outside else ""


def _fault_outside(name: str) -> str:
    fault = fault_of(name)
    if not fault and NAME not in name:
        return "is absolute and no glob; write it relative to the working tree"
    return fault


def _oddities(names: tuple[str, ...], bases: Sequence[str]) -> Iterator[str]:
    relative = [below_root(name, bases) if name.startswith("/") else name for name in names]
    for name, short in zip(names, relative, strict=True):
        if short is None:
            yield "is absolute: outside the working tree"
        elif name != short:
            yield f"is absolute; within the working tree it is '{clip_path(short)}'"
    inside = [short for short in relative if short is not None]
    if NAME in inside or covers(inside, TEXT) is None:
        yield "grants everything, or every file at the root"
