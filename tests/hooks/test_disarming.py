"""What an agent could try against the guard with its tools: the rows of docs/disarming.md."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest
from tests.harness import Harness, run_git
from tests.hooks.test_enforce_scope import edit, write_manifest
from tests.hooks.test_shell_writes import bash
from tests.hooks.test_write_holds import at_work

if TYPE_CHECKING:
    from pathlib import Path


STATE = [
    *(
        "rm -rf .orchestrator",
        "rm -r .orchestrator/",
        "mv .orchestrator .old",
        "rm .orchestrator/*",
    ),
    *("ln -sfn /tmp/x .orchestrator", "echo {{}} > .orchestrator/wave-dispatch-scopes.json"),
    *(
        "cp /dev/null .orchestrator/wave-dispatch-scopes.json",
        "truncate -s0 .orchestrator/touched.jsonl",
    ),
    *("chmod 000 .orchestrator", "sed -i s/one/two/ .orchestrator/wave-dispatch-scopes.json"),
    *(
        "find .orchestrator -delete",
        "cd .orchestrator && rm -f *",
        "rm -rf .o*",
        "git clean -fdx",
    ),
    *("python3 -c \"import shutil; shutil.rmtree('.orchestrator')\"", "rm -rf $PWD/.orchestrator"),
    *(
        "sudo rm -rf .orchestrator",
        "bash -c 'rm -rf .orchestrator'",
        "rm -rf ./src/../.orchestrator",
    ),
    *(
        "mkdir -p x && mount --bind x .orchestrator; rm -rf .orchestrator",
        "chmod -R 000 .orchestrator",
    ),
]
PLUGIN = [
    *("rm -rf {plugin}", "rm {plugin}/hooks.json", "echo > {plugin}/lib/holdshort/shell.py"),
    *("chmod -x {plugin}/hooks/run", "mv {plugin} /tmp/elsewhere", "echo x > {plugin}/lib/json.py"),
]
SETTINGS = [
    *("rm .holdshort.toml", "printf '[modes]\\nwrite = \"off\"\\n' > .holdshort.toml"),
    *("echo '{{\"disableAllHooks\": true}}' > .claude/settings.json", "rm ~/.claude/settings.json"),
    *("cp x .claude/settings.local.json", "tee ~/.claude/settings.json < x"),
]
MANIFEST = [
    *(
        "rm .claude/wave-scope.json",
        "rm -rf .claude",
        "mv .claude .c",
        "cp x .pi/wave-scope.json",
    ),
    *("sed -i 's/src/**/' .claude/wave-scope.json", "ln -sf /dev/null .claude/wave-scope.json"),
    *("echo '[]' > .claude/filescopes/wave-1/two.json", "git mv .claude .c"),
]
TREES = [
    *(
        "echo gitdir: x > src/.git",
        "rm -rf .git",
        "mv .git .git2",
        "echo x > .git/worktrees/x/gitdir",
    ),
    *("ln -s /tmp/other/.git src/.git", "cp /tmp/x/.git lib/.git"),
]
EVIDENCE = [
    *(
        "echo '{{}}' >> ~/.claude/projects/p/s.jsonl",
        "rm ~/.claude/projects/p/s/subagents/agent-one.jsonl",
    ),
    *("echo '{{\"finished\": true}}' > ~/.claude/projects/p/s/subagents/agent-one.meta.json",),
]
ROUNDABOUT = [
    *("HOLDSHORT_DISABLED_HOOKS=enforce_scope sh -c 'echo x > src/a.py'", "cp x src/../src/a.py"),
    *(
        "export HOLDSHORT_HOOK_PROFILE=off; echo x > src/a.py",
        "GIT_DIR=/tmp/x git checkout -- src/a.py",
    ),
    *("cd /; echo x > {repo}/src/a.py", "ln -s src/a.py lib/l && echo x > src/a.py"),
    *("echo x > /proc/self/cwd/src/a.py", "eval 'echo x > src/a.py'", "true; mv lib/x src/a.py"),
    *(
        "git rm -f src/a.py",
        "git apply <<'E'\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x\n+y\nE",
    ),
]


@pytest.mark.parametrize("command", [*STATE, *PLUGIN, *SETTINGS, *TREES, *EVIDENCE, *ROUNDABOUT])
def test_it_is_not_done_through_the_shell(held: Harness, command: str) -> None:
    run_git(held.repo, "add", "-A")
    (held.repo / ".holdshort.toml").write_text("")
    (held.repo / ".git" / "worktrees" / "x").mkdir(parents=True)
    text = command.format(plugin=held.plugin, repo=held.repo) if "{" in command else command

    answer = bash(held, text, agent_id="two")

    assert answer.denied, answer.stdout
    assert answer.reason.startswith("HS")


@pytest.mark.parametrize(
    "command", ["rm -rf *", "rm -rf docs/.o*", "rm -f src/.*", "chmod +x *.sh"]
)
def test_a_glob_that_does_not_name_it_is_no_attempt(harness: Harness, command: str) -> None:
    at_work(harness, "one", "lib/")

    assert "HS204" not in bash(harness, command, agent_id="one").reason


@pytest.mark.parametrize("command", MANIFEST)
def test_nor_is_the_manifest_changed(held: Harness, command: str) -> None:
    write_manifest(held, ["lib/", ".claude/", ".pi/", ".c"])

    assert bash(held, command, agent_id="two").denied


@pytest.mark.parametrize(
    "path",
    [
        *(".orchestrator/wave-dispatch-scopes.json", ".holdshort.toml", ".claude/wave-scope.json"),
        *(
            ".claude/settings.json",
            "src/.git",
            ".orchestrator/policy.json",
            ".orchestrator/pending/x",
        ),
    ],
)
def test_nor_with_the_writing_tools(held: Harness, path: str) -> None:
    assert edit(held, path, agent_id="two").reason.startswith("HS204")


@pytest.mark.parametrize("name", ["s.jsonl", "s/subagents/agent-one.meta.json"])
def test_what_tells_who_is_at_work_is_not_written(held: Harness, name: str) -> None:
    projects = held.home / ".claude" / "projects" / "p"

    assert edit(held, projects / name, agent_id="two").reason.startswith("HS204")
    assert edit(held, projects / name).denied
    assert edit(held, projects / "memory" / "notes.md", agent_id="two").stdout == ""


def test_whoever_keeps_the_lock_frees_nothing(held: Harness) -> None:
    with (held.state_dir / "wave-dispatch-scopes.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert edit(held, "src/a.py", agent_id="two").reason.startswith("HS201")


def test_nor_whoever_fills_the_log(held: Harness) -> None:
    for path in (held.state_dir / "log").iterdir():
        path.write_bytes(b"x" * (32 << 20))

    assert edit(held, "src/a.py", agent_id="two").reason.startswith("HS201")


@pytest.mark.parametrize(
    "name", ["json.py", "sitecustomize.py", "holdshort.py", "posix.py", "gc.py"]
)
def test_nor_whoever_plants_a_module(held: Harness, name: str) -> None:
    for directory in (held.repo, held.repo / "src", held.home):
        (directory / name).write_text("raise SystemExit(0)")
    held.environ["PYTHONPATH"] = str(held.repo)
    held.environ["PYTHONSTARTUP"] = str(held.repo / name)

    assert edit(held, "src/a.py", agent_id="two").reason.startswith("HS201")


@pytest.mark.parametrize("name", ["HOLDSHORT_DISABLED_HOOKS", "HOLDSHORT_HOOK_PROFILE", "GIT_DIR"])
def test_nor_whoever_sets_a_variable_in_a_command(held: Harness, name: str) -> None:
    assert bash(held, f"export {name}=off", agent_id="two").stdout == ""
    assert edit(held, "src/a.py", agent_id="two").reason.startswith("HS201")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look everywhere")
def test_nor_whoever_locks_the_manifest_away(held: Harness) -> None:
    directory = write_manifest(held, ["src/"]).parent
    directory.chmod(0)
    try:
        assert edit(held, "lib/d.py", agent_id="two").denied
    finally:
        directory.chmod(0o700)


def test_a_link_at_any_depth_is_followed(held: Harness, tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(held.repo / "src")
    (held.repo / "lib" / "two").symlink_to(tmp_path / "one")
    (held.repo / "lib" / "dangling").symlink_to("../src/a.py")
    (held.repo / "src" / "a.py").unlink()

    for path in ("lib/two/a.py", "lib/dangling", "lib/two/../../src/a.py"):
        assert edit(held, path, agent_id="two").reason.startswith("HS201"), path
