"""Git on a whole tree, while others are at work in it: denied only when their work is at stake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.harness import Harness, run_git
from tests.hooks.test_shell_writes import bash
from tests.hooks.test_write_holds import at_work

if TYPE_CHECKING:
    from pathlib import Path


def wrote(harness: Harness, path: str, agent: str = "") -> None:
    """A party changes a file, and the harness reports it."""
    file = harness.repo / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"by {agent}\n")
    fields = {"agent_id": agent} if agent else {}
    given = {"file_path": str(file), "content": ""}
    harness.fire("PostToolUse", tool_name="Write", tool_input=given, **fields)


@pytest.fixture
def clean(harness: Harness) -> Harness:
    """Everything committed on `main`; `far` has another src/a.py, `docs` another docs/e.md."""
    repo = harness.repo
    (repo / ".gitignore").write_text("build/\n.orchestrator/\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "all")
    run_git(repo, "branch", "-q", "-M", "main")
    for branch, path in (("far", "src/a.py"), ("docs", "docs/e.md")):
        run_git(repo, "checkout", "-q", "-b", branch, "main")
        (repo / path).write_text(branch)
        run_git(repo, "commit", "-q", "-a", "-m", branch)
    run_git(repo, "checkout", "-q", "main")
    return harness


@pytest.fixture
def shared(clean: Harness) -> Harness:
    """Agent `one` holds src/a.py, `two` lib/; both have begun."""
    at_work(clean, "one", "src/a.py")
    at_work(clean, "two", "lib/")
    wrote(clean, "src/a.py", "one")
    wrote(clean, "lib/d.py", "two")
    return clean


TAKING = [
    *("git stash", "git stash push -m wip", "git stash -u", "git stash push -- src lib"),
    *("git reset --hard", "git reset --hard HEAD", "git checkout -f main", "git checkout -- src"),
    *("git checkout .", "git restore .", "git restore --source=HEAD src", "git switch -f main"),
    *("git pull --autostash", "git rebase --autostash docs", "git -C src stash"),
    *("cd src && git checkout -- .", "pytest -q; git stash && pytest -q; git stash pop"),
]
SWEEPING = [
    *("git add -A", "git add .", "git add -u", "git add src", "git add src/a.py lib/d.py"),
    *("git commit -am wip", "git commit -qam 'wip'", "git commit -m x -- src", "git add '*.py'"),
    *("git add -A && git commit -m x", "git -C src add .", "git add :/", "sudo git add --all"),
]
HARMLESS = [
    *(
        "git stash push -- lib",
        "git stash list",
        "git stash show -p",
        "git add lib",
        "git add lib/d.py",
    ),
    *(
        "git add lib/d.py && git commit -m 'git add -A'",
        "git commit -m x -- lib/d.py",
        "git status",
    ),
    *("git add -A -- ':!src'", "git add -n -A", "git clean -fdn", "git clean -fd", "git reset"),
    *(
        "git diff HEAD",
        "git checkout -b new",
        "git switch -c new",
        "git checkout docs",
        "git merge docs",
    ),
    *(
        "git rebase --continue",
        "git commit -m x",
        "git log --oneline",
        "git add docs",
        "git clean -fd lib",
    ),
    *("git add nowhere", "git checkout nowhere", "git cherry-pick docs", "git worktree list"),
]


@pytest.mark.parametrize("command", TAKING)
def test_others_uncommitted_work_is_not_taken_back(shared: Harness, command: str) -> None:
    answer = bash(shared, command, agent_id="two")

    assert answer.denied
    assert answer.reason.startswith("HS")
    assert "src/a.py" in answer.reason
    assert "one (general-purpose)" in answer.reason
    assert len(answer.reason.encode()) <= 768


@pytest.mark.parametrize("command", SWEEPING)
def test_others_work_is_not_swept_in(shared: Harness, command: str) -> None:
    answer = bash(shared, command, agent_id="two")

    assert answer.reason.startswith("HS303")
    assert "each by its name" in answer.reason


def test_one_s_own_work_is_no_concern(shared: Harness) -> None:
    for command in HARMLESS:
        assert bash(shared, command, agent_id="two").stdout == "", command


def test_whoever_works_alone_notices_nothing(clean: Harness) -> None:
    wrote(clean, "src/a.py")

    for command in (*TAKING, *SWEEPING, *HARMLESS, "git clean -fdx"):
        assert bash(clean, command).stdout == "", command


@pytest.mark.parametrize(
    "command", ["git stash", "git add -A", "git commit -am x", "git checkout far"]
)
def test_nor_does_one_whose_agents_have_ended(clean: Harness, command: str) -> None:
    call = at_work(clean, "one", "src/a.py")
    wrote(clean, "src/a.py", "one")
    assert bash(clean, command).denied
    clean.completed(call, "one")

    assert bash(clean, command).stdout == ""


@pytest.mark.parametrize(
    "command",
    [
        *("git checkout far", "git switch far", "git merge far", "git rebase far", "git switch -"),
        *("git cherry-pick far", "git reset --hard far", "git checkout -b x far", "git revert far"),
    ],
)
def test_no_other_version_is_put_in_the_place_of_what_is_held(clean: Harness, command: str) -> None:
    run_git(clean.repo, "checkout", "-q", "far")
    run_git(clean.repo, "checkout", "-q", "main")
    at_work(clean, "one", "src/a.py")

    assert bash(clean, command).reason.startswith("HS302")
    assert bash(clean, command.replace("far", "docs").replace("-", "docs")).stdout == ""


class TestWhatIsUntracked:
    def test_it_goes_with_clean_and_with_stash_u(self, shared: Harness) -> None:
        run_git(shared.repo, "checkout", "-q", "--", "src/a.py")
        wrote(shared, "src/new.py", "one")

        for command, is_denied in (
            *(("git clean -fd", True), ("git clean -f src", True), ("git stash -u", True)),
            *(("git stash -- lib", False), ("git clean -f lib", False), ("git add -u", False)),
        ):
            assert bash(shared, command, agent_id="two").denied is is_denied, command

    def test_the_guard_s_own_state_stays(self, shared: Harness) -> None:
        for command in ("git clean -fdx", "git clean -fdX", "git stash --all"):
            assert bash(shared, command, agent_id="two").denied, command


class TestWhatIsStaged:
    def test_a_commit_takes_what_another_has_staged(self, shared: Harness) -> None:
        run_git(shared.repo, "add", "src/a.py")

        assert bash(shared, "git commit -m x", agent_id="two").reason.startswith("HS303")
        assert bash(shared, "git commit -m x -- lib/d.py", agent_id="two").stdout == ""
        assert bash(shared, "git commit -m x", agent_id="one").stdout == ""

    def test_both_names_of_a_rename_count(self, shared: Harness) -> None:
        run_git(shared.repo, "checkout", "-q", "--", "src/a.py")
        run_git(shared.repo, "mv", "src/a.py", "docs/moved.py")

        assert bash(shared, "git commit -m x", agent_id="two").reason.startswith("HS303")

    def test_so_do_names_of_any_letters(self, shared: Harness) -> None:
        at_work(shared, "three", "docs/übersicht.md")
        wrote(shared, "docs/übersicht.md", "three")

        assert "docs/übersicht.md" in bash(shared, "git add docs", agent_id="two").reason


class TestRelatives:
    def test_a_child_may_sweep_in_its_coordinator_s_work_and_not_take_it_back(
        self, clean: Harness
    ) -> None:
        at_work(clean, "one", "lib/")
        wrote(clean, "docs/e.md")

        assert bash(clean, "git add -A", agent_id="one").stdout == ""
        assert bash(clean, "git stash", agent_id="one").reason.startswith("HS301")

    def test_a_child_takes_back_its_own_below_its_parent_s_hold_and_not_its_parent_s(
        self, clean: Harness
    ) -> None:
        at_work(clean, "parent", "src/")
        clean.write_meta("parent", clean.last_call)
        at_work(clean, "child", "src/a.py", agent_id="parent")
        clean.write_meta("child", clean.last_call, parentAgentId="parent")
        wrote(clean, "src/a.py", "child")

        assert bash(clean, "git stash", agent_id="child").stdout == ""
        assert bash(clean, "git stash", agent_id="parent").reason.startswith("HS301")
        wrote(clean, "src/b.py", "parent")
        assert bash(clean, "git add src", agent_id="child").stdout == ""
        assert bash(clean, "git stash", agent_id="child").reason.startswith("HS301")

    def test_the_coordinator_does_neither_with_its_agents(self, shared: Harness) -> None:
        for command in ("git add -A", "git commit -am x", "git stash"):
            assert bash(shared, command).denied, command


class TestWhatWasOnlyWritten:
    def test_another_window_s_changes_are_its_own(self, clean: Harness, home: Path) -> None:
        other = Harness(clean.repo, home, "session-two", pid=1)
        at_work(other, "one", "lib/")
        wrote(other, "docs/e.md")

        answer = bash(clean, "git add -A")

        assert answer.reason.startswith("HS303")
        assert "docs/e.md (written" in answer.reason

    def test_so_are_those_of_an_agent_that_declared_nothing(self, clean: Harness) -> None:
        at_work(clean, "free")
        wrote(clean, "docs/e.md", "free")

        assert bash(clean, "git stash").denied


def test_shared_files_are_nobody_s(clean: Harness) -> None:
    at_work(clean, "one", "src/", "package-lock.json")
    wrote(clean, "package-lock.json")

    assert bash(clean, "git add -A").stdout == ""


def test_mode_warn_says_what_it_would_deny(shared: Harness) -> None:
    (shared.repo / ".holdshort.toml").write_text('[modes]\nwrite = "warn"\n')

    answer = bash(shared, "git stash", agent_id="two")

    assert not answer.denied
    assert "HS301" in answer.reason + answer.notice


def test_a_hostile_repository_starts_nothing(shared: Harness, tmp_path: Path) -> None:
    run_git(shared.repo, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")

    assert bash(shared, "git stash", agent_id="two").denied
    assert not (tmp_path / "ran").exists()
