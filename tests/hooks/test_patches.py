"""`apply_patch`: every file of a patch is judged as a Write of it would be, both ends of a move too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.hooks.test_enforce_scope import edit, write_manifest

if TYPE_CHECKING:
    from tests.harness import Answer, Harness


def patch(harness: Harness, *heads: str, key: str = "command", **fields: Any) -> Answer:
    body = "".join(f"*** {head}\n@@\n-x\n+*** Delete File: docs/not-a-head.md\n" for head in heads)
    given = {key: f"*** Begin Patch\n{body}*** End Patch\n"}
    return harness.fire("PreToolUse", tool_name="apply_patch", tool_input=given, **fields)


@pytest.mark.parametrize(
    "heads",
    [
        ("Update File: src/a.py",),
        ("Add File: docs/new.md",),
        ("Delete File: src/a.py",),
        ("Update File: lib/d.py", "Move to: docs/moved.md"),
        ("Update File: src/a.py", "Move to: lib/moved.py"),
        ("Update File: lib/d.py", "Add File: lib/new.py", "Delete File: src/../src/a.py"),
        ("Update File: ./src/a.py",),
    ],
)
@pytest.mark.parametrize("key", ["command", "input"])
def test_what_another_holds_is_denied(held: Harness, heads: tuple[str, ...], key: str) -> None:
    answer = patch(held, *heads, key=key, agent_id="two")

    assert answer.reason.startswith("HS201")
    assert "one (general-purpose)" in answer.reason


def test_one_s_own_files_are_patched(held: Harness) -> None:
    assert patch(held, "Update File: lib/d.py", "Add File: lib/new.py", agent_id="two").stdout == ""
    assert patch(held, "Update File: src/a.py", agent_id="one").stdout == ""


def test_paths_count_from_where_the_call_comes_from(held: Harness) -> None:
    inside: dict[str, Any] = {"agent_id": "two", "cwd": str(held.repo / "src")}

    assert patch(held, "Update File: a.py", **inside).denied
    assert not patch(held, "Update File: ../lib/d.py", **inside).denied


def test_the_manifest_grants_all_of_it_or_nothing_is_done(harness: Harness) -> None:
    write_manifest(harness, ["src/"])

    assert patch(harness, "Update File: src/a.py", "Add File: src/new.py").stdout == ""
    assert patch(harness, "Update File: src/a.py", "Add File: lib/n.py").reason.startswith("HS205")


def test_more_files_than_can_be_looked_at_are_not_granted(harness: Harness) -> None:
    write_manifest(harness, ["src/"])

    assert patch(harness, *(f"Add File: src/{number}.py" for number in range(2001))).denied


def test_the_guard_s_own_is_not_patched(held: Harness) -> None:
    for name in (".orchestrator/touched.jsonl", ".holdshort.toml", ".claude/settings.json"):
        assert patch(held, f"Update File: {name}", agent_id="two").reason.startswith("HS204"), name


def test_what_was_patched_is_noted_file_by_file(held: Harness) -> None:
    text = "*** Begin Patch\n*** Add File: new/x.md\n+x\n*** Add File: new/y.md\n+y\n*** End Patch"
    given = {"command": text}
    held.fire("PostToolUse", tool_name="apply_patch", tool_input=given, agent_id="one")

    for name in ("new/x.md", "new/y.md"):
        assert "HS515" in edit(held, name, agent_id="two").reason, name
