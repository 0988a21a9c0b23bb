"""Where state lies and which tree a call belongs to: every layout."""

from __future__ import annotations

import posix
from typing import TYPE_CHECKING

import pytest
from tests.harness import git_repo, run_git

from holdshort.adapters.places import folds_case, locate

if TYPE_CHECKING:
    from pathlib import Path


def located(cwd: Path, project: Path | None = None) -> tuple[str, str]:
    place = locate(str(cwd), str(project or cwd))
    return place.root, place.state_dir


def test_a_subdirectory_belongs_to_the_root(repo: Path) -> None:
    assert (str(repo), str(repo / ".orchestrator")) == located(repo / "src" / "api")


def test_a_linked_worktree_is_its_own_tree_and_shares_the_state(repo: Path, tmp_path: Path) -> None:
    run_git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))

    assert (str(tmp_path / "linked"), str(repo / ".orchestrator")) == located(tmp_path / "linked")


def test_a_linked_worktree_inside_the_repository_is_its_own_tree(repo: Path) -> None:
    inside = repo / ".claude" / "worktrees" / "agent-1"
    run_git(repo, "worktree", "add", "-q", str(inside))

    assert (str(inside), str(repo / ".orchestrator")) == located(inside)


def test_a_submodule_belongs_to_the_repository_around_it(repo: Path, tmp_path: Path) -> None:
    part = git_repo(tmp_path / "part", "x.py")
    run_git(repo, "submodule", "--quiet", "add", str(part), "vendor/part")

    assert (str(repo), str(repo / ".orchestrator")) == located(repo / "vendor" / "part")


def test_a_worktree_of_a_submodule_shares_the_outermost_state(repo: Path, tmp_path: Path) -> None:
    part = git_repo(tmp_path / "part", "x.py")
    run_git(repo, "submodule", "--quiet", "add", str(part), "vendor/part")
    run_git(repo / "vendor" / "part", "worktree", "add", "-q", str(tmp_path / "sub-linked"))

    assert str(repo / ".orchestrator") == located(tmp_path / "sub-linked")[1]


def test_a_nested_repository_belongs_to_the_one_around_it(repo: Path) -> None:
    git_repo(repo / "nested", "x.py")

    assert (str(repo), str(repo / ".orchestrator")) == located(repo / "nested")


def test_a_repository_in_a_home_kept_in_git_stays_its_own(home: Path) -> None:
    run_git(home, "init", "-q")
    inside = git_repo(home / "work" / "project", "x.py")

    assert (str(inside), str(inside / ".orchestrator")) == located(inside)


def test_a_bare_main_repository_keeps_the_state_itself(repo: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    run_git(repo, "clone", "-q", "--bare", str(repo), str(bare))
    run_git(bare, "worktree", "add", "-q", str(tmp_path / "linked"))

    assert (str(tmp_path / "linked"), str(bare / "holdshort")) == located(tmp_path / "linked")


def test_a_bare_repository_behind_a_git_file_keeps_the_state_itself(tmp_path: Path) -> None:
    source = git_repo(tmp_path / "source", "x.py")
    project = tmp_path / "project"
    project.mkdir()
    run_git(source, "clone", "-q", "--bare", str(source), str(project / ".bare"))
    (project / ".git").write_text("gitdir: ./.bare\n")

    assert str(project / ".bare" / "holdshort") == located(project)[1]


def test_a_separate_git_directory_leaves_the_state_in_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    run_git(tree, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))

    assert (str(tree), str(tree / ".orchestrator")) == located(tree)


def test_a_symlinked_root_is_the_real_one(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(repo)

    assert (str(repo), str(repo / ".orchestrator")) == located(tmp_path / "alias" / "src")


def test_without_git_the_project_directory_is_the_tree(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    (plain / "sub").mkdir(parents=True)

    assert (str(plain), str(plain / ".orchestrator")) == located(plain / "sub", plain)


@pytest.mark.parametrize("cwd", ["", "relative", "/does/not/exist", "/etc/passwd"])
def test_a_senseless_cwd_falls_back_to_the_project(repo: Path, cwd: str) -> None:
    assert str(repo) == locate(cwd, str(repo)).root


@pytest.mark.parametrize("planted", ["file", "link"])
def test_what_is_planted_in_the_place_of_the_state_is_not_used(
    repo: Path, tmp_path: Path, home: Path, planted: str
) -> None:
    (tmp_path / "target").mkdir()
    if planted == "file":
        (repo / ".orchestrator").write_text("")
    else:
        (repo / ".orchestrator").symlink_to(tmp_path / "target")

    place = locate(str(repo), str(repo))

    assert place.state_dir.startswith(str(home / "state" / "holdshort" / "repo-"))
    assert place.fallback


def test_a_state_directory_of_another_user_is_not_used(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".orchestrator").mkdir()
    monkeypatch.setattr(posix, "geteuid", lambda: 4242)

    assert "another user" in locate(str(repo), str(repo)).fallback


def test_a_project_that_cannot_be_written_keeps_its_state_at_home(
    repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posix, "access", lambda *_: False)

    place = locate(str(repo), str(repo))

    assert place.state_dir.startswith(str(home / "state"))
    assert "cannot be written" in place.fallback


def test_two_projects_of_one_name_keep_their_states_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = git_repo(tmp_path / "1" / "app"), git_repo(tmp_path / "2" / "app")
    monkeypatch.setattr(posix, "access", lambda *_: False)

    assert located(one)[1] != located(two)[1]


def test_looking_creates_nothing(repo: Path) -> None:
    located(repo)

    assert not (repo / ".orchestrator").exists()


def test_a_case_sensitive_file_system_is_recognised(repo: Path) -> None:
    expected = (repo / ".GIT").exists()

    assert expected is folds_case(str(repo))


def test_a_case_insensitive_file_system_is_recognised(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = posix.lstat
    monkeypatch.setattr(posix, "lstat", lambda path, **_: really(str(path).replace(".GIT", ".git")))

    assert folds_case(str(repo))


@pytest.mark.parametrize("text", ["", "gitdir:", "gitdir: /nowhere", "\x00", "x" * 100_000])
def test_a_damaged_git_file_breaks_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_text(text)

    assert str(tmp_path / "odd") == located(tmp_path / "odd")[0]
