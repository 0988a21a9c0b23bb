"""Each row of docs/fail-matrix.md, with the fault really caused. Dispatches fail open, and loudly."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock
from tests.harness import CHECKOUT, SCOPE, Answer, Harness

from holdshort import shell
from holdshort.adapters.ledger_file import DEGRADED_BUDGET
from holdshort.adapters.locks import BUDGET
from holdshort.core.verdict import Outcome
from holdshort.shell import DEADLINE


@pytest.fixture
def broken(repo: Path, home: Path, plugin: Path) -> Harness:
    return Harness(repo, home, plugin=plugin)


def spoil(plugin: Path, module: str, text: str) -> None:
    (plugin / "lib" / "holdshort" / f"{module}.py").write_text(text)


def test_row_1_the_user_switches_the_hook_off(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.environ["HOLDSHORT_DISABLED_HOOKS"] = " other, PRE_TASK_scope_disjoint "

    answer = harness.dispatch("two", "src/a.py")

    assert (answer.code, answer.stdout) == (0, "")


@pytest.mark.parametrize(
    ("profile", "denies"),
    [("full", True), ("minimal", True), ("off", False), (" OFF ", False), ("", True)],
)
def test_row_1_the_profile_decides(harness: Harness, profile: str, denies: bool) -> None:
    harness.dispatch("one", "src/a.py")
    harness.environ["HOLDSHORT_HOOK_PROFILE"] = profile

    assert denies is harness.dispatch("two", "src/a.py").denied


def test_row_1_an_unknown_profile_is_named_and_counts_as_full(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.environ["HOLDSHORT_HOOK_PROFILE"] = "fulll\u202e"

    answer = harness.dispatch("two", "src/a.py")

    assert answer.denied
    assert "HS909" in answer.notice
    assert answer.notice.isprintable()


@pytest.mark.parametrize("module", ["core/dispatch", "core/book", "adapters/wire", "shell"])
@pytest.mark.parametrize("text", ["def broken(:\n", "raise RuntimeError('x')\n", ""])
def test_row_2_a_module_broken_on_disk_lets_the_call_through_and_tells_the_user(
    broken: Harness, plugin: Path, module: str, text: str
) -> None:
    spoil(plugin, module, text)

    answer = broken.dispatch("one", "src/a.py")

    assert answer.code == 0
    assert not answer.denied
    assert "HS901 GUARD INACTIVE" in answer.notice
    assert "HS901 GUARD INACTIVE" in answer.stderr
    assert "Traceback" not in answer.stdout + answer.stderr


def test_row_2_a_hook_file_that_is_gone_does_not_block(broken: Harness, plugin: Path) -> None:
    (plugin / "hooks" / "pre_task_scope_disjoint.py").unlink()

    answer = broken.dispatch("one", "src/a.py")

    assert answer.code == 0
    assert "HS901 GUARD INACTIVE" in answer.notice


@pytest.mark.parametrize("launcher", [None, "if then fi (\n", "return 2\n", "half"])
def test_row_2_a_launcher_that_is_gone_or_broken_does_not_block(
    broken: Harness, plugin: Path, launcher: str | None
) -> None:
    if launcher is None:
        (plugin / "hooks" / "run").unlink()
    else:
        whole = (CHECKOUT / "hooks" / "run").read_text()
        half = whole[: whole.index("find_python() {") + 40]
        (plugin / "hooks" / "run").write_text(half if launcher == "half" else launcher)

    answer = broken.dispatch("one", "src/a.py")

    assert answer.code == 0
    assert "HS901 GUARD INACTIVE" in answer.notice


def test_row_2_a_launcher_without_its_execute_bit_still_guards(
    broken: Harness, plugin: Path
) -> None:
    (plugin / "hooks" / "run").chmod(0o644)
    broken.dispatch("one", "src/a.py")

    assert broken.dispatch("two", "src/a.py").denied


@pytest.mark.parametrize(
    "stdin", ["{not json", "[]", "null", "3", '"x"', "\ufeff{", "{}" * 2, "[" * 9999]
)
def test_row_3_a_call_that_cannot_be_read_is_allowed_and_said(harness: Harness, stdin: str) -> None:
    (command,) = harness.commands("PreToolUse", "Agent")

    answer = harness.feed(command, stdin)

    assert answer.code == 0
    assert "HS908" in answer.notice


@pytest.mark.parametrize("raw", [b"\xff\xfe{}", b"\x00", b'{"tool_name": "\xff"}'])
def test_row_3_bytes_that_are_no_text_are_allowed_and_said(harness: Harness, raw: bytes) -> None:
    (command,) = harness.commands("PreToolUse", "Agent")
    done = subprocess.run(command, input=raw, capture_output=True, env=harness.environment())

    assert done.returncode == 0
    assert b"HS908" in done.stdout


@pytest.mark.parametrize(
    "fields",
    [
        {"tool_input": None},
        {"tool_input": "text"},
        {"tool_input": {"prompt": 3, "description": [], "subagent_type": {}}},
        {"session_id": 3},
        {"cwd": 3},
        {"cwd": "/does/not/exist"},
        {"transcript_path": "a\0b"},
        {"transcript_path": 3},
        {"tool_use_id": None},
        {"agent_id": ["x"]},
        {"agent_id": "../../x"},
        {"hook_event_name": 3},
        {"permission_mode": {}},
    ],
)
def test_row_3_fields_of_the_wrong_kind_break_nothing(
    harness: Harness, fields: dict[str, object]
) -> None:
    payload = harness.dispatch_payload("one", SCOPE.format("src/a.py"))
    (command,) = harness.commands("PreToolUse", "Agent")

    answer = harness.feed(command, json.dumps({**payload, **fields}))

    assert answer.code == 0
    assert "HS907" not in answer.notice
    assert not answer.denied


def plant(path: Path, what: str) -> None:
    path.unlink()
    if what == "directory":
        path.mkdir()
    elif what == "link":
        path.symlink_to("/etc/passwd")
    elif what == "pipe":
        os.mkfifo(path)
    else:
        path.write_text(what)


@pytest.mark.parametrize(
    "what",
    ["", "null", "[]", "{}", '{"agents": 3}', "\x00" * 50, "[" * 9999, "directory", "link", "pipe"],
)
def test_row_7_an_unreadable_ledger_is_said_and_the_next_dispatch_is_guarded(
    harness: Harness, what: str
) -> None:
    harness.dispatch("zero", "docs/e.md")
    plant(harness.state_dir / "wave-dispatch-scopes.json", what)

    answer = harness.dispatch("one", "src/a.py")

    assert not answer.denied
    assert "HS902" in answer.notice
    assert harness.dispatch("two", "src/a.py").denied
    assert Path("/etc/passwd").read_text()


def test_row_7_records_that_make_sense_are_kept(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    path = harness.state_dir / "wave-dispatch-scopes.json"
    book = json.loads(path.read_text())
    book["agents"] += [{"id": 3}, "x", {**book["agents"][0], "files": None}]
    path.write_text(json.dumps(book))

    answer = harness.dispatch("two", "src/a.py")

    assert answer.denied
    assert "HS902" in answer.notice


def test_row_8_git_is_not_needed(harness: Harness, tmp_path: Path) -> None:
    """No hook starts git; with none on the PATH everything is found all the same."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "python3"):
        (tools / name).symlink_to(shutil.which(name) or name)
    harness.environ["PATH"] = str(tools)
    harness.dispatch("one", "src")

    assert harness.dispatch("two", "src/a.py").denied


def test_row_9_a_scope_that_cannot_be_judged_is_allowed_and_said(harness: Harness) -> None:
    harness.dispatch("one", "src/{" + ",".join(map(str, range(80))) + "}/a.py")

    answer = harness.dispatch("two", "src/**")

    assert not answer.denied
    assert "HS506" in answer.reason


def test_row_12_an_unexpected_error_is_allowed_and_said_in_one_line(
    broken: Harness, plugin: Path
) -> None:
    path = plugin / "lib" / "holdshort" / "core" / "dispatch.py"
    text = path.read_text()
    path.write_text(text.replace("def rivals_of(", "def rivals_of(*_): 1 / 0\ndef _unused("))

    answer = broken.dispatch("one", "src/a.py")

    assert (answer.code, answer.denied) == (0, False)
    assert "HS907" in answer.notice
    assert "ZeroDivisionError at dispatch.py:" in answer.notice
    assert "Traceback" not in answer.stdout + answer.stderr


def test_row_13_a_torn_transcript_proves_no_end(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    with harness.transcript.open("ab") as file:
        file.write(b'{"type":"queue-operation","content":"<task-notification>\\n<task-id>a1</ta')

    assert harness.dispatch("two", "src/a.py").denied


@pytest.mark.parametrize("transcript", ["", "/does/not/exist", "/dev/zero", "/", "a\0b", "\ud800"])
def test_row_13_without_a_transcript_an_agent_that_started_is_in_flight(
    harness: Harness, transcript: str
) -> None:
    harness.transcript = Path(transcript)
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")

    assert harness.dispatch("two", "src/a.py").denied


def test_row_14_a_lock_that_is_held_delays_and_is_said_but_the_collision_is_found(
    harness: Harness,
) -> None:
    harness.dispatch("one", "src/a.py")
    with FileLock(harness.state_dir / "wave-dispatch-scopes.lock"):
        answer = harness.dispatch("two", "src/a.py")

    assert answer.denied
    assert "HS904" in answer.notice


def test_a_clock_that_went_back_does_not_free_a_file(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    path = harness.state_dir / "wave-dispatch-scopes.json"
    book = json.loads(path.read_text())
    book["agents"][0]["at"] = "2999-01-01T00:00:00Z"
    path.write_text(json.dumps(book))
    harness.launched(harness.last_call, "a1")

    assert harness.dispatch("two", "src/a.py").denied


def test_input_that_never_ends_is_given_up_in_time(harness: Harness) -> None:
    (command,) = harness.commands("PreToolUse", "Agent")
    with harness.start(command) as process:
        code = process.wait(DEADLINE + 5)
        assert process.stdout is not None
        answer = json.loads(process.stdout.read())

    assert code == 0
    assert "HS903" in answer["systemMessage"]


def test_a_deadline_that_the_interpreter_swallows_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shell, "DEADLINE", 0.01)
    monkeypatch.setattr(shell, "AGAIN", 0.5)
    stdin = os.memfd_create("stdin")
    os.write(stdin, b"{}")
    os.lseek(stdin, 0, os.SEEK_SET)

    def judge(_call: object, _now: float) -> Outcome:
        for _ in range(2):  # the first is lost, as in a callback of the interpreter's own
            try:
                signal.pause()
            except shell.DeadlineError:
                continue
        signal.pause()
        return Outcome()

    assert b"HS903" in shell.serve("hook", judge, fd=stdin)


def test_a_full_disk_denies_nothing_and_is_said(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    before = (harness.state_dir / "wave-dispatch-scopes.json").read_text()
    (command,) = harness.commands("PreToolUse", "Agent")
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command]
    payload = harness.dispatch_payload("two", SCOPE.format("lib/d.py"))

    answer = harness.feed(limited, json.dumps(payload))

    assert not answer.denied
    assert "HS910" in answer.notice
    assert before == (harness.state_dir / "wave-dispatch-scopes.json").read_text()
    assert not list(harness.state_dir.glob("*.new"))


def test_a_full_disk_does_not_let_a_collision_through(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    (command,) = harness.commands("PreToolUse", "Agent")
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command]
    payload = harness.dispatch_payload("two", SCOPE.format("src/a.py"))

    assert harness.feed(limited, json.dumps(payload)).denied


def test_state_that_cannot_lie_in_the_project_lies_at_home_and_is_said_once(
    harness: Harness, home: Path
) -> None:
    (harness.repo / ".orchestrator").write_text("in the way")

    first, second = harness.dispatch("one", "src/a.py"), harness.dispatch("two", "src/a.py")

    assert "HS905" in first.notice
    assert "HS905" not in second.notice
    assert second.denied
    assert list((home / "state" / "holdshort").iterdir())


def test_nobody_listening_is_no_error(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    (command,) = harness.commands("PreToolUse", "Agent")
    payload = harness.dispatch_payload("two", SCOPE.format("src/a.py"))
    with harness.start(command) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload))
        process.stdin.close()

        assert process.wait(30) == 0


def test_every_deadline_lies_below_the_next() -> None:
    hooks = json.loads((CHECKOUT / "hooks.json").read_text())["hooks"]
    timeouts = [hook["timeout"] for groups in hooks.values() for g in groups for hook in g["hooks"]]

    assert timeouts
    assert BUDGET + DEGRADED_BUDGET < DEADLINE < min(timeouts)


class TestLauncher:
    """`hooks/run`: which Python it takes, and what it says when there is none."""

    @staticmethod
    def without_known_pythons(plugin: Path) -> None:
        path = plugin / "hooks" / "run"
        text = path.read_text()
        for directory in ("/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"):
            assert directory in text
            text = text.replace(directory, "/none/")
        path.write_text(text)

    @staticmethod
    def tools(tmp_path: Path, **programs: str) -> Path:
        """A PATH of its own: the tools that the launcher may use, and what a test adds."""
        directory = tmp_path / "tools"
        directory.mkdir(exist_ok=True)
        for name in ("sh", "find", "mkdir", "sleep"):
            (directory / name).symlink_to(shutil.which(name) or name)
        for name, text in programs.items():
            path = directory / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        return directory

    def test_without_a_python_the_user_is_told_once_in_ten_minutes(
        self, broken: Harness, plugin: Path, tmp_path: Path
    ) -> None:
        self.without_known_pythons(plugin)
        broken.environ["PATH"] = str(self.tools(tmp_path))

        first, second = broken.dispatch("one", "src/a.py"), broken.dispatch("two", "src/a.py")
        (stamp,) = (broken.home / "state" / "holdshort").glob("inactive-*")
        os.utime(stamp, (0, 0))
        third = broken.dispatch("three", "src/a.py")

        assert "there is no Python 3.11 or newer" in first.notice
        assert second.notice == ""
        assert "HS901" in second.stderr
        assert "HS901" in third.notice

    def test_another_harness_process_is_told_as_well(
        self, broken: Harness, plugin: Path, tmp_path: Path
    ) -> None:
        self.without_known_pythons(plugin)
        broken.environ["PATH"] = str(self.tools(tmp_path))
        broken.dispatch("one", "src/a.py")
        broken.pid = 1

        assert "HS901" in broken.dispatch("two", "src/a.py").notice

    @pytest.mark.parametrize("code", [1, 2, 126, 139])
    def test_a_python_that_fails_never_blocks(
        self, broken: Harness, tmp_path: Path, code: int
    ) -> None:
        python = self.tools(tmp_path, python3=f"#!/bin/sh\nexit {code}\n") / "python3"
        broken.environ["HOLDSHORT_PYTHON"] = str(python)

        answer = broken.dispatch("one", "src/a.py")

        assert (answer.code, answer.denied) == (0, False)
        assert f"its Python exited with {code}" in answer.notice

    def test_a_python_that_is_too_old_says_so(self, broken: Harness, plugin: Path) -> None:
        hook = plugin / "hooks" / "pre_task_scope_disjoint.py"
        hook.write_text(hook.read_text().replace("(3, 11)", "(9, 11)"))

        answer = broken.dispatch("one", "src/a.py")

        assert "HS901" in answer.notice
        assert "needs Python 3.11 or newer" in answer.stderr

    def test_a_shim_is_not_taken_where_a_real_python_is_known(
        self, broken: Harness, plugin: Path, tmp_path: Path
    ) -> None:
        self.without_known_pythons(plugin)
        shim = f"#!/bin/sh\n: >{tmp_path}/shim-was-run\nexit 1\n"
        tools = self.tools(tmp_path, shims__python3_13=shim)
        (tools / "python3").symlink_to(os.path.realpath(shutil.which("python3.11") or "python3"))
        real = Path(os.path.realpath(CHECKOUT / ".venv" / "bin" / "python3"))
        (tools / "python3").unlink()
        (tools / "python3").symlink_to(real)
        broken.environ["PATH"] = f"{tools}/shims:{tools}"
        broken.dispatch("one", "src/a.py")

        assert broken.dispatch("two", "src/a.py").denied
        assert not (tmp_path / "shim-was-run").exists()

    @pytest.mark.parametrize(
        "name", ["a b", "q'uote", 'double"q', "dol$HOME", "back`tick", "sem;i"]
    )
    def test_a_checkout_in_an_odd_place_guards(
        self, repo: Path, home: Path, plugin: Path, name: str
    ) -> None:
        odd = Harness(repo, home, plugin=plugin.rename(plugin.with_name(name)))
        odd.dispatch("one", "src/a.py")

        assert odd.dispatch("two", "src/a.py").denied

    def test_nothing_in_the_project_or_environment_is_imported(
        self, harness: Harness, tmp_path: Path
    ) -> None:
        for directory in (harness.repo, tmp_path):
            for name in ("json", "os", "holdshort", "_json", "sitecustomize"):
                (directory / f"{name}.py").write_text("raise SystemExit('planted')\n")
        harness.environ["PYTHONPATH"] = str(tmp_path)
        harness.environ["PYTHONSTARTUP"] = str(tmp_path / "os.py")
        harness.dispatch("one", "src/a.py")

        assert harness.dispatch("two", "src/a.py").denied


def test_answers_are_one_json_object_or_nothing(harness: Harness) -> None:
    def lines(answer: Answer) -> int:
        return answer.stdout.count("\n")

    assert lines(harness.dispatch("one", "src/a.py")) == 0
    assert lines(harness.dispatch("two", "src/a.py")) == 1
