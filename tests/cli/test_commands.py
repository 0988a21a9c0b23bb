"""The verbs, as a person runs them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.harness import CHECKOUT, Answer, Harness

from holdshort.adapters.tracked import tracked_files
from holdshort.core.codes import CODES

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_subprocess import FakeProcess

HOLDSHORT = str(CHECKOUT / ".venv" / "bin" / "holdshort")


def run(harness: Harness, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(harness.home), "COLUMNS": "200"}
    return subprocess.run(
        [HOLDSHORT, *args], cwd=cwd or harness.repo, env=environ, capture_output=True, text=True
    )


def at_a_terminal(harness: Harness, *args: str, **environ: str) -> tuple[int, str]:
    """Run a verb with a terminal for stdin and stdout, as a person has."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [HOLDSHORT, *args],
        cwd=harness.repo,
        env={"PATH": os.environ["PATH"], "HOME": str(harness.home), **environ},
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    output = b""
    try:
        while chunk := os.read(master, 4096):
            output += chunk
    except OSError:
        pass  # the terminal closes with the process
    os.close(master)
    return process.wait(30), output.decode()


@pytest.fixture
def busy(harness: Harness) -> Harness:
    harness.dispatch("fix parser", "src/a.py", tool_use_id="toolu_fix_0001")
    harness.launched("toolu_fix_0001", "a1")
    harness.dispatch("everything", "**", tool_input={"isolation": "worktree"})
    harness.dispatch("look", prompt="Look around.")
    return harness


class TestStatus:
    def test_shows_who_is_in_flight_on_what_with_the_evidence(self, busy: Harness) -> None:
        shown = run(busy, "status").stdout

        for part in ("fix parser", "running", "src/a.py", "started", "undeclared"):
            assert part in shown

    def test_flags_a_scope_of_the_whole_tree(self, busy: Harness) -> None:
        rows = {row["id"]: row for row in json.loads(run(busy, "status", "--json").stdout)}

        assert rows["everything (general-purpose)"]["wholeTree"]
        assert not rows["fix parser (general-purpose)"]["wholeTree"]
        assert "the whole tree!" in run(busy, "status").stdout

    def test_leaves_out_those_that_have_ended_unless_asked(self, busy: Harness) -> None:
        busy.stopped("a1")

        assert "fix parser" not in run(busy, "status").stdout
        assert "fix parser" in run(busy, "status", "--all").stdout

    def test_says_so_when_nobody_is(self, harness: Harness) -> None:
        done = run(harness, "status")

        assert (done.returncode, done.stdout) == (0, "Nobody is in flight here.\n")

    def test_prints_nothing_hostile(self, harness: Harness) -> None:
        harness.dispatch("\x1b[31mred\u202e", "src/a.py")

        assert "\x1b" not in run(harness, "status").stdout
        assert "\u202e" not in run(harness, "status").stdout

    def test_works_from_a_subdirectory(self, busy: Harness) -> None:
        assert "fix parser" in run(busy, "status", cwd=busy.repo / "src" / "api").stdout

    def test_a_ledger_that_makes_no_sense_is_one_line_and_exit_1(self, busy: Harness) -> None:
        (busy.state_dir / "wave-dispatch-scopes.json").write_text("{")

        done = run(busy, "status")

        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert "not JSON" in done.stderr


class TestExplain:
    @pytest.mark.parametrize("code", sorted(CODES))
    def test_tells_the_story_of_every_code(self, harness: Harness, code: str) -> None:
        assert "What to do" in run(harness, "explain", code.lower()).stdout

    def test_tells_why_the_last_dispatch_was_denied(self, busy: Harness) -> None:
        busy.dispatch("two", "src/a.py")

        shown = run(busy, "explain", "--last").stdout

        assert "deny" in shown
        assert "row 11" in shown

    def test_tells_why_the_last_dispatch_was_not_denied(self, harness: Harness) -> None:
        harness.dispatch("one", "src/a.py")

        assert "no other agent's open scope meets" in run(harness, "explain", "--last").stdout

    @pytest.mark.parametrize("args", [(), ("HS101", "--last"), ("HS000",), ("--last",)])
    def test_bad_input_is_one_line_and_exit_1(
        self, harness: Harness, args: tuple[str, ...]
    ) -> None:
        done = run(harness, "explain", *args)

        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


class TestLog:
    def test_shows_the_latest_decisions_last(self, busy: Harness) -> None:
        busy.dispatch("two", "src/a.py")

        lines = run(busy, "log", "-n", "2").stdout.splitlines()

        assert len(lines) == 2
        assert "deny  HS101  two" in lines[-1]

    def test_can_be_asked_about_paths(self, busy: Harness) -> None:
        busy.dispatch("two", "src/a.py")

        assert "two" in run(busy, "log", "--path", "src/").stdout
        assert run(busy, "log", "--path", "lib/").stdout == ""

    def test_stores_no_payload(self, harness: Harness) -> None:
        harness.dispatch("one", prompt="SECRET WORDS")

        assert "SECRET" not in (harness.state_dir / "log" / "decisions.jsonl").read_text()

    def test_leaves_out_torn_lines(self, busy: Harness) -> None:
        with (busy.state_dir / "log" / "decisions.jsonl").open("a") as file:
            file.write('{"half\n[]\n\x00\n')

        assert run(busy, "log").returncode == 0


class TestPeopleOnly:
    def denied_again(self, harness: Harness) -> Answer:
        return harness.dispatch("two", "src/a.py")

    @pytest.mark.parametrize("name", ["toolu_fix_0001", "x_0001", "a1", "fix parser"])
    def test_a_person_releases_an_agent_that_is_gone(self, busy: Harness, name: str) -> None:
        code, shown = at_a_terminal(busy, "release", name)

        assert (code, "holds nothing any more" in shown) == (0, True)
        assert not self.denied_again(busy).denied

    def test_a_person_resets_the_ledger(self, busy: Harness) -> None:
        code, _ = at_a_terminal(busy, "reset", "--yes")

        assert code == 0
        assert busy.ledger() == []

    @pytest.mark.parametrize("verb", [("release", "toolu_fix_0001"), ("reset", "--yes")])
    def test_without_a_terminal_they_refuse(self, busy: Harness, verb: tuple[str, ...]) -> None:
        done = run(busy, *verb)

        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert self.denied_again(busy).denied

    @pytest.mark.parametrize("variable", ["CLAUDECODE", "CLAUDE_PID", "CODEX_SANDBOX"])
    @pytest.mark.parametrize("verb", [("release", "toolu_fix_0001"), ("reset", "--yes")])
    def test_inside_a_harness_they_refuse_even_at_a_terminal(
        self, busy: Harness, verb: tuple[str, ...], variable: str
    ) -> None:
        code, shown = at_a_terminal(busy, *verb, **{variable: "1"})

        assert (code, variable in shown) == (1, True)
        assert self.denied_again(busy).denied

    @pytest.mark.parametrize("name", ["nobody", "", "general-purpose", "\x1b[31m"])
    def test_an_unknown_agent_is_named_and_the_known_ones_are_listed(
        self, busy: Harness, name: str
    ) -> None:
        code, shown = at_a_terminal(busy, "release", name)

        assert code == 1
        assert "toolu_fix_0001" in shown
        assert "\x1b" not in shown


@pytest.mark.parametrize(
    "args",
    [("bogus",), ("status", "--bogus"), ("log", "-n", "0"), ("log", "-n", "x"), ("release",)],
)
def test_bad_usage_is_one_line_and_exit_1(harness: Harness, args: tuple[str, ...]) -> None:
    done = run(harness, *args)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_a_file_system_fault_is_one_line_and_exit_2(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    log = harness.state_dir / "log" / "decisions.jsonl"
    log.unlink()
    log.mkdir()

    done = run(harness, "log")

    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


class TestTrackedFiles:
    def test_names_of_any_kind_are_split_at_nul(self, fp: FakeProcess) -> None:
        fp.register(["git", "-C", "/r", "ls-files", "-z"], stdout=b"a b\0c\nd\0\xff.py\0")

        assert tracked_files("/r") == ["a b", "c\nd", "\udcff.py"]

    def test_a_failing_git_tells_nothing(self, fp: FakeProcess) -> None:
        fp.register(["git", "-C", "/r", "ls-files", "-z"], returncode=128)

        assert tracked_files("/r") is None


def test_after_a_reset_no_archived_agent_comes_back(busy: Harness) -> None:
    ledger = busy.state_dir / "wave-dispatch-scopes.json"
    (busy.state_dir / "archive.json").write_text(ledger.read_text())

    at_a_terminal(busy, "reset", "--yes")
    busy.fire("SubagentStart", agent_id="a1", agent_type="general-purpose")

    assert busy.ledger() == []


def test_a_release_keeps_a_ledger_that_is_not_all_sense_aside(busy: Harness) -> None:
    ledger = busy.state_dir / "wave-dispatch-scopes.json"
    ledger.write_text(ledger.read_text().replace('"agents":[', '"agents":["odd",'))

    at_a_terminal(busy, "release", "toolu_fix_0001")

    assert '"odd"' in (busy.state_dir / "wave-dispatch-scopes.corrupt.json").read_text()
