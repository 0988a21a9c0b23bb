"""`holdshort scopes check`: the manifest back byte for byte, or every reason why not."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.conftest import SOUND

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Tree

ODD_BYTES = (
    b'\xef\xbb\xbf{ "wave":1,"role":"Quality" ,\r\n"enforcement":"warn",'
    b'"allowedPaths":["\xc3\xa9/**"],"blockedCommands":[] }'
)


def disjoint(tree: Tree, *scopes: list[str], **changes: Any) -> Any:
    """Check the scopes of agents called a, b, ...."""
    records = [{"id": chr(97 + at), "files": files} for at, files in enumerate(scopes)]
    side = tree.file("side.json", records)
    return tree.run("check", tree.manifest(**changes), "--assert-disjoint", side)


class TestManifest:
    def test_it_is_echoed_byte_for_byte_from_a_file_and_from_stdin(self, tree: Tree) -> None:
        """V1, V9"""
        (tree.repo / "m.json").write_bytes(ODD_BYTES)

        for args in (("m.json",), (), ("-",)):
            done = tree.run("check", *args, stdin=ODD_BYTES)
            assert (done.code, done.err) == (0, "")
            assert done.out.encode() == ODD_BYTES + b"\n"

    @pytest.mark.parametrize("end", ["\n", "\n\n", "\r\n"])
    def test_a_line_end_is_added_only_where_none_is(self, tree: Tree, end: str) -> None:
        """V9"""
        text = json.dumps(SOUND) + end

        assert tree.run("check", stdin=text).out == text

    @pytest.mark.parametrize("raw", ["", "{", "[1,", b"\xff\xfe", "NaN", "{} {}", "[" * 100_000])
    def test_what_is_not_json_is_one_error(self, tree: Tree, raw: str) -> None:
        """V1"""
        done = tree.run("check", stdin=raw)

        assert (done.code, done.out) == (1, "")
        assert done.errors == ["ERROR: the manifest is not JSON"]

    def test_a_missing_manifest_is_exit_1_and_one_that_cannot_be_read_exit_2(
        self, tree: Tree
    ) -> None:
        """V1"""
        missing, directory = tree.run("check", "nope.json"), tree.run("check", "src")

        assert (missing.code, directory.code) == (1, 2)
        assert len(missing.errors) == len(directory.errors) == 1

    def test_every_error_is_a_line_and_warnings_are_told_apart(self, tree: Tree) -> None:
        done = tree.run(
            "check", stdin={**SOUND, "wave": 0, "role": "", "allowedPaths": ["**", ".."]}
        )

        assert (done.code, len(done.errors)) == (1, 3)
        assert "WARNING: allowedPaths[0]: '**' grants everything" in done.err

    @pytest.mark.parametrize(
        "entry", ["/**", "/private/etc/**", "/./etc/**", "/opt/**", "~/.ssh/**"]
    )
    def test_a_grant_of_the_machine_is_refused(self, tree: Tree, entry: str) -> None:
        """A22"""
        assert tree.run("check", stdin={**SOUND, "allowedPaths": [entry]}).code == 1

    def test_an_absolute_grant_within_the_tree_is_a_warning(self, tree: Tree) -> None:
        """V1"""
        done = tree.run("check", stdin={**SOUND, "allowedPaths": [f"{tree.repo}/src/**"]})

        assert (done.code, done.errors) == (0, [])
        assert "it is 'src/**'" in done.err

    def test_a_warning_does_not_change_what_is_printed(self, tree: Tree) -> None:
        text = json.dumps({**SOUND, "allowedPaths": []})

        done = tree.run("check", stdin=text)

        assert (done.code, done.out) == (0, f"{text}\n")
        assert "WARNING: allowedPaths is empty" in done.err


class TestFlags:
    @pytest.mark.parametrize(
        "args",
        [
            ("--assert-subset", ""),
            ("--assert-disjoint", ""),
            ("--union", ""),
            ("--assert-subset=",),
            ("",),
            ("--assert-subset",),
            ("--assert-subset", "--union", "side.json"),
            ("--assert-disjoint", "--json"),
            ("--bogus",),
            ("--assert-disjoin", "side.json"),
            ("--union", "side.json", "--union", "side.json"),
            ("m.json", "extra"),
            ("-x",),
        ],
    )
    def test_an_empty_or_unknown_flag_is_refused(self, tree: Tree, args: tuple[str, ...]) -> None:
        """A23, V5, V8"""
        tree.file("side.json", [])
        done = tree.run("check", *args, stdin=SOUND)

        assert (done.code, len(done.errors)) == (1, 1)
        assert "--json" in args or done.out == ""

    def test_their_order_does_not_matter_and_subset_is_said_first(self, tree: Tree) -> None:
        """V8"""
        manifest = tree.manifest()
        side = tree.file("side.json", [{"id": "a", "files": ["x"]}, {"id": "b", "files": ["x"]}])
        mine = tree.file("mine.json", ["lib/d.py"])
        flags = ["--union", side, "--assert-disjoint", side, "--assert-subset", mine]

        runs = [
            tree.run("check", manifest, *flags),
            tree.run("check", *flags[4:], *flags[:4], manifest),
        ]

        assert runs[0].err == runs[1].err
        assert [(run.code, run.out) for run in runs] == [(1, ""), (1, "")]
        assert "not granted" in runs[0].errors[0]
        assert "collide" in runs[0].errors[1]

    @pytest.mark.parametrize("flag", ["--assert-subset", "--assert-disjoint", "--union"])
    @pytest.mark.parametrize("side", ["nope.json", "src"])
    def test_a_side_file_that_cannot_be_read_is_exit_2(
        self, tree: Tree, flag: str, side: str
    ) -> None:
        """V2, V6"""
        done = tree.run("check", flag, side, stdin=SOUND)

        assert (done.code, done.out, len(done.errors)) == (2, "", 1)
        assert side in done.errors[0]

    @pytest.mark.parametrize("flag", ["--assert-subset", "--assert-disjoint", "--union"])
    @pytest.mark.parametrize("content", ["{", {"api": ["a"]}, [3], [{"file": ["a"]}], [["a"]]])
    def test_one_with_other_content_is_exit_1(self, tree: Tree, flag: str, content: Any) -> None:
        """V2, V6"""
        done = tree.run("check", flag, tree.file("side.json", content), stdin=SOUND)

        assert (done.code, done.out) == (1, "")
        assert all("side.json" in error for error in done.errors)

    def test_a_side_file_may_be_a_pipe(self, tree: Tree) -> None:
        read, write = os.pipe()
        os.write(write, b'["src/a.py"]')
        os.close(write)

        assert tree.run("check", "--assert-subset", f"/dev/fd/{read}", stdin=SOUND).code == 0
        os.close(read)

    def test_all_is_json_for_scripts(self, tree: Tree) -> None:
        side = tree.file("side.json", [{"id": "a", "files": ["x"]}, {"id": "b", "files": ["x"]}])

        done = tree.run("check", "--json", "--assert-disjoint", side, stdin={**SOUND, "wave": 0})

        assert (done.code, done.json["ok"], len(done.json["errors"])) == (1, False, 2)
        assert done.json["collisions"] == [
            {
                "agents": ["a", "b"],
                "kind": "concrete",
                "evidence": ["x"],
                "witness": "x",
                "tracked": False,
                "siblings": False,
                "error": True,
            }
        ]
        assert tree.run("check", "--json", stdin=SOUND).json == {
            "ok": True,
            "errors": [],
            "warnings": [],
        }


class TestSubset:
    def subset(self, tree: Tree, files: Any, *flags: str, **changes: Any) -> Any:
        side = tree.file("mine.json", files)
        return tree.run("check", tree.manifest(**changes), "--assert-subset", side, *flags)

    @pytest.mark.parametrize("files", [[], ["src/a.py"], ["src/**"], ["./src//a.py"], ["src"]])
    def test_what_is_granted_passes(self, tree: Tree, files: list[str]) -> None:
        """V2, S5"""
        assert self.subset(tree, files).code == 0

    def test_what_is_not_is_named_with_a_path_that_escapes(self, tree: Tree) -> None:
        """V2, S5"""
        done = self.subset(tree, ["src/a.py", "lib/d.py", "**/*.py"])

        assert done.code == 1
        assert done.errors[0] == "ERROR: not granted: 'lib/d.py'; lib/d.py is not in allowedPaths"
        assert done.errors[1].startswith("ERROR: not granted: '**/*.py'; ")
        assert len(done.errors) == 2

    def test_a_wider_glob_is_not_within_a_narrower_one(self, tree: Tree) -> None:
        """S5: the original let `src/**` pass under `src/*`"""
        assert self.subset(tree, ["src/**"], allowedPaths=["src/*"]).code == 1

    def test_what_cannot_be_proven_is_an_error_of_its_own(self, tree: Tree) -> None:
        done = self.subset(tree, ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"])

        assert done.errors[0].startswith("ERROR: not proven to be granted")

    @pytest.mark.parametrize(
        ("allowed", "role", "flags", "code"),
        [
            (["src/**"], "Impl-Core", ("--expand-test-siblings",), 1),
            (["src/**"], "Impl-Core", (), 0),
            (["src/**", "tests/**"], "Impl-Core", ("--expand-test-siblings",), 0),
            (["src/**", "tests/x*.test.mjs"], " IMPL-polish ", ("--expand-test-siblings",), 0),
            (["src/**"], "Quality", ("--expand-test-siblings",), 0),
        ],
    )
    def test_the_tests_must_be_granted_where_the_role_writes_them(
        self, tree: Tree, allowed: list[str], role: str, flags: tuple[str, ...], code: int
    ) -> None:
        """V3, S8"""
        done = self.subset(tree, ["src/x.mjs"], *flags, allowedPaths=allowed, role=role)

        assert done.code == code
        assert ("the test of 'src/x.mjs'" in done.err) == (code == 1)

    @pytest.mark.parametrize("role", ["Impl-Core", "Quality"])
    def test_what_union_grants_is_all_that_is_asked_for(self, tree: Tree, role: str) -> None:
        """S7: the expander and the assertion agree"""
        files = ["src/x.mjs", "a/y.py", "b/__init__.py", "c/Z.java", "docs/**", "./q/r.ts"]
        side = tree.file("side.json", [{"id": "a", "files": files}])
        granted = tree.run("union", side, "--role", role).json

        for flags in ((), ("--expand-test-siblings",)):
            done = self.subset(tree, files, *flags, role=role, allowedPaths=granted)
            assert (done.code, done.errors) == (0, [])

    def test_another_role_is_told_that_it_has_none(self, tree: Tree) -> None:
        """V3"""
        done = self.subset(tree, ["src/x.mjs"], "--expand-test-siblings")

        assert (
            done.err
            == "NOTICE: no test siblings for this role; impl-core and impl-polish have them\n"
        )

    def test_the_flag_alone_says_that_it_does_nothing(self, tree: Tree) -> None:
        done = tree.run("check", "--expand-test-siblings", stdin=SOUND)

        assert (done.code, done.err.startswith("NOTICE: --expand-test-siblings")) == (0, True)

    def test_the_user_may_switch_siblings_off_or_add_some(self, tree: Tree) -> None:
        tree.file(".holdshort.toml", "[test_siblings]\nenabled = false\n")
        off = self.subset(tree, ["src/x.mjs"], "--expand-test-siblings", role="Impl-Core")
        rule = '{ source = "**/*.kt", sibling = "spec/{basename}Spec.kt" }'
        tree.file(".holdshort.toml", f"[test_siblings]\nenabled = true\nrules = [{rule}]\n")
        on = self.subset(tree, ["src/x.kt"], "--expand-test-siblings")

        assert off.code == 0
        assert "spec/xSpec.kt" in on.errors[0]


class TestDisjoint:
    def test_a_clean_plan_is_echoed_without_a_word(self, tree: Tree) -> None:
        """V6, S12"""
        done = disjoint(tree, ["src/a.py"], ["src/b.py", "docs/**"], ["lib/"])

        assert (done.code, done.err) == (0, "")
        assert json.loads(done.out) == SOUND

    def test_a_collision_names_both_agents_the_entries_and_a_tracked_file(self, tree: Tree) -> None:
        """V6"""
        done = disjoint(tree, ["src/**/*.py"], ["**/c.py", "docs/e.md"])

        assert (done.code, done.out) == (1, "")
        assert done.errors == [
            'ERROR: "a" and "b" collide (glob): src/**/*.py, **/c.py; both match src/api/c.py (tracked)'
        ]

    def test_without_a_tracked_file_the_shortest_path_is_the_witness(self, tree: Tree) -> None:
        """A10"""
        done = disjoint(tree, ["src/z*.ts"], ["src/*q.ts"])

        assert done.errors[0].endswith("both match src/zq.ts (not tracked)")

    def test_without_git_there_is_no_fault(
        self, tree: Tree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """V6"""
        monkeypatch.setenv("PATH", "/nowhere")

        assert disjoint(tree, ["src/a.py"], ["src/*"]).errors[0].endswith("src/a.py (not tracked)")
        assert disjoint(tree, ["src/a.py"], ["src/b.py"]).code == 0

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            ("./src/a.py", "src/a.py"),
            ("src//a.py", "src/a.py"),
            ("src", "src/a.py"),
            ("src/api/", "src/./api/c.py"),
            ("link/c.py", "src/api/c.py"),
            ("{root}/src/a.py", "src/a.py"),
            ("src\\a.py", "src/a.py"),
        ],
    )
    def test_spellings_of_one_file_collide_as_for_the_guard(
        self, tree: Tree, ours: str, theirs: str
    ) -> None:
        """A24"""
        (tree.repo / "link").symlink_to(tree.repo / "src" / "api")

        assert disjoint(tree, [ours.replace("{root}", str(tree.repo))], [theirs]).code == 1

    def test_names_that_only_look_alike_do_not(self, tree: Tree) -> None:
        """A24"""
        done = disjoint(tree, ["src"], ["srcs/a.py", "src.py"], ["lib/d.py"], ["lib/d.pyi"])

        assert (done.code, done.err) == (0, "")

    def test_ids_given_twice_have_a_line_of_their_own(self, tree: Tree) -> None:
        """V6, S12"""
        records = [{"id": "x", "files": ["a"]}, {"id": "x", "files": ["a"]}, {"files": ["a"]}]
        side = tree.file("side.json", records)

        done = tree.run("check", tree.manifest(), "--assert-disjoint", side)

        assert done.errors[0] == 'ERROR: side.json: id "x" is given to several records'
        assert [line for line in done.errors if '"<unnamed#2>" collide' in line] == done.errors[1:]

    def test_shared_files_are_only_a_notice(self, tree: Tree) -> None:
        tree.file(".holdshort.toml", 'shared = ["src/registry.py"]\n')

        done = disjoint(tree, ["src/registry.py"], ["src/registry.py", "package-lock.json"])

        assert (done.code, done.errors) == (0, [])
        assert done.err == 'NOTICE: "a" and "b" meet in shared files only: src/registry.py\n'

    def test_a_tracked_shared_file_is_no_witness(self, tree: Tree) -> None:
        done = disjoint(tree, ["*.json"], ["package*.json"])

        assert "package-lock.json" not in done.errors[0]

    def test_at_most_eight_entries_are_shown_of_a_pair(self, tree: Tree) -> None:
        files = [f"x{n}" for n in range(12)]

        done = disjoint(tree, files, files)

        assert len(done.errors) == 1
        assert "x7 and 4 more; both match" in done.errors[0]

    def test_a_tracked_file_is_found_however_many_entries_meet(self, tree: Tree) -> None:
        files = [f"x{n}" for n in range(80)]
        tree.track("x79")

        assert disjoint(tree, files, files).errors[0].endswith("both match x79 (tracked)")

    def test_an_entry_that_can_mean_no_path_is_an_error(self, tree: Tree) -> None:
        done = disjoint(tree, ["../../x"], ["a"])

        assert (done.code, "can mean no path" in done.err) == (1, True)

    def test_what_cannot_be_told_is_an_error(self, tree: Tree) -> None:
        done = disjoint(tree, [f"f{n}" for n in range(1025)], ["x"])

        assert done.errors == [
            'ERROR: cannot tell whether "a" and "b" collide: more than 1024 entries'
        ]

    def test_a_hostile_id_is_printed_as_a_name(self, tree: Tree) -> None:
        records = [{"id": "\x1b[31mx\n", "files": ["a\u202e"]}, {"id": "y", "files": ["a\u202e"]}]

        done = tree.run("check", "--assert-disjoint", tree.file("s.json", records), stdin=SOUND)

        assert (done.code, len(done.errors)) == (1, 1)

    def test_the_incident_of_the_original_is_red_and_its_correction_green(self, tree: Tree) -> None:
        """V10"""
        contested = "tests/scripts/sweep-cli.test.mjs"

        assert disjoint(tree, ["scripts/a.mjs", contested], [contested]).code == 1
        assert disjoint(tree, ["scripts/a.mjs", contested], ["scripts/b.mjs"]).code == 0

    def test_it_works_from_a_subdirectory(self, tree: Tree) -> None:
        side = tree.file("side.json", [{"files": ["src/a.py"]}, {"files": ["src"]}])

        done = tree.run("check", "--assert-disjoint", f"../{side}", stdin=SOUND, cwd="src")

        assert done.errors[0].endswith("src/a.py (tracked)")


class TestDisjointAfterExpansion:
    def test_the_same_sibling_is_an_error(self, tree: Tree) -> None:
        done = disjoint(tree, ["src/x/util.py"], ["src/y/util.py"], role="Impl-Core")

        assert done.code == 1
        assert '"a" and "b" collide through test siblings (glob): tests/**/test_util.py' in done.err

    def test_siblings_that_nobody_has_a_file_for_are_a_warning(self, tree: Tree) -> None:
        done = disjoint(tree, ["src/foo.mjs"], ["src/foobar.mjs"], role="Impl-Core")

        assert (done.code, done.errors) == (0, [])
        assert done.err.startswith('WARNING: "a" and "b" collide through test siblings')

    def test_a_tracked_file_in_both_is_an_error(self, tree: Tree) -> None:
        tree.track("tests/deep/foobar.test.mjs")

        done = disjoint(tree, ["src/foo.mjs"], ["src/foobar.mjs"], role="Impl-Core")

        assert done.errors[0].endswith("both match tests/deep/foobar.test.mjs (tracked)")

    def test_a_role_without_siblings_hears_nothing(self, tree: Tree) -> None:
        done = disjoint(tree, ["src/x/util.py"], ["src/y/util.py"])

        assert (done.code, done.err) == (0, "")


class TestUnion:
    def test_it_is_printed_instead_in_first_seen_order(self, tree: Tree) -> None:
        """V7, S11"""
        side = tree.file("s.json", [{"id": "a", "files": ["b", "a"]}, {"files": ["c", "a"]}])

        done = tree.run("check", tree.manifest(), "--union", side)

        assert (done.code, done.err, done.json) == (0, "", ["b", "a", "c"])
        assert done.out.endswith("]\n")

    def test_it_is_expanded_by_role(self, tree: Tree) -> None:
        """V7"""
        side = tree.file("s.json", [{"files": ["src/x.mjs"]}])

        plain = tree.run("check", tree.manifest(), "--union", side).json
        grown = tree.run("check", tree.manifest(role="impl-core"), "--union", side).json

        assert plain == ["src/x.mjs"]
        assert grown == ["src/x.mjs", "tests/**/x*.test.mjs"]

    def test_it_is_in_the_json_of_scripts(self, tree: Tree) -> None:
        side = tree.file("s.json", [{"files": ["a"]}])

        assert tree.run("check", "--union", side, "--json", stdin=SOUND).json["union"] == ["a"]

    def test_nothing_is_printed_when_the_scopes_collide(self, tree: Tree) -> None:
        """V7"""
        side = tree.file("s.json", [{"files": ["a"]}, {"files": ["a"]}])

        done = tree.run("check", "--union", side, "--assert-disjoint", side, stdin=SOUND)

        assert (done.code, done.out) == (1, "")


def test_faults_of_the_settings_are_warnings_and_leave_the_defaults(tree: Tree) -> None:
    tree.file(".holdshort.toml", "[test_siblings]\nenabled = 3\n")

    done = disjoint(tree, ["a"], ["b"])

    assert (done.code, done.errors) == (0, [])
    assert "WARNING: .holdshort.toml: test_siblings.enabled" in done.err


def test_names_of_any_kind_are_found_among_the_tracked_files(tree: Tree, tmp_path: Path) -> None:
    names = ["app/[slug]/p.tsx", "!x/#1 a.md", "a b/c.py", "x/y/z/k.rs", "é/ü.md", "#t/q"]
    tree.track(*names)

    for name in names:
        done = disjoint(tree, [name.rpartition("/")[0] + "/**"], [f"**/{name.rpartition('/')[2]}"])
        assert done.errors[0].endswith(f"both match {name} (tracked)")
