"""A held file is held against everybody, wherever the writer was started and wherever it has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import Answer, Harness, git_repo, run_git
from tests.hooks.test_enforce_scope import edit, write_manifest
from tests.hooks.test_shell_writes import bash
from tests.hooks.test_write_holds import at_work

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def other(tmp_path: Path, home: Path) -> Harness:
    """A session of its own in another repository, where agent `one` holds src/a.py."""
    other = Harness(
        git_repo(tmp_path / "other", "src/a.py", "lib/d.py"), home, "session-two", pid=1
    )
    at_work(other, "one", "src/a.py")
    return other


class TestAnotherRepository:
    def test_what_is_held_there_is_written_by_nobody_from_here(
        self, harness: Harness, other: Harness
    ) -> None:
        answer = edit(harness, other.repo / "src" / "a.py")

        assert answer.reason.startswith(f"HS201 {other.repo}/src/a.py")
        assert "of another session (session-two)" in answer.reason
        assert edit(harness, other.repo / "lib" / "d.py").stdout == ""

    @pytest.mark.parametrize(
        "command",
        [
            "echo x > {other}/src/a.py",
            "cd {other} && echo x > src/a.py",
            "cd ../other && sed -i s/a/b/ src/a.py",
            'sed -i s/a/b/ "{other}/src/a.py"',
            "cp lib/d.py ../other/src/a.py",
            "rm -rf {other}/src",
        ],
    )
    def test_nor_through_the_shell(self, harness: Harness, other: Harness, command: str) -> None:
        for text, is_denied in ((command, True), (command.replace("src", "docs"), False)):
            answer = bash(harness, text.format(other=other.repo))
            assert answer.denied is is_denied, text

    def test_a_writer_that_has_gone_elsewhere_is_bound_by_what_is_held_at_home(
        self, harness: Harness, other: Harness
    ) -> None:
        at_work(harness, "mine", "src/b.py")
        there = str(other.repo)

        assert edit(harness, "src/b.py", cwd=there, agent_id="two").denied
        assert bash(harness, f"echo x > {harness.repo}/src/b.py", cwd=there, agent_id="two").denied
        assert edit(harness, "src/b.py", cwd=there, agent_id="mine").stdout == ""

    def test_a_manifest_there_governs_whoever_writes_there(
        self, harness: Harness, other: Harness
    ) -> None:
        write_manifest(other, ["lib/"])

        assert edit(harness, other.repo / "docs" / "x.md").reason.startswith("HS205")
        assert edit(harness, other.repo / "lib" / "d.py").stdout == ""
        assert edit(harness, "src/a.py").stdout == ""
        assert bash(harness, f"echo x > src/a.py; echo x > {other.repo}/docs/x.md").denied
        assert not bash(harness, f"echo x > src/a.py; echo x > {other.repo}/lib/x.md").denied

    def test_the_manifest_at_home_governs_a_writer_that_has_gone_elsewhere(
        self, harness: Harness, other: Harness
    ) -> None:
        write_manifest(harness, ["src/"])
        there = str(other.repo)

        assert edit(harness, "src/b.py", cwd=there).stdout == ""
        assert edit(harness, "lib/d.py", cwd=there).reason.startswith("HS205")
        assert "outside the project" in edit(harness, other.repo / "lib" / "d.py", cwd=there).reason


class TestAPlainDirectoryAboveRepositories:
    """A session that was started above several repositories, in none of them."""

    @pytest.fixture
    def above(self, tmp_path: Path, home: Path) -> Harness:
        top = tmp_path / "top"
        top.mkdir()
        for name in ("one", "two"):
            git_repo(top / name, "src/a.py")
        above = Harness(top, home)
        at_work(above, "holder", "one/src/a.py")
        return above

    def test_its_agents_hold_files_in_them(self, above: Harness) -> None:
        assert edit(above, "one/src/a.py", agent_id="x").reason.startswith("HS201 one/src/a.py")
        assert edit(above, "two/src/a.py", agent_id="x").stdout == ""
        assert bash(above, "sed -i s/a/b/ one/src/a.py", agent_id="x").denied
        assert bash(above, "rm -rf one", agent_id="x").denied
        assert not bash(above, "rm -rf two", agent_id="x").denied

    def test_wherever_the_writer_is(self, above: Harness) -> None:
        for cwd in (above.repo / "one", above.repo / "two" / "src"):
            assert edit(above, "one/src/a.py", agent_id="x", cwd=str(cwd)).denied


class TestAForgedTree:
    """A directory is no other tree because of a file in it."""

    def forged(self, harness: Harness, common: str, *, back: bool = False) -> Answer:
        at_work(harness, "one", "src/a.py")
        gitdir = harness.repo / "docs" / "fake"
        gitdir.mkdir(parents=True)
        (gitdir / "commondir").write_text(common)
        if back:
            (gitdir / "gitdir").write_text(f"{harness.repo}/src/.git\n")
        (harness.repo / "src" / ".git").write_text(f"gitdir: {gitdir}\n")
        return edit(harness, "src/a.py", agent_id="two")

    @pytest.mark.parametrize("common", [".", "../../.git", "/nowhere", ""])
    @pytest.mark.parametrize("back", [False, True])
    def test_it_is_judged_as_part_of_the_real_one(
        self, harness: Harness, common: str, back: bool
    ) -> None:
        assert self.forged(harness, common, back=back).reason.startswith("HS201 src/a.py")

    def test_a_real_worktree_within_is_another_tree(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        run_git(harness.repo, "worktree", "add", "-q", ".claude/worktrees/two", "HEAD")
        own: dict[str, Any] = {"agent_id": "two", "cwd": f"{harness.repo}/.claude/worktrees/two"}

        assert edit(harness, ".claude/worktrees/two/src/a.py", **own).stdout == ""
        assert edit(harness, "src/a.py", **own).denied

    def test_a_repository_s_own_settings_do_not_move_the_state(self, harness: Harness) -> None:
        at_work(harness, "one", "src/a.py")
        for key, value in (("core.worktree", "/elsewhere"), ("core.bare", "true")):
            run_git(harness.repo, "config", key, value)

            assert edit(harness, "src/a.py", agent_id="two").denied, key
