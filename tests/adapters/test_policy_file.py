"""`.holdshort.toml`: compiled once per change; a bad file never disarms the guard silently."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from holdshort.adapters import policy_file
from holdshort.adapters.policy_file import CACHE, policy_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Harness

    from holdshort.core.policy import Policy


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def at(tmp_path: Path, text: str | bytes) -> tuple[Policy, tuple[str, ...]]:
    path = tmp_path / ".holdshort.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return policy_at(str(tmp_path), str(tmp_path / "state"))


def test_without_a_file_the_defaults_stand(tmp_path: Path) -> None:
    policy, faults = policy_at(str(tmp_path), str(tmp_path / "state"))

    assert (policy.dispatch, faults) == ("enforce", ())


def test_the_file_is_parsed_once_per_change(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = at(tmp_path, '[modes]\ndispatch = "warn"\n')[0]
    monkeypatch.setattr(policy_file, "_parsed", lambda _: pytest.fail("parsed again"))

    second, faults = policy_at(str(tmp_path), str(state))

    assert (first.dispatch, second.dispatch, faults) == ("warn", "warn", ())


def test_a_change_is_seen(tmp_path: Path, state: Path) -> None:
    at(tmp_path, '[modes]\ndispatch = "warn"\n')

    assert at(tmp_path, '[modes]\ndispatch = "off"\n')[0].dispatch == "off"


@pytest.mark.parametrize(
    "text",
    [
        "not toml at all [",
        '[modes]\ndispatch = "offf"\n',
        b"\xff\xfe",
        "[" * 50_000,
        "x = " + "[" * 5000,
        'shared = "**"\n',
    ],
)
def test_a_bad_file_keeps_the_guard_armed_and_is_said_each_time(
    tmp_path: Path, state: Path, text: str | bytes
) -> None:
    first, again = at(tmp_path, text), policy_at(str(tmp_path), str(state))

    assert "enforce" == first[0].dispatch == again[0].dispatch
    assert first[1]
    assert first[1] == again[1]


@pytest.mark.parametrize("planted", ["directory", "link", "pipe"])
def test_what_is_no_regular_file_is_a_fault(tmp_path: Path, state: Path, planted: str) -> None:
    path = tmp_path / ".holdshort.toml"
    if planted == "directory":
        path.mkdir()
    elif planted == "link":
        (tmp_path / "off.toml").write_text('[modes]\ndispatch = "off"\n')
        path.symlink_to(tmp_path / "off.toml")
    else:
        os.mkfifo(path)

    policy, faults = policy_at(str(tmp_path), str(state))

    assert policy.dispatch == "enforce"
    assert faults


def test_a_byte_order_mark_and_windows_line_ends_are_no_fault(tmp_path: Path, state: Path) -> None:
    assert (
        at(tmp_path, b'\xef\xbb\xbf[modes]\r\ndispatch = "off"\r\n')[0].dispatch,
        at(tmp_path, b'\xef\xbb\xbf[modes]\r\ndispatch = "off"\r\n')[1],
    ) == ("off", ())


@pytest.mark.parametrize("junk", ["", "{", "[]", '{"key": 1}', '{"policy": {"dispatch": "off"}}'])
def test_a_damaged_cache_is_ignored(tmp_path: Path, state: Path, junk: str) -> None:
    at(tmp_path, '[modes]\ndispatch = "warn"\n')
    (state / CACHE).write_text(junk)

    assert policy_at(str(tmp_path), str(state))[0].dispatch == "warn"


def test_the_user_is_told_every_fault(harness: Harness) -> None:
    (harness.repo / ".holdshort.toml").write_text('typo = 1\n[modes]\ndispatch = "x"\n')

    notice = harness.dispatch("one", "src/a.py").notice

    assert "HS906" in notice
    assert "typo" in notice
    assert "modes.dispatch" in notice


def test_shared_files_of_the_user_do_not_collide(harness: Harness) -> None:
    (harness.repo / ".holdshort.toml").write_text('shared = ["src/registry.py"]\n')
    harness.dispatch("one", "src/registry.py")

    answer = harness.dispatch("two", "src/registry.py")

    assert not answer.denied
    assert "HS503" in answer.reason


def test_the_cache_holds_no_more_than_the_policy(harness: Harness) -> None:
    (harness.repo / ".holdshort.toml").write_text('shared = ["x/y"]\n')
    harness.dispatch("one", "src/a.py")
    harness.dispatch("two", "lib/d.py")

    kept = json.loads((harness.state_dir / CACHE).read_text())
    assert {"key", "policy", "faults"} == set(kept)


def test_what_is_chosen_for_test_siblings_survives_the_cache(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = '{ source = "*.kt", sibling = "{dir}/{basename}Test.kt" }'
    at(tmp_path, f"[test_siblings]\nenabled = false\nrules = [{rule}]\n")
    monkeypatch.setattr(policy_file, "_parsed", lambda _: pytest.fail("parsed again"))

    policy, faults = policy_at(str(tmp_path), str(state))

    assert (policy.expand_siblings, faults) == (False, ())
    assert policy.sibling_rules == (("*.kt", "{dir}/{basename}Test.kt"),)
