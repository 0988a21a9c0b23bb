"""The wave manifest: all that is wrong with it, and no spelling that goes round a rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.wave_manifest import Judgement, allowed_paths, judged

BASES = ["/data/tree"]
SOUND: dict[str, Any] = {
    "wave": 2,
    "role": "Impl-Core",
    "enforcement": "strict",
    "allowedPaths": ["src/**"],
    "blockedCommands": [],
}


ODD_FIELDS: dict[str, list[Any]] = {
    "wave": [0, -1, True, "2", 1.5, None],
    "role": ["", "  ", 3, None],
    "enforcement": ["Strict", "", None, 3, []],
    "allowedPaths": ["src", {}, None],
    "blockedCommands": ["rm", {}, None],
    "gates": [[], "x", None, {"path-guard": "no"}, {"a": 1}],
}


def judge(**changes: Any) -> Judgement:
    return judged({**SOUND, **changes}, BASES)


def granting(*entries: Any) -> Judgement:
    return judge(allowedPaths=list(entries))


def test_a_sound_manifest_is_no_cause_for_a_word() -> None:
    """V1"""
    found = judge(gates={"path-guard": False, "command-guard": True})

    assert (found.errors, found.warnings) == ([], [])


@pytest.mark.parametrize("name", list(SOUND))
def test_each_field_is_required(name: str) -> None:
    """V1"""
    found = judged({key: value for key, value in SOUND.items() if key != name}, BASES)

    assert [error.split(":")[0] for error in found.errors] == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, odd) for name, values in ODD_FIELDS.items() for odd in values],
)
def test_a_field_of_another_kind_is_an_error(name: str, value: Any) -> None:
    """V1"""
    found = judge(**{name: value})

    assert [error.split(":")[0] for error in found.errors] == [name]


def test_all_errors_are_named_not_just_the_first() -> None:
    found = judge(wave=0, role="", enforcement="x", allowedPaths=["", "../a", "/etc/**"], gates=[])

    assert len(found.errors) == 7


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_what_is_no_object_is_an_error(value: Any) -> None:
    assert judged(value, BASES).errors == ["the manifest is not an object"]


@pytest.mark.parametrize("entry", ["", " ", 3, None, ["a"], {}])
def test_an_entry_that_is_no_text_is_an_error(entry: Any) -> None:
    """V1"""
    assert granting("src/**", entry).errors == ["allowedPaths[1]: must be a text that is not blank"]


@pytest.mark.parametrize("entry", ["../a", "src/..", "a/../b", "a\\..\\b", "/data/x/y/../**"])
def test_a_step_up_is_an_error_also_in_an_absolute_entry(entry: str) -> None:
    """V1"""
    assert any("segment `..`" in error for error in granting(entry).errors)


@pytest.mark.parametrize(
    "entry",
    [
        "/",
        "\\",
        "C:\\",
        "C:/",
        "/**",
        "/*",
        "/*/**",
        "/./etc/**",
        "/private/etc/**",
        "//etc",
        "/etc",
        "/PRIVATE/Var/x/**",
        "/etc/ssh/keys/**",
        "/Users/me/x/**",
        "/home/me/code/**",
        "/root/x/**",
        "/bin/**",
        "/sbin/a/b/**",
        "/usr/local/lib/**",
        "/System/a/b/*",
        "/var/www/app/**",
        "/boot/a/b/*",
        "/dev/shm/a/*",
        "/proc/a/b/*",
        "/sys/a/b/*",
        "/Library/a/b/*",
        "/Applications/a/b/*",
        "/Windows/a/b/*",
        "~",
        "~/",
        "~/.ssh/**",
        "./~/x",
        "C:\\Users\\x",
        "C:/x",
        "c:/a/b/**",
        "/opt/**",
        "/mnt/**",
        "/opt/*",
        "/opt/*/app/**",
        "/data/x.py",
        "/data/project/src/a.py",
        "/e?c/ssh/keys/**",
        "/**/etc/**",
        "{/etc,src}/**",
        "\\\\h\\s\\**",
        "{src,/opt}/**",
        "/data/tree2",
        "/data/project/src/",
    ],
)
def test_a_grant_of_the_system_or_of_a_home_is_an_error(entry: str) -> None:
    """A22, V1"""
    found = granting(entry)

    assert found.errors
    assert found.warnings == []


@pytest.mark.parametrize(
    "entry", ["etc/**", "src/etc/**", "~x/**", "src/~", "c:x", "usr", "home/a.py", "private/etc/*"]
)
def test_a_relative_entry_of_such_a_name_is_none(entry: str) -> None:
    """V1"""
    found = granting(entry)

    assert (found.errors, found.warnings) == ([], [])


@pytest.mark.parametrize(
    "entry", ["/data/project/src/**", "/opt/app/src/*.ts", "/private/tmp/work/*", "/tmp/a/b*"]
)
def test_another_scoped_absolute_glob_is_a_warning(entry: str) -> None:
    """V1"""
    found = granting(entry)

    assert found.errors == []
    assert "outside the working tree" in found.warnings[0]


@pytest.mark.parametrize(
    ("entry", "short"),
    [("/data/tree/src/**", "src/**"), ("/data/tree//./src/a.py", "src/a.py")],
)
def test_an_absolute_entry_within_the_tree_is_a_warning_with_its_relative_form(
    entry: str, short: str
) -> None:
    found = granting(entry)

    assert found.errors == []
    assert found.warnings == [
        f"allowedPaths[0]: '{entry}' is absolute; within the working tree it is '{short}'"
    ]


@pytest.mark.parametrize(
    "entry", ["*", "**", "**/*", "./**", ".", "**/", "{*,**}", "**/?*", "{*,*/**}", "/data/tree/**"]
)
def test_a_grant_of_everything_is_a_warning(entry: str) -> None:
    """V1"""
    found = granting(entry)

    assert found.errors == []
    assert any("grants everything" in warning for warning in found.warnings)


@pytest.mark.parametrize("entry", ["src/**", "**/*.py", "*/**", "?*/x", "*.md", "**/a*", "a**"])
def test_a_grant_of_less_is_not(entry: str) -> None:
    """V1"""
    assert granting(entry).warnings == []


@pytest.mark.parametrize("role", ["Impl-Core", "Quality", "discovery-2"])
def test_an_empty_grant_is_a_warning(role: str) -> None:
    """V4"""
    found = judge(role=role, allowedPaths=[])

    assert found.errors == []
    assert "nothing can be written" in found.warnings[0]


@pytest.mark.parametrize("role", ["Discovery", "DISCOVERY", " discovery "])
def test_but_not_for_a_role_that_only_reads(role: str) -> None:
    """V4"""
    assert judge(role=role, allowedPaths=[]).warnings == []


def test_what_is_said_holds_nothing_hostile() -> None:
    found = granting("\x1b[31m/../x", "\u202e/..")

    assert all(line.isprintable() for line in found.errors)


ENTRIES = st.lists(st.text("/~.*?{},aC:\\e\x1b", max_size=12) | st.none() | st.integers())


@given(st.dictionaries(st.sampled_from([*SOUND, "gates"]), ENTRIES | st.integers() | st.none()))
def test_nothing_breaks_it(value: dict[str, Any]) -> None:
    found = judged(value, BASES)

    assert len(set(found.errors)) == len(found.errors)
    assert all(isinstance(entry, str) for entry in allowed_paths(value))


def test_the_first_wave_is_wave_1() -> None:
    assert judge(wave=1).errors == []


def test_of_the_gates_those_are_named_that_are_no_switches() -> None:
    (error,) = judge(gates={"path-guard": True, "command-guard": "no"}).errors

    assert "command-guard" in error
    assert "path-guard" not in error


def test_more_alternatives_than_are_read_are_an_error() -> None:
    (error,) = granting("src/{" + ",".join(f"f{number}" for number in range(100)) + "}").errors

    assert "alternatives in braces" in error


@pytest.mark.parametrize("value", [None, [], "x", {}, {"allowedPaths": "src"}])
def test_what_is_no_manifest_grants_nothing(value: Any) -> None:
    assert allowed_paths(value) == ()


def test_what_is_granted_is_the_texts_among_the_entries() -> None:
    assert allowed_paths({"allowedPaths": ["src/", None, 3, "lib/d.py"]}) == ("src/", "lib/d.py")
