"""The user's settings: `.holdshort.toml` as a value, or every fault in it at once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ENFORCE, WARN, OFF = MODES = ("enforce", "warn", "off")

# Files that tools rewrite whole or that everyone appends to: two agents rarely mean to own them, and
# a conflict in them is regenerated or merged line by line.
DEFAULT_SHARED = tuple(
    f"**/{name}"
    for name in (
        # lockfiles: JavaScript, Python, Rust, Go, Ruby, PHP, JVM, .NET, Dart, Swift, Elixir, Nix, C++
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"),
        *("bun.lockb", "deno.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock"),
        *("Cargo.lock", "go.sum", "go.work.sum", "Gemfile.lock", "composer.lock"),
        *("gradle.lockfile", "packages.lock.json", "pubspec.lock", "Package.resolved"),
        *("Podfile.lock", "mix.lock", "flake.lock", "conan.lock"),
        # changelogs
        *("CHANGELOG.md", "CHANGELOG.rst", "CHANGELOG", "CHANGES.md", "CHANGES.rst", "HISTORY.md"),
        # snapshots: Jest and Vitest, syrupy, insta
        *("__snapshots__/**", "*.snap", "*.ambr", "snapshots/*.snap.new"),
    )
)
# Agent types of the clients that cannot write (docs/harness-claude.md).
DEFAULT_READ_ONLY_TYPES = ("Explore", "Plan", "claude-code-guide")


class Policy:
    """What the user chose, defaults filled in.

    dispatch: mode of the dispatch guard. shared: entries that may be in several scopes.
    markers: further words that introduce a scope. read_only_types: agent types that never write.
    hint: whether a session is told at its start how to declare a scope.
    """

    __slots__ = ("dispatch", "hint", "markers", "read_only_types", "shared")

    def __init__(
        self,
        dispatch: str = ENFORCE,
        shared: tuple[str, ...] = DEFAULT_SHARED,
        markers: tuple[str, ...] = (),
        read_only_types: tuple[str, ...] = DEFAULT_READ_ONLY_TYPES,
        *,
        hint: bool = True,
    ) -> None:
        self.hint = hint
        self.dispatch = dispatch
        self.shared = shared
        self.markers = markers
        self.read_only_types = read_only_types

    def as_json(self) -> dict[str, Any]:
        """The settings as the compiled cache keeps them; `policy_of_json` reads them back."""
        return {name: getattr(self, name) for name in self.__slots__}


def policy_of(settings: Any) -> tuple[Policy, tuple[str, ...]]:
    """The policy that parsed TOML asks for, and what is wrong with it, one line per fault.

    A faulty value leaves the default in its place, so a bad file never switches the guard off.
    """
    faults: list[str] = []
    if not isinstance(settings, dict):
        return Policy(), ("the file is not a table of settings",)
    modes = settings.get("modes", {})
    if not isinstance(modes, dict):
        modes = {}
        faults.append("modes: must be a table, as in [modes]")
    faults += [f"{key}: no such setting" for key in settings if key not in (*_LISTS, "modes", "hint")]
    faults += [f"modes.{key}: no such guard" for key in modes if key != "dispatch"]
    policy = Policy(
        dispatch=_mode(modes.get("dispatch", ENFORCE), faults),
        shared=DEFAULT_SHARED + _entries(settings, "shared", faults, _is_entry),
        markers=_entries(settings, "markers", faults, _is_marker),
        read_only_types=DEFAULT_READ_ONLY_TYPES
        + _entries(settings, "read_only_types", faults, _is_marker),
        hint=_switch(settings.get("hint", True), "hint", faults),
    )
    return policy, tuple(faults)


def policy_of_json(value: Any) -> Policy | None:
    """A policy from the compiled cache, or None when the cache makes no sense."""
    if not isinstance(value, dict) or value.get("dispatch") not in MODES:
        return None
    lists = [value.get(name) for name in _LISTS]
    if not all(isinstance(texts, list) and all(map(_is_text, texts)) for texts in lists):
        return None
    parts = [tuple(texts) for texts in lists if texts is not None]
    return Policy(value["dispatch"], *parts, hint=value.get("hint") is not False)


_LISTS = ("shared", "markers", "read_only_types")


def _mode(value: Any, faults: list[str]) -> str:
    if isinstance(value, str) and value in MODES:
        return value
    faults.append(f"modes.dispatch: must be one of {', '.join(MODES)}")
    return ENFORCE


def _switch(value: Any, name: str, faults: list[str]) -> bool:
    if type(value) is bool:
        return value
    faults.append(f"{name}: must be true or false")
    return True


def _entries(
    settings: dict[str, Any], name: str, faults: list[str], is_good: Callable[[str], bool]
) -> tuple[str, ...]:
    texts = settings.get(name, [])
    if not isinstance(texts, list):
        faults.append(f"{name}: must be a list of texts")
        return ()
    good = [text for text in texts if isinstance(text, str) and is_good(text)]
    if len(good) < len(texts):
        faults.append(f"{name}: {len(texts) - len(good)} of its {len(texts)} items are not usable")
    return tuple(good[:_MOST])


_MOST = 256
_LONGEST = 256


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_entry(text: str) -> bool:
    """Whether `text` can be shared; an entry that means the whole tree would disarm the guard."""
    from holdshort.core.entries import expand  # noqa: PLC0415  # when the settings are parsed

    names = expand(text) if 0 < len(text) <= _LONGEST else None
    return bool(names) and all(any(char.isalnum() for char in name) for name in names or ())


def _is_marker(text: str) -> bool:
    """Whether `text` is long enough not to be found in every prompt."""
    return 3 <= len(text.strip()) <= _LONGEST
