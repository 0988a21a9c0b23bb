"""What the plugin brings besides its guards: the line at session start, the skill, the command line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.e2e.claude import CHECKOUT
from tests.e2e.scripted_model import Call, Request, Say, Turn, call_id
from tests.e2e.stage import agent, allowed, denied, scoped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.e2e.stage import Stage

SKILL = (CHECKOUT / "skills" / "scopes" / "SKILL.md").read_text()


def shell(command: str) -> Call:
    """A command of the coordinator's."""
    return Call("Bash", {"command": command, "description": "as the skill says"})


def test_a_session_is_told_at_its_start_how_to_declare(stage: Stage) -> None:
    model = stage.play_out({"MAIN": [[Say("ready")]]})

    heard = model.only("MAIN").requests[0].heard
    assert heard.count("put a line `FILE-SCOPE:` into its prompt") == 1


def test_a_session_is_not_told_when_the_user_has_switched_it_off(stage: Stage) -> None:
    (stage.scratch.repo / ".holdshort.toml").write_text("hint = false\n")
    model = stage.play_out({"MAIN": [[Say("ready")]]})

    assert "FILE-SCOPE" not in model.only("MAIN").requests[0].heard


def test_the_skill_is_there_for_the_model_and_as_a_slash_command(stage: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[Call("Skill", {"skill": "holdshort:scopes"})], [Say("read")]]
    }
    with stage.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.say("/holdshort:scopes split the parser")
        play.client.answered(2)
        play.client.finish()

    heard = play.model.only("MAIN").requests[-1].heard
    assert heard.count("# Scopes before a wave of agents") == 2
    assert "split the parser" in heard


def test_a_dispatch_onto_what_the_coordinator_plans_is_told_to_the_model(stage: Stage) -> None:
    plan = "mkdir -p .claude/filescopes/wave-1 && cd .claude && "
    plan += """echo '{"wave": 1, "role": "Impl-Core"}' > wave-scope.json && """
    plan += """echo '["src/a.py"]' > filescopes/wave-1/coordinator.json"""
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[shell(plan)], [agent("first", scoped("SUB", "src/*.py"))], [Say("done")]],
        "SUB": [[Say("one")]],
    }
    model = stage.play_out(scripts)

    main = model.only("MAIN")
    allowed(main.result(call_id("MAIN", 1, 0)))
    assert "HS512 coordinator.json plans edits of src/a.py" in main.requests[-1].heard


def test_the_chain_of_the_skill_runs_as_it_is_written(stage: Stage) -> None:
    """Its own commands, through the client's shell, on the PATH that the client gives plugins."""
    commands = re.findall(r"```sh\n(.*?)```", SKILL, re.DOTALL)
    materialize, union, check, prompt = (
        re.sub(r"^   ", "", command, flags=re.MULTILINE).replace("SIDECAR", "$(cat sidecar)")
        for command in commands
    )
    manifest = re.search(r"```json\n(.*?)```", SKILL, re.DOTALL)
    assert manifest is not None
    values = json.loads(manifest[1])

    def write_manifest(request: Request) -> list[Call]:
        values["allowedPaths"] = json.loads(request.results[-1].text)
        return [shell(f"cat > .claude/wave-scope.json <<'END'\n{json.dumps(values)}\nEND")]

    def dispatch(request: Request) -> list[Call]:
        block = request.results[-1].text
        meets = scoped("SUB two", "src/parser.py")
        return [agent("parser", f"SUB one\n{block}"), agent("other", meets)]

    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [
            [shell(f"({materialize.strip()}\n) > sidecar")],
            [shell(union)],
            write_manifest,
            [shell(check)],
            [shell(prompt)],
            dispatch,
            [Say("done")],
        ],
        "SUB": [[Say("one")]],
    }
    model = stage.play_out(scripts)

    main = model.only("MAIN")
    assert [result.error for result in main.results[:5]] == [False] * 5, main.results
    allowed(main.result(call_id("MAIN", 5, 0)))
    denied(main.result(call_id("MAIN", 5, 1)), "parser", "src/parser.py")
