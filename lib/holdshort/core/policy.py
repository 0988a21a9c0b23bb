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
    hint: whether a session is told at its start how to declare a scope. write: mode of the write
    guard. own_scope: `warn` or `strict`, beside one's own declared scope. observed: `warn` or
    `deny`, on what another has written undeclared. expand_siblings: whether scopes grow by the
    tests of their files; None: as the wave's role wants it. sibling_rules: pairs of source pattern
    and sibling template, beside the default ones.
    """

    dispatch: str
    write: str
    own_scope: str
    observed: str
    hint: bool
    shared: tuple[str, ...]
    markers: tuple[str, ...]
    read_only_types: tuple[str, ...]
    expand_siblings: bool | None
    sibling_rules: tuple[tuple[str, str], ...]

    __slots__ = (
        *("dispatch", "expand_siblings", "hint", "markers", "observed", "own_scope"),
        *("read_only_types", "shared", "sibling_rules", "write"),
    )

    def __init__(self, **chosen: Any) -> None:
        """Raises AttributeError for a name that is no setting."""
        for name, value in {**_DEFAULTS, **chosen}.items():
            setattr(self, name, value)

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
    known = (*_LISTS, *_TABLES, "hint", _SIBLINGS)
    faults += [f"{key}: no such setting" for key in settings if key not in known]
    policy = Policy(
        **_choices(settings, faults),
        shared=DEFAULT_SHARED + _entries(settings, "shared", faults, _is_entry),
        markers=_entries(settings, "markers", faults, _is_marker),
        read_only_types=DEFAULT_READ_ONLY_TYPES
        + _entries(settings, "read_only_types", faults, _is_marker),
        hint=_switch(settings.get("hint", True), "hint", faults),
        **_siblings(settings.get(_SIBLINGS, {}), faults),
    )
    return policy, tuple(faults)


def policy_of_json(value: Any) -> Policy | None:
    """A policy from the compiled cache, or None when the cache makes no sense."""
    if not isinstance(value, dict):
        return None
    lists = [value.get(name) for name in _LISTS]
    if not all(isinstance(texts, list) and all(map(_is_text, texts)) for texts in lists):
        return None
    known = {name: values for keys in _TABLES.values() for name, values in keys.items()}
    choices = {name: str(value.get(name)) for name in known}
    if any(choices[name] not in values for name, values in known.items()):
        return None
    enabled, rules = value.get("expand_siblings"), value.get("sibling_rules", [])
    if type(enabled) not in (bool, type(None)) or not isinstance(rules, list):
        return None
    if not all(isinstance(pair, list) and [*map(type, pair)] == [str, str] for pair in rules):
        return None
    return Policy(
        **choices,
        **{name: tuple(value[name]) for name in _LISTS},
        hint=value.get("hint") is not False,
        expand_siblings=enabled,
        sibling_rules=tuple(map(tuple, rules)),
    )


_LISTS = ("shared", "markers", "read_only_types")
_SIBLINGS = "test_siblings"
# Table -> key -> what it may be, the default first.
_TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "modes": {"dispatch": MODES, "write": MODES},
    "write": {"own_scope": (WARN, "strict"), "observed": (WARN, "deny")},
}
_DEFAULTS: dict[str, Any] = {
    **{name: values[0] for keys in _TABLES.values() for name, values in keys.items()},
    "hint": True,
    "shared": DEFAULT_SHARED,
    "markers": (),
    "read_only_types": DEFAULT_READ_ONLY_TYPES,
    "expand_siblings": None,
    "sibling_rules": (),
}


def _choices(settings: dict[str, Any], faults: list[str]) -> dict[str, str]:
    """What the tables of choices say, each missing or faulty one at its default."""
    chosen = {}
    for table, keys in _TABLES.items():
        given = settings.get(table, {})
        if not isinstance(given, dict):
            given = {}
            faults.append(f"{table}: must be a table, as in [{table}]")
        faults += [f"{table}.{key}: no such setting" for key in given if key not in keys]
        for key, values in keys.items():
            chosen[key] = given.get(key, values[0])
            if chosen[key] not in values:
                chosen[key] = values[0]
                faults.append(f"{table}.{key}: must be one of {', '.join(values)}")
    return chosen


def _siblings(given: Any, faults: list[str]) -> dict[str, Any]:
    """What the table of test siblings says, less its faulty parts."""
    if not isinstance(given, dict):
        faults.append(f"{_SIBLINGS}: must be a table, as in [{_SIBLINGS}]")
        return {}
    chosen: dict[str, Any] = {}
    faults += [
        f"{_SIBLINGS}.{key}: no such setting" for key in given if key not in ("enabled", "rules")
    ]
    enabled, rules = given.get("enabled"), given.get("rules", [])
    if type(enabled) is bool:
        chosen["expand_siblings"] = enabled
    elif "enabled" in given:
        faults.append(f"{_SIBLINGS}.enabled: must be true or false")
    if not isinstance(rules, list) or len(rules) > _MOST:
        faults.append(f"{_SIBLINGS}.rules: must be a list of at most {_MOST} rules")
        return chosen
    wrong = {at: fault for at, rule in enumerate(rules) if (fault := _fault_of_rule(rule))}
    faults += [f"{_SIBLINGS}.rules[{at}]: {fault}" for at, fault in wrong.items()]
    good = (rule for at, rule in enumerate(rules) if at not in wrong)
    chosen["sibling_rules"] = tuple((rule["source"], rule["sibling"]) for rule in good)
    return chosen


def _fault_of_rule(rule: Any) -> str:
    if not isinstance(rule, dict) or {*rule} != {"source", "sibling"}:
        return "must be {source, sibling} and no more"
    texts = [rule["source"], rule["sibling"]]
    if not all(isinstance(text, str) and 0 < len(text.strip()) <= _LONGEST for text in texts):
        return "source and sibling must be texts"
    is_placed = "{basename}" in rule["sibling"] or "{dir}" in rule["sibling"]
    return "" if is_placed else "sibling must hold {basename} or {dir}"


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
