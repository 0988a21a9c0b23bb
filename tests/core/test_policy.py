"""Settings: every fault at once, and no bad value ever disarms the guard."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.policy import DEFAULT_SHARED, Policy, policy_of, policy_of_json

DEFAULTS: dict[str, Any] = {
    "dispatch": "enforce",
    "write": "enforce",
    "own_scope": "warn",
    "observed": "warn",
    "hint": True,
    "shared": DEFAULT_SHARED,
    "markers": (),
    "read_only_types": ("Explore", "Plan", "claude-code-guide"),
    "expand_siblings": None,
    "sibling_rules": (),
}
CHOSEN: dict[str, Any] = {
    "dispatch": "off",
    "write": "warn",
    "own_scope": "strict",
    "observed": "deny",
    "hint": False,
    "shared": ("a.lock",),
    "markers": ("MEIN BEREICH",),
    "read_only_types": ("auditor",),
    "expand_siblings": False,
    "sibling_rules": (("**/*.kt", "{dir}/{basename}Test.kt"),),
}


def through_the_cache(policy: Policy, **damage: Any) -> Policy | None:
    return policy_of_json({**json.loads(json.dumps(policy.as_json())), **damage})


def test_what_is_not_set_is_at_its_default() -> None:
    assert Policy().as_json() == policy_of({})[0].as_json() == DEFAULTS
    assert policy_of({})[1] == ()


@pytest.mark.parametrize("settings", [DEFAULTS, CHOSEN, {**CHOSEN, "expand_siblings": True}])
def test_all_settings_survive_the_cache(settings: dict[str, Any]) -> None:
    again = through_the_cache(Policy(**settings))

    assert again is not None
    assert again.as_json() == settings


def test_a_cache_of_before_a_switch_existed_leaves_it_on() -> None:
    cache = json.loads(json.dumps(Policy().as_json()))
    del cache["hint"], cache["sibling_rules"]

    again = policy_of_json(cache)

    assert again is not None
    assert (again.hint, again.sibling_rules) == (True, ())


@pytest.mark.parametrize(
    "damage",
    [
        *({name: value} for name in ("shared", "markers") for value in (None, "x", [3], ["a", 3])),
        {"read_only_types": [None]},
        *({name: None} for name in ("dispatch", "write", "own_scope", "observed")),
        {"dispatch": "of"},
        {"observed": "strict"},
    ],
)
def test_a_cache_with_a_senseless_setting_is_not_believed(damage: dict[str, Any]) -> None:
    assert through_the_cache(Policy(**CHOSEN), **damage) is None


def test_a_name_that_is_no_setting_cannot_be_chosen() -> None:
    with pytest.raises(AttributeError):
        Policy(dispach="off")


@pytest.mark.parametrize(
    ("settings", "faults"),
    [
        ([], ["the file is not a table of settings"]),
        ({"typo": 1}, ["typo: no such setting"]),
        ({"modes": "off"}, ["modes: must be a table, as in [modes]"]),
        ({"modes": {"writes": "off"}}, ["modes.writes: no such setting"]),
        ({"modes": {"write": "no"}}, ["modes.write: must be one of enforce, warn, off"]),
        ({"write": {"own_scope": "deny"}}, ["write.own_scope: must be one of warn, strict"]),
        ({"hint": 1}, ["hint: must be true or false"]),
        ({"shared": "x"}, ["shared: must be a list of texts"]),
        ({"markers": ["ab", 3]}, ["markers: 2 of its 2 items are not usable"]),
        ({"markers": ["abc", 3, None]}, ["markers: 2 of its 3 items are not usable"]),
        ({"shared": [3]}, ["shared: 1 of its 1 items are not usable"]),
    ],
)
def test_a_fault_is_told_in_one_line_and_leaves_the_default(
    settings: Any, faults: list[str]
) -> None:
    policy, found = policy_of(settings)

    assert list(found) == faults
    assert {**policy.as_json(), "markers": ()} == DEFAULTS


def test_each_table_and_switch_sets_what_it_names() -> None:
    policy, faults = policy_of(
        {
            "modes": {"dispatch": "warn", "write": "off"},
            "write": {"own_scope": "strict", "observed": "deny"},
            "hint": False,
        }
    )

    assert faults == ()
    assert policy.as_json() == {
        **DEFAULTS,
        "dispatch": "warn",
        "write": "off",
        "own_scope": "strict",
        "observed": "deny",
        "hint": False,
    }


def test_a_switch_that_is_neither_on_nor_off_stays_on() -> None:
    assert policy_of({"hint": "no"})[0].hint is True


def test_lists_are_bounded_in_number_and_length() -> None:
    many = [f"x{n}/y.lock" for n in range(257)]
    policy, faults = policy_of({"shared": many, "markers": ["abc", " ab ", "m" * 256, "m" * 257]})

    assert policy.shared == (*DEFAULT_SHARED, *many[:256])
    assert policy.markers == ("abc", "m" * 256)
    assert faults == ("markers: 2 of its 4 items are not usable",)
    assert len(policy_of({"shared": ["s" * 256]})[0].shared) == len(DEFAULT_SHARED) + 1
    assert policy_of({"shared": ["s" * 257]})[0].shared == DEFAULT_SHARED


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
        ({"rules": [{**RULE, "source": 3}]}, "rules[0]: source and sibling must be texts"),
        ({"rules": [{**RULE, "source": " "}]}, "rules[0]: source and sibling must be texts"),
        ({"rules": [{**RULE, "source": "x" * 257}]}, "source and sibling must be texts"),
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


def test_as_many_and_as_long_rules_as_the_bound_are_taken() -> None:
    rules = [
        {"source": "x" * 256, "sibling": "{dir}/" + "y" * 250},
        *[{"source": "y", "sibling": "{basename}"}] * 255,
    ]

    policy, faults = policy_of({"test_siblings": {"rules": rules}})

    assert (len(policy.sibling_rules), faults) == (256, ())
    assert policy.sibling_rules[:2] == (("x" * 256, "{dir}/" + "y" * 250), ("y", "{basename}"))


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
