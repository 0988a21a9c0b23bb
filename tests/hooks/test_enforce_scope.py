"""The wave manifest at write time: the gates of the original, E1-E43, and its holes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import Answer, Harness, git_repo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ANY = object()
COMMANDS = re.compile(
    r"`[a-z]+ |\b(rm|mv|cp|git|sudo|sed|chmod|ln|touch|unlink|truncate) +[-./~\w]|[<>|&]{1,2} ?[\w./]"
)


def write_manifest(
    harness: Harness, allowed: Any = ANY, home: str = ".claude", **fields: Any
) -> Path:
    path = harness.repo / home / "wave-scope.json"
    path.parent.mkdir(exist_ok=True)
    value = {
        "wave": 1,
        "role": "Impl-Core",
        "enforcement": "strict",
        "blockedCommands": [],
        **fields,
    }
    if allowed is not ANY:
        value["allowedPaths"] = allowed
    path.write_text(json.dumps(value))
    return path


def edit(harness: Harness, path: str | Path, tool: str = "Write", **fields: Any) -> Answer:
    name = "notebook_path" if tool == "NotebookEdit" else "file_path"
    given = {name: str(path if os.path.isabs(path) else harness.repo / path), "content": "x"}
    return harness.fire("PreToolUse", tool_name=tool, tool_input=given, **fields)


def granted(harness: Harness, allowed: Sequence[str], path: str | Path, **fields: Any) -> bool:
    write_manifest(harness, list(allowed), **fields)
    return not edit(harness, path).denied


class TestGates:
    def test_e1_another_tool_is_not_looked_at(self, harness: Harness) -> None:
        write_manifest(harness, [])
        (command,) = harness.commands("PreToolUse", "Write")
        call = harness.payload("PreToolUse", tool_name="Bash", tool_input={"command": "true"})

        assert harness.feed(command, json.dumps(call)).stdout == ""

    def test_e2_to_e4_what_is_granted_is_written(self, harness: Harness) -> None:
        assert granted(harness, ["src/"], "src/a.py")
        assert granted(harness, ["src/"], "src/deep/new.py")
        assert granted(harness, ["new/**/*.py"], "new/deep/er/x.py")
        write_manifest(harness, ["src/"])
        assert not edit(harness, "src/a.py", "MultiEdit").denied

    def test_e5_to_e7_what_is_not_is_denied(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"])
        answer = edit(harness, "lib/d.py")
        assert answer.denied
        assert answer.reason.startswith("HS205 lib/d.py is not in this wave's files.")
        assert "src/" in answer.reason
        assert edit(harness, "lib/d.py", "MultiEdit").denied
        assert edit(harness, "lib/d.ipynb", "NotebookEdit").denied
        assert not granted(harness, [], "src/a.py")

    def test_e8_e9_the_level_warn_only_warns(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"], enforcement="warn")

        answer = edit(harness, "lib/d.py")

        assert not answer.denied
        assert "HS205" in answer.reason
        assert "HS205" in answer.notice

    def test_e10_to_e12_off_gate_off_and_no_manifest_are_silent(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"], enforcement="off")
        assert edit(harness, "lib/d.py").stdout == ""
        write_manifest(harness, ["src/"], gates={"path-guard": False})
        assert edit(harness, "lib/d.py").stdout == ""
        write_manifest(harness, ["src/"]).unlink()
        assert edit(harness, "lib/d.py").stdout == ""

    @pytest.mark.parametrize("gate", [None, 0, "false", True])
    def test_only_false_itself_switches_the_gate_off(self, harness: Harness, gate: Any) -> None:
        assert not granted(harness, ["src/"], "lib/d.py", gates={"path-guard": gate})

    def test_what_the_client_plans_in_is_no_concern(self, harness: Harness) -> None:
        plan = harness.home / ".claude" / "plans" / "p.md"

        assert granted(harness, ["src/"], plan)
        assert not granted(harness, ["src/"], plan.parent.parent / "plansx" / "p.md")

    def test_a_list_longer_than_can_be_read_in_time_grants_nothing(self, harness: Harness) -> None:
        assert not granted(harness, ["src/"] * 5000, "src/a.py")

    @pytest.mark.parametrize("level", ["Strict", "deny", 1, "", [], None])
    def test_a19_any_other_level_counts_as_strict(self, harness: Harness, level: Any) -> None:
        assert not granted(harness, ["src/"], "lib/d.py", enforcement=level)

    @pytest.mark.parametrize(
        "path", ["/etc/passwd", "../outside.txt", "../../etc/passwd", "/tmp/other/vault/note.md"]
    )
    def test_e13_e32_e33_outside_the_project_is_denied(self, harness: Harness, path: str) -> None:
        write_manifest(harness, ["**", "../**"])

        assert "lies outside the project" in edit(harness, path).reason

    def test_e14_a_relative_path_counts_from_the_project(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"])
        for path, denied in (("src/a.py", False), ("./src/../src/a.py", False), ("a.py", True)):
            given = {"file_path": path, "content": ""}
            answer = harness.fire("PreToolUse", tool_name="Write", tool_input=given)
            assert answer.denied is denied, path

    @pytest.mark.parametrize(
        ("spelt", "is_granted"),
        [
            (" {repo}/src/a.py\n", True),
            ("{repo}/linked/../src/a.py", True),  # the client follows no link for a `..`
            ("linked/../{name}/src/a.py", False),
            (" {repo}/lib/d.py", False),
            ("~/src/a.py", False),
            ("{repo}/src/../lib/d.py", False),
        ],
    )
    def test_a_path_is_tidied_as_the_client_tidies_it(
        self, harness: Harness, tmp_path: Path, spelt: str, is_granted: bool
    ) -> None:
        (tmp_path / "outside").mkdir()
        (harness.repo / "linked").symlink_to(tmp_path / "outside")
        write_manifest(harness, ["src/"])
        path = spelt.format(repo=harness.repo, name=harness.repo.name)

        answer = harness.fire("PreToolUse", tool_name="Write", tool_input={"file_path": path})

        assert answer.denied is not is_granted

    def test_e15_e35_a_link_is_followed_first(self, harness: Harness, tmp_path: Path) -> None:
        (tmp_path / "vault").mkdir()
        (harness.repo / "src" / "out").symlink_to(tmp_path / "vault")
        (harness.repo / "src" / "passwd").symlink_to("/etc/passwd")

        assert not granted(harness, ["src/"], "src/out/note.md")
        assert not granted(harness, ["src/"], "src/passwd")

    def test_a16_a_dangling_link_leads_to_where_the_write_would_land(
        self, harness: Harness, tmp_path: Path
    ) -> None:
        (harness.repo / "src" / "evil").symlink_to(tmp_path / "new")
        (harness.repo / "src" / "dd").symlink_to("/missing-dir")
        (harness.repo / "src" / "other").symlink_to("../lib/none.py")
        (harness.repo / "src" / "fine").symlink_to("api/none.py")

        for path in ("src/evil", "src/dd/below", "src/other"):
            assert not granted(harness, ["src/"], path), path
        assert granted(harness, ["src/"], "src/fine")

    def test_e20_e21_only_the_wave_s_own_files_are_the_coordinator_s(
        self, harness: Harness
    ) -> None:
        assert not granted(harness, [], ".claude/notes.md")
        assert not granted(harness, [], ".claude/wave-scope.json.bak")

    def test_e19_the_coordinator_writes_its_manifest_and_scope_files(
        self, harness: Harness
    ) -> None:
        assert granted(harness, [], ".claude/wave-scope.json")
        assert granted(harness, [], ".claude/filescopes/wave-1/parser.json")

    def test_a17_an_agent_does_not(self, harness: Harness) -> None:
        write_manifest(harness, ["**"])

        for path in (".claude/wave-scope.json", ".pi/wave-scope.json", ".claude/filescopes/x.json"):
            answer = edit(harness, path, agent_id="a1")
            assert answer.denied, path
            assert answer.reason.startswith(f"HS204 {path} belongs to the wave")

    def test_e23_e24_entries_are_anchored(self, harness: Harness) -> None:
        assert granted(harness, ["src/my file.ts"], "src/my file.ts")
        assert not granted(harness, ["src/my file.ts"], "src/my")
        assert not granted(harness, ["src/"], "scripts/src_backup/foo.ts")

    @pytest.mark.parametrize("allowed", [None, "src/", {"src/": 1}, [1], 7])
    def test_e25_to_e27_a_list_that_is_none_denies_all(
        self, harness: Harness, allowed: Any
    ) -> None:
        write_manifest(harness, allowed)

        assert edit(harness, "src/a.py").reason.startswith("HS206")

    @pytest.mark.parametrize("text", ["{", "", "[]", "7", '\ufeff{"allowedPaths": "x"}', "\0"])
    def test_e28_e41_a_manifest_that_is_none_denies_all(self, harness: Harness, text: str) -> None:
        write_manifest(harness, ["src/"]).write_text(text)

        answer = edit(harness, "src/a.py")

        assert answer.denied
        assert "no usable record" in answer.reason

    def test_a21_a_manifest_that_cannot_be_read_denies_all(self, harness: Harness) -> None:
        path = write_manifest(harness, ["src/"])
        path.unlink()
        path.symlink_to("nowhere")
        assert edit(harness, "src/a.py").denied
        path.unlink()
        path.mkdir()
        assert edit(harness, "src/a.py").denied

    def test_e29_to_e34_an_absolute_grant_reaches_its_own_subtree(
        self, harness: Harness, tmp_path: Path
    ) -> None:
        vault = tmp_path / "vault" / "notes"
        vault.mkdir(parents=True)

        assert granted(harness, [f"{vault}/**"], vault / "x.md")
        assert not granted(harness, ["src/"], vault / "x.md")
        assert not granted(harness, [f"{vault}/**"], tmp_path / "vault" / "other.md")
        assert not granted(harness, [f"{vault}/**"], "lib/d.py")

    def test_an_absolute_spelling_of_the_tree_s_own_files_grants_them(
        self, harness: Harness
    ) -> None:
        assert granted(harness, [f"{harness.repo}/src/**"], "src/a.py")
        assert not granted(harness, [f"{harness.repo}/src/**"], "lib/d.py")

    @pytest.mark.parametrize(
        "entry", ["/**", "/*", "/etc/**", "/./etc/**", "//etc/**", "/private/etc/**", "/{etc,x}/**"]
    )
    def test_a22_no_entry_grants_the_machine(self, harness: Harness, entry: str) -> None:
        assert not granted(harness, [entry], "/etc/hosts")

    def test_e36_a_broken_module_lets_the_write_through_and_tells(
        self, harness: Harness, plugin: Path
    ) -> None:
        (plugin / "lib" / "holdshort" / "core" / "verdict.py").write_text("def broken(:")
        broken = Harness(harness.repo, harness.home, plugin=plugin)
        write_manifest(broken, [])

        answer = edit(broken, "src/a.py")

        assert not answer.denied
        assert "HS901 GUARD INACTIVE: holdshort's enforce_scope" in answer.notice
        assert "HS901" in answer.stderr

    @pytest.mark.parametrize(
        "path", ["src/a.py/below.py", "src/" + "x" * 300, "src/a\0b", "src/loop/x"]
    )
    def test_where_it_cannot_be_told_where_a_write_lands_a_manifest_denies(
        self, harness: Harness, path: str
    ) -> None:
        (harness.repo / "src" / "loop").symlink_to("loop")
        write_manifest(harness, ["**"])

        assert "HS207" in edit(harness, path).reason

    def test_b8_spellings_of_a_grant_do_not_matter(self, harness: Harness) -> None:
        for entry in ("./src/", "src//", "src/*", "src/{a,b}.py", "src/."):
            assert granted(harness, [entry], "src/a.py"), entry

    def test_b9_a_name_that_begins_with_dots_is_inside(self, harness: Harness) -> None:
        assert granted(harness, ["..x", "...y"], "..x")

    def test_s2_the_first_of_four_places_counts(self, harness: Harness) -> None:
        write_manifest(harness, ["lib/"], ".claude")
        write_manifest(harness, ["src/"], ".codex")
        assert not edit(harness, "src/a.py").denied
        write_manifest(harness, ["lib/"], ".pi")
        assert edit(harness, "src/a.py").denied

    def test_a20_a_nested_marker_file_moves_no_root(self, harness: Harness) -> None:
        (harness.repo / "lib" / "CLAUDE.md").write_text("")
        harness.cwd = harness.repo / "lib"

        assert not granted(harness, ["src/"], "lib/d.py")

    def test_b7_a_linked_worktree_is_judged_by_its_own_paths(self, harness: Harness) -> None:
        other = harness.repo.parent / "other"
        git_repo_worktree(harness.repo, other)

        assert granted(harness, ["src/"], other / "src" / "a.py")
        assert not granted(harness, ["src/"], other / "lib" / "d.py")

    def test_off_in_the_settings_is_off(self, harness: Harness) -> None:
        (harness.repo / ".holdshort.toml").write_text('[modes]\nwrite = "off"\n')

        assert granted(harness, [], "src/a.py")


def git_repo_worktree(repo: Path, other: Path) -> None:
    """A linked worktree, as `git worktree add` makes it."""
    git_repo(other, "src/a.py", "lib/d.py")
    shutil.rmtree(other / ".git")
    inner = repo / ".git" / "worktrees" / "other"
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    (inner / "gitdir").write_text(f"{other}/.git\n")
    (other / ".git").write_text(f"gitdir: {inner}\n")


class TestEmptiness:
    """E37-E42: why the list is empty. The verdict is the same; no sentence disarms anything."""

    def sentence(self, harness: Harness, path: str = "src/a.py", **fields: Any) -> str:
        answer = edit(harness, path, **fields)
        assert answer.denied
        assert not COMMANDS.search(answer.reason), answer.reason
        return answer.reason

    def test_e22_e42_a_role_that_reads(self, harness: Harness) -> None:
        for role in ("discovery", "Discovery", " DISCOVERY "):
            write_manifest(harness, [], role=role)
            assert "only reads, by design" in self.sentence(harness)

    def test_e37_e39_a_union_that_did_not_finish(self, harness: Harness) -> None:
        write_manifest(harness, [])

        assert "did not finish" in self.sentence(harness)

    def test_e38_a_manifest_older_than_the_session(self, harness: Harness) -> None:
        os.utime(write_manifest(harness, []), (1, 1))

        assert "not yours" in self.sentence(harness)

    @pytest.mark.parametrize("role", ["", None, 7])
    def test_e40_nothing_is_known(self, harness: Harness, role: Any) -> None:
        write_manifest(harness, [], role=role)

        assert "Nothing may be written in this wave" in self.sentence(harness)

    def test_e40_no_clock(self, harness: Harness) -> None:
        write_manifest(harness, [])
        harness.environ["CLAUDE_PID"] = ""

        assert "Nothing may be written in this wave" in self.sentence(harness)

    def test_e43_a_list_with_entries_names_them(self, harness: Harness) -> None:
        os.utime(write_manifest(harness, ["docs/"]), (1, 1))

        assert "Allowed are: docs/." in self.sentence(harness)

    @pytest.mark.parametrize(
        "path", ["/etc/passwd", "src/\u202ea.py", "x" * 250, "a b/`rm -rf x`.py"]
    )
    def test_no_path_smuggles_anything_in(self, harness: Harness, path: str) -> None:
        write_manifest(harness, [])
        answer = edit(harness, path)

        assert answer.denied
        assert len(answer.reason.encode()) <= 768
        assert answer.reason.isprintable()


class TestWhoseManifest:
    """B12: a manifest governs the session that was seen to write it."""

    def author(self, harness: Harness) -> None:
        path = write_manifest(harness, ["src/"])
        harness.fire("PostToolUse", tool_name="Write", tool_input={"file_path": str(path)})

    def test_its_author_and_its_author_s_agents(self, harness: Harness) -> None:
        self.author(harness)

        assert edit(harness, "lib/d.py").denied
        assert edit(harness, "lib/d.py", agent_id="a1").denied

    def test_not_another_session_while_it_lives(self, harness: Harness) -> None:
        self.author(harness)
        other = Harness(harness.repo, harness.home, "session-two", pid=1)

        assert edit(other, "lib/d.py").stdout == ""

    def test_nobody_once_its_session_is_gone_which_is_said_once(self, harness: Harness) -> None:
        with running_process() as pid:
            self.author(Harness(harness.repo, harness.home, "session-dead", pid=pid))
        first, again = edit(harness, "lib/d.py"), edit(harness, "lib/d.py")

        assert "HS516" in first.notice
        assert not first.denied
        assert again.stdout == ""

    def test_whose_wave_another_session_took_over_is_told_once(self, harness: Harness) -> None:
        self.author(harness)
        other = Harness(harness.repo, harness.home, "session-two", pid=1)
        self.author(other)
        first, again = edit(harness, "lib/d.py"), edit(harness, "lib/d.py")

        assert "HS519" in first.notice
        assert "session-two" in first.reason
        assert again.stdout == ""
        assert edit(other, "lib/d.py").denied

    def test_however_much_is_written_since(self, harness: Harness) -> None:
        self.author(harness)
        other = Harness(harness.repo, harness.home, "session-two", pid=1)
        noise = {"file_path": str(harness.repo / "lib" / "d.py")}
        for _ in range(3):  # each fills the file, so that it is set aside
            path = harness.state_dir / "touched.jsonl"
            last = path.read_bytes().splitlines(keepends=True)[-1]
            with path.open("ab") as file:
                file.write(last.replace(b"wave-scope", b"other") * ((1 << 20) // len(last) + 1))
            harness.fire("PostToolUse", tool_name="Write", tool_input=noise, agent_id="a1")

        assert not edit(other, "lib/d.py").denied
        assert edit(harness, "lib/d.py").denied

    def test_the_same_session_resumed_in_another_process(self, harness: Harness) -> None:
        self.author(harness)
        resumed = Harness(harness.repo, harness.home, harness.session, pid=1)

        assert edit(resumed, "lib/d.py").denied

    def test_everybody_when_nobody_was_seen_to_write_it(self, harness: Harness) -> None:
        write_manifest(harness, ["src/"])
        other = Harness(harness.repo, harness.home, "session-two", pid=1)

        assert edit(harness, "lib/d.py").denied
        assert edit(other, "lib/d.py").denied


@contextmanager
def running_process() -> Iterator[int]:
    """A process that runs as long as the block."""
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    try:
        yield child.pid
    finally:
        child.communicate()


class TestFailingClosed:
    """The matrix of the original: doubt denies where a manifest governs, and is told where none does."""

    @pytest.fixture
    def broken(self, harness: Harness, plugin: Path) -> Harness:
        (plugin / "lib" / "holdshort" / "core" / "write.py").write_text("raise RuntimeError('x')")
        return Harness(harness.repo, harness.home, plugin=plugin)

    def test_an_error_inside_the_armed_hook(self, broken: Harness) -> None:
        broken.dispatch("one", "src/a.py")
        open_answer = edit(broken, "src/b.py")
        write_manifest(broken, ["src/"])
        closed = edit(broken, "src/b.py")

        assert not open_answer.denied
        assert "HS907" in open_answer.notice
        assert closed.denied
        assert closed.reason.startswith("HS907")

    @pytest.mark.parametrize("stdin", ["{", "[]", "7", "\0", '{"a": NaN}'])
    def test_input_that_is_no_call(self, harness: Harness, stdin: str) -> None:
        (command,) = harness.commands("PreToolUse", "Write")
        open_answer = harness.feed(command, stdin)
        write_manifest(harness, ["src/"])
        closed = harness.feed(command, stdin)

        assert not open_answer.denied
        assert "HS908" in open_answer.notice
        assert closed.denied

    def test_empty_input_is_no_write(self, harness: Harness) -> None:
        (command,) = harness.commands("PreToolUse", "Write")
        write_manifest(harness, ["src/"])

        assert harness.feed(command, "").stdout == ""
