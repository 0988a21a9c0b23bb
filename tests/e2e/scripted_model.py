"""A scripted Anthropic Messages server on loopback: it plays the model, the client is real.

A scenario is a set of scripts, each with a keyword. A conversation (one agent, or the main thread
of one session) belongs to the script whose keyword stands first in its first user text; its n-th
request gets the n-th turn. Requests without tools (titles, summaries) get plain text and advance
nothing.

A turn is a list of parts: what the model says (`Say`, `Call`), what it waits for (`Until`, also in
the middle of an answer), how it fails (`Fail`, `Cut`). It may also be a function of the request, to
use an agent id that was seen earlier.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

if TYPE_CHECKING:
    from pathlib import Path

GATE_DEADLINE = 40.0
POLL = 0.02

Json = dict[str, Any]


@dataclass(frozen=True)
class Say:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Call:
    """A tool call; its id tells script, turn and place unless one is given."""

    name: str
    given: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True)
class Until:
    """A gate: the answer is held back until the condition is true."""

    condition: Callable[[ScriptedModel], bool]
    label: str = "condition"


@dataclass(frozen=True)
class Fail:
    """An HTTP error instead of an answer; the client is told not to retry."""

    status: int = 400
    kind: str = "invalid_request_error"
    message: str = "scripted failure"


@dataclass(frozen=True)
class Cut:
    """The connection breaks here, in the middle of an answer."""


Part = Say | Call | Until | Fail | Cut
Turn = Sequence[Part] | Callable[["Request"], Sequence[Part]]


def reached(script: str, requests: int = 1) -> Until:
    """Wait for that script's conversations to have sent so many requests."""
    return Until(
        lambda model: sum(len(c.requests) for c in model.named(script)) >= requests,
        f"{script} reaching request {requests}",
    )


def opened(gate: str) -> Until:
    """Wait for the test to call `model.open(gate)`."""
    return Until(lambda model: gate in model.gates, f"gate {gate}")


def exists(path: Path) -> Until:
    """Wait for a file."""
    return Until(lambda _: path.exists(), f"file {path.name}")


def written(path: Path, text: str) -> Until:
    """Wait for a text to stand in a file."""
    return Until(
        lambda _: path.exists() and text in path.read_text(errors="replace"),
        f"{text!r} in {path.name}",
    )


@dataclass(frozen=True)
class Result:
    """What the model received for one of its tool calls."""

    id: str
    text: str
    error: bool


@dataclass
class Request:
    """One request of a conversation, as the model received it."""

    body: Json
    agent_id: str | None
    conversation: Conversation
    at: float = field(default_factory=time.time)

    @property
    def texts(self) -> list[str]:
        """Every user text, oldest first, tool results left out."""
        return [text for message in users(self.body) for text in texts_of(message["content"])]

    @property
    def results(self) -> list[Result]:
        """Every tool result the model has been given so far, oldest first."""
        blocks = [b for message in users(self.body) for b in blocks_of(message["content"])]
        return [result_of(b) for b in blocks if b.get("type") == "tool_result"]

    @property
    def agent_ids(self) -> list[str]:
        """The agent ids named by launch receipts, in the order of the receipts."""
        return re.findall(r"agentId: (\w+)", "\n".join(r.text for r in self.results))

    @property
    def heard(self) -> str:
        """Every text of the user and of the harness (hook contexts too), tool results left out."""
        told = [m for m in self.body.get("messages", []) if m.get("role") in ("user", "system")]
        return "\n".join(text for m in told for text in texts_of(m["content"]))


@dataclass
class Conversation:
    """One agent's, or one main thread's, exchange with the model."""

    script: str
    session_id: str
    agent_id: str | None
    parent_id: str | None = None
    requests: list[Request] = field(default_factory=list)

    @property
    def results(self) -> list[Result]:
        """What the model had been given by the last request."""
        return self.requests[-1].results if self.requests else []

    def result(self, call_id: str) -> Result:
        """The result of one call; a `KeyError` says which calls have one."""
        found = {result.id: result for result in self.results}
        if call_id not in found:
            raise KeyError(f"no result for {call_id}; there are {sorted(found)}")
        return found[call_id]


def users(body: Json) -> list[Json]:
    """The user messages of a request."""
    return [m for m in body.get("messages", []) if m.get("role") == "user"]


def blocks_of(content: str | list[Json]) -> list[Json]:
    """Message content in its long form."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def texts_of(content: str | list[Json]) -> list[str]:
    """The text blocks of some content."""
    return [b["text"] for b in blocks_of(content) if b.get("type") == "text"]


def result_of(block: Json) -> Result:
    """A tool_result block as a value."""
    text = "\n".join(texts_of(block.get("content") or ""))
    return Result(block["tool_use_id"], text, bool(block.get("is_error")))


def call_id(script: str, turn: int, place: int) -> str:
    """The id a `Call` gets when it names none; in small letters: no keyword stands in it."""
    return f"toolu_{re.sub(r'[^a-z0-9]', '', script.lower())}_{turn}_{place}"


class _Server(ThreadingHTTPServer):
    """A server that does not mind a client which was killed in the middle of a request."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing for a lost connection; anything else is a fault of this module."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class ScriptedModel:
    """The server with its scripts, its gates and its memory of every conversation."""

    def __init__(self, scripts: Mapping[str, Sequence[Turn]]) -> None:
        self.scripts = dict(scripts)
        self.gates: set[str] = set()
        self.conversations: list[Conversation] = []
        self.stuck: list[str] = []
        self.closed = False
        self._changed = threading.Condition()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": POLL}, daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Where the client finds this model."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def open(self, gate: str) -> None:
        """Let the turns go on that wait for this gate."""
        with self._changed:
            self.gates.add(gate)
            self._changed.notify_all()

    def named(self, script: str) -> list[Conversation]:
        """The conversations of a script, in order of their first request."""
        return [c for c in self.conversations if c.script == script]

    @property
    def results(self) -> dict[str, list[Result]]:
        """What each script was given for its calls."""
        return {one.script: one.results for one in self.conversations}

    def only(self, script: str) -> Conversation:
        """The one conversation of a script."""
        found = self.named(script)
        if len(found) != 1:
            raise LookupError(f"{len(found)} conversations of {script}, one expected")
        return found[0]

    def started(self, script: str) -> bool:
        """Whether any conversation of this script has reached the model."""
        return bool(self.named(script))

    def wait(self, until: Until, deadline: float = GATE_DEADLINE) -> None:
        """Block the test until a gate's condition is true."""
        if not self._hold(until, deadline):
            raise TimeoutError(f"waited {deadline:.0f} s for {until.label}")

    def take(self, body: Json, headers: Mapping[str, str]) -> Sequence[Part]:
        """Record a request and hand out its turn; the gates in it are the server's to pass."""
        if not body.get("tools"):
            return [Say("A title")]
        with self._changed:
            conversation = self._conversation(body, headers)
            request = Request(body, conversation.agent_id, conversation)
            conversation.requests.append(request)
            turn = len(conversation.requests) - 1
            self._changed.notify_all()
        parts = [*self._turn(request, turn)]
        if all(isinstance(part, Until) for part in parts):
            parts.append(Say("Done."))
        return numbered(parts, conversation.script, turn)

    def hold(self, gate: Until) -> None:
        """Wait at a gate; one that stays shut is remembered, and the turn goes on."""
        if not self._hold(gate, GATE_DEADLINE) and not self.closed:
            self.stuck.append(gate.label)

    def _conversation(self, body: Json, headers: Mapping[str, str]) -> Conversation:
        session = headers.get("x-claude-code-session-id") or ""
        agent = headers.get("x-claude-code-agent-id")
        for known in self.conversations:
            if (known.session_id, known.agent_id) == (session, agent):
                return known
        parent = headers.get("x-claude-code-parent-agent-id")
        new = Conversation(self._script(body), session, agent, parent)
        self.conversations.append(new)
        return new

    def _script(self, body: Json) -> str:
        for message in users(body):
            text = "\n".join(texts_of(message["content"]))
            found = [(text.index(key), key) for key in self.scripts if key in text]
            if found:
                return min(found)[1]
        return ""

    def _turn(self, request: Request, turn: int) -> Sequence[Part]:
        turns = self.scripts.get(request.conversation.script, ())
        if turn >= len(turns):
            return [Say("Done.")]
        chosen = turns[turn]
        return chosen(request) if callable(chosen) else chosen

    def _hold(self, until: Until, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        with self._changed:
            while not until.condition(self):
                if self.closed or time.monotonic() > deadline:
                    return False
                self._changed.wait(POLL)
        return True


def numbered(parts: Sequence[Part], script: str, turn: int) -> list[Part]:
    """The parts, with an id for every call that has none; its place counts what is said."""
    place, result = 0, list[Part]()
    for part in parts:
        if isinstance(part, Call) and not part.id:
            result.append(Call(part.name, part.given, call_id(script, turn, place)))
        else:
            result.append(part)
        place += not isinstance(part, Until)
    return result


def _block(part: Part) -> Json:
    if isinstance(part, Call):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": dict(part.given)}
    return {"type": "text", "text": cast("Say", part).text}


def _block_events(index: int, block: Json) -> list[Json]:
    empty = {**block, "input": {}} if block["type"] == "tool_use" else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if block["type"] == "tool_use"
        else {"type": "text_delta", "text": block["text"]}
    )
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def _stop(parts: Sequence[Part]) -> str:
    return "tool_use" if any(isinstance(part, Call) for part in parts) else "end_turn"


def _message(body: Json) -> Json:
    """An answer's frame."""
    return {
        "id": f"msg_{time.time_ns()}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }


class _Handler(BaseHTTPRequestHandler):
    """HTTP in and out; what to answer is the model's business."""

    protocol_version = "HTTP/1.1"
    model: ClassVar[ScriptedModel]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Say nothing: tests read the model's memory instead."""

    def do_HEAD(self) -> None:
        """Answer the client's health probe."""
        self._json({})

    def do_GET(self) -> None:
        """Answer probes and model lists with nothing in them."""
        self._json({"data": [], "models": []})

    def do_POST(self) -> None:
        """Answer one request of a conversation."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "count_tokens" in self.path:
            self._json({"input_tokens": 10})
        elif not self.path.startswith("/v1/messages"):
            self._json({})
        else:
            self._messages(json.loads(raw))

    def _messages(self, body: Json) -> None:
        parts = self.model.take(body, {k.lower(): v for k, v in self.headers.items()})
        failure = next((p for p in parts if isinstance(p, Fail)), None)
        try:
            if failure:
                self._fail(parts, failure)
            elif body.get("stream"):
                self._stream(_message(body), parts)
            else:
                self._whole(_message(body), parts)
        except OSError:  # the client was interrupted or killed while the turn was held back
            self.close_connection = True

    def _fail(self, parts: Sequence[Part], failure: Fail) -> None:
        for gate in parts:
            if isinstance(gate, Until):
                self.model.hold(gate)
        error = {"type": failure.kind, "message": failure.message}
        self._json({"type": "error", "error": error}, failure.status)

    def _whole(self, message: Json, parts: Sequence[Part]) -> None:
        for gate in parts:
            if isinstance(gate, Until):
                self.model.hold(gate)
        blocks = [_block(part) for part in parts if not isinstance(part, Until)]
        self._json({**message, "content": blocks, "stop_reason": _stop(parts)})

    def _stream(self, message: Json, parts: Sequence[Part]) -> None:
        """The documented event sequence; a gate between two blocks holds the second one back."""
        started, index = False, 0
        for part in parts:
            if isinstance(part, Until):
                self.model.hold(part)
                continue
            if isinstance(part, Cut):
                self.connection.shutdown(socket.SHUT_RDWR)
                raise ConnectionAbortedError
            if not started:
                self._start_stream()
                self._events([{"type": "message_start", "message": message}])
                started = True
            self._events(_block_events(index, _block(part)))
            index += 1
        delta = {"stop_reason": _stop(parts), "stop_sequence": None}
        usage = {"output_tokens": 10}
        self._events([{"type": "message_delta", "delta": delta, "usage": usage}])
        self._events([{"type": "message_stop"}])
        self.wfile.write(b"0\r\n\r\n")

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _events(self, events: list[Json]) -> None:
        text = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _json(self, value: Json, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("x-should-retry", "false")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
