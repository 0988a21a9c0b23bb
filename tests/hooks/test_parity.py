"""What the system that we must equal is tested for (its behaviours P1-P31), on real hook processes."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.harness import CHECKOUT, SCOPE, Answer, Harness


def wave(harness: Harness, number: int, role: str = "Impl-Core") -> None:
    directory = harness.repo / ".claude"
    directory.mkdir(exist_ok=True)
    manifest = {"wave": number, "role": role, "enforcement": "warn", "allowedPaths": []}
    (directory / "wave-scope.json").write_text(json.dumps(manifest))


def allowed(answer: Answer) -> bool:
    return answer.code == 0 and not answer.denied


def silent(answer: Answer) -> bool:
    return (answer.code, answer.stdout) == (0, "")


def age(harness: Harness, seconds: int, **fields: Any) -> None:
    """Make every record in the ledger `seconds` older than it is."""
    path = harness.state_dir / "wave-dispatch-scopes.json"
    book = json.loads(path.read_text())
    for record in book["agents"]:
        record["at"] = f"20{20 if seconds else 26}-01-01T00:00:00Z"
        record.update(fields)
    path.write_text(json.dumps(book))


def test_p1_a_file_that_is_taken_is_denied_with_both_ids_the_file_and_the_kind(
    harness: Harness,
) -> None:
    harness.dispatch("agent one", "src/a.py")

    answer = harness.dispatch("agent two", "src/a.py")

    assert answer.denied
    for part in (
        "agent one (general-purpose)",
        "agent two (general-purpose)",
        "src/a.py",
        "concrete",
    ):
        assert part in answer.reason


def test_p2_a_file_below_a_recursive_glob_is_denied(harness: Harness) -> None:
    harness.dispatch("one", "src/**")

    assert harness.dispatch("two", "src/api/c.py").denied


def test_p3_disjoint_scopes_are_allowed_in_silence(harness: Harness) -> None:
    answers = [harness.dispatch(name, f"{name}/**") for name in ("src", "lib", "docs")]

    assert all(map(silent, answers))


def test_p4_the_same_dispatch_again_is_a_retry_while_nothing_is_known_of_its_life(
    harness: Harness,
) -> None:
    answers = [harness.dispatch("one", "src/a.py") for _ in range(3)]

    assert all(map(silent, answers))
    assert len(harness.ledger()) == 1


def test_p5_p6_prompts_without_a_scope_are_allowed_and_nothing_is_invented(
    harness: Harness,
) -> None:
    prose = "FILE-SCOPE:\n```\nplease be careful with everything\nand thank you\n```\n"

    assert allowed(harness.dispatch("one", prompt="Look around in src/a.py, please."))
    assert allowed(harness.dispatch("two", prompt=prose))
    assert [record["files"] for record in harness.ledger()] == [[], []]
    assert [record["source"] for record in harness.ledger()] == ["undeclared", "undeclared"]


@pytest.mark.parametrize("tool", ["TaskCreate", "TaskUpdate", "Bash", "Edit"])
def test_p7_other_tools_are_none_of_its_business(harness: Harness, tool: str) -> None:
    harness.dispatch("one", "src/a.py")
    payload = harness.dispatch_payload("two", SCOPE.format("src/a.py"))
    (command,) = harness.commands("PreToolUse", "Agent")

    assert silent(harness.feed(command, json.dumps({**payload, "tool_name": tool})))


@pytest.mark.parametrize("stdin", ["", "   \n", "{not json", "null", "[]", "3", '{"a":'])
def test_p8_bad_input_is_allowed(harness: Harness, stdin: str) -> None:
    (command,) = harness.commands("PreToolUse", "Agent")

    assert allowed(harness.feed(command, stdin))


def test_p9_a_later_wave_frees_the_file_while_nothing_is_known_of_its_agents_life(
    harness: Harness,
) -> None:
    wave(harness, 1)
    harness.dispatch("one", "src/a.py")
    same_wave = harness.dispatch("two", "src/a.py")
    wave(harness, 2)

    assert same_wave.denied
    assert allowed(harness.dispatch("three", "src/a.py"))


def test_p10_p11_a_corrupt_ledger_is_said_set_aside_and_replaced(harness: Harness) -> None:
    harness.dispatch("one", "lib/d.py")
    ledger = harness.state_dir / "wave-dispatch-scopes.json"
    ledger.write_text("{half a")

    answer = harness.dispatch("two", "src/a.py")

    assert allowed(answer)
    assert "HS902" in answer.notice
    assert "unreadable" in answer.notice
    assert "reset" in answer.notice
    assert (harness.state_dir / "wave-dispatch-scopes.corrupt.json").read_text() == "{half a"
    assert harness.dispatch("three", "src/a.py").denied


def test_p12_a_missing_ledger_is_no_corruption(harness: Harness) -> None:
    assert silent(harness.dispatch("one", "src/a.py"))


def test_p13_a_collision_in_400_long_paths_is_one_short_line(harness: Harness) -> None:
    paths = [f"src/{'deep' * 25}/file{number}.py" for number in range(400)]
    harness.dispatch("one", *paths)

    answer = harness.dispatch("two", *paths)

    assert answer.denied
    assert answer.stdout.count("\n") == 1
    assert len(answer.reason.encode()) <= 768


def test_p14_a_repair_pass_after_a_synchronous_agent_is_allowed(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_call(harness.last_call)
    harness.write_result(harness.last_call, [{"type": "text", "text": "finished, 3 files"}])

    assert allowed(harness.dispatch("two", "src/a.py"))


def test_p15_a_repair_pass_after_a_completed_notice_is_allowed(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_result(harness.last_call, "Async agent launched successfully.\nagentId: a1 (x)")
    harness.write_notice("a1", "completed", harness.last_call)

    assert allowed(harness.dispatch("two", "src/a.py"))


def test_p16_a_launch_receipt_is_no_completion(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_result(harness.last_call, "Async agent launched successfully.\nagentId: a1 (x)")

    answer = harness.dispatch("two", "src/a.py")

    assert answer.denied
    assert "still running" in answer.reason


def test_p17_a_dispatch_without_any_result_is_in_flight(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_call(harness.last_call)

    assert harness.dispatch("two", "src/a.py").denied


def test_p18_a_transcript_of_other_agents_ends_nobody(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_result("toolu_other", "finished")

    assert harness.dispatch("two", "src/a.py").denied


def test_p19_without_any_news_age_decides(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    fresh = harness.dispatch("two", "src/a.py")
    age(harness, 7200)

    assert fresh.denied
    assert allowed(harness.dispatch("three", "src/a.py"))


def test_p20_without_a_manifest_a_running_agent_binds_and_an_ended_one_does_not(
    harness: Harness,
) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    running = harness.dispatch("two", "src/a.py")
    harness.stopped("a1")

    assert running.denied
    assert allowed(harness.dispatch("two", "src/a.py"))


def at_once(harness: Harness, payloads: list[dict[str, Any]]) -> list[Answer]:
    """Start one hook process per payload, then give all of them their input together."""
    (command,) = harness.commands("PreToolUse", "Agent")
    processes = [harness.start(command) for _ in payloads]

    def feed(pair: tuple[subprocess.Popen[str], dict[str, Any]]) -> Answer:
        process, payload = pair
        out, err = process.communicate(json.dumps(payload), timeout=60)
        return Answer(subprocess.CompletedProcess(command, process.returncode, out, err))

    with ThreadPoolExecutor(len(payloads)) as pool:
        return list(pool.map(feed, zip(processes, payloads, strict=True)))


def test_p21_eight_disjoint_dispatches_at_once_are_all_recorded(harness: Harness) -> None:
    scopes = [SCOPE.format(f"pkg{number}/**") for number in range(8)]

    answers = at_once(
        harness, [harness.dispatch_payload(f"agent {n}", scope) for n, scope in enumerate(scopes)]
    )

    assert all(map(silent, answers))
    assert len(harness.ledger()) == 8


@pytest.mark.parametrize("count", [2, 16])
def test_p22_of_overlapping_dispatches_at_once_exactly_one_starts(
    harness: Harness, count: int
) -> None:
    harness.write_record({"filler": "x" * 2_000_000})

    answers = at_once(
        harness,
        [harness.dispatch_payload(f"agent {n}", SCOPE.format("src/**")) for n in range(count)],
    )

    assert count - 1 == sum(answer.denied for answer in answers)
    assert len(harness.ledger()) == 1


def test_p23_judges_can_be_imported_without_running_a_hook() -> None:
    program = "import holdshort.gather.dispatch, holdshort.gather.life; print('still here')"
    done = subprocess.run(
        ["python3", "-c", f"import sys; sys.path.append({str(CHECKOUT / 'lib')!r}); {program}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "still here\n"


@pytest.mark.parametrize(
    "spelled", ["./src/a.py", "src//a.py", "src/./a.py", "src/././a.py", "src/x/../a.py"]
)
def test_p24_p25_spellings_of_one_path_are_one_path(harness: Harness, spelled: str) -> None:
    harness.dispatch("one", "src/a.py")

    assert harness.dispatch("two", spelled).denied


def test_p26_a_directory_is_promoted_on_evidence_only(harness: Harness) -> None:
    harness.dispatch("one", "src", "src/a.py", "nowhere")

    assert [record["files"] for record in harness.ledger()] == [["src/", "src/a.py", "nowhere"]]
    assert harness.dispatch("two", "src/b.py").denied
    assert allowed(harness.dispatch("three", "nowhere/x.py"))


def test_p27_a_session_in_a_subdirectory_means_the_same_paths(harness: Harness) -> None:
    harness.cwd = harness.repo / "src"
    harness.dispatch("one", "a.py", "lib/d.py")

    assert [record["files"] for record in harness.ledger()] == [["src/a.py", "lib/d.py"]]
    harness.cwd = harness.repo
    assert harness.dispatch("two", "src/a.py").denied


def test_p30_the_documented_block_is_read(harness: Harness) -> None:
    text = (CHECKOUT / "docs" / "declaring-a-scope.md").read_text()
    block = text[text.index("FILE-SCOPE") :]
    block = block[: block.index("```", block.index("```") + 3) + 3]

    harness.dispatch("one", prompt=f"Do the work.\n\n{block}\n")

    (record,) = harness.ledger()
    assert record["source"] == "prompt"
    assert record["files"]


def test_p31_the_first_of_two_materialised_scopes_wins_and_no_prompt_is_stored(
    harness: Harness,
) -> None:
    wave(harness, 3, "Impl-Core")

    first = harness.dispatch("one", prompt=f"SECRET WORDS\n{SCOPE.format('src/a.py')}")
    second = harness.dispatch("two", prompt=f"SECRET WORDS\n{SCOPE.format('src/a.py')}")

    assert allowed(first)
    assert second.denied
    text = (harness.state_dir / "wave-dispatch-scopes.json").read_text()
    assert json.loads(text)["waveKey"] == "session-one|w3|Impl-Core"
    assert len(json.loads(text)["agents"]) == 1
    assert "SECRET" not in text


def test_the_originals_own_ledger_is_understood(harness: Harness) -> None:
    """A drop-in takes over a ledger of records with `id, desc, files, at` and nothing else."""
    harness.dispatch("seed", "docs/e.md")
    path = harness.state_dir / "wave-dispatch-scopes.json"
    at = harness.ledger()[0]["at"]
    record = {"id": "old (impl)", "desc": "old", "files": ["src/a.py"], "at": at}
    path.write_text(json.dumps({"waveKey": "session-one|w?|?", "updated": at, "agents": [record]}))

    answer = harness.dispatch("two", "src/a.py")

    assert answer.denied
    assert "old (impl)" in answer.reason
