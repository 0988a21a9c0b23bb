"""What each path of a hook may load. Counts do not flake; times are only benchmarked."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import CHECKOUT, SCOPE, Harness

if TYPE_CHECKING:
    from pathlib import Path

# The ceilings of docs/performance.md; `python -I -S` alone has 16.
CEILINGS = {
    "another tool": 45,
    "no scope": 45,
    "scope, nobody there": 52,
    "scope, allow": 55,
    "scope, deny": 61,
    "life cycle": 43,
    "write noted": 41,
    "write, nothing governs": 35,
    "write, manifest, denied": 53,
    "write, held": 55,
    "command, nothing write-like": 36,
    "command, nothing governs": 36,
    "command, read": 86,
    "command, denied": 88,
}
FORBIDDEN = (
    *(
        "os",
        "json",
        "re",
        "typing",
        "dataclasses",
        "enum",
        "pathlib",
        "subprocess",
        "logging",
        "tempfile",
    ),
    *(
        "contextlib",
        "functools",
        "collections",
        "datetime",
        "site",
        "orjson",
        "filelock",
        "pathspec",
    ),
    *("tomllib", "click", "rich", "encodings.utf_8_sig"),
)


def loaded(harness: Harness, hook: str, payload: dict[str, Any]) -> list[str]:
    """The modules that a hook loads for `payload`, in order."""
    python = str(CHECKOUT / ".venv" / "bin" / "python3")
    script = str(CHECKOUT / "hooks" / f"{hook}.py")
    done = subprocess.run(
        [python, "-X", "importtime", "-I", "-S", "-OO", script],
        input=json.dumps(payload),
        env=harness.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
    return lines[1:]


@pytest.fixture
def crowd(harness: Harness) -> Harness:
    (harness.repo / ".holdshort.toml").write_text('shared = ["x/**"]\n')
    harness.dispatch("zero", "docs/e.md")  # makes the directory in which the settings are compiled
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    return harness


def payloads(harness: Harness) -> dict[str, tuple[str, dict[str, Any]]]:
    guard, life = "pre_task_scope_disjoint", "agent_lifecycle"
    written = {"file_path": str(harness.repo / "src" / "a.py")}
    edit = harness.payload("PostToolUse", tool_name="Edit", tool_input=written, agent_id="a1")
    return {
        "another tool": (guard, harness.payload("PreToolUse", tool_name="Bash", tool_input={})),
        "no scope": (guard, harness.dispatch_payload("new", "Look around.")),
        "scope, allow": (guard, harness.dispatch_payload("new", SCOPE.format("lib/**"))),
        "scope, deny": (guard, harness.dispatch_payload("new", SCOPE.format("src/**"))),
        "life cycle": (life, harness.payload("Stop", background_tasks=[])),
        "write noted": ("post_write_touched", edit),
        "write, held": (
            "enforce_scope",
            {**edit, "hook_event_name": "PreToolUse", "agent_id": "a2"},
        ),
    }


ELSEWHERE = (
    *("scope, nobody there", "write, nothing governs", "write, manifest, denied"),
    *("command, nothing write-like", "command, nothing governs", "command, read"),
    "command, denied",
)
BEHIND_THE_SHELL_GATE = ("re", "enum", "functools", "collections")  # of tree-sitter itself


@pytest.mark.parametrize("path", [path for path in CEILINGS if path not in ELSEWHERE])
def test_a_path_loads_no_more_than_its_ceiling_and_nothing_dear(crowd: Harness, path: str) -> None:
    modules = loaded(crowd, *payloads(crowd)[path])

    assert len(modules) <= CEILINGS[path], f"{len(modules)}: {modules}"
    assert not set(modules) & set(FORBIDDEN)


def test_a_scope_without_company_loads_no_automata(harness: Harness) -> None:
    payload = harness.dispatch_payload("new", SCOPE.format("lib/**"))
    harness.dispatch("a look", prompt="Look around.")  # makes the compiled file

    modules = loaded(harness, "pre_task_scope_disjoint", payload)

    assert len(modules) <= CEILINGS["scope, nobody there"], f"{len(modules)}: {modules}"
    assert "holdshort.core.overlap" not in modules


def test_a_write_that_concerns_nobody_loads_no_ledger(harness: Harness) -> None:
    given = {"file_path": str(harness.repo / "src" / "a.py")}
    call = harness.payload("PreToolUse", tool_name="Write", tool_input=given)

    modules = loaded(harness, "enforce_scope", call)

    assert len(modules) <= CEILINGS["write, nothing governs"], f"{len(modules)}: {modules}"
    assert "holdshort.core.book" not in modules

    (harness.repo / ".claude").mkdir()
    (harness.repo / ".claude" / "wave-scope.json").write_text('{"allowedPaths": ["lib/"]}')
    governed = loaded(harness, "enforce_scope", call)

    assert len(governed) <= CEILINGS["write, manifest, denied"], f"{len(governed)}: {governed}"
    assert not set(modules + governed) & set(FORBIDDEN)


def command(harness: Harness, text: str) -> dict[str, Any]:
    return harness.payload(
        "PreToolUse", tool_name="Bash", tool_input={"command": text}, agent_id="a2"
    )


def test_a_command_that_writes_nothing_is_not_parsed(harness: Harness, crowd: Harness) -> None:
    modules = loaded(crowd, "enforce_scope", command(crowd, "pytest -q 2>&1 | tail -3"))

    assert len(modules) <= CEILINGS["command, nothing write-like"], f"{len(modules)}: {modules}"
    assert not set(modules) & {*FORBIDDEN, "holdshort.core.shell_targets"}


def test_a_command_is_not_parsed_where_nothing_governs(harness: Harness) -> None:
    modules = loaded(harness, "enforce_scope", command(harness, "rm -rf src"))

    assert len(modules) <= CEILINGS["command, nothing governs"], f"{len(modules)}: {modules}"
    assert not set(modules) & {*FORBIDDEN, "holdshort.core.shell_targets"}


def test_past_the_gate_only_the_parser_is_third_party(crowd: Harness) -> None:
    for path, text in (
        ("command, read", "sed -i s/a/b/ lib/d.py && cat src/a.py"),
        ("command, denied", "sed -i s/a/b/ src/a.py"),
    ):
        modules = loaded(crowd, "enforce_scope", command(crowd, text))

        assert len(modules) <= CEILINGS[path], f"{path} {len(modules)}: {modules}"
        assert "holdshort.core.shell_targets" in modules
        assert not set(modules) & {*FORBIDDEN} - {*BEHIND_THE_SHELL_GATE}


def test_the_ceilings_stand_in_the_documents() -> None:
    text = (CHECKOUT / "docs" / "performance.md").read_text()

    for path, most in CEILINGS.items():
        assert f"| {path} | {most} |" in text


def test_every_forbidden_name_would_be_noticed(tmp_path: Path) -> None:
    """The test above can fail: a module of the list, imported, is seen."""
    script = tmp_path / "script.py"
    script.write_text("import json\n")
    python = str(CHECKOUT / ".venv" / "bin" / "python3")
    done = subprocess.run(
        [python, "-X", "importtime", "-I", "-S", str(script)], capture_output=True, text=True
    )

    assert "json" in [line.rpartition("|")[2].strip() for line in done.stderr.splitlines()]
