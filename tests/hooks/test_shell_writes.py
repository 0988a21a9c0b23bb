"""Shell commands in front of the write guard: what they write is judged as a Write would be."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import CHECKOUT, Answer, Harness
from tests.hooks.test_enforce_scope import edit, git_repo_worktree, write_manifest
from tests.hooks.test_write_holds import asks, at_work

if TYPE_CHECKING:
    from pathlib import Path


def bash(harness: Harness, command: str, **fields: Any) -> Answer:
    given = {"command": command, "description": "a command"}
    return harness.fire("PreToolUse", tool_name="Bash", tool_input=given, **fields)


class TestHolds:
    def test_a_redirection_is_denied_and_told_as_a_write_is(self, held: Harness) -> None:
        answer = bash(held, "cat > src/a.py <<'EOF'\nx\nEOF", agent_id="two")

        assert answer.denied
        assert answer.reason.startswith(
            'HS201 Found in this command: src/a.py (concrete) is held by "one'
        )
        assert "through the shell for one, is denied too" in answer.reason
        assert len(answer.reason.encode()) <= 768
        assert "holdshort release" in answer.notice

    @pytest.mark.parametrize(
        "command",
        [
            "sed -i s/a/b/ src/a.py",
            "cd src && echo x > a.py",
            "cp lib/x.py src/a.py && ls",
            "mv a.py src",
            "cp a.py src/",
            "rm -rf src",
            "rm -rf docs",
            "git checkout -- .",
            "python3 - <<'EOF'\nopen('src/a.py', 'w').write('x')\nEOF",
            "echo x > lib/../src/a.py",
            "echo x > /proc/self/cwd/src/a.py",
            "prettier --write .",
            "rm src/*.py",
            "echo x > docs/new/file.md",
            "for f in src/a.py; do echo x > $f; done",
        ],
    )
    def test_other_ways_to_write_are_too(self, held: Harness, command: str) -> None:
        assert bash(held, command, agent_id="two").denied

    @pytest.mark.parametrize(
        "command",
        [
            "cat src/a.py | head -3 2>&1",
            "grep -rn '>' src > /dev/null",
            "python -m pytest -q 2>&1 | tail -3",
            "cp src/a.py /tmp/a.py && sed -i s/a/b/ /tmp/a.py",
            "git add lib/x.py && git commit -m 'x > src/a.py'",
            "echo x > lib/x.py",
            "rm -rf lib",
            "find . -name '*.pyc' -delete",
            "git checkout -b src/a.py",
            "mkdir -p docs/new",
            'echo $(date) > "$OUT"',
        ],
    )
    def test_everyday_commands_are_silent(self, held: Harness, command: str) -> None:
        assert bash(held, command, agent_id="two").stdout == ""

    def test_the_holder_itself_is_not_denied(self, held: Harness) -> None:
        assert bash(held, "echo x > src/a.py && rm -r docs", agent_id="one").stdout == ""

    def test_the_session_s_directory_counts(self, held: Harness) -> None:
        held.cwd = held.repo / "src"

        assert bash(held, "echo x > a.py", agent_id="two").denied
        assert not bash(held, "echo x > src/a.py", agent_id="two").denied

    def test_a_link_is_followed(self, held: Harness) -> None:
        (held.repo / "lib" / "alias.py").symlink_to("../src/a.py")
        (held.repo / "lib" / "up").symlink_to("..")

        assert bash(held, "echo x > lib/alias.py", agent_id="two").denied
        assert bash(held, "rm -rf lib/up/src", agent_id="two").denied

    def test_another_tree_is_another_file(self, held: Harness) -> None:
        other = held.repo.parent / "other"
        git_repo_worktree(held.repo, other)

        assert not bash(held, f"cd {other} && echo x > src/a.py", agent_id="two").denied
        assert bash(held, f"cd {other} && rm -r {held.repo}/src", agent_id="two").denied

    def test_a_directory_above_everything_takes_all(self, held: Harness) -> None:
        assert bash(held, "rm -rf ../repo", agent_id="two").denied

    def test_the_coordinator_is_asked_below_a_directory(self, held: Harness) -> None:
        answer = bash(held, "echo x > docs/new.md")

        assert asks(answer)
        assert bash(held, "echo x > src/a.py").denied

    def test_the_denial_of_a_directory_names_what_is_held(self, held: Harness) -> None:
        assert "src/a.py (concrete)" in bash(held, "rm -rf src", agent_id="two").reason
        assert "docs/" in bash(held, "rm -rf docs", agent_id="two").reason

    def test_what_is_beside_one_s_scope_is_told_once(self, held: Harness) -> None:
        first = bash(held, "echo x > other.txt", agent_id="two")

        assert not first.denied
        assert "HS513 Found in this command: other.txt" in first.reason
        assert bash(held, "echo x > other.txt", agent_id="two").stdout == ""

    def test_after_the_end_of_the_holder_nothing_is_denied(self, harness: Harness) -> None:
        call = at_work(harness, "one", "src/a.py")
        harness.completed(call, "one")

        assert bash(harness, "rm -rf src").stdout == ""

    def test_mode_warn_only_warns(self, held: Harness) -> None:
        (held.repo / ".holdshort.toml").write_text('[modes]\nwrite = "warn"\n')

        answer = bash(held, "rm src/a.py", agent_id="two")

        assert not answer.denied
        assert "HS201" in answer.reason


class TestNobodyThere:
    def test_nothing_governs(self, harness: Harness) -> None:
        assert bash(harness, "rm -rf src && sed -i s/a/b/ x").stdout == ""
        assert not harness.state_dir.exists()

    @pytest.mark.parametrize("command", [None, 1, "", "\0", "'", "<<", "(" * 5000, "x" * 70000])
    def test_nonsense_is_let_go(self, held: Harness, command: Any) -> None:
        given = {"command": command}
        answer = held.fire("PreToolUse", tool_name="Bash", tool_input=given, agent_id="two")

        assert not answer.denied
        assert answer.code == 0


class TestTheWave:
    def test_what_is_not_granted_is_denied(self, harness: Harness) -> None:
        write_manifest(harness, ["src/", "lib/x.py"])

        assert bash(harness, "echo x > src/a.py; touch lib/x.py").stdout == ""
        assert bash(harness, "echo x > lib/y.py").reason.startswith(
            "HS205 Found in this command: lib/y.py"
        )
        assert not bash(harness, "rm -r src/deep").denied
        assert bash(harness, "rm -r src lib").denied
        assert bash(harness, "prettier --write .").denied
        assert bash(harness, "echo x > ../outside.txt").denied is harness_is_outside_tmp(harness)

    @pytest.mark.parametrize(
        "command",
        [
            "pytest -q > /dev/null 2>&1",
            "make > /tmp/log 2>&1; tail /tmp/log",
            "echo x > /dev/stderr",
            "echo x > ~/.cache/x",
            "mkdir -p lib/new",
            "find . -name '*.pyc' -delete",
        ],
    )
    def test_temporary_files_are_nobody_s_business(self, harness: Harness, command: str) -> None:
        write_manifest(harness, ["src/"])

        assert bash(harness, command).stdout == ""

    def test_outside_the_project_is_denied(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"])

        assert "lies outside the project" in bash(harness, "echo x > /etc/x").reason


def harness_is_outside_tmp(harness: Harness) -> bool:
    return not str(harness.repo).startswith("/tmp/")


class TestTheGuardItself:
    @pytest.mark.parametrize(
        "command",
        [
            "rm -rf .orchestrator",
            "mv .orchestrator x",
            "echo > .orchestrator/wave-dispatch-scopes.json",
            "truncate -s0 .orchestrator/*.json",
            "rm -rf .",
            "echo > .holdshort.toml",
            "cd .orchestrator && rm -f wave-dispatch-scopes.json",
            "python3 -c \"import shutil; shutil.rmtree('.orchestrator')\"",
        ],
    )
    def test_its_state_and_settings_are_written_by_no_agent(
        self, held: Harness, command: str
    ) -> None:
        answer = bash(held, command, agent_id="one")

        assert answer.denied
        assert answer.reason.startswith("HS204 Found in this command")

    def test_nor_is_the_manifest(self, harness: Harness) -> None:
        write_manifest(harness, ["**"])
        at_work(harness, "one", "src/")

        assert bash(harness, "echo '{}' > .claude/wave-scope.json", agent_id="one").denied
        assert bash(harness, "rm -rf .claude", agent_id="one").denied
        assert not bash(harness, "rm -rf .claude").denied

    def test_nor_the_plugin_where_nothing_else_is_held(self, harness: Harness) -> None:
        answer = bash(harness, f"rm -rf {harness.plugin}/hooks", agent_id="one")

        assert answer.denied


class TestAfterADenial:
    def test_what_cannot_be_read_and_names_the_file_is_denied(self, held: Harness) -> None:
        blind = "python3 -c \"import sys; open(sys.argv[1], 'w').write('x')\" src/a.py"
        assert not bash(held, blind, agent_id="two").denied
        assert edit(held, "src/a.py", agent_id="two").denied

        answer = bash(held, blind, agent_id="two")

        assert answer.denied
        assert answer.reason.startswith(
            "HS203 It cannot be read what this command writes, and it names src/a.py"
        )
        assert 'held by "one' in answer.reason
        assert len(answer.reason.encode()) <= 768

    @pytest.mark.parametrize(
        "command",
        [
            'cd src && eval "$CMD" a.py',
            'f() { echo x > "$1"; }; f src/a.py',
            "perl -e 'open(F, \">\", $ARGV[0])' src/a.py",
            'x=src/a.py; y=x; echo z > "${!y}"',
        ],
    )
    def test_in_other_spellings_too(self, held: Harness, command: str) -> None:
        assert bash(held, "rm src/a.py", agent_id="two").denied

        assert bash(held, command, agent_id="two").reason.startswith("HS203")

    @pytest.mark.parametrize(
        "command",
        [
            "cat src/a.py",
            "python -m pytest src/a.py -q 2>&1 | tail",
            "ruff check src/a.py && mypy src/a.py",
            "python3 -c \"print(open('src/a.py').read())\"",
            "python3 - <<'EOF'\nfrom pathlib import Path\nprint(Path('src/a.py').read_text())\nEOF",
            "git diff src/a.py > /tmp/x.diff",
            "gcc -c src/a.py -o /tmp/x.o",
            "cp src/a.py /tmp/$USER.py",
            'echo x > "$OUT"',
        ],
    )
    def test_readers_pass(self, held: Harness, command: str) -> None:
        assert edit(held, "src/a.py", agent_id="two").denied

        assert not bash(held, command, agent_id="two").denied

    def test_only_for_the_agent_that_was_denied(self, held: Harness) -> None:
        assert edit(held, "src/a.py", agent_id="two").denied

        assert not bash(held, 'eval "$X" src/a.py', agent_id="three").denied
        assert bash(held, 'eval "$X" src/a.py', agent_id="two").denied

    def test_only_as_long_as_the_hold_lasts(self, harness: Harness) -> None:
        call = at_work(harness, "one", "src/a.py")
        at_work(harness, "two", "lib/")
        assert edit(harness, "src/a.py", agent_id="two").denied
        assert bash(harness, 'eval "$X" src/a.py', agent_id="two").denied

        harness.completed(call, "one")

        assert not bash(harness, 'eval "$X" src/a.py', agent_id="two").denied

    def test_a_command_too_long_to_read_is_told_and_denied_if_it_names_the_file(
        self, held: Harness
    ) -> None:
        long = f"true {'x' * 70_000}\nrm src/a.py"
        answer = bash(held, long, agent_id="two")
        assert answer.reason.startswith("HS518")

        edit(held, "src/a.py", agent_id="two")

        assert bash(held, long, agent_id="two").reason.startswith("HS203")


class TestWithoutTheParser:
    """A plugin that was never set up: no site-packages beside it."""

    @pytest.fixture
    def bare(self, held: Harness, tmp_path: Path) -> Harness:
        plugin = tmp_path / "plugin"
        for name in ("hooks", "lib"):
            shutil.copytree(CHECKOUT / name, plugin / name)
        shutil.copy(CHECKOUT / "hooks.json", plugin)
        held.plugin = plugin
        held.environ["HOLDSHORT_PYTHON"] = str(CHECKOUT / ".venv" / "bin" / "python3")
        return held

    def test_the_plain_ways_are_denied_all_the_same(self, bare: Harness) -> None:
        assert bash(bare, "cat > src/a.py <<'EOF'\nx\nEOF", agent_id="two").denied
        assert bash(bare, "cd src && sed -i s/a/b/ a.py 2>&1 | tail", agent_id="two").denied
        assert not bash(bare, "cat src/a.py > /tmp/x", agent_id="two").denied

    def test_what_it_does_not_understand_it_does_not_guess(self, bare: Harness) -> None:
        loop = 'for f in src/a.py; do rm "$f"; done'
        assert not bash(bare, loop, agent_id="two").denied

        edit(bare, "src/a.py", agent_id="two")

        assert bash(bare, loop, agent_id="two").reason.startswith("HS203")


def test_monitor_is_judged_where_it_is_registered(held: Harness) -> None:
    (command,) = held.commands("PreToolUse", "Bash")
    given = {"command": "rm src/a.py"}
    call = held.payload("PreToolUse", tool_name="Monitor", tool_input=given, agent_id="two")

    assert held.feed(command, json.dumps(call)).denied
