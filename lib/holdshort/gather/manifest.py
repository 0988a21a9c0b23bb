"""The wave manifest and its scope files, as the coordinator of the original writes them."""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.adapters.files import json_at
from holdshort.adapters.places import SCOPE_FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 1 << 20  # bytes


class Manifest:
    """The wave manifest in force: where it lies, which wave it names, when it last changed."""

    __slots__ = ("changed", "directory", "has_scope_files", "wave", "wave_directory")

    def __init__(self, directory: str, value: dict[str, Any], changed: float) -> None:
        wave, role = value.get("wave"), value.get("role")
        self.directory = directory
        self.wave = f"w{wave if _is_label(wave) else '?'}|{role if _is_label(role) else '?'}"
        self.wave_directory = paths.join(directory, SCOPE_FILES, f"wave-{wave}")
        self.changed = changed
        self.has_scope_files = _is_label(wave) and paths.isdir(self.wave_directory)


def _is_label(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and value.replace("-", "").isalnum())


def manifest_in(candidates: list[str]) -> Manifest | None:
    """The first manifest in `candidates` that parses."""
    for path in candidates:
        value = json_at(path, LARGEST)
        if isinstance(value, dict):
            return Manifest(paths.dirname(path), value, posix.stat(path).st_mtime)
    return None


def filed_scope(
    manifest: Manifest | None, names: tuple[str, ...], session_started: float | None
) -> tuple[str, ...] | None:
    """The entries of the scope file that one of `names` leads to, while its manifest is ours."""
    if manifest is None or not manifest.has_scope_files or session_started is None:
        return None
    if manifest.changed < session_started - 1:
        return None
    for name in names:
        if name.replace("-", "").replace("_", "").isalnum() and name.isascii() and len(name) <= 128:
            value = json_at(paths.join(manifest.wave_directory, f"{name}.json"), LARGEST)
            if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
                return tuple(value)
    return None
