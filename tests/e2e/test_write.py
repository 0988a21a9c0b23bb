"""The write guard in front of the real client: what the model receives, and what stands in the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.e2e.scripted_model import Call, Request, Say, Turn, opened, reached
from tests.e2e.stage import agent, scoped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.e2e.claude import Scratch
    from tests.e2e.scripted_model import Result
    from tests.e2e.stage import Stage


def write(scratch: Scratch, path: str, text: str = "changed\n") -> Call:
    return Call("Write", {"file_path": str(scratch.repo / path), "content": text})


def read(scratch: Scratch, path: str) -> Call:
    return Call("Read", {"file_path": str(scratch.repo / path)})


def refused(result: Result, code: str, *words: str) -> None:
    """The model was told why."""
    assert result.error, result.text
    for word in (code, *words):
        assert word in result.text


def manifest(stage: Stage, allowed: list[str], **fields: object) -> None:
    path = stage.scratch.repo / ".claude" / "wave-scope.json"
    path.parent.mkdir(exist_ok=True)
    value = {"wave": 1, "role": "Impl-Core", "enforcement": "strict", "allowedPaths": allowed}
    path.write_text(json.dumps({**value, **fields}))


def test_an_agent_does_not_write_what_another_holds(stage: Stage) -> None:
    scratch = stage.scratch
    before = (scratch.repo / "src" / "a.py").read_text()
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [
                agent("holder", scoped("SUBONE", "src/a.py")),
                agent("stranger", scoped("SUBTWO", "lib/c.py")),
            ]
        ],
        "SUBONE": [[reached("SUBTWO", 3), Say("one")]],
        "SUBTWO": [
            [read(scratch, "src/a.py")],
            [write(scratch, "src/a.py"), write(scratch, "lib/new.py")],
            [Say("two")],
        ],
    }

    results = stage.play_out(scripts).results["SUBTWO"]

    refused(results[1], "HS201 src/a.py", "holder")
    assert (scratch.repo / "src" / "a.py").read_text() == before
    assert not results[2].error
    assert (scratch.repo / "lib" / "new.py").exists()


def test_the_holder_writes_its_own_and_the_coordinator_what_is_nobody_s(stage: Stage) -> None:
    scratch = stage.scratch
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("holder", scoped("SUBONE", "src/"))], [write(scratch, "lib/new.py")]],
        "SUBONE": [[write(scratch, "src/new.py")], [reached("MAIN", 3), Say("one")]],
    }

    results = stage.play_out(scripts).results

    assert not results["SUBONE"][0].error
    assert not results["MAIN"][1].error


def test_where_nobody_can_be_asked_the_coordinator_is_denied(stage: Stage) -> None:
    scratch = stage.scratch
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("holder", scoped("SUBONE", "src/"))], [write(scratch, "src/new.py")]],
        "SUBONE": [[reached("MAIN", 3), Say("one")]],
    }

    result = stage.play_out(scripts).results["MAIN"][1]

    assert result.error
    assert not (scratch.repo / "src" / "new.py").exists()


def test_an_agent_does_not_widen_the_manifest(stage: Stage) -> None:
    scratch = stage.scratch
    manifest(stage, ["src/"])
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", scoped("SUBONE", "src/"), run_in_background=False)]],
        "SUBONE": [
            [read(scratch, ".claude/wave-scope.json")],
            [write(scratch, ".claude/wave-scope.json", "{}"), write(scratch, "src/new.py")],
            [write(scratch, "lib/new.py")],
            [Say("one")],
        ],
    }

    results = stage.play_out(scripts).results["SUBONE"]

    refused(results[1], "HS204 .claude/wave-scope.json")
    assert not results[2].error
    refused(results[3], "HS205 lib/new.py")
    assert "src/" in (scratch.repo / ".claude" / "wave-scope.json").read_text()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"role": "Discovery"}, "only reads, by design"),
        ({"allowedPaths": "src/"}, "no usable record"),
        ({"role": ""}, "Nothing may be written in this wave"),
    ],
)
def test_a_manifest_that_grants_nothing_says_why(
    stage: Stage, fields: dict[str, object], sentence: str
) -> None:
    manifest(stage, [], **fields)
    wake = stage.scratch.repo / ".claude" / "wave-scope.json"

    def touch(_: Request) -> list[Call]:
        wake.touch()  # the coordinator's own manifest is younger than its session
        return [write(stage.scratch, "src/new.py")]

    results = stage.play_out({"MAIN": [touch, [Say("done")]]}).results["MAIN"]

    refused(results[0], "HS206", sentence)
    assert not (stage.scratch.repo / "src" / "new.py").exists()


def test_an_agent_in_a_tree_of_its_own_writes_its_own_copy_only(stage: Stage) -> None:
    scratch = stage.scratch

    def own_copy(request: Request) -> list[Call]:
        tree = request.results[0].text.strip().splitlines()[-1]
        there = Call("Write", {"file_path": f"{tree}/src/new.py", "content": "mine\n"})
        return [there, write(scratch, "src/new.py")]

    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [
                agent("holder", scoped("SUBONE", "src/new.py")),
                agent("apart", scoped("SUBTWO", "src/new.py"), isolation="worktree"),
            ]
        ],
        "SUBONE": [[reached("SUBTWO", 3), Say("one")]],
        "SUBTWO": [
            [Call("Bash", {"command": "pwd", "description": "where"})],
            own_copy,
            [Say("two")],
        ],
    }

    results = stage.play_out(scripts).results["SUBTWO"]

    assert not results[1].error, results[1].text
    assert results[2].error
    assert not (scratch.repo / "src" / "new.py").exists()


def test_a_second_window_is_told_what_the_first_has_touched(stage: Stage) -> None:
    scratch = stage.scratch
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [agent("undeclared", "SUBONE")],
            [opened("second is done"), Say("done")],
        ],
        "SUBONE": [[write(scratch, "src/new.py")], [opened("second is done"), Say("one")]],
        "OTHER": [
            [reached("SUBONE", 2), read(scratch, "src/new.py")],
            [write(scratch, "src/new.py")],
        ],
    }
    with stage.play(scripts) as play:
        play.client.say("MAIN go")
        play.model.wait(reached("SUBONE", 2))
        other = play.another()
        other.say("OTHER go")
        other.answered()
        heard = play.model.only("OTHER").requests[-1].heard
        play.model.open("second is done")
        play.client.answered()
        play.client.finish()

    assert "HS515 src/new.py was written" in heard
