"""The run loop of every hook: read one call, let one function judge it, answer once, exit 0.

This is the one place that catches, the one that knows the fail policy, and the one that exits. A
guard that cannot judge says so and allows (docs/fail-matrix.md); the write guard denies where a
wave manifest governs.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself imports enum
import posix
import time

from holdshort.adapters import paths
from holdshort.adapters.decisions_log import log
from holdshort.adapters.wire import UnreadableCallError, answer, read_call, text
from holdshort.core.verdict import DENY, SILENT, Outcome, Verdict, joined, warned
from holdshort.core.words import clip, iso_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    Judge = Callable[[dict[str, Any], float], Outcome]
    Question = Callable[[], bool]

DEADLINE = 5.0  # seconds, below the 10 of every registration in hooks.json
AGAIN = 1.0  # seconds; an alarm within a callback of the interpreter is swallowed by it
DISABLED = "HOLDSHORT_DISABLED_HOOKS"
PROFILE = "HOLDSHORT_HOOK_PROFILE"
PROFILES = ("full", "minimal", "off")


class DeadlineError(BaseException):
    """The hook's own time is up. No `Exception`, so that no handler on the way swallows it."""


def run(
    hook: str, judge: Judge, *, is_guard: bool, fails_closed: Question = lambda: False
) -> NoReturn:
    """Serve one call on stdin and exit 0, whatever happens.

    hook: its name, as in hooks.json. is_guard: whether the `minimal` profile still runs it.
    fails_closed: whether a call that cannot be judged is denied; asked only then.
    """
    enabled, remark = is_enabled(hook, is_guard=is_guard)
    output = serve(hook, judge, remark, fails_closed=fails_closed) if enabled else b""
    try:
        while output:
            output = output[posix.write(1, output) :]
    except OSError:
        pass  # nobody listens any more
    posix._exit(0)  # noqa: SLF001  # skips the interpreter's tidying, a tenth of the start


def serve(
    hook: str,
    judge: Judge,
    remark: Verdict = SILENT,
    fd: int = 0,
    fails_closed: Question = lambda: False,
) -> bytes:
    """The bytes to answer for the call on `fd`."""
    event = "PreToolUse"
    try:
        _start_clock()
        call = read_call(fd)
        if call is None:
            return b""
        event = text(call, "hook_event_name") or event
        outcome = judge(call, time.time())
        _stop_clock()
        verdict = joined(outcome.verdict, remark)
        _note(hook, call, outcome)
    except UnreadableCallError as error:
        fault = f"HS908 {hook}: the call cannot be read, {error}"
        verdict = _failed(fault, fails_closed)
    except DeadlineError:
        verdict = _failed(f"HS903 {hook}: no decision within {DEADLINE:.0f} s", fails_closed)
    except Exception as error:  # noqa: BLE001  # row 12: this is where all is caught
        verdict = _failed(f"HS907 {hook}: {_named(error)}", fails_closed)
    finally:
        _stop_clock()
    return answer(verdict, event)


def _failed(fault: str, fails_closed: Question) -> Verdict:
    """What is answered when the guard itself failed, which is said either way."""
    _stop_clock()
    code = fault[:5]
    try:
        is_closed = fails_closed()
    except Exception:  # noqa: BLE001  # then nothing is known to be closed
        is_closed = False
    if is_closed:
        return Verdict(DENY, code, f"{fault}. Denied, as a wave manifest is in force.", f"{fault}.")
    return warned(code, f"{fault}. This call was not checked.")


def is_enabled(hook: str, *, is_guard: bool) -> tuple[bool, Verdict]:
    """Whether the user's environment lets `hook` run, and what to say of an unknown profile."""
    disabled = [name.strip().casefold() for name in paths.variable(DISABLED).split(",")]
    if hook.casefold() in disabled:
        return False, SILENT
    profile = paths.variable(PROFILE).strip().casefold() or "full"
    if profile not in PROFILES:
        shown = clip(profile, 40)
        said = f"HS909 {PROFILE}={shown} is none of {', '.join(PROFILES)}; all hooks run."
        return True, warned("HS909", said)
    return profile == "full" or (profile == "minimal" and is_guard), SILENT


def _note(hook: str, call: dict[str, Any], outcome: Outcome) -> None:
    if outcome.state_dir and (outcome.facts or outcome.verdict.code):
        entry = {
            "at": iso_of(time.time()),
            "hook": hook,
            "session": text(call, "session_id"),
            "agent": text(call, "agent_id"),
            "call": text(call, "tool_use_id"),
            "decision": outcome.verdict.decision,
            "code": outcome.verdict.code,
            **outcome.facts,
            "reason": outcome.verdict.reason or outcome.verdict.notice,
        }
        log(outcome.state_dir, entry)


def _named(error: Exception) -> str:
    """The error in one line: its type and the place it came from, never a traceback."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        file = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
        place = f" at {file}:{trace.tb_lineno}"
    return f"unexpected {type(error).__name__}{place}"


def _start_clock() -> None:
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _on_alarm)
        _signal.setitimer(_signal.ITIMER_REAL, DEADLINE, AGAIN)


def _stop_clock() -> None:
    if hasattr(_signal, "setitimer"):
        _signal.setitimer(_signal.ITIMER_REAL, 0)


def _on_alarm(*_: object) -> None:
    raise DeadlineError
