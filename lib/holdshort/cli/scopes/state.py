"""The state directory of a wave, its manifest, and what is read from stdin and side files."""

from __future__ import annotations

import os
import sys

import click

from holdshort.adapters.json_text import parse
from holdshort.adapters.places import MANIFEST, MANIFEST_DIRECTORIES
from holdshort.adapters.scope_files import below
from holdshort.cli.errors import RefusedError
from holdshort.core.wave_manifest import is_wave
from holdshort.core.words import clip_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.adapters.places import Place

LARGEST = 32 << 20  # bytes that are read of one file
LARGEST_WAVE = 2**53 - 1  # that every reader of JSON can hold


class StateDirectory:
    """shown: as the user gave it, for paths that are printed. parts: the way from the tree's root."""

    __slots__ = ("parts", "path", "shown")

    def __init__(self, shown: str, root: str, parts: tuple[str, ...]) -> None:
        self.shown = shown
        self.parts = parts
        self.path = os.path.join(root, *parts)


def state_directory(place: Place, given: str | None) -> StateDirectory:
    """The directory given, or the first that has a manifest. Raises RefusedError outside the tree."""
    root = place.root
    if given is None:
        named = (name for name in MANIFEST_DIRECTORIES if _has_manifest(root, name))
        name = next(named, MANIFEST_DIRECTORIES[-1])
        return StateDirectory(os.path.join(root, name), root, (name,))
    parts = below(root, os.getcwd(), given)
    if not parts:
        fault = f"--state-dir {clip_path(given)} is not below the working tree {clip_path(root)}"
        raise RefusedError(fault)
    return StateDirectory(given, root, parts)


def wave_number(text: str) -> int:
    """The number of a wave as an option gives it. Raises click.UsageError."""
    if text.isascii() and text.isdigit() and text[0] != "0" and len(text) <= 16:
        number = int(text)
        if number <= LARGEST_WAVE:
            return number
    raise click.UsageError("--wave must be a positive whole number without leading zeros")


def manifest_of(state: StateDirectory) -> dict[str, Any] | None:
    """The manifest of the wave, or None when there is none that makes sense. Raises OSError."""
    try:
        value = parse(raw_at(os.path.join(state.path, MANIFEST)))
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def wave_of_manifest(state: StateDirectory) -> int:
    """The wave that the manifest names. Raises RefusedError when it names none."""
    wave = (manifest_of(state) or {}).get("wave")
    if type(wave) is int and is_wave(wave):
        return wave
    raise RefusedError(f"no {MANIFEST} in {clip_path(state.shown)} names a wave", "give --wave")


def bases(place: Place) -> list[str]:
    """The spellings of the tree's root: its real path, and the one by which the shell came here."""
    spelled, real = os.environ.get("PWD", ""), os.getcwd()
    inside = real[len(place.root) :]
    if not os.path.isabs(spelled) or not spelled.endswith(inside):
        return [place.root]
    root = spelled[: len(spelled) - len(inside)]
    return [place.root, root] if os.path.realpath(root) == place.root != root else [place.root]


def raw_of_stdin() -> bytes:
    """All of stdin. Raises RefusedError when it is too much."""
    return _within(sys.stdin.buffer.read(LARGEST + 1), "stdin")


def raw_at(path: str) -> bytes:
    """All of a file, a pipe too. Raises OSError, and RefusedError when it is too much."""
    with open(path, "rb") as file:
        return _within(file.read(LARGEST + 1), path)


def _within(raw: bytes, name: str) -> bytes:
    if len(raw) > LARGEST:
        raise RefusedError(f"{clip_path(name)} is larger than {LARGEST >> 20} MiB")
    return raw


def _has_manifest(root: str, name: str) -> bool:
    return os.path.lexists(os.path.join(root, name, MANIFEST))
