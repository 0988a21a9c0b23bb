"""A file in an agent's hands is written by nobody else: who is bound by which hold, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import Answer, Harness
from tests.hooks.test_enforce_scope import edit, git_repo_worktree

if TYPE_CHECKING:
    from pathlib import Path


def at_work(harness: Harness, name: str, *files: str, agent: str = "", **fields: Any) -> str:
    """An agent in flight on `files`, bound to its id; its tool-use id."""
    assert not harness.dispatch(name, *files, **fields).denied
    call: str = harness.last_call
    harness.launched(call, agent or name)
    return call


def asks(answer: Answer) -> bool:
    return answer.specific.get("permissionDecision") == "ask"


class TestDeclaredHolds:
    def test_another_agent_is_denied_and_told_who_has_it(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        at_work(harness, "two", "lib/")

        answer = edit(harness, "src/a.py", agent_id="two")

        assert answer.denied
        assert answer.reason.startswith('HS201 src/a.py (concrete) is held by "one')
        assert "still running" in answer.reason
        assert "holdshort release" not in answer.reason
        assert "holdshort release" in answer.notice
        assert len(answer.reason.encode()) <= 768

    @pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
    def test_with_every_tool(self, harness: Harness, tool: str) -> None:
        at_work(harness, "one", "src/a.py")
        at_work(harness, "two", "lib/")

        assert edit(harness, "src/a.py", tool, agent_id="two").denied

    def test_the_holder_itself_is_not(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "src/a.py", agent_id="one").stdout == ""

    def test_nor_is_anyone_beside_it(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "src/b.py").stdout == ""

    def test_nor_once_it_has_ended(self, harness: Harness) -> None:
        call = at_work(harness, "one", "src/a.py")
        harness.completed(call, "one")

        assert edit(harness, "src/a.py").stdout == ""

    def test_another_session_is_denied_and_told_which(self, harness: Harness, home: Path) -> None:
        at_work(harness, "one", "src/a.py")
        other = Harness(harness.repo, home, "session-two", pid=1)

        answer = edit(other, "src/a.py")

        assert answer.denied
        assert "of another session (session-one)" in answer.reason

    def test_what_a_glob_holds_is_named_with_the_glob(self, harness: Harness) -> None:
        at_work(harness, "one", "src/**/*.py")
        at_work(harness, "two", "lib/")

        assert "(by src/**/*.py)" in edit(harness, "src/api/c.py", agent_id="two").reason

    def test_shared_files_are_nobody_s(self, harness: Harness) -> None:
        at_work(harness, "one", "package-lock.json")

        assert edit(harness, "package-lock.json").stdout == ""

    def test_a_reader_and_a_weak_scope_hold_nothing(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py", kind="Explore")
        harness.dispatch("two", prompt="Scope:\n- src/b.py\n")
        harness.launched(harness.last_call, "two")
        assert harness.record(harness.last_call)["source"] == "weak"

        assert edit(harness, "src/a.py").stdout == ""
        assert edit(harness, "src/b.py").stdout == ""

    def test_a_link_to_it_is_it(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        at_work(harness, "two", "lib/")
        (harness.repo / "lib" / "alias.py").symlink_to("../src/a.py")

        assert edit(harness, "lib/alias.py", agent_id="two").denied

    def test_mode_warn_says_what_it_would_deny(self, harness: Harness) -> None:
        (harness.repo / ".holdshort.toml").write_text('[modes]\nwrite = "warn"\n')
        at_work(harness, "one", "src/a.py")
        at_work(harness, "two", "lib/")

        answer = edit(harness, "src/a.py", agent_id="two")

        assert not answer.denied
        assert "HS201" in answer.reason

    def test_another_tree_is_another_file(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        other = harness.repo.parent / "other"
        git_repo_worktree(harness.repo, other)

        assert edit(harness, other / "src" / "a.py", agent_id="two").stdout == ""
        assert edit(harness, "src/a.py", agent_id="two", cwd=str(other)).denied


class TestTheCoordinator:
    def test_is_asked_below_a_directory_that_its_agent_holds(self, harness: Harness) -> None:
        at_work(harness, "one", "src/")

        answer = edit(harness, "src/a.py")

        assert asks(answer)
        assert "has not touched this file" in answer.specific["permissionDecisionReason"]

    def test_is_denied_a_file_that_was_named(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "src/a.py").denied

    def test_is_denied_a_file_that_its_agent_has_touched(self, harness: Harness) -> None:
        at_work(harness, "one", "src/")
        written = {"file_path": str(harness.repo / "src" / "a.py")}
        harness.fire("PostToolUse", tool_name="Write", tool_input=written, agent_id="one")

        assert edit(harness, "src/a.py").denied
        assert asks(edit(harness, "src/b.py"))


class TestRelatives:
    def family(self, harness: Harness) -> None:
        """A parent on src/, its child on src/a.py, and a stranger."""
        at_work(harness, "parent", "src/")
        harness.write_meta("parent", harness.last_call)
        at_work(harness, "child", "src/a.py", agent_id="parent")
        harness.write_meta("child", harness.last_call, parentAgentId="parent")
        at_work(harness, "stranger", "lib/")

    def test_a_child_writes_below_its_parent_s_hold(self, harness: Harness) -> None:
        self.family(harness)

        assert not edit(harness, "src/b.py", agent_id="child").denied
        assert edit(harness, "src/a.py", agent_id="child").stdout == ""

    def test_a_child_s_hold_binds_its_parent(self, harness: Harness) -> None:
        self.family(harness)

        assert edit(harness, "src/a.py", agent_id="parent").denied
        assert edit(harness, "src/b.py", agent_id="parent").stdout == ""

    def test_and_everybody_else(self, harness: Harness) -> None:
        self.family(harness)

        assert edit(harness, "src/a.py", agent_id="stranger").denied
        assert edit(harness, "src/b.py", agent_id="stranger").denied


class TestIsolation:
    def test_an_agent_in_its_own_tree_writes_its_own_copy(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        call = at_work(harness, "apart", "src/a.py", tool_input={"isolation": "worktree"})
        other = harness.repo.parent / "other"
        git_repo_worktree(harness.repo, other)

        own = edit(harness, other / "src" / "a.py", agent_id="apart", cwd=str(other))

        assert own.stdout == ""
        assert harness.record(call)["isolation"]["verified"] is True

    def test_one_that_works_in_the_common_tree_is_told_and_held(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        call = at_work(harness, "apart", "src/", tool_input={"isolation": "worktree"})

        answer = edit(harness, "src/b.py", agent_id="apart")

        assert "HS517" in answer.reason
        assert "HS517" in answer.notice
        assert harness.record(call)["isolation"]["verified"] is False
        assert edit(harness, "src/a.py", agent_id="apart").denied
        assert edit(harness, "src/b.py", agent_id="one").denied


class TestWhoeverCannotBeTold:
    def test_an_unknown_writer_may_be_the_holder_that_is_not_bound_yet(
        self, harness: Harness
    ) -> None:
        harness.dispatch("one", "src/a.py")

        answer = edit(harness, "src/a.py", agent_id="unknown")

        assert not answer.denied
        assert answer.reason.startswith("HS514")

    def test_it_is_denied_once_the_holder_has_acted_under_its_own_id(
        self, harness: Harness
    ) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "src/a.py", agent_id="unknown").denied

    def test_the_meta_file_tells_who_it_is(self, harness: Harness) -> None:
        harness.dispatch("one", "src/a.py")
        harness.write_meta("a1", harness.last_call)

        assert edit(harness, "src/a.py", agent_id="a1").stdout == ""
        assert edit(harness, "src/a.py", agent_id="a2").denied


class TestBesideOnesOwnScope:
    def test_it_is_mentioned_once(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        first = edit(harness, "docs/e.md", agent_id="one")
        again = edit(harness, "docs/e.md", agent_id="one")

        assert not first.denied
        assert first.reason.startswith("HS513 docs/e.md is outside the scope")
        assert again.stdout == ""

    def test_so_is_one_with_a_long_path(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        path = "/".join(["d" * 60] * 5) + ".md"

        assert "HS513" in edit(harness, path, agent_id="one").reason
        assert edit(harness, path, agent_id="one").stdout == ""

    def test_shared_files_are_always_inside(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "package-lock.json", agent_id="one").stdout == ""

    def test_strict_denies_it(self, harness: Harness) -> None:
        (harness.repo / ".holdshort.toml").write_text('[write]\nown_scope = "strict"\n')
        at_work(harness, "one", "src/a.py")

        assert edit(harness, "docs/e.md", agent_id="one").reason.startswith("HS202")
        assert not edit(harness, "src/a.py", agent_id="one").denied


class TestObservedHolds:
    def touched(self, harness: Harness, agent: str) -> None:
        written = {"file_path": str(harness.repo / "src" / "a.py")}
        fields = {"agent_id": agent} if agent else {}
        harness.fire("PostToolUse", tool_name="Write", tool_input=written, **fields)

    def test_what_another_has_written_lately_is_told(self, harness: Harness, home: Path) -> None:
        at_work(harness, "zero", "docs/e.md")
        self.touched(harness, "undeclared")
        other = Harness(harness.repo, home, "session-two", pid=1)

        first = edit(harness, "src/a.py", agent_id="zero").reason
        assert "HS513" in first
        assert "HS515" in first
        assert edit(other, "src/a.py").reason.startswith("HS515 src/a.py was written")
        assert edit(harness, "src/a.py", agent_id="undeclared").stdout == ""

    def test_one_advisory_does_not_silence_another(self, harness: Harness) -> None:
        at_work(harness, "zero", "docs/e.md")
        assert edit(harness, "src/a.py", agent_id="zero").reason.startswith("HS513")
        self.touched(harness, "undeclared")

        later = edit(harness, "src/a.py", agent_id="zero")

        assert later.reason.startswith("HS515")
        assert edit(harness, "src/a.py", agent_id="zero").stdout == ""

    def test_it_can_be_made_a_denial(self, harness: Harness, home: Path) -> None:
        (harness.repo / ".holdshort.toml").write_text('[write]\nobserved = "deny"\n')
        at_work(harness, "zero", "docs/e.md")
        self.touched(harness, "undeclared")
        other = Harness(harness.repo, home, "session-two", pid=1)

        assert edit(other, "src/a.py").reason.startswith("HS208")


class TestTheGuardItself:
    @pytest.mark.parametrize(
        "path",
        [
            ".orchestrator/wave-dispatch-scopes.json",
            ".orchestrator/log/decisions.jsonl",
            ".orchestrator",
        ],
    )
    def test_its_state_is_nobody_s(self, harness: Harness, path: str) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, path).reason.startswith("HS204")
        assert edit(harness, path, agent_id="one").denied

    def test_what_other_tools_keep_beside_it_is_not_ours(self, harness: Harness) -> None:
        assert edit(harness, ".orchestrator/policy/quality-gates.json").stdout == ""
        at_work(harness, "one", "src/a.py")
        assert edit(harness, ".orchestrator/metrics/x.jsonl").stdout == ""

    def test_its_settings_are_the_person_s(self, harness: Harness) -> None:
        assert asks(edit(harness, ".holdshort.toml"))
        assert edit(harness, ".holdshort.toml", agent_id="one").denied

    def test_the_plugin_is_the_person_s(self, harness: Harness) -> None:
        for name in ("hooks.json", "hooks/run", "lib/holdshort/shell.py"):
            assert asks(edit(harness, harness.plugin / name)), name
            assert edit(harness, harness.plugin / name, agent_id="one").denied, name

    @pytest.mark.parametrize(
        "at", ["{repo}/.claude/settings.local.json", "{home}/.claude/settings.json"]
    )
    def test_where_hooks_are_registered_no_agent_writes(self, harness: Harness, at: str) -> None:
        settings = at.format(repo=harness.repo, home=harness.home)

        assert edit(harness, settings, agent_id="two").reason.startswith("HS204")
        assert edit(harness, settings).stdout == ""
        assert edit(harness, settings.replace("settings", "notes"), agent_id="two").stdout == ""

    def test_the_coordinator_is_asked_where_it_would_switch_us_off(self, harness: Harness) -> None:
        settings = harness.repo / ".claude" / "settings.json"
        given = {"file_path": str(settings), "content": '{"disableAllHooks": true}'}
        assert asks(harness.fire("PreToolUse", tool_name="Write", tool_input=given))
        settings.parent.mkdir()
        settings.write_text('{"hooks": "holdshort"}')
        assert asks(edit(harness, settings))

    @pytest.mark.parametrize(
        "path", [".git", ".git/worktrees/x/gitdir", "src/.git", "src/deep/.git"]
    )
    def test_what_makes_a_working_tree_no_agent_writes(self, harness: Harness, path: str) -> None:
        at_work(harness, "one", "src/a.py")

        assert edit(harness, path, agent_id="two").reason.startswith("HS204")
        assert asks(edit(harness, path))

    def test_the_rest_of_a_repository_is_no_concern(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")

        assert not edit(harness, ".git/info/exclude", agent_id="two").denied

    def test_a_link_into_its_state_is_its_state(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        (harness.repo / "innocent").symlink_to(".orchestrator")

        assert edit(harness, "innocent/wave-dispatch-scopes.json", agent_id="two").denied


def test_a_ledger_that_makes_no_sense_is_said(harness: Harness) -> None:
    at_work(harness, "one", "src/a.py")
    (harness.state_dir / "wave-dispatch-scopes.json").write_text("{")

    answer = edit(harness, "src/a.py", agent_id="two")

    assert not answer.denied
    assert "HS902" in answer.notice


def test_a_person_who_works_alone_notices_nothing(harness: Harness) -> None:
    assert edit(harness, "src/a.py").stdout == ""
    assert not harness.state_dir.exists()
