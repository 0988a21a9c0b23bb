"""Settings: every fault at once, and no bad value ever disarms the guard."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.policy import DEFAULT_SHARED, Policy, policy_of, policy_of_json

SETTINGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["modes", "dispatch", "shared", "markers", "read_only_types", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


def test_settings_are_taken_and_lists_add_to_the_defaults() -> None:
    policy, faults = policy_of(
        {
            "modes": {"dispatch": "warn"},
            "shared": ["**/gen/**"],
            "markers": ["MEIN BEREICH"],
            "read_only_types": ["auditor"],
        }
    )

    assert faults == ()
    assert policy.dispatch == "warn"
    assert (*DEFAULT_SHARED, "**/gen/**") == policy.shared
    assert policy.markers == ("MEIN BEREICH",)
    assert "auditor" in policy.read_only_types


def test_every_fault_is_named_at_once() -> None:
    _, faults = policy_of(
        {"modes": {"dispatch": "of", "writes": "off"}, "shared": "x", "markers": [3], "typo": 1}
    )

    for part in ("typo", "modes.writes", "modes.dispatch", "shared", "markers"):
        assert any(fault.startswith(part) for fault in faults)


@pytest.mark.parametrize("mode", ["OFF", "", 0, False, None, [], "disabled"])
def test_a_mode_that_is_none_leaves_the_guard_armed(mode: Any) -> None:
    policy, faults = policy_of({"modes": {"dispatch": mode}})

    assert policy.dispatch == "enforce"
    assert faults


@pytest.mark.parametrize(
    "entry", ["", "**", "*", "**/*", "/", ".", "./", "**/**", "**/?*", "{**,x}"]
)
def test_the_whole_tree_cannot_be_shared(entry: str) -> None:
    policy, faults = policy_of({"shared": [entry]})

    assert policy.shared == DEFAULT_SHARED
    assert faults


@pytest.mark.parametrize("marker", ["", "  ", "a", "ab"])
def test_a_marker_found_in_every_prompt_is_refused(marker: str) -> None:
    assert policy_of({"markers": [marker]})[1]


@given(SETTINGS)
def test_no_settings_break_it_and_what_it_makes_survives_the_cache(settings: Any) -> None:
    policy, _ = policy_of(settings)

    again = policy_of_json(policy.as_json() | {"shared": list(policy.shared)})
    listed = {name: value for name, value in policy.as_json().items() if name == "dispatch"}
    assert policy.dispatch in ("enforce", "warn", "off")
    assert again is None or listed["dispatch"] == again.dispatch


@given(SETTINGS)
def test_no_cache_breaks_it(value: Any) -> None:
    found = policy_of_json(value)

    assert found is None or isinstance(found, Policy)


RULE = {"source": "**/*.kt", "sibling": "{dir}/{basename}Test.kt"}


def test_test_siblings_are_by_the_role_until_the_user_says() -> None:
    assert policy_of({})[0].expand_siblings is None
    for choice in (True, False):
        policy, faults = policy_of({"test_siblings": {"enabled": choice, "rules": [RULE]}})
        assert (policy.expand_siblings, faults) == (choice, ())
        assert policy.sibling_rules == ((RULE["source"], RULE["sibling"]),)


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("yes", "test_siblings: must be a table"),
        ({"enabld": True}, "test_siblings.enabld: no such setting"),
        ({"enabled": "yes"}, "test_siblings.enabled"),
        ({"enabled": 1}, "test_siblings.enabled"),
        ({"rules": RULE}, "test_siblings.rules: must be a list"),
        ({"rules": [RULE] * 257}, "test_siblings.rules: must be a list"),
        ({"rules": ["x"]}, "test_siblings.rules[0]"),
        ({"rules": [{"source": "*.kt"}]}, "test_siblings.rules[0]"),
        ({"rules": [{**RULE, "more": 1}]}, "test_siblings.rules[0]"),
        ({"rules": [{**RULE, "source": ""}]}, "test_siblings.rules[0]"),
        ({"rules": [{**RULE, "sibling": "x" * 257}]}, "test_siblings.rules[0]"),
        ({"rules": [{**RULE, "sibling": "tests/all.kt"}]}, "sibling must hold {basename} or {dir}"),
    ],
)
def test_a_fault_in_test_siblings_is_named_and_leaves_the_rest(table: Any, fault: str) -> None:
    policy, faults = policy_of({"test_siblings": table})

    assert len(faults) == 1
    assert fault in faults[0]
    assert policy.expand_siblings is None
    assert policy.sibling_rules == ()


def test_a_good_rule_beside_a_bad_one_is_taken() -> None:
    policy, faults = policy_of({"test_siblings": {"rules": ["x", RULE]}})

    assert len(faults) == len(policy.sibling_rules) == 1


@pytest.mark.parametrize(
    "damage",
    [
        {"expand_siblings": 1},
        {"expand_siblings": "no"},
        {"sibling_rules": "x"},
        {"sibling_rules": [["a"]]},
        {"sibling_rules": [["a", 3]]},
        {"sibling_rules": ["ab"]},
    ],
)
def test_a_cache_with_odd_siblings_is_not_believed(damage: dict[str, Any]) -> None:
    sound = {name: list(v) if isinstance(v, tuple) else v for name, v in Policy().as_json().items()}

    assert policy_of_json(sound) is not None
    assert policy_of_json({**sound, **damage}) is None
