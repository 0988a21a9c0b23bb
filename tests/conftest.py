"""Shared fixtures. No test sees the real home: the environment is taken away from all of them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.harness import CHECKOUT, Harness, git_repo

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("src/a.py", "src/b.py", "src/api/c.py", "lib/d.py", "docs/e.md", "package-lock.json")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    for name in ("CLAUDECODE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return git_repo(tmp_path / "repo", *FILES)


@pytest.fixture
def harness(repo: Path, home: Path) -> Harness:
    return Harness(repo, home)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin that a test may break."""
    copy = tmp_path / "plugin copy"
    for name in ("hooks", "lib", ".claude-plugin"):
        shutil.copytree(CHECKOUT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "hooks.json", copy)
    return copy
