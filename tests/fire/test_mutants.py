"""The tests notice what they are there for: each row of docs/fail-matrix.md, turned into its opposite.

One change of the product's text a row, in a copy of the checkout; the test that the row names has to
fail there. All mutants of the core are tried by `python -m tests.fire.mutate` (mutate.py).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.fire.mutate import CHECKOUT, TESTS, Copy, mutants_of, source_of
from tests.records import NOW, SESSION, a_record

from holdshort.core import lifecycle
from holdshort.core.book import Book, key_of
from holdshort.core.dispatch import Decision, Dispatch, decide
from holdshort.core.liveness import Evidence, standing
from holdshort.core.meeting import meeting
from holdshort.core.policy import Policy
from holdshort.core.sightings import LAUNCH_PHRASE, Sighting, is_final, launch_receipt, sighted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.harness import Harness

    from holdshort.core.book import Record

FAILS, PASSES = 1, 0
NOTICE = (
    "<task-notification>\n<task-id>a1</task-id>\n<tool-use-id>toolu_a</tool-use-id>\n"
    "<status>completed</status>\n</task-notification>"
)
OTHER = {**SESSION, "id": "s2", "pid": 12, "start": 6}
RUNNING: dict[str, Any] = {"state": "running", "events": [["started", NOW - 30]], "agentId": "a1"}


class Turned(NamedTuple):
    """A row of the matrix, the file and text that make it so, its opposite, and its test."""

    row: str
    file: str
    text: str
    opposite: str
    test: str


F, P = "hooks/test_fail_matrix.py", "hooks/test_parity.py"
HERE = "fire/test_mutants.py"  # what the tests above leave out
DISPATCH, SHELL = "gather/dispatch.py", "shell.py"
ROWS = (
    Turned(
        "1",
        SHELL,
        "if hook.casefold() in disabled:",
        "if hook.casefold() in ():",
        f"{F}::test_row_1_the_user_switches_the_hook_off",
    ),
    Turned(
        "2",
        "../../hooks/run",
        '|| inactive "its Python exited with $?"',
        "|| exit 0",
        f"{F}::test_row_2_a_module_broken_on_disk_lets_the_call_through_and_tells_the_user",
    ),
    Turned(
        "3, empty",
        "adapters/wire.py",
        "if not raw.strip():",
        "if raw is None:",
        f"{HERE}::test_nothing_on_stdin_is_answered_by_nothing",
    ),
    Turned(
        "3, no call",
        SHELL,
        "verdict = _failed(fault, fails_closed)",
        "verdict = joined(SILENT, warned('', fault))",
        f"{F}::test_row_3_a_call_that_cannot_be_read_is_allowed_and_said",
    ),
    Turned(
        "4",
        DISPATCH,
        "if tool not in (*TOOLS, MESSAGE_TOOL) or not isinstance",
        "if not isinstance",
        f"{P}::test_p7_other_tools_are_none_of_its_business",
    ),
    Turned(
        "5",
        "core/extraction.py",
        "        return Extraction()",
        '        return Extraction(("src/a.py",), "strong")',
        f"{P}::test_p5_p6_prompts_without_a_scope_are_allowed_and_nothing_is_invented",
    ),
    Turned(
        "5, undeclared",
        "gather/scope.py",
        '"weak" if weak else "undeclared"',
        '"weak"',
        f"{HERE}::test_a_dispatch_without_a_path_in_its_scope_is_recorded_as_undeclared",
    ),
    Turned(
        "6",
        "gather/scope.py",
        "_resolved(found.entries, call, place)",
        '_resolved(found.entries or ("src/a.py",), call, place)',
        f"{P}::test_p5_p6_prompts_without_a_scope_are_allowed_and_nothing_is_invented",
    ),
    Turned(
        "7",
        DISPATCH,
        'remarks.append(warned("HS902", said))',
        'remarks.append(warned("", said))',
        f"{F}::test_row_7_an_unreadable_ledger_is_said_and_the_next_dispatch_is_guarded",
    ),
    Turned(
        "8",
        DISPATCH,
        '    tool = text(call, "tool_name")',
        '    import subprocess\n    subprocess.run(["git"])\n    tool = text(call, "tool_name")',
        f"{F}::test_row_8_git_is_not_needed",
    ),
    Turned(
        "9",
        "core/conflict.py",
        "hit.is_certain\n        and hit.standing",
        "hit.standing",
        f"{F}::test_row_9_a_scope_that_cannot_be_judged_is_allowed_and_said",
    ),
    Turned(
        "10",
        "core/dispatch.py",
        'if not has_lifecycle(book, record["session"]):',
        'if has_lifecycle(book, record["session"]):',
        f"{P}::test_p4_the_same_dispatch_again_is_a_retry_while_nothing_is_known_of_its_life",
    ),
    Turned(
        "10a",
        "core/liveness.py",
        "if evidence.sighting.ended:",
        "if evidence.sighting.ended and not evidence.sighting.dispatched:",
        f"{P}::test_p14_a_repair_pass_after_a_synchronous_agent_is_allowed",
    ),
    Turned(
        "10a",
        "core/sightings.py",
        "if is_ours and not (is_revived and names_call):",
        "if is_ours and is_revived and names_call:",
        f"{P}::test_p15_a_repair_pass_after_a_completed_notice_is_allowed",
    ),
    Turned(
        "11",
        "core/conflict.py",
        "if barred and policy.dispatch != WARN:",
        "if barred and policy.dispatch == WARN:",
        f"{P}::test_p1_a_file_that_is_taken_is_denied_with_both_ids_the_file_and_the_kind",
    ),
    Turned(
        "12",
        SHELL,
        "except Exception as error:",
        "except LookupError as error:",
        f"{F}::test_row_12_an_unexpected_error_is_allowed_and_said_in_one_line",
    ),
    Turned(
        "13, no transcript",
        "core/liveness.py",
        "if quiet >= SILENCE and not is_listed:",
        "if quiet < SILENCE and not is_listed:",
        f"{F}::test_row_13_without_a_transcript_an_agent_that_started_is_in_flight",
    ),
    Turned(
        "13, torn",
        "adapters/transcripts.py",
        "    except ValueError:\n        return None",
        "    except ValueError:\n        return {'type': 'queue-operation', 'content': "
        "'<task-notification><task-id>a1</task-id><status>completed</status>'}",
        f"{HERE}::test_a_torn_notice_that_names_the_dispatch_proves_no_end",
    ),
    Turned(
        "13, no result",
        "core/sightings.py",
        "seen.dispatched = seen.dispatched or tool_use_id in calls",
        "seen.ended = 'completed'",
        f"{P}::test_p17_a_dispatch_without_any_result_is_in_flight",
    ),
    Turned(
        "13, no news",
        "core/liveness.py",
        "if abs(age) < IN_FLIGHT_TTL:",
        "if abs(age) >= IN_FLIGHT_TTL:",
        f"{P}::test_p19_without_any_news_age_decides",
    ),
    Turned(
        "14",
        DISPATCH,
        "if not ledger.is_locked:",
        "if ledger.is_locked:",
        f"{F}::test_row_14_a_lock_that_is_held_delays_and_is_said_but_the_collision_is_found",
    ),
    Turned(
        "no decision within 5 s",
        SHELL,
        "    raise DeadlineError\n",
        "    posix._exit(0)\n",
        f"{F}::test_input_that_never_ends_is_given_up_in_time",
    ),
    Turned(
        "state cannot be written",
        DISPATCH,
        'return (warned("HS910", said),)',
        "return ()",
        f"{F}::test_a_full_disk_denies_nothing_and_is_said",
    ),
    Turned(
        "the clock went back",
        "core/liveness.py",
        "if quiet >= SILENCE and not is_listed:",
        "if abs(quiet) >= SILENCE and not is_listed:",
        f"{F}::test_a_clock_that_went_back_does_not_free_a_file",
    ),
)


def run(copy: Copy, *tests: str) -> int:
    """The exit code of pytest for some tests of a copy, which import the copy's own product."""
    flags = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib"]
    command = [sys.executable, "-m", "pytest", "-oaddopts=", f"--rootdir={copy.root}", *flags]
    done = subprocess.run(
        [*command, *(f"tests/{test}" for test in tests)],
        cwd=copy.root,
        env=environ(copy),
        capture_output=True,
        text=True,
    )
    assert done.returncode in (FAILS, PASSES), done.stdout + done.stderr
    return done.returncode


def environ(copy: Copy) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{copy.root}/lib:{copy.root}"}


def turn(copy: Copy, row: Turned) -> None:
    path = copy.root / "lib" / "holdshort" / row.file
    text = path.read_text()
    assert text.count(row.text) == 1, f"{row.file}: {row.text}"
    path.write_text(text.replace(row.text, row.opposite))


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.row}-{row.test}" for row in ROWS])
def test_where_a_row_of_the_fail_matrix_is_not_so_its_test_fails(copy: Copy, row: Turned) -> None:
    turn(copy, row)

    assert run(copy, row.test) == FAILS


def test_where_every_row_is_so_the_same_tests_pass(copy: Copy) -> None:
    assert run(copy, *dict.fromkeys(row.test for row in ROWS)) == PASSES


def test_every_row_with_a_test_of_the_fail_matrix_is_turned_into_its_opposite() -> None:
    text = (CHECKOUT / "docs" / "fail-matrix.md").read_text()
    rows = re.findall(r"^\| (\w+|-) \| ([^|]+) \|[^|]+\| [FP] ", text, re.MULTILINE)
    known = {row.row.partition(",")[0] for row in ROWS}

    assert {number if number != "-" else said for number, said in rows} == known


# What the tests that the matrix names leave out


def test_nothing_on_stdin_is_answered_by_nothing(harness: Harness) -> None:
    (command,) = harness.commands("PreToolUse", "Agent")

    for nothing in ("", " \n"):
        answer = harness.feed(command, nothing)
        assert (answer.code, answer.stdout, answer.stderr) == (0, "", "")


def test_a_dispatch_without_a_path_in_its_scope_is_recorded_as_undeclared(harness: Harness) -> None:
    harness.dispatch("one", prompt="Look around, please.")
    harness.dispatch("two", prompt="FILE-SCOPE:\n```\nplease be careful with everything\n```\n")

    assert [record["source"] for record in harness.ledger()] == ["undeclared", "undeclared"]


def test_a_torn_notice_that_names_the_dispatch_proves_no_end(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    harness.write_notice("a1", "completed", harness.last_call)
    whole = harness.transcript.read_bytes()
    harness.transcript.write_bytes(whole[:-20])

    assert harness.dispatch("two", "src/a.py").denied


def test_a_copy_imports_its_own_product(copy: Copy) -> None:
    command = [sys.executable, "-c", "import holdshort.shell as it; print(it.__file__)"]
    done = subprocess.run(command, cwd="/", env=environ(copy), capture_output=True, text=True)

    assert done.stdout.startswith(str(copy.root))


def decided(book: list[Record], *files: str, **fields: Any) -> Decision:
    """What becomes of a new dispatch of these files."""
    return judged(book, Dispatch(a_record("toolu_new", *files, age=0, **fields)))


def judged(book: list[Record], asking: Dispatch, evidence: Evidence | None = None) -> Decision:
    found = {key_of(record): evidence or Evidence("alive") for record in book}
    return decide(asking, Book(tuple(book)), Policy(), NOW, found)


def recorded(decision: Decision) -> tuple[Record, ...]:
    assert decision.book is not None
    return decision.book.agents


def message(target: Record, *files: str, **fields: Any) -> Dispatch:
    """A message that gives its target more files."""
    asked = {**target, "toolUseId": "toolu_m", "source": "message", "access": "write"}
    return Dispatch({**asked, "files": list(files), **fields}, target=target)


class TestWhatTheTestsOfTheCoreLeaveOut:
    """Behaviours whose mutants survived the tests of the module they belong to."""

    def test_the_second_call_may_be_given_what_the_first_one_found(self) -> None:
        book = Book((a_record("toolu_a", **RUNNING),))
        asking = Dispatch(a_record("toolu_new", age=0))
        first = decide(asking, book, Policy(), NOW, {})
        evidence = {key_of(one): Evidence("alive") for one in first.asks}

        assert decide(asking, book, Policy(), NOW, evidence, first.met).verdict.decision == "deny"
        assert decide(asking, book, Policy(), NOW, evidence, []).row == "allow"

    def test_only_a_denial_names_a_path_and_a_holder(self) -> None:
        denied, free = (decided([a_record(**RUNNING)], name) for name in ("src/a.py", "lib/x"))

        assert (denied.path, denied.holder) == ("src/a.py", "agent toolu_a (general-purpose)")
        assert (free.path, free.holder) == ("", "")

    def test_a_reading_dispatch_of_a_file_that_is_taken_asks_for_no_evidence(self) -> None:
        book = Book((a_record("toolu_a", **RUNNING),))
        reading = Dispatch(a_record("toolu_new", access="read"))

        assert decide(reading, book, Policy(), NOW, {}).asks == ()

    @pytest.mark.parametrize("state", ["idle", "finished"])
    def test_no_evidence_is_asked_for_of_an_agent_that_has_ended(self, state: str) -> None:
        book = Book((a_record("toolu_a", state=state),))

        assert decide(Dispatch(a_record("toolu_new")), book, Policy(), NOW, {}).asks == ()

    @pytest.mark.parametrize("heard", [{"state": "running"}, {"events": [["turn-ended", NOW]]}])
    def test_a_call_id_that_comes_again_after_its_agent_was_heard_of_is_judged(
        self, heard: dict[str, Any]
    ) -> None:
        assert decided([a_record("toolu_new", **heard)], "src/a.py").row != "again"

    def test_a_message_under_the_id_of_a_recorded_call_is_judged(self) -> None:
        target = a_record("toolu_t", "lib/x.py", agentId="t1")
        book = [a_record("toolu_m", "src/a.py"), target]

        assert judged(book, message(target, "src/a.py")).row != "again"

    def test_an_agent_that_is_given_what_it_has_collides_with_nobody_and_stays_where_it_is(
        self,
    ) -> None:
        target = a_record("toolu_t", "src/a.py", **RUNNING)
        others = [target, a_record("toolu_b", "lib/x.py")]

        decision = judged(others, message(target, "src/a.py"))

        assert decision.verdict.is_silent
        assert list(recorded(decision)) == others

    def test_a_reader_that_is_given_a_file_holds_that_file_alone(self) -> None:
        target = a_record("toolu_t", "src/**", access="read", **RUNNING)

        (grown,) = recorded(judged([target], message(target, "lib/x.py")))

        assert (grown["files"], grown["access"]) == (["lib/x.py"], "write")

    def test_an_ancestor_is_known_by_its_agent_id_alone(self) -> None:
        parent = a_record("toolu_a", "src/**", **RUNNING)
        child = Dispatch(a_record("toolu_new", parent="a1"), (("a1", ""),))

        assert judged([parent], child).verdict.is_silent

    def test_a_descendants_descendant_is_no_stranger_to_the_agent_that_gets_a_message(self) -> None:
        target = a_record("toolu_t", "lib/x.py", agentId="t1", state="running")
        child = a_record("toolu_c", "web/x", agentId="c1", parent="t1", state="running")
        grandchild = a_record("toolu_g", agentId="g1", parent="c1", state="running")

        assert judged([target, child, grandchild], message(target, "src/**")).verdict.is_silent

    @pytest.mark.parametrize(
        "other",
        [
            {"parent": None},
            {"parent": "nobody"},
            {"parent": "x1"},
            {"parent": "t1", "session": OTHER},
        ],
    )
    def test_others_are_strangers_to_the_agent_that_gets_a_message(
        self, other: dict[str, Any]
    ) -> None:
        target = a_record("toolu_t", "lib/x.py", agentId="t1", state="running")
        stranger = a_record("toolu_s", agentId="x1", state="running", **other)

        decision = judged([target, stranger], message(target, "src/a.py"))

        assert decision.verdict.decision == "deny"

    def test_an_agent_without_an_id_is_nobodys_ancestor(self) -> None:
        target = a_record("toolu_t", "lib/x.py", agentId=None)
        top = a_record("toolu_s", parent=None, agentId="x1", state="running")

        assert judged([target, top], message(target, "src/a.py")).verdict.decision == "deny"

    def test_a_write_of_another_is_told_once_and_only_to_who_may_write_there(self) -> None:
        wrote = {"at": NOW - 5, "session": OTHER, "agent": "", "tree": "/repo", "path": "src/a.py"}
        asking, reading, again = (
            Dispatch(a_record(call, age=0, id="asks", access=access), touches=(wrote,))
            for call, access in (("toolu_1", "write"), ("toolu_2", "read"), ("toolu_3", "write"))
        )
        first = judged([], asking)
        assert first.book is not None
        book = first.book.changed(agents=())

        assert first.verdict.code == "HS502"
        assert judged([], reading).verdict.is_silent
        assert decide(again, book, Policy(), NOW + 9, {}).verdict.is_silent

    def test_an_old_dispatch_of_another_name_is_kept_beside_a_new_one(self) -> None:
        old = a_record("toolu_a", age=7200.0)

        assert len(recorded(decided([old], "src/a.py"))) == 2

    @pytest.mark.parametrize(("wave", "key"), [("w3|Core", "s1|w3|Core"), ("", "s1|w?|?")])
    def test_the_ledger_names_the_wave_that_wrote_last(self, wave: str, key: str) -> None:
        decision = decided([], "src/a.py", wave=wave)

        assert decision.book is not None
        assert decision.book.wave_key == key

    def test_what_the_evidence_tells_of_a_reservation_is_recorded(self) -> None:
        seen = Evidence("alive", Sighting(launched="a9"), agent_id="a9")

        (taught, *_) = recorded(judged([a_record()], Dispatch(a_record("toolu_new")), seen))

        assert (taught["state"], taught["agentId"]) == ("running", "a9")
        assert taught["events"] == [["found-running", NOW]]

    def test_what_the_ledger_knows_is_not_found_again(self) -> None:
        known = a_record(**RUNNING)

        assert recorded(judged([known], Dispatch(a_record("toolu_new")))) == (known,)
        reserved = a_record()
        assert recorded(judged([reserved], Dispatch(a_record("toolu_new")))) == (reserved,)
        other = Evidence("alive", agent_id="a9")
        (kept,) = recorded(judged([known], Dispatch(a_record("toolu_new")), other))
        assert kept["agentId"] == "a1"

    def test_the_dispatch_of_another_session_is_no_earlier_one_of_ours(self) -> None:
        theirs = a_record("toolu_a", session=OTHER)

        assert decided([theirs], "src/a.py", id=theirs["id"]).verdict.decision == "deny"

    def test_a_dispatch_whose_launch_the_transcript_knows_is_no_retry(self) -> None:
        launched = Evidence("alive", Sighting(launched=""))
        again = Dispatch(a_record("toolu_new", id=a_record()["id"]))

        assert judged([a_record()], again, launched).verdict.decision == "deny"

    @pytest.mark.parametrize(
        ("ours", "theirs", "session", "state"),
        [
            ("w4|x", "w3|x", SESSION, "allow"),
            ("w4|x", "w3|x", OTHER, "deny"),
            ("w3|x", "w3|x", SESSION, "deny"),
            ("", "w3|x", SESSION, "deny"),
            ("w4|x", "", SESSION, "deny"),
        ],
    )
    def test_a_later_wave_ends_only_agents_of_its_own_session_that_had_a_wave(
        self, ours: str, theirs: str, session: dict[str, Any], state: str
    ) -> None:
        earlier = a_record("toolu_a", wave=theirs, session=session)

        assert decided([earlier], "src/a.py", wave=ours).verdict.decision == state

    @pytest.mark.parametrize(("age", "state"), [(1799.0, "reserved"), (1800.0, "finished")])
    def test_with_nothing_known_half_an_hour_is_the_end(self, age: float, state: str) -> None:
        old = a_record(age=age)

        assert standing(old, Evidence("alive"), NOW, "", lifecycle_seen=False).state == state

    def test_a_meta_file_ends_an_agent_of_whose_start_nothing_was_told(self) -> None:
        marked = Evidence("alive", agent_id="a1", meta_ended=NOW - 5)

        assert standing(a_record(), marked, NOW, "", lifecycle_seen=True).state == "finished"

    def test_a_meta_file_that_changed_at_the_very_start_marks_the_end(self) -> None:
        marked = Evidence("alive", agent_id="a1", meta_ended=NOW - 30)

        assert (
            standing(a_record(**RUNNING), marked, NOW, "", lifecycle_seen=True).state == "finished"
        )

    def test_one_that_started_long_ago_is_unknown_even_where_no_life_cycle_is_told(self) -> None:
        receipt = Evidence("alive", Sighting(launched="a1"))

        found = standing(a_record(age=7200.0), receipt, NOW, "", lifecycle_seen=False)

        assert (found.state, found.why[:10]) == ("unknown", "it started")

    def test_a_reservation_whose_turn_goes_on_outlasts_its_wave(self) -> None:
        earlier = a_record(wave="w3|x")

        assert standing(earlier, Evidence("alive"), NOW, "w4|x", lifecycle_seen=True).state == (
            "reserved"
        )

    def test_a_dispatch_without_a_time_that_the_harness_speaks_of_is_reserved(self) -> None:
        undated = a_record(at="some day")

        assert (
            standing(undated, Evidence("alive"), NOW, "", lifecycle_seen=True).state == "reserved"
        )

    def test_a_call_that_the_transcript_knows_needs_no_life_cycle_to_be_reserved(self) -> None:
        open_call = Evidence("alive", Sighting(dispatched=True))
        old = a_record(age=7200.0)

        assert standing(old, open_call, NOW, "", lifecycle_seen=False).state == "unknown"

    def test_a_tool_that_returns_for_an_unknown_call_changes_nothing(self) -> None:
        book = Book((a_record(),))

        assert lifecycle.tool_returned(book, SESSION, "toolu_x", {}, NOW) is book
        assert lifecycle.tool_failed(book, SESSION, "toolu_x", NOW) is book

    def test_a_result_without_a_status_ends_the_agent(self) -> None:
        (ended,) = lifecycle.tool_returned(Book((a_record(),)), SESSION, "toolu_a", {}, NOW).agents

        assert ended["state"] == "finished"

    def test_what_has_ended_is_not_ended_again(self) -> None:
        ended = a_record(state="idle", events=[["stopped", NOW - 9]])
        book = Book((ended,))

        assert lifecycle.tool_failed(book, SESSION, "toolu_a", NOW) is book
        assert lifecycle.agent_ended(book, ended, "killed", NOW) is book

    def test_a_reservation_that_starts_runs_and_a_runner_that_starts_is_as_it_was(self) -> None:
        book = Book((a_record(),))
        (started,) = lifecycle.agent_started(book, book.agents[0], NOW, []).agents
        running = Book((started,))

        assert (started["state"], started["events"]) == ("running", [["started", NOW]])
        assert lifecycle.agent_started(running, started, NOW + 1, []) is running

    def test_an_agent_that_stops_is_no_longer_listed(self) -> None:
        record = a_record(**RUNNING, listed=True)
        book = lifecycle.agent_stopped(Book((record,)), SESSION, record, "a1", [], NOW)

        assert book.agents[0]["listed"] is False

    def test_a_list_of_tasks_says_nothing_of_agents_that_do_not_run(self) -> None:
        book = Book((a_record(state="idle", agentId="a1", listed=True),))

        assert lifecycle.tasks_listed(book, SESSION, [], None, NOW) is book

    def test_tasks_that_are_no_objects_or_have_no_id_are_left_out(self) -> None:
        tasks = [None, 3, "x", {}, {"id": 3, "status": "running"}, {"id": "b", "status": "running"}]

        assert lifecycle.running_tasks(tasks) == ["b"]

    @pytest.mark.parametrize(
        ("events", "state"),
        [
            ([["stopped", NOW - 9]], "finished"),
            ([["found-ended", NOW - 9], ["stopped", NOW - 5]], "finished"),
            ([["started", NOW - 9], ["found-ended", NOW - 5]], "running"),
        ],
    )
    def test_a_receipt_that_comes_late_undoes_only_a_guess(
        self, events: list[Any], state: str
    ) -> None:
        book = Book((a_record(state="finished", events=events),))
        launched = {"status": "async_launched", "agentId": "a1"}

        assert lifecycle.tool_returned(book, SESSION, "toolu_a", launched, NOW).agents[0][
            "state"
        ] == (state)

    def test_one_that_drops_out_of_the_list_ends_unless_it_waits_for_a_task_in_it(self) -> None:
        task = {"id": "b1", "status": "running"}
        gone, waits = (
            a_record(call, **{**RUNNING, "agentId": call}, listed=True, waits=waiting)
            for call, waiting in (("toolu_a", []), ("toolu_b", ["b1"]))
        )
        book = lifecycle.tasks_listed(Book((gone, waits)), SESSION, [task], None, NOW)

        assert [record["state"] for record in book.agents] == ["finished", "running"]
        assert book.agents[0]["listed"] is False

    def test_a_call_that_was_seen_stays_seen(self) -> None:
        records = [
            {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": call}]}}
            for call in ("toolu_a", "toolu_b")
        ]

        assert sighted(records, "toolu_a", None).dispatched

    def test_a_task_without_a_status_has_not_ended(self) -> None:
        assert not is_final("")

    @pytest.mark.parametrize("structured", [None, {}, {"status": 3}, "text"])
    def test_without_a_structured_status_the_receipts_first_sentence_decides(
        self, structured: Any
    ) -> None:
        block = {"content": [{"text": f"{LAUNCH_PHRASE}. agentId: a1 (internal)"}]}

        assert launch_receipt(block, structured) == "a1"
        assert launch_receipt({**block, "is_error": True}, structured) is None
        assert launch_receipt({**block, "is_error": False}, structured) == "a1"

    @pytest.mark.parametrize("content", [None, 3, {"text": LAUNCH_PHRASE}, [], [None], ["x"]])
    def test_a_result_whose_text_is_elsewhere_is_no_receipt(self, content: Any) -> None:
        assert launch_receipt({"content": content}, None) is None

    @pytest.mark.parametrize(
        "record",
        [
            {"type": "attachment", "attachment": None},
            {"type": "attachment", "attachment": {"commandMode": "prompt", "prompt": NOTICE}},
            {"type": "system", "message": {"content": NOTICE}},
            {"type": "user", "message": None},
            {"type": "user", "message": {"content": [None, {"type": "text", "text": NOTICE}]}},
            {"type": "user", "message": {"content": [{"type": "x", "tool_use_id": "toolu_a"}]}},
        ],
    )
    def test_what_looks_like_the_news_of_an_end_is_none(self, record: Any) -> None:
        assert sighted([record], "toolu_a", "a1").ended == ""

    def test_further_paths_are_others_than_the_first_and_as_many_as_asked_for(self) -> None:
        names = ["src/a.py", "src/b.py", "src/c.py", "src/d.py"]
        (hit,) = meeting(names, [a_record("toolu_a", *names)], ())

        assert hit.path not in hit.other_paths(2)
        assert len(hit.other_paths(2)) == 2
        assert len(hit.other_paths(9)) == 3


# The mutator itself

SOURCE = """
LIMIT = 5

def allows(number, names):
    '''What it is for.'''
    for name in names:
        if not name:
            continue
        names.append(name)
    return 0 < number <= LIMIT and "x" in names
"""


def test_each_kind_of_change_is_made_once() -> None:
    changes = [(mutant.line, mutant.after) for mutant in mutants_of("any", SOURCE)]

    assert len(changes) == len(set(changes))
    assert set(changes) == {
        (2, "LIMIT = 6"),
        (7, "if name:"),
        (8, "(gone)"),
        (9, "(gone)"),
        (10, "return None"),
        (10, "return True"),
        (10, "return 1 < number <= LIMIT and 'x' in names"),
        (10, "return 0 >= number <= LIMIT and 'x' in names"),
        (10, "return 0 <= number <= LIMIT and 'x' in names"),
        (10, "return 0 < number > LIMIT and 'x' in names"),
        (10, "return 0 < number < LIMIT and 'x' in names"),
        (10, "return 0 < number <= LIMIT and 'x' not in names"),
        (10, "return 0 < number <= LIMIT or 'x' in names"),
        (10, "return 0 < number <= LIMIT"),
        (10, "return 'x' in names"),
    }


@pytest.mark.parametrize("module", TESTS)
def test_every_mutant_is_another_program_that_compiles(module: str) -> None:
    source = source_of(module)
    mutants = list(islice(mutants_of(module, source), 64))

    assert mutants
    for mutant in mutants[:: len(mutants) // 8 or 1]:
        compile(mutant.source, module, "exec")
        assert mutant.before != mutant.after
